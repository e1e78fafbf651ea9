#!/bin/bash
# What: takes a node out of the cluster, dead or alive, without asking its machine for anything.
# Needs: NODE_NAME, ROLE (control-plane|worker), NODE_IP, DRAIN_GRACE_S (-1: each pod's own), DRAIN_TIMEOUT_S, DRAIN_POLICY (fail|force|skip), POOL (may be absent: then the three before count, whatever drain-settings says)
# Changes: the node's pods, the Node, its etcd member
# Again: unchanged: what is absent is done.
# Undo: node-join.sh.

. parts/kubernetes.sh
. parts/drain.sh

# Quorum of what remains, from the live list: refused before anything is touched.
check_quorum() {
  local members id name peer url learner voters=0 healthy=0
  members=$(etcd_members) || die "$NODE_NAME leaves: etcd does not answer on this machine, so quorum cannot be judged; bring it back first"
  while IFS=, read -r id _ name peer url learner; do
    # one that never started has no name yet
    if [[ $name == "$NODE_NAME" || $peer == "https://$NODE_IP:2380" ]]; then
      MEMBER_ID=$id
      continue
    fi
    if [[ $learner == true ]]; then continue; fi
    voters=$((voters + 1))
    if etcd_healthy "$url"; then healthy=$((healthy + 1)); fi
  done <<<"$members"
  if [[ -n $MEMBER_ID ]] && ((healthy < voters / 2 + 1)); then
    die "$NODE_NAME leaves: of the $voters other etcd members only $healthy are healthy, and $((voters / 2 + 1)) are needed; nothing was changed. Heal those first"
  fi
}

main() {
  : "${NODE_NAME:?}" "${ROLE:?}" "${NODE_IP:?}" "${DRAIN_GRACE_S:?}" "${DRAIN_TIMEOUT_S:?}" "${DRAIN_POLICY:?}"
  local node
  MEMBER_ID='' CORDONED=false
  read_todays_settings
  if [[ $(hostname) == "$NODE_NAME" ]]; then
    log "$NODE_NAME is the only control plane: its data stays on its volume, nobody is left to take it out"
    say_result
    return 0
  fi
  only_one "node-$NODE_NAME"
  use_api
  if [[ $ROLE == control-plane ]]; then check_quorum; fi
  node=$(kubectl get node "$NODE_NAME" --ignore-not-found --output=name)
  if [[ -n $node ]]; then take_out; fi
  if [[ -n $MEMBER_ID ]]; then
    etcd_at https://127.0.0.1:2379 member remove "$MEMBER_ID" >&2
    note_change "removed etcd member $MEMBER_ID"
  fi
  if [[ -n $node ]]; then
    kubectl delete "$node" --timeout=60s >&2
    note_change "removed Node $NODE_NAME"
  fi
  say_result
}

main </dev/null
