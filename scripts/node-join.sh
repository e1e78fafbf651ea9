#!/bin/bash
# What: makes the machine a member of the cluster.
# Needs: NODE_NAME, ROLE (control-plane|worker), KUBEADM_JOIN_CONFIG (one JoinConfiguration without discovery and controlPlane: both are added here), TICKET (JSON of join-ticket), NODE_IP, KUBERNETES_VERSION
# Changes: /etc/kubernetes, /var/lib/kubelet, /var/lib/etcd (control-plane)
# Again: unchanged; a join that was cut off is cleared away and made anew.
# Undo: node-leave.sh on a steward, then kubeadm reset.
