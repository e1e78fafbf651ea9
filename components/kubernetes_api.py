"""The cluster's API is at hand for resources that live in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes


@dataclass(frozen=True, kw_only=True)
class KubernetesApiArgs:
    cluster_name: str
    kubeconfig: pulumi.Input[str]
    lives_with: pulumi.Resource
    """When this goes, the whole cluster goes."""
    ready: Sequence[pulumi.Resource]


class KubernetesApi:
    """How a resource in the cluster is declared. No component: it is a way, not a thing."""

    def __init__(self, name: str, args: KubernetesApiArgs) -> None:
        self._lives_with = args.lives_with
        self._ready = args.ready
        self._provider = kubernetes.Provider(
            name,
            kubeconfig=pulumi.Output.secret(args.kubeconfig),
            # The same cluster under another address or certificate: nothing in it is made anew.
            cluster_identifier=args.cluster_name,
            # A control plane that is down is healed by this very run; what is in the cluster waits for the next one.
            skip_update_unreachable=True,
        )

    def options(self, parent: pulumi.Resource, depends_on: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(
            parent=parent,
            provider=self._provider,
            # Only order: the API must answer.
            depends_on=[*self._ready, *depends_on],
            # Destroying the cluster does not wait for an API that is going away.
            deleted_with=self._lives_with,
            delete_before_replace=True,
            custom_timeouts=pulumi.CustomTimeouts(create="5m", update="5m", delete="5m"),
        )
