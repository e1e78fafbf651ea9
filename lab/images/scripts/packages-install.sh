#!/usr/bin/env bash
# What:    installs Debian packages in a root directory without starting their services
# Needs:   ROOT, PACKAGES (separated by blanks)
# Changes: ROOT only; package lists and downloads are removed again
# Again:   installs what is missing
# Undo:    rm -rf ROOT
set -o errexit -o nounset -o pipefail

main() {
  : "${ROOT:?}" "${PACKAGES:?}"
  local here packages
  read -r -a packages <<<"${PACKAGES}"
  here=$(dirname "$(realpath "$0")")
  printf '#!/bin/sh\nexit 101\n' >"${ROOT}/usr/sbin/policy-rc.d"
  chmod 755 "${ROOT}/usr/sbin/policy-rc.d"
  # The lists are the same for each root of one build, but a root must not keep them: they are as large as a node's
  # container runtime and out of date within a day.
  # shellcheck disable=SC2016  # expanded inside the root
  "${here}/root-run.sh" sh -e -c '
    export DEBIAN_FRONTEND=noninteractive
    apt-get --quiet update
    apt-get --quiet --yes install "$@"
    apt-get clean
    rm -rf /var/lib/apt/lists/*' packages-install "${packages[@]}"
  rm "${ROOT}/usr/sbin/policy-rc.d"
}

main </dev/null
