"""The lab's two stand-ins: a hypervisor for Nova and a storage for Cinder. They run on the lab root's own Python."""
