#!/bin/bash
# What: makes haproxy serve exactly the given configuration.
# Needs: HAPROXY_CFG (whole file content)
# Changes: /etc/haproxy/haproxy.cfg, haproxy.service (enabled, reloaded when changed)
# Again: unchanged.
# Undo: systemctl disable --now haproxy.
