#!/bin/bash
# What: waits until cloud-init has finished and the machine carries its node's name.
# Needs: NODE_NAME
# Changes: /etc/hostname (only when the name is wrong)
# Again: unchanged.
# Undo: none needed.

finish_cloud_init() {
  local report
  command -v cloud-init >/dev/null || return 0
  # --wait returns at once when it has finished; the limit is for a first boot that hangs
  if report=$(timeout 600 cloud-init status --wait --long 2>&1); then
    return 0
  fi
  # since 23.4 exit code 2 means: finished, with warnings
  if [[ $report == *"status: done"* ]]; then
    return 0
  fi
  die "waiting for cloud-init: ${report//$'\n'/; }; look at /var/log/cloud-init.log on the machine"
}

main() {
  : "${NODE_NAME:?}"
  only_one machine
  finish_cloud_init
  if [[ $(hostname) != "$NODE_NAME" ]]; then
    put_file /etc/hostname 0644 <<<"$NODE_NAME"
    hostname "$NODE_NAME"
    note_change "the machine was named otherwise; it is $NODE_NAME now"
  fi
  say_result
}

main </dev/null
