#!/bin/bash
# What: waits until cloud-init has finished and the machine carries its node's name.
# Needs: NODE_NAME
# Changes: /etc/hostname, /etc/hosts (only when the name is wrong)
# Again: unchanged.
# Undo: none needed.
