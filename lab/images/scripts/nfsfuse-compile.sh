#!/usr/bin/env bash
# What:    compiles nfsfuse against the libraries of a node's root, in a throw-away copy that has a compiler
# Needs:   LOWER (the node's root), SCRATCH (empty directory), SOURCE (nfsfuse.c), PACKAGES (the compiler), TARGET
# Changes: TARGET (the program), SCRATCH
# Again:   compiles again
# Undo:    rm TARGET
set -o errexit -o nounset -o pipefail

main() {
  : "${LOWER:?}" "${SCRATCH:?}" "${SOURCE:?}" "${PACKAGES:?}" "${TARGET:?}"
  if [[ "${1:-}" != --inside ]]; then
    exec unshare --mount --propagation private -- "$0" --inside
  fi
  local here root="${SCRATCH}/root"
  here=$(dirname "$(realpath "$0")")
  mkdir "${SCRATCH}/upper" "${SCRATCH}/work" "${root}"
  mount -t overlay -o "lowerdir=${LOWER},upperdir=${SCRATCH}/upper,workdir=${SCRATCH}/work" nfsfuse "${root}"
  ROOT="${root}" PACKAGES="${PACKAGES}" "${here}/packages-install.sh"
  install -m 644 "${SOURCE}" "${root}/usr/src/nfsfuse.c"
  # shellcheck disable=SC2016  # expanded inside the root
  ROOT="${root}" "${here}/root-run.sh" sh -e -c '
    exec gcc -std=gnu17 -O2 -Wall -Wextra -Werror -D_FILE_OFFSET_BITS=64 -o /usr/src/nfsfuse /usr/src/nfsfuse.c \
      $(pkg-config --cflags --libs fuse3 libnfs)'
  install -m 755 "${root}/usr/src/nfsfuse" "${TARGET}"
}

main "$@" </dev/null
