"""The picture as text."""

from collections.abc import Iterable

from lifecycle.picture.model import Box, Picture, lines_of


def render(picture: Picture) -> str:
    """Draw each tier as a row of boxes."""
    return "\n".join(_lines(picture)) + "\n"


def _lines(picture: Picture) -> Iterable[str]:
    yield f"cluster {picture.cluster}, {picture.endpoint}"
    for tier in picture.tiers:
        yield from _row(tier)


def _row(tier: tuple[Box, ...]) -> Iterable[str]:
    contents = [lines_of(box) for box in tier]
    height = max(map(len, contents))
    widths = [max(map(len, lines)) for lines in contents]
    yield "  ".join(f"┌{'─' * (width + 2)}┐" for width in widths)
    for line in range(height):
        cells = (lines[line] if line < len(lines) else "" for lines in contents)
        yield "  ".join(f"│ {cell:{width}} │" for cell, width in zip(cells, widths, strict=True))
    yield "  ".join(f"└{'─' * (width + 2)}┘" for width in widths)
