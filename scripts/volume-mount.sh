#!/bin/bash
# What: mounts a Cinder volume now and at every boot, before what needs it; formats it only when it is blank, grows its file system.
# Needs: DEVICE_ID (volume id), MOUNT_POINT, BIND (newline list subdir:/target, may be empty)
# Changes: /etc/nodewright/volumes, /usr/local/sbin/nodewright-volumes, nodewright-volumes.service, the volume's file system
# Again: unchanged; grows the file system when the volume has grown.
# Undo: docs/machines.md; the data stays on the volume.

. parts/volumes.sh

readonly CONFIG_DIR=/etc/nodewright/volumes ON_MACHINE=/usr/local/sbin/nodewright-volumes UNIT=nodewright-volumes.service

# Formatting asks for proof that nothing is lost: no signature anywhere, and nothing written at the start.
format_if_blank() {
  local type begun="/var/lib/nodewright/formatting-$DEVICE_ID"
  type=$(look_up TYPE "$1") || : # 2: finds nothing
  if [[ $type == ext4 ]]; then return 0; fi
  # a mkfs of ours that was cut off may be begun again
  if [[ ! -e $begun ]] && { [[ -n $type$(wipefs --no-act --noheadings "$1") ]] || ! cmp --silent --bytes=1048576 "$1" /dev/zero; }; then
    die "formatting volume $DEVICE_ID: it is neither blank nor ext4 (${type:-unknown}), nothing was changed; look at it, or clear it by hand"
  fi
  install -d "${begun%/*}"
  touch "$begun"
  mkfs.ext4 -q "$1" >&2
  rm -f "$begun"
  note_change "formatted volume $DEVICE_ID"
}

keep_at_boot() {
  put_file "$ON_MACHINE" 0755 < <(
    printf '#!/bin/bash\n# Mounts what %s/* say; written by volume-mount.sh.\nset -o errexit -o nounset -o pipefail\n' "$CONFIG_DIR"
    declare -f find_device look_up is_mounted same_directory may_grow mount_volume
    # shellcheck disable=SC2016 # for the script that is written
    printf 'for config in %s/*; do mount_volume "$config"; done\n' "$CONFIG_DIR"
  )
  put_file "/etc/systemd/system/$UNIT" 0644 <<UNIT
[Unit]
Description=Mount this node's volumes
After=local-fs.target
Before=kubelet.service docker-registry.service nfs-ganesha.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=$ON_MACHINE
[Install]
WantedBy=multi-user.target
RequiredBy=kubelet.service docker-registry.service nfs-ganesha.service
UNIT
  if ! systemctl is-enabled --quiet "$UNIT"; then
    systemctl daemon-reload
    systemctl enable --quiet "$UNIT"
    note_change "$UNIT runs at boot"
  fi
}

main() {
  : "${DEVICE_ID:?}" "${MOUNT_POINT:?}"
  local device pair report
  only_one volumes
  wait_for 60 "volume $DEVICE_ID" find_device "$DEVICE_ID" >/dev/null || die "mounting volume $DEVICE_ID: the machine has no such disk; is it attached?"
  device=$(find_device "$DEVICE_ID")
  format_if_blank "$device"
  for pair in ${BIND:=}; do
    if same_directory "$MOUNT_POINT/${pair%%:*}" "${pair#*:}" || [[ ! -d ${pair#*:} ]]; then continue; fi
    [[ -z $(ls --almost-all "${pair#*:}") ]] || die "binding ${pair#*:} to the volume: it already holds files, which would be hidden; move them away first"
  done
  put_file "$CONFIG_DIR/$DEVICE_ID" 0644 < <(printf '%s=%q\n' DEVICE_ID "$DEVICE_ID" UUID "$(look_up UUID "$device")" MOUNT_POINT "$MOUNT_POINT" BIND "$BIND")
  keep_at_boot
  if is_mounted "$device" "$MOUNT_POINT" && may_grow "$device"; then
    if resize2fs "$device" >&2; then note_change "grew the file system"; else log "the kernel does not grow a mounted file system here; it grows at the machine's next boot"; fi
  fi
  report=$("$ON_MACHINE") || die "mounting volume $DEVICE_ID: see above"
  if [[ -n $report ]]; then note_change "${report//$'\n'/; }"; fi
  say_result
}

main </dev/null
