#!/bin/bash
# What: makes the first control plane of a new cluster, with its pod network.
# Needs: NODE_NAME, KUBEADM_CONFIG (whole YAML), CNI_MANIFEST (YAML text), PEERS (space list of the other control planes' addresses, may be empty)
# Changes: /etc/kubernetes, /var/lib/etcd, /var/lib/kubelet, /etc/nodewright/kubeadm.yaml
# Again: unchanged; applies a changed CNI_MANIFEST; a first run that was cut off is cleared away and made anew; does nothing when a peer serves the cluster or when a finished cluster's data waits for control-plane-restore.
# Undo: kubeadm reset.
