#!/bin/bash
# What: takes a node out of the cluster, dead or alive, without asking its machine for anything.
# Needs: NODE_NAME, ROLE (control-plane|worker), NODE_IP, DRAIN_GRACE_S (-1: each pod's own), DRAIN_TIMEOUT_S, DRAIN_POLICY (fail|force|skip)
# Changes: the node's pods, the Node, its etcd member
# Again: unchanged: what is absent is done.
# Undo: node-join.sh.
