#!/bin/bash
# What: makes the NFS server export exactly the given directories, now and after every boot.
# Needs: GANESHA_CONF (whole file content), MOUNT_POINTS, DIRECTORIES, EXPORTS (newline lists; the last two may be empty)
# Changes: missing DIRECTORIES (0777), /etc/ganesha/ganesha.conf, nfs-ganesha.service and its drop-in (enabled, reloaded when changed)
# Again: unchanged.
# Undo: systemctl disable --now nfs-ganesha; the data stays on the volumes.

readonly CONFIG=/etc/ganesha/ganesha.conf UNIT=nfs-ganesha
readonly DROP_IN=/etc/systemd/system/$UNIT.service.d/nodewright.conf

# What is written where a volume should be is lost with the machine.
check_mounted() {
  local point
  for point in $MOUNT_POINTS; do
    mountpoint --quiet "$point" || die "exporting $point: no volume is mounted there; look at journalctl --unit nodewright-volumes on the machine"
  done
}

# Programs in pods run as any user, so a new directory is open to all; one that exists keeps what its owner chose.
make_directories() {
  local directory
  for directory in $DIRECTORIES; do
    if [[ ! -e $directory ]]; then
      install -d -m 0777 "$directory"
      note_change "made $directory"
    fi
    [[ $(realpath "$directory") == "$directory" && -d $directory ]] ||
      die "exporting $directory: it is no directory, or reached through a link, which may lead off the volume; correct that on the machine"
  done
}

# The server itself is asked: over the network it shows an export only to who may mount it. Its own root is no export of ours.
serves_exports() {
  local served
  served=$(dbus-send --system --print-reply --dest=org.ganesha.nfsd /org/ganesha/nfsd/ExportMgr org.ganesha.nfsd.exportmgr.ShowExports 2>/dev/null |
    sed --quiet 's|^ *string "\(/..*\)"$|\1|p' | sort) || return 1
  [[ $served == "$(sort <<<"$EXPORTS")" ]]
}

keep_running() {
  put_file "$DROP_IN" 0644 "$UNIT" <<UNIT
[Service]
Restart=on-failure
RestartSec=2
UNIT
}

main() {
  : "${GANESHA_CONF:?}" "${MOUNT_POINTS:?}" "${DIRECTORIES=}" "${EXPORTS=}"
  only_one storage
  check_mounted
  make_directories
  keep_running
  put_file "$CONFIG" 0644 "$UNIT" <<<"$GANESHA_CONF"
  if ! systemctl is-enabled --quiet "$UNIT" || ! systemctl is-active --quiet "$UNIT"; then
    rm -f "$RUN_DIR/$UNIT.due" # a start reads the new file anyway
    systemctl daemon-reload
    systemctl enable --quiet --now "$UNIT" || die "starting $UNIT: systemd reports a failure; look at journalctl --unit $UNIT and /var/log/ganesha/ganesha.log on the machine"
    note_change "$UNIT runs, now and at boot"
  fi
  settle "$UNIT" reload
  if ! wait_for 20 "the exports" serves_exports; then
    log "a reload did not bring all exports; restarting $UNIT, clients wait meanwhile"
    systemctl restart "$UNIT" || die "restarting $UNIT: systemd reports a failure; look at /var/log/ganesha/ganesha.log on the machine"
    wait_for 60 "the exports" serves_exports || die "exporting ${EXPORTS//$'\n'/ }: not served; look at /var/log/ganesha/ganesha.log on the machine"
  fi
  say_result
}

main </dev/null
