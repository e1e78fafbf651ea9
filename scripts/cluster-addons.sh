#!/bin/bash
# What: brings kube-proxy, CoreDNS and the pod network to the cluster's version.
# Needs: KUBERNETES_VERSION, CNI_MANIFEST (YAML text)
# Changes: kube-system: kube-proxy, coredns; what CNI_MANIFEST names
# Again: unchanged.
# Undo: run it with the earlier values.
