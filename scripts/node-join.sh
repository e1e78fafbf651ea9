#!/bin/bash
# What: makes the machine a member of the cluster.
# Needs: NODE_NAME, ROLE (control-plane|worker), KUBEADM_JOIN_CONFIG (one JoinConfiguration without discovery and controlPlane: both are added here), TICKET (JSON of join-ticket), NODE_IP, KUBERNETES_VERSION
# Changes: /etc/kubernetes, /var/lib/kubelet, /var/lib/etcd (control-plane)
# Again: unchanged; a join that was cut off is cleared away and made anew.
# Undo: node-leave.sh on a steward, then kubeadm reset.

. parts/kubernetes.sh

readonly BEGUN=/etc/kubernetes/nodewright-joining KUBELET_CONF=/etc/kubernetes/kubelet.conf

ticket_field() { sed --quiet "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" <<<"$TICKET"; }

ca_hash() {
  local hash
  hash=$(openssl x509 -in "$PKI/ca.crt" -noout -pubkey | openssl pkey -pubin -outform der | sha256sum)
  echo "sha256:${hash%% *}"
}

# as_node: a control plane's own kubeconfig names its own API server, which may not be up.
as_node() { kubectl --kubeconfig="$KUBELET_CONF" --server="https://$(ticket_field endpoint)" --request-timeout=5s "$@"; }

# node_state: member | gone (the cluster has no such Node) | silent (no API answers)
node_state() {
  local answer
  if answer=$(as_node get node "$NODE_NAME" --output=name 2>&1); then
    echo member
  elif [[ $answer == *NotFound* ]]; then
    echo gone
  else
    echo silent
  fi
}

state_is_known() { [[ $(node_state) != silent ]]; }

is_member() {
  if [[ -e $BEGUN || ! -s $KUBELET_CONF || $(ca_hash) != "$(ticket_field ca_hash)" ]]; then return 1; fi
  wait_for 60 "an answer about $NODE_NAME" state_is_known ||
    die "joining $NODE_NAME: it has joined earlier, but no API answers its kubelet; bring the control plane back, or heal this node"
  [[ $(node_state) == member ]]
}

# A token is known by the signature that the cluster publishes for it: without one, kubeadm would wait for minutes.
token_is_known() {
  local token
  token=$(ticket_field token)
  [[ $(ask_api "$(ticket_field endpoint)" /api/v1/namespaces/kube-public/configmaps/cluster-info) == *"jws-kubeconfig-${token%%.*}"* ]]
}

not_ready() { [[ $(as_node get node "$NODE_NAME" --output=jsonpath='{.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null) =~ ^(False|Unknown)$ ]]; }

# withdraw: kubeadm refuses the name of a Node that is Ready, and the Node of a stopped kubelet is that for 40 s more.
withdraw() {
  systemctl stop kubelet
  if [[ $(node_state) == member ]]; then
    wait_for 75 "the Node of the join that was cut off to be seen as not Ready" not_ready || log "going on all the same"
  fi
}

# forget_member: an etcd member whose data is about to go must go first, or it could never start again. kubeadm reset
# manages that only for a Node that exists. A member is announced when the admin's kubeconfig is there, never earlier.
forget_member() {
  local admin=(timeout 60 kubectl --kubeconfig="$ADMIN_CONF" --namespace=kube-system) pod etcd members id
  if [[ ! -s $ADMIN_CONF || $(ca_hash) != "$(ticket_field ca_hash)" ]]; then return 0; fi
  pod=$("${admin[@]}" get pods --selector=component=etcd --field-selector="status.phase=Running,spec.nodeName!=$NODE_NAME" --output=name) || return 1
  etcd=("${admin[@]}" exec "${pod%%$'\n'*}" -- etcdctl --endpoints=https://127.0.0.1:2379 --cacert="$PKI/etcd/ca.crt"
    --cert="$PKI/etcd/healthcheck-client.crt" --key="$PKI/etcd/healthcheck-client.key")
  members=$("${etcd[@]}" member list) || return 1
  id=$(sed --quiet "s|^\([0-9a-f]*\),.*https://$NODE_IP:2380,.*|\1|p" <<<"$members")
  [[ -z $id ]] || "${etcd[@]}" member remove "$id" >&2
}

join() {
  if [[ -e $BEGUN || -e $KUBELET_CONF || -e /var/lib/etcd/member ]]; then
    if [[ -s $KUBELET_CONF ]]; then withdraw; fi
    [[ $ROLE != control-plane ]] || retry 3 "taking back the etcd member of $NODE_NAME" forget_member || return 1
    forget_cluster
  fi
  touch "$BEGUN"
  run_logged kubeadm-join timeout 300 kubeadm join --config="$RUN_DIR/join.yaml"
}

write_config() {
  put_secret join.yaml < <(
    printf '%s\ndiscovery:\n  bootstrapToken:\n    token: "%s"\n    apiServerEndpoint: "%s"\n    caCertHashes: ["%s"]\n' \
      "$KUBEADM_JOIN_CONFIG" "$(ticket_field token)" "$(ticket_field endpoint)" "$(ticket_field ca_hash)"
    if [[ $ROLE == control-plane ]]; then
      printf 'controlPlane:\n  certificateKey: "%s"\n  localAPIEndpoint:\n    advertiseAddress: "%s"\n' "$(ticket_field certificate_key)" "$NODE_IP"
    fi
  )
}

main() {
  : "${NODE_NAME:?}" "${ROLE:?}" "${KUBEADM_JOIN_CONFIG:?}" "${TICKET:?}" "${NODE_IP:?}"
  only_one control-plane
  if ! is_member; then
    install -d /etc/kubernetes
    wait_for 60 "the cluster at $(ticket_field endpoint) and its knowledge of the ticket" token_is_known ||
      die "joining $NODE_NAME: $(ticket_field endpoint) does not answer or no longer knows the ticket (tickets last 30 minutes); make a new one and join again"
    write_config
    retry 3 "joining $NODE_NAME" join || die "joining $NODE_NAME: kubeadm failed three times (see above)"
    rm -f "$BEGUN"
    note_change "$NODE_NAME has joined"
  fi
  say_result
}

main </dev/null
