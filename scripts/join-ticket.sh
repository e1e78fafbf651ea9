#!/bin/bash
# What: gives a machine what it needs to join: prints {"token","ca_hash","certificate_key","endpoint"} (secret); clears stale traces of the node's name first.
# Needs: NODE_NAME, ROLE (control-plane|worker), NODE_IP, KUBERNETES_VERSION (of the joining machine)
# Changes: a bootstrap token (30 minutes); control-plane: Secret kubeadm-certs (2 hours), stale etcd members, version in kubeadm-config when newer; a stale Node
# Again: a new ticket; nothing of a living node is touched.
# Undo: the ticket expires.
