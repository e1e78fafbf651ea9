#!/bin/bash
# What: brings a machine to what its role needs: packages, kernel settings, proxy, hosts entries.
# Needs: ROLE (node|load-balancer|storage|registry|other), NFS_CLIENT (yes: the node mounts NFS; may be missing), REGISTRY_FROM_ARCHIVE (yes: registry-unpack brings the registry; may be missing), KUBERNETES_VERSION (1.34.3), HTTP_PROXY HTTPS_PROXY NO_PROXY (may be empty), PACKAGE_SOURCE (may be empty: pkgs.k8s.io; else the URL of a flat apt repository that has Release.key), HOSTS_ENTRIES (newline list, may be empty)
# Changes: packages, /etc/apt, /etc/containerd, /etc/profile.d, /etc/hosts, modules, sysctls, swap: docs/machines.md
# Again: unchanged, also at the first run on a prebaked image.
# Undo: docs/machines.md.

in_container() { systemd-detect-virt --container --quiet; }

install_packages() {
  retry 3 "reading package lists" apt-get --quiet update >&2 || die "installing $*: no package list can be read; check the machine's way to its package source, or its proxy"
  retry 3 "installing $*" apt-get --quiet --yes --no-install-recommends --allow-change-held-packages --allow-downgrades \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold install "$@" >&2 || die "installing $*: apt-get failed (see above)"
  note_change "installed $*"
}

use_kubernetes_source() {
  local url=${PACKAGE_SOURCE:-https://pkgs.k8s.io/core:/stable:/v${KUBERNETES_VERSION%.*}/deb} dir name=nodewright-kubernetes
  dir=$(mktemp --directory)
  chmod 0755 "$dir" # apt fetches as a user of its own
  retry 3 "fetching the key" /usr/lib/apt/apt-helper download-file "$url/Release.key" "$dir/key" >&2 ||
    die "fetching $url/Release.key: not to be had; check package-source and the machine's way there"
  put_file "/etc/apt/keyrings/$name.asc" 0644 <"$dir/key"
  rm -rf "$dir"
  put_file "/etc/apt/sources.list.d/$name.list" 0644 <<<"deb [signed-by=/etc/apt/keyrings/$name.asc] $url/ /"
}

has_kubernetes() {
  command -v kubectl >/dev/null && [[ $(kubelet --version 2>/dev/null) == "Kubernetes v$KUBERNETES_VERSION" &&
  $(kubeadm version --output=short 2>/dev/null) == "v$KUBERNETES_VERSION" ]]
}

prepare_node() {
  local v=$KUBERNETES_VERSION missing=()
  if ! command -v containerd >/dev/null; then missing+=(containerd runc); fi
  if ! has_kubernetes; then
    if [[ -e /etc/kubernetes/kubelet.conf ]]; then
      log "this machine is a member with $(kubelet --version); v$v comes with its replacement"
      return 0
    fi
    use_kubernetes_source
    missing+=("kubelet=$v-*" "kubeadm=$v-*" "kubectl=$v-*")
  fi
  if ((${#missing[@]} > 0)); then
    install_packages "${missing[@]}"
    has_kubernetes || die "installing Kubernetes v$v: $(kubelet --version) is found first on PATH; use an image without it, or one with v$v"
    apt-mark hold kubelet kubeadm kubectl >&2
  fi
  # an image that keeps registries in certs.d has been thought about: it is left as it is
  if ! grep --quiet --no-messages 'config_path *= *"/etc/containerd/certs.d"' /etc/containerd/config.toml; then
    put_file /etc/containerd/config.toml 0644 containerd <<TOML
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$(kubeadm config images list --kubernetes-version "v$v" | grep /pause:)"
[plugins."io.containerd.grpc.v1.cri".registry]
  config_path = "/etc/containerd/certs.d"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  options.SystemdCgroup = true
TOML
  fi
  settle containerd restart
}

# What the kernel does already needs no file of ours.
prepare_kernel() {
  local module key
  for module in overlay br_netfilter; do
    if [[ -d /sys/module/$module ]] || in_container; then continue; fi
    put_file "/etc/modules-load.d/nodewright-$module.conf" 0644 <<<"$module"
    modprobe "$module"
  done
  for key in net.ipv4.ip_forward net.bridge.bridge-nf-call-iptables; do
    if [[ $(sysctl --values "$key" 2>/dev/null) == 1 ]]; then continue; fi
    put_file "/etc/sysctl.d/90-nodewright-$key.conf" 0644 <<<"$key = 1"
    sysctl --quiet --write "$key=1" || in_container || die "setting $key=1: the kernel refuses it"
  done
  # in a container this would switch off its host's swap
  if ! in_container && [[ -n $(swapon --noheadings) ]]; then
    put_file /etc/fstab 0644 < <(sed 's|^[^#].*[[:space:]]swap[[:space:]].*|# nodewright: &|' /etc/fstab)
    swapoff --all
  fi
}

prepare_registry() {
  local program missing=()
  if [[ -z ${REGISTRY_FROM_ARCHIVE:-} ]]; then
    if ! command -v docker-registry >/dev/null; then install_packages docker-registry; fi
    return 0
  fi
  # Its steps use these; every Debian has them, but a very small image may not.
  for program in curl openssl perl useradd; do
    if ! command -v "$program" >/dev/null; then missing+=("$program"); fi
  done
  ((${#missing[@]} == 0)) || die "preparing the registry: no ${missing[*]} on this machine, and with registry.archive nothing is installed; use an image that has it"
}

use_proxy() {
  local apt=/etc/apt/apt.conf.d/80nodewright-proxy shell=/etc/profile.d/nodewright-proxy.sh pairs
  local unit=/etc/systemd/system/containerd.service.d/nodewright-proxy.conf http=${HTTP_PROXY:-} https=${HTTPS_PROXY:-}
  if [[ -z $http$https ]]; then
    drop_file "$apt"
    drop_file "$shell"
    drop_file "$unit" containerd
    return 0
  fi
  pairs=$(printf '%s=%s\n' http_proxy "$http" https_proxy "$https" no_proxy "${NO_PROXY:-}" HTTP_PROXY "$http" HTTPS_PROXY "$https" NO_PROXY "${NO_PROXY:-}")
  # a proxy's address may hold a password: only root reads these two
  put_file "$apt" 0600 <<<"Acquire::http::Proxy \"${http:-DIRECT}\";"$'\n'"Acquire::https::Proxy \"${https:-DIRECT}\";"
  put_file "$unit" 0600 containerd < <(echo '[Service]' && sed 's/%/%%/g; s/.*/Environment="&"/' <<<"$pairs")
  put_file "$shell" 0644 < <(sed "s/=/='/; s/.*/export &'/" <<<"$pairs")
}

main() {
  : "${ROLE:?}" "${KUBERNETES_VERSION:?}"
  only_one machine
  KUBERNETES_VERSION=${KUBERNETES_VERSION#v}
  put_block /etc/hosts "${HOSTS_ENTRIES:-}"
  use_proxy
  case $ROLE in
    node)
      prepare_kernel
      prepare_node
      if [[ -n ${NFS_CLIENT:-} ]] && ! command -v mount.nfs >/dev/null; then install_packages nfs-common; fi
      ;;
    load-balancer) if ! command -v haproxy >/dev/null; then install_packages haproxy; fi ;;
    storage) if ! command -v ganesha.nfsd >/dev/null; then install_packages nfs-ganesha nfs-ganesha-vfs nfs-common rpcbind; fi ;;
    registry) prepare_registry ;;
    *) ;;
  esac
  say_result
}

main </dev/null
