"""The parts a cluster is made of, one thing a file."""
