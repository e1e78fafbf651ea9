#!/bin/bash
# What: waits until the node is Ready, gives it exactly its labels and taints, lets pods in.
# Needs: NODE_NAME, ROLE (control-plane|worker), LABELS (k=v space list, may be empty), TAINTS (k=v:Effect space list, may be empty), READY_TIMEOUT_S
# Changes: labels, taints and annotation nodewright.dev/managed of the Node
# Again: unchanged; labels and taints it gave earlier and are no longer wanted go.
# Undo: node-leave.sh.
