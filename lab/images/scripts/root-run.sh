#!/usr/bin/env bash
# What:    runs a command in a root directory, in namespaces of its own; nothing stays mounted or running afterwards
# Needs:   ROOT (absolute path of the root directory), the command as arguments
# Changes: what the command changes in ROOT
# Again:   as the command
# Undo:    -
set -o errexit -o nounset -o pipefail

main() {
  : "${ROOT:?}"
  if [[ "${1:-}" != --inside ]]; then
    exec unshare --mount --propagation private --pid --ipc --uts --fork --kill-child -- "$0" --inside "$@"
  fi
  shift
  mount --bind "${ROOT}" "${ROOT}"
  mount -t proc proc "${ROOT}/proc"
  mount --rbind /sys "${ROOT}/sys"
  mount --rbind /dev "${ROOT}/dev"
  mount -t tmpfs tmpfs "${ROOT}/run"
  mount -t tmpfs tmpfs "${ROOT}/tmp"
  # Names are resolved as on the machine that builds; the file in the root stays as it is.
  mount --bind "$(realpath /etc/resolv.conf)" "${ROOT}/etc/resolv.conf"
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" no_proxy="${no_proxy:-}" \
    chroot "${ROOT}" "$@"
}

main "$@" </dev/null
