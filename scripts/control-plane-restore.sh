#!/bin/bash
# What: puts the only control plane back on a fresh machine from the PKI and etcd data on its volume.
# Needs: NODE_NAME, KUBEADM_CONFIG (whole YAML)
# Changes: /etc/kubernetes, /var/lib/kubelet, /etc/nodewright/kubeadm.yaml; certificates (not the CAs) are made anew
# Again: unchanged.
# Undo: kubeadm reset; the volume's data is then gone, too.
