#!/bin/bash
# What: puts the only control plane back on a fresh machine from the PKI and etcd data on its volume.
# Needs: NODE_NAME, KUBEADM_CONFIG (whole YAML)
# Changes: /etc/kubernetes, /var/lib/kubelet, /etc/nodewright/kubeadm.yaml; certificates (not the CAs) are made anew
# Again: unchanged.
# Undo: kubeadm reset; the volume's data is then gone, too.

. parts/kubernetes.sh

readonly BEGUN=/etc/kubernetes/nodewright-restoring
# what lies there already is the point of this step, or left by a try that was cut off
readonly EXPECTED=DirAvailable--var-lib-etcd,FileAvailable--etc-kubernetes-manifests-etcd.yaml,FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml,FileAvailable--etc-kubernetes-manifests-kube-controller-manager.yaml,FileAvailable--etc-kubernetes-manifests-kube-scheduler.yaml,Port-6443,Port-10250,Port-10257,Port-10259,Port-2379,Port-2380

check_data() {
  local file
  for file in ca.crt ca.key sa.key sa.pub front-proxy-ca.key etcd/ca.crt etcd/ca.key; do
    [[ -s $PKI/$file ]] || die "restoring $NODE_NAME: $PKI/$file is missing; is the control plane's volume mounted?"
  done
  [[ -d /var/lib/etcd/member ]] || die "restoring $NODE_NAME: /var/lib/etcd holds no data; is the control plane's volume mounted?"
}

# The CAs stay, so every node and kubeconfig stays valid; what they signed for this machine is made anew.
drop_certificates() {
  local name
  for name in apiserver apiserver-kubelet-client apiserver-etcd-client front-proxy-client etcd/server etcd/peer etcd/healthcheck-client; do
    rm -f "$PKI/$name.crt" "$PKI/$name.key"
  done
}

# The Node is in etcd from before: only a lease renewed since the start shows that this kubelet speaks for it.
kubelet_speaks() {
  local renewed
  renewed=$(kubectl --namespace=kube-node-lease get lease "$NODE_NAME" --output=jsonpath='{.spec.renewTime}' 2>/dev/null) &&
    [[ $renewed > $1 ]] && kubectl wait --for=condition=Ready "node/$NODE_NAME" --timeout=5s &>/dev/null
}

restore() {
  local began
  began=$(date --utc +%Y-%m-%dT%H:%M:%S)
  check_data
  touch "$BEGUN"
  drop_certificates
  put_file /etc/nodewright/kubeadm.yaml 0600 <<<"$KUBEADM_CONFIG"
  run_logged kubeadm-restore timeout 600 kubeadm init --config=/etc/nodewright/kubeadm.yaml --ignore-preflight-errors="$EXPECTED" \
    --skip-phases=bootstrap-token,addon,show-join-command || die "restoring $NODE_NAME: kubeadm failed (see above); the data is untouched, run again"
  use_api
  wait_for 180 "the kubelet of $NODE_NAME" kubelet_speaks "$began" || die "restoring $NODE_NAME: the API serves, but its kubelet is not Ready; look at journalctl --unit kubelet on the machine"
  rm -f "$BEGUN"
  note_change "the control plane serves again, with its data"
}

main() {
  : "${NODE_NAME:?}" "${KUBEADM_CONFIG:?}"
  only_one control-plane
  [[ ! -e $PKI/nodewright-initialising ]] || die "restoring $NODE_NAME: its cluster was never finished; run control-plane-init first"
  if [[ -e /etc/kubernetes/kubelet.conf && ! -e $BEGUN ]]; then
    use_api
  else
    restore
  fi
  say_result
}

main </dev/null
