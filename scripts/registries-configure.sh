#!/bin/bash
# What: lets containerd pull from exactly the given registries. It reads these files at every pull, so nothing is restarted.
# Needs: REGISTRIES (lines `file <mode> <path> <content>` and `try <url> <server> <ca|-> <login|->`, contents in base64; other lines are ignored)
# Changes: /etc/containerd/certs.d (our files only, listed in .nodewright there)
# Again: unchanged; files it wrote earlier and that are no longer wanted go.
# Undo: run it with a list without such lines.

readonly FOLDER=/etc/containerd/certs.d
readonly LIST=$FOLDER/.nodewright

decode() { base64 --decode <<<"$1"; }

# ask <url> <server> <ca file> <login>: GET /v2/, status line and headers; what openssl says of the certificate goes to $TRIED.
ask() {
  local url=$1 server=$2 host port request
  host=${server%:*} port=${server##*:}
  if [[ $host == "$port" ]]; then
    port=443
    if [[ $url == http:* ]]; then port=80; fi
  fi
  request=$(printf 'GET /v2/ HTTP/1.0\r\nHost: %s\r\n%s\r\n.' "$server" "${4:+Authorization: Basic $4$'\r\n'}")
  if [[ $url == http:* ]]; then
    { exec {FD}<>"/dev/tcp/$host/$port"; } 2>>"$TRIED" || return 1
    printf '%s' "${request%.}" >&"$FD"
    timeout 10 cat <&"$FD" || : # what came until then is judged
    exec {FD}>&-
    return 0
  fi
  # with a CA of its own, only that one counts, as for containerd; an address stands in a certificate in another way than a name
  local trust=(-verify_hostname "$host")
  if [[ $host =~ ^[0-9.]+$ ]]; then trust=(-verify_ip "$host"); fi
  if [[ -s $3 ]]; then trust+=(-CAfile "$3" -no-CApath); fi
  printf '%s' "${request%.}" | timeout 15 openssl s_client -quiet -connect "$host:$port" -servername "$host" -verify_return_error "${trust[@]}" 2>>"$TRIED" || : # $TRIED says why
}

# try_registry <url> <server> <ca> <login>: what is wrong for certain ends the step, before any file is changed. A registry that
# does not answer does not: it may be down for a while, and a machine must come in all the same.
try_registry() {
  local answer ca="$RUN_DIR/registry-ca.$$" login=$4
  TRIED="$RUN_DIR/registry-tried.$$"
  : >"$TRIED"
  SECRETS+=("$TRIED" "$ca")
  : >"$ca"
  if [[ $3 != - ]]; then decode "$3" >"$ca"; fi
  if [[ $login == - ]]; then login=''; fi
  answer=$(ask "$1" "$2" "$ca" "$login" | tr -d '\000') || answer=''
  case $answer in
    "HTTP/"*" 200 "*) ;;
    "HTTP/"*" 401 "*)
      if [[ -z $login ]]; then return 0; fi
      if grep --quiet --ignore-case '^www-authenticate: *bearer' <<<"$answer"; then
        log "$2 gives out tokens elsewhere: its login is not tried"
        return 0
      fi
      die "logging in to $2: it refuses the name or the password; set the right one with pulumi config set --secret --path 'nodewright:secrets[\"registry/$2\"]'. containerd's files stay as they were"
      ;;
    "HTTP/"*) log "$2 answers ${answer%%$'\r'*}; is it a registry?" ;;
    *) explain_silence "$2" ;;
  esac
}

explain_silence() {
  if grep --quiet --ignore-case 'certificate has expired\|certificate is not yet valid' "$TRIED"; then
    die "connecting to $1: its certificate has expired; renew it on the registry. containerd's files stay as they were"
  elif grep --quiet --ignore-case 'hostname mismatch\|IP address mismatch' "$TRIED"; then
    die "connecting to $1: its certificate is for another name; use the name it is for, with a hosts entry if no DNS knows it. containerd's files stay as they were"
  elif grep --quiet 'verify error' "$TRIED"; then
    die "connecting to $1: its certificate is not signed by the given CA ($(sed --quiet 's/^verify error:num=[0-9]*://p' "$TRIED" | head -n 1)); give the certificate of the CA that signed it. containerd's files stay as they were"
  elif grep --quiet 'wrong version number' "$TRIED"; then
    die "connecting to $1: it does not speak TLS there; set connection to http, or correct the port. containerd's files stay as they were"
  fi
  log "$1 does not answer now ($(tail -n 1 "$TRIED")): going on; pods that need it wait until it does"
}

main() {
  : "${REGISTRIES:?}"
  local what first second third fourth wanted='' old
  only_one registries
  while read -r what first second third fourth; do
    if [[ $what == try ]]; then try_registry "$first" "$second" "$third" "$fourth"; fi
  done <<<"$REGISTRIES"
  old=$(cat "$LIST" 2>/dev/null) || old=''
  wanted=$(awk '$1 == "file" {print $3}' <<<"$REGISTRIES")
  if [[ -z $old$wanted ]]; then
    say_result
    return 0
  fi
  # both lists until the work is done: a run cut off in between forgets no file
  printf '%s\n%s\n' "$old" "$wanted" | sort --unique | sed '/^$/d' | put_file "$LIST" 0644
  while read -r what first second third; do
    if [[ $what == file ]]; then put_file "$second" "$first" < <(decode "$third"); fi
  done <<<"$REGISTRIES"
  while read -r first; do
    if [[ -z $first ]] || grep --quiet --line-regexp --fixed-strings -- "$first" <<<"$wanted"; then continue; fi
    drop_file "$first"
    rmdir --ignore-fail-on-non-empty "${first%/*}" 2>/dev/null || : # gone already
  done <<<"$old"
  put_file "$LIST" 0644 < <(sort --unique <<<"$wanted" | sed '/^$/d')
  say_result
}

main </dev/null
