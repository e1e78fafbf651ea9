"""The picture as SVG, in one file that needs nothing else."""

from collections.abc import Iterable
from html import escape

from lifecycle.picture.model import Box, Picture, lines_of

WIDTH, LINE, PADDING, GAP = 300, 18, 12, 24
COLORS = {"load-balancer": "#fdf3d8", "control-plane": "#dfeaf7"}
OTHER_COLOR = "#e3f2e1"


def render(picture: Picture) -> str:
    """Draw each tier as a row of boxes."""
    columns = max((len(tier) for tier in picture.tiers), default=1)
    rows: list[str] = []
    top = GAP + LINE * 2
    for tier in picture.tiers:
        height = max(len(lines_of(box)) for box in tier) * LINE + PADDING * 2
        left = GAP
        for box in tier:
            rows += _box(box, left, top, height)
            left += WIDTH + GAP
        top += height + GAP
    width = columns * (WIDTH + GAP) + GAP
    head = f"cluster {picture.cluster}, {picture.endpoint}"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" height="{top}" '
            'font-family="ui-monospace, monospace" font-size="12">',
            f"<title>{escape(head)}</title>",
            f'<rect width="{width}" height="{top}" fill="#ffffff"/>',
            f'<text x="{GAP}" y="{GAP + LINE}" font-size="15" font-weight="bold">{escape(head)}</text>',
            *rows,
            "</svg>\n",
        )
    )


def _box(box: Box, left: int, top: int, height: int) -> Iterable[str]:
    color = COLORS.get(box.role, OTHER_COLOR)
    yield f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{height}" rx="8" fill="{color}" stroke="#445"/>'
    for number, line in enumerate(lines_of(box)):
        weight = ' font-weight="bold"' if number == 0 else ""
        y = top + PADDING + LINE * (number + 1) - 5
        yield f'<text x="{left + PADDING}" y="{y}"{weight}>{escape(line)}</text>'
