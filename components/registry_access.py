"""Pods may pull from registries: logins are secrets of their namespaces, attached to their service accounts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes import core

from components.kubernetes_api import KubernetesApi

PULL_SECRET = "kubernetes.io/dockerconfigjson"  # a type, not a secret  # noqa: S105
# What tools look for when they ask where images can be pushed: KEP-1755.
HOSTING = "local-registry-hosting"


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """A login in a namespace, and the service accounts whose pods use it."""

    namespace: str
    service_accounts: Sequence[str]
    server: str
    docker_config: pulumi.Input[str]


@dataclass(frozen=True, kw_only=True)
class RegistryAccessArgs:
    api: KubernetesApi
    attachments: Sequence[Attachment]
    hosting: str | None
    """The cluster's own registry, if there is one."""


class RegistryAccess(pulumi.ComponentResource):
    def __init__(self, name: str, args: RegistryAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:RegistryAccess", name, {}, opts)

        secrets: dict[tuple[str, str], list[str]] = {}
        made: list[pulumi.Resource] = []
        for attachment in args.attachments:
            secret_name = f"registry-{_plain(attachment.server)}"
            made.append(
                core.v1.Secret(
                    f"{name}-{attachment.namespace}-{secret_name}",
                    metadata={"name": secret_name, "namespace": attachment.namespace},
                    type=PULL_SECRET,
                    string_data={".dockerconfigjson": attachment.docker_config},
                    opts=args.api.options(self),
                )
            )
            for account in attachment.service_accounts:
                secrets.setdefault((attachment.namespace, account), []).append(secret_name)

        for (namespace, account), names in secrets.items():
            core.v1.ServiceAccountPatch(
                f"{name}-{namespace}-{account}",
                # The list has one owner: whoever else wrote to it gives it up.
                metadata={"name": account, "namespace": namespace, "annotations": {"pulumi.com/patchForce": "true"}},
                image_pull_secrets=[{"name": secret} for secret in names],
                # Only order: an account names only what is there.
                opts=args.api.options(self, made),
            )

        if args.hosting:
            core.v1.ConfigMap(
                f"{name}-{HOSTING}",
                metadata={"name": HOSTING, "namespace": "kube-public"},
                data={"localRegistryHosting.v1": f'host: "{args.hosting}"\n'},
                opts=args.api.options(self),
            )

        self.register_outputs({})


def _plain(server: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", server.lower())
