# shellcheck shell=bash
# How pods leave NODE_NAME before its machine goes.

readonly LEAVING=nodewright.dev/leaving
readonly TODAY=/etc/nodewright/drain-settings

node_field() { kubectl get node "$NODE_NAME" --output=jsonpath="{$1}"; }

node_ready() { [[ $(node_field '.status.conditions[?(@.type=="Ready")].status') == True ]]; }

# An answer of any kind counts: a machine that hangs still takes connections, and nobody speaks on them.
kubelet_answers() { [[ $(ask_api "$NODE_IP:10250" /healthz) == HTTP/* ]]; }

# lives: Kubernetes counts the node Ready, and its kubelet answers; a machine that was just killed stays Ready for 40 s more.
lives() {
  wait_for 6 "the kubelet of $NODE_NAME" kubelet_answers && wait_for 20 "$NODE_NAME to be Ready" node_ready
}

# read_todays_settings: what drain-settings keeps here is newer than the variables, which are as old as the node.
read_todays_settings() {
  local pool grace timeout policy
  [[ -n ${POOL:-} && -r $TODAY ]] || return 0
  while read -r pool grace timeout policy; do
    if [[ $pool == "$POOL" || $pool == '*' ]]; then
      DRAIN_GRACE_S=$grace DRAIN_TIMEOUT_S=$timeout DRAIN_POLICY=$policy
      return 0
    fi
  done <"$TODAY"
}

# what_blocks: the pods that are still there, and the budgets that allow no disruption and cover one of them.
what_blocks() {
  local namespace budget selector
  echo "pods still on $NODE_NAME:"
  kubectl get pods --all-namespaces --field-selector="spec.nodeName=$NODE_NAME" --no-headers \
    --output=custom-columns='NS:.metadata.namespace,NAME:.metadata.name,OWNER:.metadata.ownerReferences[0].kind' | grep --invert-match --extended-regexp ' (DaemonSet|Node)$' || echo "  none"
  # shellcheck disable=SC2016 # the dollars are the template's
  kubectl get poddisruptionbudgets --all-namespaces --output=go-template='{{range .items}}{{if not .status.disruptionsAllowed}}{{.metadata.namespace}} {{.metadata.name}} {{range $k, $v := .spec.selector.matchLabels}}{{$k}}={{$v}},{{end}}{{"\n"}}{{end}}{{end}}' |
    while read -r namespace budget selector; do
      if [[ -n $(kubectl --namespace="$namespace" get pods --selector="${selector%,}" --field-selector="spec.nodeName=$NODE_NAME" --output=name) ]]; then
        echo "  budget $namespace/$budget allows no disruption"
      fi
    done
}

# drain <limit s> <more options...>
drain() {
  timeout "$(($1 + 15))" kubectl drain "$NODE_NAME" --ignore-daemonsets --delete-emptydir-data --timeout="${1}s" "${@:2}" >&2
}

# Nobody is there to end the pods of a dead machine. Short grace, no wait: their replacements start at once, but the API forgets
# them only after the Node. grace-period=0 or the out-of-service taint would say that the machine is off; from here, where one
# that is cut off looks the same, nobody can know that, and two writers on one volume would follow.
drain_dead() {
  log "$NODE_NAME does not answer: its pods are given up"
  drain 60 --force --disable-eviction --grace-period=1 --skip-wait-for-delete-timeout=5 || log "not all pods could be given up; they go with the Node"
}

drain_living() {
  if drain "$DRAIN_TIMEOUT_S" --grace-period="$DRAIN_GRACE_S"; then return 0; fi
  if ! lives; then # it died meanwhile
    drain_dead
    return 0
  fi
  if [[ $DRAIN_POLICY == force ]]; then
    log "draining in peace failed; policy force: $(what_blocks)"
    drain 60 --force --disable-eviction --grace-period="$DRAIN_GRACE_S" --skip-wait-for-delete-timeout=5 || log "not all pods could be ended; they go with the Node"
    return 0
  fi
  what_blocks >&2 || log "what blocks could not be listed"
  if "$CORDONED"; then
    kubectl uncordon "$NODE_NAME" >&2
    kubectl annotate node "$NODE_NAME" "$LEAVING-" >&2
  fi
  die "draining $NODE_NAME: not done after $DRAIN_TIMEOUT_S s (what blocks is named above); it stays in the cluster, as open as it was. Free them, or set the drain policy to force"
}

take_out() {
  # closed by us, now or in a run that was cut off: only then is it ours to open again
  if [[ $(node_field .spec.unschedulable) != true ]]; then
    kubectl annotate node "$NODE_NAME" --overwrite "$LEAVING=cordoned" >&2
    kubectl cordon "$NODE_NAME" >&2
  fi
  if [[ $(node_field '.metadata.annotations.nodewright\.dev/leaving') == cordoned ]]; then CORDONED=true; fi
  if [[ $DRAIN_POLICY == skip ]]; then
    log "policy skip: $NODE_NAME is not drained"
  elif lives; then
    drain_living
  else
    drain_dead
  fi
}
