#!/bin/bash
# What: refuses a change of the storage that would destroy or move data which a claim uses; runs before anything is changed.
# Needs: CLUSTER, SERVER (address of the storage machine, may be empty), EXPORTS (lines "directory volume"), PERSISTENT_VOLUMES (lines "name path"), both as they will be and maybe empty; ALLOW_DATA_LOSS (true|false)
# Changes: nothing
# Again: unchanged.
# Undo: none needed.

. parts/kubernetes.sh

# bound_volumes: name, cluster, volume, path, namespace, claim of each bound NFS PersistentVolume that is ours or on our server.
bound_volumes() {
  # shellcheck disable=SC2016,SC2153 # the dollars are the template's; CLUSTER is given
  kubectl get persistentvolumes --output=go-template='{{range .items}}{{if and .spec.nfs .spec.claimRef (eq .status.phase "Bound")}}{{.metadata.name}} {{with .metadata.labels}}{{or (index . "nodewright.dev/cluster") "-"}}{{else}}-{{end}} {{with .metadata.annotations}}{{or (index . "nodewright.dev/volume") "-"}}{{else}}-{{end}} {{.spec.nfs.server}} {{.spec.nfs.path}} {{.spec.claimRef.namespace}} {{.spec.claimRef.name}}{{"\n"}}{{end}}{{end}}' |
    awk -v cluster="$CLUSTER" -v server="$SERVER" '$2 == cluster || $4 == server {print $1, $2, $3, $5, $6, $7}'
}

# pods_of <namespace> <claim>: the pods that use it and have not ended.
pods_of() {
  # shellcheck disable=SC2016 # the dollars are the template's
  kubectl --namespace="$1" get pods --output=go-template='{{range $pod := .items}}{{if and (ne $pod.status.phase "Succeeded") (ne $pod.status.phase "Failed")}}{{range $pod.spec.volumes}}{{with .persistentVolumeClaim}}{{$pod.metadata.name}} {{.claimName}}{{"\n"}}{{end}}{{end}}{{end}}{{end}}' |
    awk -v claim="$2" '$2 == claim {print $1}' | sort --unique | paste --serial --delimiters=, | sed 's/^$/none/; s/,/, /g'
}

# volume_under <path>: the volume that will hold it, by the exports as they will be.
volume_under() {
  local directory volume
  while read -r directory volume; do
    if [[ -n $directory && ("$1" == "$directory" || $1 == "$directory"/*) ]]; then echo "$volume" && return 0; fi
  done <<<"$EXPORTS"
  return 1
}

# what_happens <name> <cluster> <volume> <path>: why its data would be lost; says nothing when it stays.
what_happens() {
  local now
  if [[ $2 == "$CLUSTER" ]] && ! grep --quiet --line-regexp --fixed-strings -- "$1 $4" <<<"$PERSISTENT_VOLUMES"; then
    echo "it would be removed, or changed to another directory"
  elif ! now=$(volume_under "$4"); then
    echo "its directory would not be exported any more"
  elif [[ $3 != - && $3 != "$now" ]]; then
    echo "its directory would lie on volume $now; the data is on $3"
  fi
}

# remedy: where nothing is served any more, the section may be gone, and the setting with it.
remedy() {
  if [[ -n $EXPORTS$PERSISTENT_VOLUMES ]]; then
    echo "set storage.allow-data-loss to true"
  else
    echo "put back the storage section as it was"
  fi
}

main() {
  : "${CLUSTER:?}" "${SERVER=}" "${EXPORTS=}" "${PERSISTENT_VOLUMES=}" "${ALLOW_DATA_LOSS:?}"
  local volumes name cluster volume path namespace claim reason lost=0
  use_api
  volumes=$(bound_volumes) || die "asking who uses the storage: the API does not say (see above); nothing was changed"
  while read -r name cluster volume path namespace claim; do
    if [[ -z $name ]]; then continue; fi
    reason=$(what_happens "$name" "$cluster" "$volume" "$path")
    if [[ -z $reason ]]; then continue; fi
    lost=$((lost + 1))
    log "PersistentVolume $name ($path): $reason; used by claim $namespace/$claim, pods: $(pods_of "$namespace" "$claim")"
  done <<<"$volumes"
  if ((lost > 0)); then
    [[ $ALLOW_DATA_LOSS == true ]] ||
      die "changing the storage: refused, nothing of it was changed: $lost volumes in use would lose their data (named above). Delete their claims first, or $(remedy)"
    log "storage.allow-data-loss is set: going on"
  fi
  say_result
}

main </dev/null
