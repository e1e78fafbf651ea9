"""Pods that use a directory of the storage machine, and their claims."""

from typing import Any

IMAGE = "nodewright.lab/hello:v1"


def claim(name: str, volume: str, size: str = "1Gi") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "nfs",
            "volumeName": volume,
            "resources": {"requests": {"storage": size}},
        },
    }


def pod(name: str, claim_name: str, *arguments: str, node: str | None = None) -> dict[str, Any]:
    """A pod that does one thing to /data; on a node that is named, whatever its taints."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            **({"nodeName": node} if node else {}),
            "restartPolicy": "Never" if arguments[0] in {"cat", "put"} else "Always",
            "terminationGracePeriodSeconds": 1,
            "containers": [
                {
                    "name": "hello",
                    "image": IMAGE,
                    "imagePullPolicy": "Never",
                    "args": list(arguments),
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                }
            ],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim_name}}],
        },
    }
