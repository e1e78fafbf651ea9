#!/bin/bash
# First process of the lab: builds what the lab sees and becomes its supervisor (process 1).
# Needs: ROOT (Debian root directory), CACHE (the lab's part of the cache), PACKAGE (this directory), LAB_NAME;
#   to be process 1 of new mount, net, pid, uts and ipc namespaces.
# Changes: cgroup LAB_NAME/services, CACHE/{run,state,logs,databases}; all else in its own namespaces.
# Again: refused by `lab up` while the process lives. Undo: kill the process.
set -o errexit -o nounset -o pipefail
: "${ROOT:?}" "${CACHE:?}" "${PACKAGE:?}" "${LAB_NAME:?}"

root=$CACHE/run/root

# /proc is still the host's: the process id and start time that the host sees. A builtin read, so no fork.
read -r line </proc/self/stat
read -r -a fields <<<"${line##*) }"
host_pid="${line%% *} ${fields[19]}"

bind() { # HOST-DIRECTORY PLACE [ro]
  mkdir -p "$1" "$root$2"
  mount --bind "$1" "$root$2"
  [ "${3:-}" != ro ] || mount -o remount,ro,bind "$root$2"
}

mount_root() {
  local layers=$CACHE/run/overlay
  mkdir -p "$layers/upper" "$layers/work" "$root"
  # Settings are copied, as the layers of a mounted overlay must not be edited.
  cp -rT --preserve=mode "$PACKAGE/files" "$layers/upper"
  chmod 755 "$layers/upper"
  mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$layers/upper,workdir=$layers/work" "$root"
  mount --make-private "$root"
}

mount_kernel() {
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
  mount -t devtmpfs devtmpfs "$root/dev"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mkdir -p "$root"/run/{netns,lock,mysqld,sudo}
  # Names of network namespaces must reach the mount namespaces of Neutron's helpers.
  mount -t tmpfs -o mode=755 tmpfs "$root/run/netns"
  mount --make-shared "$root/run/netns"
}

make_external_network() {
  ip link set lo up
  ip link add br-ex type bridge
  ip addr add 172.24.4.1/24 dev br-ex
  ip link set br-ex up
  sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1 net.bridge.bridge-nf-call-ip6tables=1
}

main() {
  "$PACKAGE/drivers/cgroup" services $$
  mount_root
  mount_kernel
  bind "$CACHE/state" /var/lib/lab
  bind "$CACHE/run" /run/lab
  bind "$CACHE/logs" /var/log/lab
  bind "$CACHE/databases" /var/lib/lab-databases
  bind "$CACHE/images" /var/lib/lab-images ro
  bind "$PACKAGE" /opt/nodewright/lab ro
  hostname lab
  echo "$host_pid" >"$CACHE/run/pid.unfinished"
  mv "$CACHE/run/pid.unfinished" "$CACHE/run/pid"

  cd "$root"
  mkdir -p .host
  pivot_root . .host
  # Before the host's file system goes out of sight: the network's settings live in the new /proc.
  make_external_network
  umount -l /.host
  rmdir /.host
  exec /usr/bin/env -i LAB_NAME="$LAB_NAME" LAB_ROOT="${ROOT##*/}" HOME=/root LC_ALL=C.UTF-8 PYTHONPATH=/opt/nodewright PYTHONWARNINGS=ignore \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    /usr/bin/python3 -m lab.inside.supervisor </dev/null
}

main
