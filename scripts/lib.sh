# shellcheck shell=bash
# What every step on a machine shares: strictness, logging, waiting, files, one run at a time.
# It is sent in front of each script: `sudo -n bash -s <step>` reads exports, this file, then the script.
set -o errexit -o nounset -o pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
umask 022
# A step that has begun ends by itself even when its connection is lost: the next run waits for the lock, then looks.
trap '' PIPE

readonly STEP="${1:-step}"
readonly RUN_DIR="${NODEWRIGHT_RUN_DIR:-/run/nodewright}" # tmpfs: secrets and locks, gone after a reboot
readonly LOG_DIR="${NODEWRIGHT_LOG_DIR:-/var/log/nodewright}"
CHANGED=false

log() {
  printf '%s [%ss] %s\n' "$STEP" "$SECONDS" "$*" >&2 || : # nobody may be listening any more
}

die() {
  log "$@"
  exit 1
}

note_change() {
  CHANGED=true
  log "$@"
}

# The one word a step says on stdout.
say_result() {
  if "$CHANGED"; then echo changed; else echo unchanged; fi
}

# only_one <name>: a second run of the same step waits until the first has ended.
only_one() {
  install -d -m 0700 "$RUN_DIR"
  exec {LOCK_FD}>"$RUN_DIR/$1.lock"
  flock --wait 600 "$LOCK_FD" || die "starting: an earlier run of $1 still works after 600 s; look at it with ps, then try again"
}

# wait_for <seconds> <what> <test...>: the test is tried twice a second; returns 1 when the time is over.
wait_for() {
  local limit_s=$1 what=$2 end_s=$((SECONDS + $1))
  shift 2
  until "$@"; do
    if ((SECONDS >= end_s)); then
      log "waiting for $what: not there after $limit_s s"
      return 1
    fi
    sleep 0.5
  done
}

# retry <times> <what> <command...>: for calls that may fail for a moment.
retry() {
  local times=$1 what=$2 n
  shift 2
  for ((n = 1; n <= times; n++)); do
    if "$@"; then return 0; fi
    log "$what: attempt $n of $times failed"
    if ((n < times)); then sleep "$n"; fi
  done
  return 1
}

# put_file <path> <mode> [unit]: stdin becomes the file, only if it differs, in one rename. A unit that reads the file is
# then due (see settle): noted before the file changes, so that a run cut off in between is made good by the next.
put_file() {
  local path=$1 mode=$2 new
  install -d "$(dirname "$path")"
  new=$(mktemp "$path.XXXXXX")
  cat >"$new"
  chmod "$mode" "$new"
  if cmp --silent "$new" "$path" && [[ $(stat --format %a "$path") == "$(stat --format %a "$new")" ]]; then
    rm -f "$new"
    return 0
  fi
  if [[ -n ${3:-} ]]; then touch "$RUN_DIR/$3.due"; fi
  mv -f "$new" "$path"
  note_change "wrote $path"
}

# drop_file <path> [unit]: the file is not there.
drop_file() {
  [[ -e $1 ]] || return 0
  if [[ -n ${2:-} ]]; then touch "$RUN_DIR/$2.due"; fi
  rm -f "$1"
  note_change "removed $1"
}

# put_block <path> <text>: the file holds the text between our two marks, or no marks when the text is empty.
put_block() {
  local rest
  if [[ -z $2 ]] && ! grep --quiet '^# nodewright begin$' "$1"; then return 0; fi
  rest=$(sed '/^# nodewright begin$/,/^# nodewright end$/d' "$1")
  put_file "$1" 0644 <<<"$rest${2:+$'\n# nodewright begin\n'$2$'\n# nodewright end'}"
}

# settle <unit> <verb>: a unit that is due takes its new files, by reload or restart.
settle() {
  [[ -e $RUN_DIR/$1.due ]] || return 0
  systemctl daemon-reload
  systemctl "$2" "$1" || die "$2 of $1: systemd reports a failure; look at journalctl --unit $1 on the machine"
  rm -f "$RUN_DIR/$1.due"
  note_change "$1: $2 done"
}

# put_secret <name>: stdin becomes a file only root reads, on tmpfs, removed when the step ends.
put_secret() {
  install -d -m 0700 "$RUN_DIR"
  (umask 077 && cat >"$RUN_DIR/$1")
  SECRETS+=("$RUN_DIR/$1")
}
SECRETS=()
drop_secrets() {
  ((${#SECRETS[@]} == 0)) || rm -f "${SECRETS[@]}"
}
trap drop_secrets EXIT

# run_logged <name> <command...>: output goes to a log on the machine, its end to stderr when the command fails.
run_logged() {
  local name=$1 rc=0
  shift
  install -d -m 0700 "$LOG_DIR"
  "$@" >"$LOG_DIR/$name.log" 2>&1 || rc=$?
  if ((rc != 0)); then
    log "$name: exit code $rc; the end of $LOG_DIR/$name.log:"
    tail -n 25 "$LOG_DIR/$name.log" >&2
  fi
  return "$rc"
}

# listens <address> <port>: something accepts connections there.
listens() {
  timeout 2 bash -c "</dev/tcp/$1/$2" 2>/dev/null
}
