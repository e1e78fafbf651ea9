#!/bin/bash
# What: mounts a Cinder volume now and at every boot, before what needs it; formats it only when it is blank, grows its file system.
# Needs: DEVICE_ID (volume id), MOUNT_POINT, BIND (newline list subdir:/target, may be empty)
# Changes: /etc/nodewright/volumes, /usr/local/sbin/nodewright-volumes, nodewright-volumes.service, the volume's file system
# Again: unchanged; grows the file system when the volume has grown.
# Undo: docs/machines.md; the data stays on the volume.
