#!/bin/bash
# What: makes a registry out of a container image archive, with a user and a unit of its own; no package source is asked.
# Needs: ARCHIVE (a relative path is below the home of the user who logs in), LAYER (its path in the archive), PROGRAM (its path in the layer), PROGRAM_SHA256
# Changes: /usr/local/bin/docker-registry, user docker-registry, /etc/systemd/system/docker-registry.service (due: registry-configure starts it)
# Again: unchanged.
# Undo: systemctl disable --now docker-registry; delete the program, the unit and the archive; userdel docker-registry.

readonly UNIT=docker-registry USER_OF_UNIT=docker-registry TARGET=/usr/local/bin/docker-registry
readonly FOLDER=/var/lib/nodewright

# A file that came over SFTP lies in the home of who brought it, and this runs as root.
find_archive() {
  if [[ $ARCHIVE != /* ]]; then
    ARCHIVE=$(getent passwd "${SUDO_USER:-root}" | cut --delimiter=: --fields=6)/$ARCHIVE
  fi
  [[ -s $ARCHIVE ]] || die "unpacking the registry: $ARCHIVE is not on this machine; replace the machine (heal), and it comes again"
}

is_right() { [[ $(sha256sum "$1" 2>/dev/null | cut --delimiter=' ' --fields=1) == "$PROGRAM_SHA256" ]]; }

unpack_program() {
  local said="$RUN_DIR/registry-unpack"
  if is_right "$TARGET" && [[ -x $TARGET ]]; then return 0; fi
  find_archive
  install -d "$FOLDER"
  SECRETS+=("$FOLDER/registry-layer" "$FOLDER/registry-program") # no secrets, but they go with the step, too
  # From a file and not through a pipe: only there tar finds out by itself how it is compressed.
  if ! tar --extract --to-stdout --file "$ARCHIVE" -- "$LAYER" >"$FOLDER/registry-layer" 2>"$said" ||
    ! tar --extract --to-stdout --file "$FOLDER/registry-layer" -- "$PROGRAM" >"$FOLDER/registry-program" 2>"$said"; then
    die "unpacking the registry: tar says $(tail -n 1 "$said"); replace the machine (heal), and the archive comes again"
  fi
  is_right "$FOLDER/registry-program" ||
    die "unpacking the registry: $ARCHIVE holds another program than the stack's archive; run up again, and when that does not help replace the machine (heal)"
  chmod 0755 "$FOLDER/registry-program"
  "$FOLDER/registry-program" --version >"$said" 2>&1 ||
    die "unpacking the registry: its program does not run here ($(tail -n 1 "$said")); give an archive for a machine of $(uname --machine)"
  put_file "$TARGET" 0755 "$UNIT" <"$FOLDER/registry-program"
}

add_user() {
  if getent passwd "$USER_OF_UNIT" >/dev/null; then return 0; fi
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$USER_OF_UNIT"
  note_change "added the user $USER_OF_UNIT"
}

main() {
  : "${ARCHIVE:?}" "${LAYER:?}" "${PROGRAM:?}" "${PROGRAM_SHA256:?}"
  only_one registry
  unpack_program
  add_user
  # What it serves, and how, is said by registry-configure's part of the unit.
  put_file "/etc/systemd/system/$UNIT.service" 0644 "$UNIT" <<UNIT_FILE
[Unit]
Description=Registry of container images
Wants=network-online.target
After=network-online.target

[Service]
User=$USER_OF_UNIT
ExecStart=$TARGET serve /etc/nodewright/registry/config.yml

[Install]
WantedBy=multi-user.target
UNIT_FILE
  say_result
}

main </dev/null
