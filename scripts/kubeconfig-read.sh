#!/bin/bash
# What: prints the cluster's admin kubeconfig (secret) for use from outside.
# Needs: ENDPOINT (host:port that becomes its server)
# Changes: nothing
# Again: the same text.
# Undo: none needed.
