#!/bin/bash
# What: brings kube-proxy, CoreDNS and the pod network to the cluster's version.
# Needs: KUBERNETES_VERSION, CNI_MANIFEST (YAML text)
# Changes: kube-system: kube-proxy, coredns; what CNI_MANIFEST names
# Again: unchanged.
# Undo: run it with the earlier values.

# The cluster's own configuration, at the wanted version: what its owner set for kube-proxy and CoreDNS stays.
addon_config() {
  local in_kube_system=(kubectl --namespace=kube-system get configmap)
  printf 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nlocalAPIEndpoint:\n  advertiseAddress: "%s"\n---\n' "$(own_address)"
  "${in_kube_system[@]}" kubeadm-config --output=jsonpath='{.data.ClusterConfiguration}' | sed "s/^kubernetesVersion:.*/kubernetesVersion: v$KUBERNETES_VERSION/"
  printf -- '---\n'
  "${in_kube_system[@]}" kube-proxy --output=jsonpath='{.data.config\.conf}'
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
    run_logged kubeadm-addons timeout 180 kubeadm init phase addon all --config=/etc/nodewright/addons.yaml --kubeconfig="$KUBECONFIG" ||
      die "bringing kube-proxy and CoreDNS to v$KUBERNETES_VERSION: kubeadm failed (see above)"
    note_change "kube-proxy was $image"
  fi
  apply_manifest "$CNI_MANIFEST"
  say_result
}

main </dev/null
