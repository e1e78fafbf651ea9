#!/bin/bash
# What: brings kube-proxy, CoreDNS and the pod network to the cluster's version.
# Needs: KUBERNETES_VERSION, CNI_MANIFEST (YAML text)
# Changes: kube-system: kube-proxy, coredns; what CNI_MANIFEST names
# Again: unchanged.
# Undo: run it with the earlier values.

. parts/kubernetes.sh

# The cluster's own configuration, at the wanted version: what its owner set for kube-proxy and CoreDNS stays.
addon_config() {
  local in_kube_system=(kubectl --namespace=kube-system get configmap)
  printf 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nlocalAPIEndpoint:\n  advertiseAddress: "%s"\n---\n' "$(own_address)"
  "${in_kube_system[@]}" kubeadm-config --output=jsonpath='{.data.ClusterConfiguration}' | sed "s/^kubernetesVersion:.*/kubernetesVersion: v$KUBERNETES_VERSION/"
  printf -- '---\n'
  "${in_kube_system[@]}" kube-proxy --output=jsonpath='{.data.config\.conf}'
}

# kubeadm_addon <kube-proxy|coredns>
kubeadm_addon() {
  run_logged "kubeadm-addon-$1" timeout 180 kubeadm init phase addon "$1" --config=/etc/nodewright/addons.yaml --kubeconfig="$KUBECONFIG" ||
    die "bringing $1 to v$KUBERNETES_VERSION: kubeadm failed (see above)"
}

# An image of the owner's own choice stays, and kubeadm would fail on it: it only knows the way from versions it brought itself.
coredns_is_as_wished() {
  local tag
  tag=$(sed --quiet '/^dns:/,/^[^ d]/s/^  imageTag: //p' /etc/nodewright/addons.yaml)
  [[ -n $tag && $(kubectl --namespace=kube-system get deployment coredns --ignore-not-found --output=jsonpath='{.spec.template.spec.containers[0].image}') == *":$tag" ]]
}

main() {
  : "${KUBERNETES_VERSION:?}" "${CNI_MANIFEST:?}"
  local image
  KUBERNETES_VERSION=${KUBERNETES_VERSION#v}
  only_one addons
  use_api
  # a pod network may stand in for kube-proxy: without one there is nothing to bring up to date
  image=$(kubectl --namespace=kube-system get daemonset kube-proxy --ignore-not-found --output=jsonpath='{.spec.template.spec.containers[0].image}')
  if [[ -n $image && $image != *":v$KUBERNETES_VERSION" ]]; then
    put_file /etc/nodewright/addons.yaml 0600 < <(addon_config)
    # CoreDNS first: what stops half way is found again by kube-proxy's image
    coredns_is_as_wished || kubeadm_addon coredns
    kubeadm_addon kube-proxy
    note_change "kube-proxy was $image"
  fi
  apply_manifest "$CNI_MANIFEST"
  say_result
}

main </dev/null
