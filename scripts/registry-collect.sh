#!/bin/bash
# What: deletes from the registry's volume what no tag leads to any more. Pulls go on; pushes are refused meanwhile.
# Needs: COLLECTION (number of the collection)
# Changes: the registry's volume; /run/systemd/system/docker-registry.service.d while it runs
# Again: the same number was done: unchanged.
# Undo: none; what was deleted belonged to no image.

readonly UNIT=docker-registry CONFIG=/etc/nodewright/registry/config.yml
readonly READ_ONLY=/etc/nodewright/registry/read-only.yml DONE=/etc/nodewright/registry/collection
readonly MEANWHILE=/run/systemd/system/docker-registry.service.d/zz-read-only.conf

# A push between finding what is unused and deleting it would lose its layers.
refuse_pushes() {
  put_file "$READ_ONLY" 0640 < <(sed '/^ *readonly:$/,/enabled:/ s/enabled: false/enabled: true/' "$CONFIG")
  chgrp docker-registry "$READ_ONLY"
  put_file "$MEANWHILE" 0644 < <(printf '[Service]\nExecStart=\nExecStart=%s serve %s\n' "$(command -v docker-registry)" "$READ_ONLY")
  systemctl daemon-reload
  systemctl restart "$UNIT"
}

allow_pushes() {
  rm -f "$MEANWHILE" "$READ_ONLY"
  systemctl daemon-reload
  systemctl restart "$UNIT"
}

main() {
  : "${COLLECTION:?}"
  local before after images
  only_one registry
  if [[ $(cat "$DONE" 2>/dev/null) == "$COLLECTION" ]]; then
    say_result
    return 0
  fi
  images=$(sed --quiet 's/^ *rootdirectory: //p' "$CONFIG")
  if [[ ! -d $images/docker/registry/v2/blobs ]]; then
    log "nothing was ever pushed: there is nothing to collect"
    say_result
    return 0
  fi
  before=$(du --summarize --block-size=1M "$images" | cut --fields=1)
  refuse_pushes
  run_logged registry-collect runuser --user docker-registry -- docker-registry garbage-collect --delete-untagged=true "$READ_ONLY" || {
    allow_pushes
    die "collecting garbage: it failed (see above); nothing that is used was deleted"
  }
  allow_pushes
  after=$(du --summarize --block-size=1M "$images" | cut --fields=1)
  put_file "$DONE" 0640 <<<"$COLLECTION"
  note_change "collection $COLLECTION: $before MiB before, $after MiB now"
  say_result
}

main </dev/null
