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
readonly RUN_DIR="${NODEWRIGHT_RUN_DIR:-/run/nodewright}"   # tmpfs: secrets and locks, gone after a reboot
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
    sleep "$n"
  done
  return 1
}

# put_file <path> <mode>: stdin becomes the file, only if it differs, in one rename; returns 0 always, sets CHANGED.
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
  mv -f "$new" "$path"
  note_change "wrote $path"
}

# drop_file <path>: the file is not there.
drop_file() {
  [[ -e $1 ]] || return 0
  rm -f "$1"
  note_change "removed $1"
}

# put_secret <name>: stdin becomes a file only root reads, on tmpfs; prints nothing, removed when the step ends.
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
  local file="$LOG_DIR/$1.log" rc=0
  shift
  install -d -m 0700 "$LOG_DIR"
  "$@" >"$file" 2>&1 || rc=$?
  ((rc == 0)) || { log "$1: exit code $rc; the end of $file:" && tail -n 25 "$file" >&2; }
  return "$rc"
}
