#!/bin/bash
# What: runs a registry on a volume, with login and, where a certificate is given, TLS; now and after every boot.
# Needs: CONFIG (config.yml), REGISTRY_HOST, PORT, MOUNT_POINT, USERNAME, PASSWORD (secret), CERTIFICATE, KEY (secret), CA (PEM; may be empty)
# Changes: /etc/nodewright/registry, MOUNT_POINT/images, docker-registry.service and its drop-in (enabled, restarted when changed)
# Again: unchanged.
# Undo: systemctl disable --now docker-registry; the images stay on the volume.

readonly FOLDER=/etc/nodewright/registry UNIT=docker-registry USER_OF_UNIT=docker-registry
readonly DROP_IN=/etc/systemd/system/$UNIT.service.d/nodewright.conf

check_certificate() {
  local dir
  if [[ -z $CERTIFICATE ]]; then return 0; fi
  dir=$(mktemp --directory --tmpdir="$RUN_DIR")
  SECRETS+=("$dir/key")
  printf '%s\n' "$CERTIFICATE" >"$dir/crt"
  (umask 077 && printf '%s\n' "$KEY" >"$dir/key")
  [[ $(openssl x509 -in "$dir/crt" -noout -pubkey) == "$(openssl pkey -in "$dir/key" -pubout 2>/dev/null)" ]] ||
    die "starting the registry: its key does not belong to its certificate; set the right one as registry-key in nodewright:secrets. Nothing was changed"
  openssl x509 -in "$dir/crt" -noout -checkend 0 >/dev/null ||
    die "starting the registry: its certificate has expired ($(openssl x509 -in "$dir/crt" -noout -enddate)); renew it. Nothing was changed"
  rm -rf "$dir"
}

# give_file <name>: stdin becomes a file that the service reads and nobody else; it restarts when the file changed.
give_file() {
  put_file "$FOLDER/$1" 0640 "$UNIT"
  chgrp "$USER_OF_UNIT" "$FOLDER/$1"
}

# hash_password <setting>: bcrypt, by a setting or by an earlier hash, which begins with one.
hash_password() {
  # shellcheck disable=SC2016 # perl's variables
  printf '%s\n' "$1" "$PASSWORD" | perl -e 'chomp(my ($setting, $word) = <STDIN>); print crypt($word, $setting) // ""'
}

# Hashes of the same password differ every time: the old one is asked first.
keep_login() {
  local name='' hash=''
  if [[ -s $FOLDER/htpasswd ]]; then IFS=: read -r name hash <"$FOLDER/htpasswd"; fi
  if [[ $name == "$USERNAME" && -n $hash && $(hash_password "$hash") == "$hash" ]]; then return 0; fi
  hash=$(openssl rand -base64 18 | tr + .) # of the 24 characters bcrypt takes 22
  hash=$(hash_password "\$2b\$05\$${hash:0:22}")
  [[ $hash == \$2b\$* ]] || die "starting the registry: perl on this machine makes no bcrypt hashes; use an image of Debian 11, Ubuntu 20.04 or newer"
  give_file htpasswd <<<"$USERNAME:$hash"
}

# Another image may have given the service's user another number.
own_images() {
  local images="$MOUNT_POINT/images"
  if [[ $(stat --format %U "$images" 2>/dev/null) == "$USER_OF_UNIT" ]]; then return 0; fi
  install -d "$images"
  chown --recursive "$USER_OF_UNIT:" "$images"
  note_change "$images belongs to $USER_OF_UNIT"
}

# answers: the registry lets the login in; over TLS only when its certificate fits its name and its CA.
answers() {
  local for_curl=${PASSWORD//\\/\\\\} url="http://127.0.0.1:$PORT/v2/" extra=()
  if [[ -n $CERTIFICATE ]]; then
    url="https://$REGISTRY_HOST:$PORT/v2/"
    extra=(--resolve "$REGISTRY_HOST:$PORT:127.0.0.1")
    if [[ -n $CA ]]; then extra+=(--cacert "$FOLDER/ca.crt"); fi
  fi
  curl --silent --show-error --fail --noproxy '*' --max-time 5 --output /dev/null --config <(printf 'user = "%s:%s"\n' "$USERNAME" "${for_curl//\"/\\\"}") "${extra[@]}" "$url" 2>"$RUN_DIR/registry-answer"
}

main() {
  : "${CONFIG:?}" "${REGISTRY_HOST:?}" "${PORT:?}" "${MOUNT_POINT:?}" "${USERNAME:?}" "${PASSWORD:?}" "${CERTIFICATE=}" "${KEY=}" "${CA=}"
  only_one registry
  mountpoint --quiet "$MOUNT_POINT" || die "starting the registry: no volume is mounted at $MOUNT_POINT; look at journalctl --unit nodewright-volumes on the machine"
  check_certificate
  own_images
  give_file config.yml <<<"$CONFIG"
  if [[ -n $CA ]]; then put_file "$FOLDER/ca.crt" 0640 <<<"$CA"; fi
  if [[ -n $CERTIFICATE ]]; then
    give_file tls.crt <<<"$CERTIFICATE"
    give_file tls.key <<<"$KEY"
  else
    drop_file "$FOLDER/tls.crt" "$UNIT"
    drop_file "$FOLDER/tls.key" "$UNIT"
  fi
  keep_login
  put_file "$DROP_IN" 0644 "$UNIT" <<UNIT
[Service]
ExecStart=
ExecStart=$(command -v docker-registry) serve $FOLDER/config.yml
AmbientCapabilities=CAP_NET_BIND_SERVICE
Restart=always
RestartSec=2
UNIT
  if ! systemctl is-enabled --quiet "$UNIT" 2>/dev/null || ! systemctl is-active --quiet "$UNIT"; then
    systemctl daemon-reload
    systemctl enable --quiet "$UNIT"
    touch "$RUN_DIR/$UNIT.due"
  fi
  settle "$UNIT" restart
  wait_for 60 "the registry" answers ||
    die "starting the registry: $(tail -n 1 "$RUN_DIR/registry-answer"); look at journalctl --unit $UNIT on the machine"
  say_result
}

main </dev/null
