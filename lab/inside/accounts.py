"""Who may use the cloud: service users, the catalogue, and `demo`, a member with an application credential."""

from typing import Any

import openstack

from lab.inside import places

REGION = "RegionOne"
IDENTITY = f"http://{places.ADDRESS}:5000/v3"
SERVICE_USERS = ("nova", "neutron", "cinder", "glance", "placement", "heat")
# Name, type and path of each service. Clients of different age ask for block storage under two types.
CATALOGUE = (
    ("nova", "compute", "nova", "/v2.1"),
    ("neutron", "network", "neutron", ""),
    ("cinderv3", "volumev3", "cinder", "/v3/%(project_id)s"),
    ("cinder", "block-storage", "cinder", "/v3/%(project_id)s"),
    ("glance", "image", "glance", ""),
    ("placement", "placement", "placement", ""),
    ("heat", "orchestration", "heat", "/v1/%(project_id)s"),
)
DEMO = "demo"

CLOUDS = """\
# The lab's users. `lab` is what any cloud gives its customers; `lab-admin` is the cloud's operator.
clouds:
  lab:
    auth_type: v3applicationcredential
    auth:
      auth_url: {identity}
      application_credential_id: {credential_id}
      application_credential_secret: {credential_secret}
    region_name: {region}
    interface: public
    identity_api_version: 3
  lab-admin:
    auth:
      auth_url: {identity}
      username: admin
      password: lab
      project_name: admin
      user_domain_name: Default
      project_domain_name: Default
    region_name: {region}
    interface: public
    identity_api_version: 3
"""


def connect(user: str, project: str) -> Any:
    return openstack.connect(
        auth_url=IDENTITY,
        username=user,
        password="lab",  # noqa: S106 (no secret: nothing outside the lab can reach it)
        project_name=project,
        user_domain_name="Default",
        project_domain_name="Default",
        region_name=REGION,
    )


def create_service_users(identity: Any) -> None:
    domain = identity.find_domain("default")
    project = identity.find_project("service") or identity.create_project(name="service", domain_id=domain.id)
    roles = {role.name: role for role in identity.roles()}
    service = roles.get("service") or identity.create_role(name="service")
    for name in SERVICE_USERS:
        user = identity.find_user(name) or identity.create_user(name=name, password="lab", domain_id=domain.id)  # noqa: S106
        for role in (roles["admin"], service):
            identity.assign_project_role_to_user(project, user, role)


def create_catalogue(identity: Any) -> None:
    present = {service.name for service in identity.services()}
    for name, kind, api, path in CATALOGUE:
        if name in present:
            continue
        service = identity.create_service(name=name, type=kind)
        url = f"http://{places.ADDRESS}:{places.API_PORTS[api]}{path}"
        for interface in ("public", "internal", "admin"):
            identity.create_endpoint(service_id=service.id, interface=interface, url=url, region_id=REGION)


def create_member(identity: Any) -> None:
    domain = identity.find_domain("default")
    project = identity.find_project(DEMO) or identity.create_project(name=DEMO, domain_id=domain.id)
    user = identity.find_user(DEMO) or identity.create_user(name=DEMO, password="lab", domain_id=domain.id)  # noqa: S106
    # Heat trusts its stacks to this role; everything else asks for `member`.
    for name in ("heat_stack_owner", "heat_stack_user"):
        if not identity.find_role(name):
            identity.create_role(name=name)
    for name in ("member", "heat_stack_owner"):
        identity.assign_project_role_to_user(project, user, identity.find_role(name))


def create_credential() -> None:
    """A fresh one, as its secret can be read only once; then the file that people use."""
    demo = connect(DEMO, DEMO)
    user = demo.current_user_id
    for old in demo.identity.application_credentials(user):
        demo.identity.delete_application_credential(user, old)
    credential = demo.identity.create_application_credential(user, name="lab")
    text = CLOUDS.format(
        identity=IDENTITY, region=REGION, credential_id=credential.id, credential_secret=credential.secret
    )
    places.CLOUDS_YAML.touch(mode=0o600)
    places.CLOUDS_YAML.write_text(text)


def main() -> None:
    identity = connect("admin", "admin").identity
    create_service_users(identity)
    create_catalogue(identity)
    create_member(identity)
    create_credential()


if __name__ == "__main__":
    main()
