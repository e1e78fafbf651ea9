#!/bin/bash
# What: gives a machine what it needs to join: prints {"token","ca_hash","certificate_key","endpoint"} (secret); clears stale traces of the node's name first.
# Needs: NODE_NAME, ROLE (control-plane|worker), NODE_IP, KUBERNETES_VERSION (of the joining machine)
# Changes: a bootstrap token (30 minutes); control-plane: Secret kubeadm-certs (2 hours), stale etcd members, version in kubeadm-config when newer; a stale Node
# Again: a new ticket; nothing of a living node is touched.
# Undo: the ticket expires.

. parts/kubernetes.sh

# has_no_member: no kubelet and no etcd answer at the node's address, for long enough that it is no restart.
has_no_member() {
  local n
  for ((n = 0; n < 10; n++)); do
    if listens "$NODE_IP" 10250 || { [[ $ROLE == control-plane ]] && listens "$NODE_IP" 2380; }; then return 1; fi
    sleep 1
  done
}

# A Node or an etcd member without a machine behind it would stand in the way of the one that joins under its name.
clear_traces() {
  local node members id started name peer rest
  node=$(kubectl get node "$NODE_NAME" --ignore-not-found --output=name)
  members=''
  if [[ $ROLE == control-plane ]]; then members=$(etcd_members) || die "listing etcd members: etcd does not answer on this machine"; fi
  if [[ -z $node && $members != *"$NODE_IP:2380"* ]]; then return 0; fi
  if ! has_no_member; then
    log "$NODE_NAME lives: its Node and etcd member stay"
    return 0
  fi
  while IFS=, read -r id started name peer rest; do
    [[ $name == "$NODE_NAME" || $peer == "https://$NODE_IP:2380" ]] || continue
    etcd_at https://127.0.0.1:2379 member remove "$id" >&2
    log "removed the stale etcd member $id (${name:-never} $started)"
  done <<<"$members"
  if [[ -n $node ]]; then kubectl delete "$node" --timeout=60s >&2; fi
}

# A newer control plane is announced before it joins: kubeadm makes its static pods from this version.
raise_version() {
  local now
  now=$(kubectl --namespace=kube-system get configmap kubeadm-config --output=yaml)
  [[ $now =~ kubernetesVersion:\ v([0-9.]+) ]] || die "reading kubeadm-config: it names no kubernetesVersion"
  if [[ $(printf '%s\n' "${BASH_REMATCH[1]}" "$KUBERNETES_VERSION" | sort --version-sort | tail -n 1) == "${BASH_REMATCH[1]}" ]]; then return 0; fi
  kubectl replace --filename=- <<<"${now/kubernetesVersion: v${BASH_REMATCH[1]}/kubernetesVersion: v$KUBERNETES_VERSION}" >&2
}

# upload_certificates: the PKI, encrypted, for control planes that hold the key; Kubernetes drops it after two hours.
upload_certificates() {
  CERTIFICATE_KEY=$(openssl rand -hex 32)
  put_secret "upload.$$.yaml" < <(
    printf 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\ncertificateKey: "%s"\nlocalAPIEndpoint:\n  advertiseAddress: "%s"\n---\n' "$CERTIFICATE_KEY" "$(own_address)"
    kubectl --namespace=kube-system get configmap kubeadm-config --output=jsonpath='{.data.ClusterConfiguration}'
  )
  retry 3 "uploading certificates" kubeadm init phase upload-certs --upload-certs --skip-certificate-key-print \
    --config="$RUN_DIR/upload.$$.yaml" --kubeconfig="$KUBECONFIG" >&2
}

main() {
  : "${NODE_NAME:?}" "${ROLE:?}" "${NODE_IP:?}" "${KUBERNETES_VERSION:?}"
  local token ca_hash
  CERTIFICATE_KEY=''
  KUBERNETES_VERSION=${KUBERNETES_VERSION#v}
  only_one "ticket-$NODE_NAME"
  use_api
  clear_traces
  if [[ $ROLE == control-plane ]]; then
    raise_version
    upload_certificates
  fi
  token=$(retry 3 "making a token" kubeadm token create --ttl=30m --description="nodewright: $NODE_NAME joins" --kubeconfig="$KUBECONFIG")
  ca_hash=$(openssl x509 -in "$PKI/ca.crt" -noout -pubkey | openssl pkey -pubin -outform der | sha256sum)
  printf '{"token": "%s", "ca_hash": "sha256:%s", "certificate_key": "%s", "endpoint": "%s"}\n' \
    "$token" "${ca_hash%% *}" "$CERTIFICATE_KEY" "$(endpoint)"
}

main </dev/null
