"""How long the work takes beside how long it must take, each pair from one run."""
