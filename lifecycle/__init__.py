"""The way back: what operators and programs ask of a cluster, written into its stack file and carried out."""
