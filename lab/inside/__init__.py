"""What runs inside the lab's own root directory and namespaces, with that root's Python."""
