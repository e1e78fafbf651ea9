#!/bin/bash
# What: makes haproxy serve exactly the given configuration.
# Needs: HAPROXY_CFG (whole file content)
# Changes: /etc/haproxy/haproxy.cfg, haproxy.service (enabled, reloaded when changed)
# Again: unchanged.
# Undo: systemctl disable --now haproxy.

readonly CONFIG=/etc/haproxy/haproxy.cfg

main() {
  : "${HAPROXY_CFG:?}"
  local candidate
  only_one haproxy
  candidate="$RUN_DIR/haproxy.candidate"
  put_secret haproxy.candidate <<<"$HAPROXY_CFG"
  haproxy -c -q -f "$candidate" >&2 || die "checking the load balancer's configuration: haproxy refuses it (see above); the old one stays in use"
  put_file "$CONFIG" 0640 haproxy <"$candidate"
  if ! systemctl is-enabled --quiet haproxy || ! systemctl is-active --quiet haproxy; then
    rm -f "$RUN_DIR/haproxy.due" # a start reads the new file anyway
    systemctl enable --quiet --now haproxy || die "starting haproxy: systemd reports a failure; look at journalctl --unit haproxy on the machine"
    note_change "haproxy runs, now and at boot"
  fi
  settle haproxy reload
  say_result
}

main </dev/null
