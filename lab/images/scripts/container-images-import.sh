#!/usr/bin/env bash
# What:    puts container images into a root's own containerd, so that its machines start pods without a registry
# Needs:   run inside the root (root-run.sh); the archives as arguments
# Changes: /var/lib/containerd
# Again:   imports again, with the same result
# Undo:    rm -rf /var/lib/containerd
set -o errexit -o nounset -o pipefail

readonly SOCKET=/run/containerd/containerd.sock

main() {
  local daemon archive deadline=$((SECONDS + 30))
  containerd --log-level warn &
  daemon=$!
  until [[ -S "${SOCKET}" ]] && ctr version >/dev/null 2>&1; do
    if ((SECONDS > deadline)) || ! kill -0 "${daemon}" 2>/dev/null; then
      echo "importing container images: containerd did not start" >&2
      return 1
    fi
    sleep 0.1
  done
  for archive in "$@"; do
    ctr --namespace k8s.io images import "${archive}"
  done
  kill "${daemon}"
  wait "${daemon}" || true # ends by the signal it was sent
  # Each machine's containerd gives itself a name of its own.
  rm -rf /var/lib/containerd/io.containerd.grpc.v1.introspection /var/lib/containerd/tmpmounts
}

main "$@" </dev/null
