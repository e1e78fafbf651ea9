"""A picture of the cluster, from its state alone."""

from lifecycle.picture.model import Box, Picture, draw
from lifecycle.picture.svg import render as svg
from lifecycle.picture.text import render as text

__all__ = ["Box", "Picture", "draw", "svg", "text"]
