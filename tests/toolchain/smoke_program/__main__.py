"""What the smoke test runs on the real engine."""

import pulumi
import pulumi_command as command
import pulumi_kubernetes as kubernetes
import pulumi_openstack as openstack

greeting = command.local.Command("greeting", create="echo hello from the engine")
pulumi.export("greeting", greeting.stdout)

# Its manifest is written to disk, so no cluster is needed.
files = kubernetes.Provider("files", render_yaml_to_directory="rendered")
kubernetes.core.v1.ConfigMap("map", data={"a": "b"}, opts=pulumi.ResourceOptions(provider=files))

if pulumi.Config().get_bool("cloud"):
    nowhere = openstack.Provider(
        "nowhere", auth_url="http://127.0.0.1:9/v3", user_name="nobody", password="none", tenant_name="none"
    )
    openstack.networking.Network("network", opts=pulumi.ResourceOptions(provider=nowhere))
