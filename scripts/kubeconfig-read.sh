#!/bin/bash
# What: prints the cluster's admin kubeconfig (secret) for use from outside.
# Needs: ENDPOINT (host:port that becomes its server)
# Changes: nothing
# Again: the same text.
# Undo: none needed.

. parts/kubernetes.sh

main() {
  : "${ENDPOINT:?}"
  [[ -s $ADMIN_CONF ]] || die "reading the kubeconfig: $ADMIN_CONF is not there; is this machine a control plane?"
  sed "s|^\( *server: \).*|\1https://$ENDPOINT|" "$ADMIN_CONF"
}

main </dev/null
