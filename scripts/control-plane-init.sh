#!/bin/bash
# What: makes the first control plane of a new cluster, with its pod network.
# Needs: NODE_NAME, KUBEADM_CONFIG (whole YAML), CNI_MANIFEST (YAML text), PEERS (space list of the other control planes' addresses, may be empty)
# Changes: /etc/kubernetes, /var/lib/etcd, /var/lib/kubelet, /etc/nodewright/kubeadm.yaml
# Again: unchanged; applies a changed CNI_MANIFEST; a first run that was cut off is cleared away and made anew; does nothing when a peer serves the cluster or when a finished cluster's data waits for control-plane-restore.
# Undo: kubeadm reset.

. parts/kubernetes.sh

# It lies beside the PKI, so on the data volume when there is one: a new machine, too, sees that the data is worth nothing.
readonly BEGUN="$PKI/nodewright-initialising"

peer_serves() {
  local peer
  for peer in ${PEERS:-}; do
    if api_serves "$peer:6443"; then
      log "$peer already serves this cluster: there is nothing to initialise, this machine joins"
      return 0
    fi
  done
  return 1
}

initialise() {
  if [[ -e $BEGUN ]]; then
    # data first, mark last: a run cut off in between is found again
    rm -f "$ADMIN_CONF" # there is no cluster that reset could ask
    rm -rf /var/lib/etcd/member
    forget_cluster
  fi
  install -d "$PKI"
  date --utc >"$BEGUN"
  put_file /etc/nodewright/kubeadm.yaml 0600 <<<"$KUBEADM_CONFIG"
  run_logged kubeadm-init timeout 600 kubeadm init --config=/etc/nodewright/kubeadm.yaml --skip-token-print --skip-certificate-key-print ||
    die "initialising $NODE_NAME: kubeadm failed (see above); the next run clears it away and begins anew"
  use_api
  # machines join with tickets; the token that kubeadm makes unasked lives for a day
  kubectl --namespace=kube-system delete secret --field-selector=type=bootstrap.kubernetes.io/token >&2
  apply_manifest "$CNI_MANIFEST"
  rm -f "$BEGUN"
  sync --file-system "$PKI"
  note_change "the cluster's first control plane serves"
}

main() {
  : "${NODE_NAME:?}" "${KUBEADM_CONFIG:?}" "${CNI_MANIFEST:?}"
  only_one control-plane
  if [[ ! -e $BEGUN && -e $MANIFESTS/kube-apiserver.yaml ]]; then
    use_api
    apply_manifest "$CNI_MANIFEST"
  elif peer_serves; then
    : # said there
  elif [[ ! -e $BEGUN && -d /var/lib/etcd/member ]]; then
    log "the data of a finished cluster is here: nothing to initialise, control-plane-restore puts it back"
  else
    initialise
  fi
  say_result
}

main </dev/null
