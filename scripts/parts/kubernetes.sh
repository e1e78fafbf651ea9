# shellcheck shell=bash
# Asking the API and etcd, on machines of the control plane.

readonly ADMIN_CONF=/etc/kubernetes/admin.conf
readonly PKI=/etc/kubernetes/pki
readonly MANIFESTS=/etc/kubernetes/manifests

endpoint() { sed --quiet 's|^ *server: https://||p' "$ADMIN_CONF"; }

own_address() { sed --quiet 's/^ *- --advertise-address=//p' "$MANIFESTS/kube-apiserver.yaml"; }

# ask_api <host:port> <path>: as a stranger may, without credentials (kubectl would ask for a name and a password).
ask_api() {
  printf 'GET %s HTTP/1.0\r\n\r\n' "$2" | timeout 5 openssl s_client -quiet -connect "$1" 2>/dev/null
}

api_serves() { [[ $(ask_api "$1" /readyz) == HTTP/1.?" 200 "* ]]; }

# find_api: KUBECONFIG becomes the admin's, through this machine's API server or, when that is silent, the endpoint.
find_api() {
  local server
  for server in "$(own_address):6443" "$(endpoint)"; do
    api_serves "$server" || continue
    export KUBECONFIG="$RUN_DIR/admin.$$.conf"
    put_secret "admin.$$.conf" < <(sed "s|^\( *server: \).*|\1https://$server|" "$ADMIN_CONF")
    return 0
  done
  return 1
}

use_api() {
  [[ -s $ADMIN_CONF && -s $MANIFESTS/kube-apiserver.yaml ]] || die "asking the API: this machine is no control plane; run the step on one that is"
  wait_for 60 "the cluster's API, here or at $(endpoint)" find_api || die "asking the API: it answers neither here nor at $(endpoint); bring a control plane back first"
}

# apply_manifest <text>: the cluster holds it; compared on the server first, so that nothing is written in vain.
apply_manifest() {
  local options=(--server-side --force-conflicts --field-manager=nodewright -f -)
  # fails, too, when a namespace the manifest makes is not there yet
  if kubectl diff "${options[@]}" <<<"$1" &>/dev/null; then return 0; fi
  retry 5 "applying a manifest" kubectl apply "${options[@]}" <<<"$1" >&2 || die "applying a manifest: the API refused it (see above); correct it and run again"
  note_change "applied a manifest"
}

# etcd_at <client URL> <etcdctl arguments...>
etcd_at() {
  local tls="$PKI/etcd" tool=(etcdctl)
  command -v etcdctl >/dev/null || tool=(kubectl --namespace=kube-system exec "etcd-$(hostname)" -- etcdctl)
  "${tool[@]}" --endpoints="$1" --cacert="$tls/ca.crt" --cert="$tls/healthcheck-client.crt" --key="$tls/healthcheck-client.key" \
    --dial-timeout=3s --command-timeout=8s "${@:2}"
}

# etcd_members: id, started|unstarted, name, peer URL, client URL, is learner; one member a line.
etcd_members() {
  etcd_at https://127.0.0.1:2379 member list --write-out=simple | sed 's/, */,/g'
}

etcd_healthy() { etcd_at "$1" endpoint health &>/dev/null; }

# forget_cluster: what a broken-off init or join left on this machine goes.
forget_cluster() {
  local link
  log "clearing away what a broken-off run left here"
  run_logged kubeadm-reset timeout 180 kubeadm reset --force || log "kubeadm reset did not end well; going on with what it left"
  rm -rf /var/lib/etcd/member "${MANIFESTS:?}"/* /etc/kubernetes/*.conf /etc/cni/net.d/*
  # a pod network of the first try would keep an address range the node no longer has
  for link in cni0 flannel.1; do
    if [[ -e /sys/class/net/$link ]]; then ip link delete "$link"; fi
  done
}
