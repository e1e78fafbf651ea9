#!/bin/bash
# What: waits until the node is Ready, gives it exactly its labels and taints, lets pods in.
# Needs: NODE_NAME, ROLE (control-plane|worker), LABELS (k=v space list, may be empty), TAINTS (k=v:Effect space list, may be empty), READY_TIMEOUT_S
# Changes: labels, taints and annotation nodewright.dev/managed of the Node
# Again: unchanged; labels and taints it gave earlier and are no longer wanted go.
# Undo: node-leave.sh.

. parts/kubernetes.sh

readonly MANAGED=nodewright.dev/managed LEAVING=nodewright.dev/leaving

# kubectl wait fails at once while there is no Node, and watches it when there is one.
node_ready() { kubectl wait --for=condition=Ready "node/$NODE_NAME" --timeout=10s &>/dev/null; }

# facts: one line for each label, taint and remembered key of the Node.
facts() {
  # shellcheck disable=SC2016 # the dollars are the template's
  kubectl get node "$NODE_NAME" --output=go-template='{{range $k, $v := .metadata.labels}}label {{$k}}={{$v}}{{"\n"}}{{end}}{{range .spec.taints}}taint {{.key}}={{with .value}}{{.}}{{end}}:{{.effect}}{{"\n"}}{{end}}{{range $k, $v := .metadata.annotations}}annotation {{$k}}={{$v}}{{"\n"}}{{end}}'
}

holds() { grep --quiet --line-regexp --fixed-strings -- "$1" <<<"$FACTS"; }

annotate() { kubectl annotate node "$NODE_NAME" --overwrite "$MANAGED=$1" >&2; }

# settle_marks: labels and taints become the wanted ones; what an earlier run gave and nobody wants any more goes.
# The annotation names what is ours. It is widened before and narrowed after, so that a run cut off forgets nothing.
settle_marks() {
  local wanted=() keys=() old=() change=() gone=() mark key
  for mark in "node-role.kubernetes.io/$ROLE=" ${LABELS:-}; do
    wanted+=("label $mark")
    keys+=("label/${mark%%=*}")
  done
  for mark in ${TAINTS:-}; do
    [[ $mark == *=*:* ]] || mark=${mark/:/=:} # key:Effect has an empty value
    wanted+=("taint $mark")
    keys+=("taint/${mark%%=*}:${mark##*:}")
  done
  read -r -a old <<<"$(sed --quiet "s|^annotation $MANAGED=||p" <<<"$FACTS")"
  for mark in "${wanted[@]}"; do holds "$mark" || change+=("$mark"); done
  for key in "${old[@]}"; do [[ " ${keys[*]} " == *" $key "* ]] || gone+=("$key"); done
  if ((${#change[@]} + ${#gone[@]} == 0)) && holds "annotation $MANAGED=${keys[*]}"; then return 0; fi
  annotate "${keys[*]}${gone[*]:+ ${gone[*]}}"
  for mark in "${change[@]}"; do
    kubectl "${mark%% *}" node "$NODE_NAME" --overwrite "${mark#* }" >&2
  done
  for key in "${gone[@]}"; do
    kubectl "${key%%/*}" node "$NODE_NAME" "${key#*/}-" >&2 || log "$key was gone already"
  done
  if ((${#gone[@]} > 0)); then annotate "${keys[*]}"; fi
  note_change "$NODE_NAME: gave ${change[*]:-nothing}; took ${gone[*]:-nothing}"
}

main() {
  : "${NODE_NAME:?}" "${ROLE:?}" "${READY_TIMEOUT_S:?}"
  only_one "node-$NODE_NAME"
  use_api
  wait_for "$READY_TIMEOUT_S" "$NODE_NAME to be Ready" node_ready ||
    die "admitting $NODE_NAME: not Ready after $READY_TIMEOUT_S s: $(kubectl get node "$NODE_NAME" --output=jsonpath='{.status.conditions[?(@.type=="Ready")].message}' 2>&1)"
  FACTS=$(facts)
  settle_marks
  # only what node-leave closed is opened: a node that somebody cordoned by hand stays cordoned
  if grep --quiet "^annotation $LEAVING=" <<<"$FACTS"; then
    kubectl uncordon "$NODE_NAME" >&2
    kubectl annotate node "$NODE_NAME" "$LEAVING-" >&2
    note_change "$NODE_NAME takes pods again"
  fi
  say_result
}

main </dev/null
