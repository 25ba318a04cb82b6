"""Drawings as SVG: boxes, arrows and words, in colours that follow the reader's light or dark mode."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

WIDTH = 480  # of most drawings: on a phone of 390 px, text of 15 px is then still 11 px high
LINE = 20  # from one line of text to the next
# how wide a letter is at most, in the fonts below; narrower letters leave some room
LETTER, MONO_LETTER = 7.6, 8.5

# A look has a fill, a line and words. Looks differ by their line or a sign as well as by colour.
STYLE = """
svg{font:15px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;--paper:#fff;--ink:#212b33;--quiet:#54616b;
--box:#f1f4f5;--line:#8496a0;--held:#c4e6e2;--held-line:#00796b;--new:#ffe3ba;--new-line:#c25e00;--gone:#c62828}
@media(prefers-color-scheme:dark){svg{--paper:#1e2129;--ink:#e4e8ec;--quiet:#a9b4bd;--box:#2b303b;--line:#75838e;
--held:#12504a;--held-line:#4db6ac;--new:#6b4310;--new-line:#ffb74d;--gone:#ff8a80}}
text{fill:var(--ink)}
.mono{font-family:ui-monospace,SFMono-Regular,Consolas,"DejaVu Sans Mono",monospace;font-size:14px}
.quiet{fill:var(--quiet);font-size:14px}
.strong{font-weight:600}
.paper{fill:var(--paper)}
.box{fill:var(--box);stroke:var(--line)}
.held{fill:var(--held);stroke:var(--held-line)}
.new{fill:var(--new);stroke:var(--new-line);stroke-width:2}
.gone{fill:none;stroke:var(--gone);stroke-dasharray:5 4}
.line{fill:none;stroke:var(--quiet);stroke-width:1.5}
.dashed{fill:none;stroke:var(--line);stroke-dasharray:3 4}
.head{fill:var(--quiet)}
.removed{fill:var(--gone)}
"""


class Drawing:
    """What is drawn, from top to bottom; its height is that of its contents."""

    def __init__(self, title: str, description: str, width: float = WIDTH) -> None:
        """A title and a description are what somebody hears who cannot see it."""
        self.title = title
        self.description = description
        self.width = width
        self.height = 0.0
        self._parts: list[str] = []

    def box(self, left: float, top: float, width: float, height: float, look: str = "box", *words: str) -> None:
        """A box with lines of words in its middle."""
        self._grow(top + height)
        self._parts.append(
            f'<rect class="{look}" x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="5"/>'
        )
        first = top + height / 2 + 5 - (len(words) - 1) * LINE / 2
        for at, line in enumerate(words):
            self.text(left + width / 2, first + at * LINE, line, anchor="middle")

    def text(self, left: float, base: float, words: str, look: str = "", anchor: str = "start") -> None:
        """One line of words on a base line."""
        self._grow(base + 4)
        attributes = (f' class="{look}"' if look else "") + (f' text-anchor="{anchor}"' if anchor != "start" else "")
        # spaces align columns of rows
        keep = ' xml:space="preserve"' if "  " in words else ""
        self._parts.append(f'<text x="{left:g}" y="{base:g}"{attributes}{keep}>{escape(words)}</text>')

    def line(self, *points: tuple[float, float], look: str = "line") -> None:
        """A line through points."""
        self._grow(max(y for _, y in points))
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._parts.append(f'<polyline class="{look}" points="{path}"/>')

    def arrow(self, *points: tuple[float, float]) -> None:
        """A line through points with a head at the last one; its last piece is horizontal or vertical."""
        (before_x, before_y), (x, y) = points[-2:]
        along_x, along_y = _sign(x - before_x), _sign(y - before_y)
        self.line(*points[:-1], (x - 6 * along_x, y - 6 * along_y))
        back_x, back_y = x - 9 * along_x, y - 9 * along_y
        corners = [(x, y), (back_x + 5 * along_y, back_y + 5 * along_x), (back_x - 5 * along_y, back_y - 5 * along_x)]
        self._parts.append(f'<polygon class="head" points="{" ".join(f"{a:g},{b:g}" for a, b in corners)}"/>')

    def legend(self, top: float, *entries: tuple[str, str]) -> None:
        """Looks and what they mean, in one line."""
        left = 0.0
        for look, words in entries:
            self.box(left + 1, top, 18, 14, look)
            self.text(left + 26, top + 12, words, "quiet")
            left += 26 + text_width(words) + 14

    def svg(self) -> str:
        """The file's text."""
        margin = 8
        left, width, height = -margin, self.width + 2 * margin, self.height + 2 * margin
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {left} {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" aria-labelledby="title description">',
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="description">{escape(self.description)}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" x="{left}" y="{left}" width="{width:g}" height="{height:g}" rx="6"/>',
            *self._parts,
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _grow(self, bottom: float) -> None:
        self.height = max(self.height, bottom)


def text_width(words: str) -> float:
    """How wide words are at most."""
    return len(words) * LETTER


def box_height(words: Sequence[str]) -> float:
    """The height of a box around lines of words."""
    return len(words) * LINE + 14


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
