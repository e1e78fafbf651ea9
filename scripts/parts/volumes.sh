# shellcheck shell=bash
# Finding and mounting volumes: what a machine does at every boot, too.

# find_device <volume id>: clouds name disks after the first 20 characters (virtio-blk) or all (virtio-scsi) of the id.
find_device() {
  local link
  for link in /dev/disk/by-id/*"${1:0:20}"*; do
    if [[ -b $link && $link != *-part* ]]; then readlink --canonicalize "$link" && return 0; fi
  done
  return 1
}

# look_up <tag> <device>: asks the disk itself, not a cache that needs udev.
look_up() { blkid --probe --match-tag "$1" --output value "$2"; }

is_mounted() { [[ $(mountpoint --fs-devno "$2" 2>/dev/null) == "$(mountpoint --devno "$1")" ]]; }

same_directory() { [[ -d $1 && -d $2 && $(stat --format %d:%i "$1") == "$(stat --format %d:%i "$2")" ]]; }

# may_grow <device>: it is larger than its file system, by more than rounding.
may_grow() {
  local file_system_bytes
  file_system_bytes=$(dumpe2fs -h "$1" 2>/dev/null | awk -F': *' '/^Block count/ {n = $2} /^Block size/ {s = $2} END {printf "%.0f", n * s}')
  (($(blockdev --getsize64 "$1") - file_system_bytes > 64 << 20))
}

# mount_volume <config file>: runs here and at every boot; prints what it did. Only the file system whose UUID is written
# down is mounted: a unit of systemd waits for the disk where fstab would need udev, and kubelet waits for the unit.
mount_volume() {
  local DEVICE_ID UUID MOUNT_POINT BIND device='' n pair source
  # shellcheck source=/dev/null
  . "$1"
  for ((n = 0; n < 180; n++)); do
    if device=$(find_device "$DEVICE_ID") && [[ $(look_up UUID "$device") == "$UUID" ]]; then break; fi
    device=''
    sleep 0.5
  done
  [[ -n $device ]] || { echo "mounting $MOUNT_POINT: volume $DEVICE_ID with file system $UUID is not attached" >&2 && return 1; }
  if ! is_mounted "$device" "$MOUNT_POINT"; then
    if may_grow "$device"; then
      e2fsck -f -p "$device" >&2 || (($? == 1)) # 1: repaired
      resize2fs "$device" >&2
      echo "grew the file system of $device"
    else
      e2fsck -p "$device" >&2 || (($? == 1))
    fi
    mkdir -p "$MOUNT_POINT"
    mount -t ext4 "$device" "$MOUNT_POINT"
    echo "mounted $device on $MOUNT_POINT"
  fi
  for pair in $BIND; do
    source="$MOUNT_POINT/${pair%%:*}"
    if same_directory "$source" "${pair#*:}"; then continue; fi
    if [[ ! -d $source ]]; then install -d -m 0700 "$source"; fi
    mkdir -p "${pair#*:}"
    mount --bind "$source" "${pair#*:}"
    echo "bound $source to ${pair#*:}"
  done
}
