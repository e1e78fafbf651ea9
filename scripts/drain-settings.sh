#!/bin/bash
# What: keeps, where nodes are seen off from, how their pods leave today: a leave was written down when its node came in.
# Needs: DRAIN_SETTINGS (lines "pool grace-s timeout-s policy"; the pool * is every other one)
# Changes: /etc/nodewright/drain-settings
# Again: unchanged.
# Undo: rm /etc/nodewright/drain-settings; nodes then leave by the settings they came in with.

main() {
  : "${DRAIN_SETTINGS:?}"
  put_file /etc/nodewright/drain-settings 0644 <<<"$DRAIN_SETTINGS"
  say_result
}

main </dev/null
