#!/bin/bash
# What: brings a machine to what its role needs: packages, kernel settings, proxy, hosts entries.
# Needs: ROLE (node|load-balancer|other), KUBERNETES_VERSION (1.34.3), HTTP_PROXY HTTPS_PROXY NO_PROXY (may be empty), PACKAGE_SOURCE (may be empty: pkgs.k8s.io; else the URL of a flat apt repository that has Release.key), HOSTS_ENTRIES (newline list, may be empty)
# Changes: packages, /etc/apt, /etc/containerd, /etc/environment, /etc/hosts, modules, sysctls, swap: docs/machines.md
# Again: unchanged, also at the first run on a prebaked image.
# Undo: docs/machines.md.
