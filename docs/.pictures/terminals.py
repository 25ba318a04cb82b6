"""Terminals: what a command printed, as a picture. record.py writes the recordings."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.terminal_theme import TerminalTheme
from rich.text import Text

RECORDINGS = Path(__file__).parent / "recordings"
# a terminal is dark in light pages, too
THEME = TerminalTheme(
    (30, 33, 41),
    (226, 230, 235),
    [
        (60, 66, 78),
        (255, 123, 114),
        (126, 211, 144),
        (255, 184, 92),
        (121, 180, 255),
        (222, 153, 255),
        (92, 211, 211),
        (226, 230, 235),
    ],
)
# rich's own format fetches a font from another host
FORMAT = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" \
role="img" aria-labelledby="title description">
<title id="title">TITLE</title>
<desc id="description">DESCRIPTION</desc>
<style>
.{unique_id}-matrix{{font-family:ui-monospace,SFMono-Regular,Consolas,"DejaVu Sans Mono",monospace;\
font-size:{char_height}px;line-height:{line_height}px}}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/>\
</clipPath></defs>
{chrome}{backgrounds}
<g class="{unique_id}-matrix" transform="translate({terminal_x},{terminal_y})" \
clip-path="url(#{unique_id}-clip-terminal)">{matrix}</g>
</svg>
"""


def terminals() -> dict[str, str]:
    """The picture of each recording, by its name."""
    return {file.stem: draw_terminal(file) for file in sorted(RECORDINGS.glob("*.txt"))}


def draw_terminal(recording: Path) -> str:
    """What a command printed, as SVG."""
    printed = Text.from_ansi(recording.read_text(encoding="utf-8").rstrip())
    command, _, answer = printed.plain.partition("\n")
    width = max(len(line.rstrip()) for line in printed.plain.splitlines())
    console = Console(record=True, width=width + 3, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Padding(printed, (0, 1)), no_wrap=True, overflow="ignore", crop=False, highlight=False)
    drawn = console.export_svg(title="", theme=THEME, code_format=FORMAT, unique_id="t")
    description = " ".join(answer.split())
    drawn = drawn.replace("TITLE", escaped(command)).replace("DESCRIPTION", escaped(description))
    # each piece of text has a clip of its own, which nothing needs
    return re.sub(r' clip-path="url\(#t-line-\d+\)"', "", drawn)


def escaped(text: str) -> str:
    """Text as it stands in XML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
