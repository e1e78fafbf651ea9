"""What a cluster is: its settings, the plan made from them, and what it tells the world."""
