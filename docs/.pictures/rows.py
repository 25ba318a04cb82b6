"""What a run of each kind does with rows: what the table held, what the query returned, what the table holds then."""

from __future__ import annotations

from dataclasses import dataclass

from drawing import Drawing

COLUMN, GAP, ROW = 146, 21, 26
# how a row looks in the tables of a picture: it was there and stays, a run wrote it, it is taken away
STAYS, WRITTEN, GOES = "held", "new", "gone"


@dataclass(frozen=True)
class Rows:
    """The picture of a kind; a row is its text, and `+` or `-` before it if a run writes or removes it."""

    kind: str
    says: str
    before: list[str]
    query: list[str]
    after: list[str]
    headings: tuple[str, str, str] = ("the table", "the query", "the table then")
    legend: tuple[str, str, str] = ("stays", "written", "removed")


KINDS = [
    Rows(
        "incremental_by_time_range",
        "The run loads 2 June: its rows are replaced, those of other days stay.",
        ["1 June  A  10", "-2 June  B  20", "3 June  C  30"],
        ["+2 June  B  25", "+2 June  D  40"],
        ["1 June  A  10", "+2 June  B  25", "+2 June  D  40", "3 June  C  30"],
        ("the table", "query: 2 June", "the table then"),
    ),
    Rows(
        "incremental_by_unique_key",
        "Key B is there and is updated, C is new and is inserted, A is not in the query and stays.",
        ["A  10", "-B  20"],
        ["+B  25", "+C  30"],
        ["A  10", "+B  25", "+C  30"],
    ),
    Rows(
        "incremental_by_partition",
        "The query has rows of north, so all of north is replaced; the pear is gone, south stays.",
        ["-north  apple 1", "-north  pear  2", "south  apple 3"],
        ["+north  apple 4"],
        ["+north  apple 4", "south  apple 3"],
    ),
    Rows(
        "incremental_unmanaged",
        "The rows of a missing interval are added behind those that are there, once.",
        ["1 June  A  10"],
        ["+2 June  B  20", "+2 June  B  20"],
        ["1 June  A  10", "+2 June  B  20", "+2 June  B  20"],
        ("the table", "query: 2 June", "the table then"),
    ),
    Rows(
        "append",
        "The source gained C, and its A was updated: both arrive as rows of their own, and nothing is changed.",
        ["A  10", "B  20"],
        ["+A  15", "+C  30"],
        ["A  10", "B  20", "+A  15", "+C  30"],
        ("the table", "gained rows", "the table then"),
    ),
    Rows(
        "events",
        "The file that landed since is read line by line; a line that does not fit goes to a table of its own.",
        ["id 1", "id 2"],
        ['+{"id": 3}', '+{"id": 4}', '-{"id": "x"}'],
        ["id 1", "id 2", "+id 3", "+id 4"],
        ("the table", "the new file", "the table then"),
        ("stays", "written", "rejected"),
    ),
    Rows(
        "full",
        "Every row is replaced by what the query returns.",
        ["-north  10", "-south  20"],
        ["+north  11", "+west    5"],
        ["+north  11", "+west    5"],
    ),
    Rows(
        "tracked",
        "A line of invoice 1 changed and another is gone, so its lines are replaced; those of invoice 2 are equal.",
        ["-1  paper  10", "-1  ink     5", "2  paper   7"],
        ["+1  paper  12", "2  paper   7"],
        ["+1  paper  12", "2  paper   7"],
        legend=("stays as it is", "written", "removed"),
    ),
    Rows(
        "cumulative_aggregate",
        "The query counts 3 June alone; its counts are added to those of each customer.",
        ["Ann   3", "-Bob   1"],
        ["+Bob   2", "+Cleo  1"],
        ["Ann   3", "+Bob   3", "+Cleo  1"],
        ("orders so far", "query: 3 June", "orders then"),
    ),
    Rows(
        "scd_type_2",
        "Product 7 has another price: its version is closed, and a new one is opened. Product 8 did not change.",
        ["-7  9  1 May …", "8  5  1 May …"],
        ["+7 12  4 May", "8  5  1 May"],
        ["+7  9  1-4 May", "+7 12  4 May …", "8  5  1 May …"],
        legend=("stays", "written", "replaced"),
    ),
]


def draw_rows(rows: Rows) -> Drawing:
    """The picture of a kind."""
    told = "; ".join(
        f"{heading}: {', '.join(_spoken(row) for row in column)}"
        for heading, column in zip(rows.headings, (rows.before, rows.query, rows.after), strict=True)
    )
    drawing = Drawing(f"What {rows.kind} does with rows", f"{rows.says} {told}.")
    columns = (rows.before, rows.query, rows.after)
    tallest = max(len(column) for column in columns)
    for at, (heading, column) in enumerate(zip(rows.headings, columns, strict=True)):
        left = at * (COLUMN + GAP)
        drawing.text(left + COLUMN / 2, 16, heading, "strong", "middle")
        for row, text in enumerate(column):
            _draw_row(drawing, left, 28 + row * ROW, text)
        if at:
            drawing.text(left - GAP / 2, 28 + 18, "+→"[at - 1], "strong", "middle")
    looks = [look for look, sign in ((STAYS, " "), (WRITTEN, "+"), (GOES, "-")) if _occurs(sign, columns)]
    words = dict(zip((STAYS, WRITTEN, GOES), rows.legend, strict=True))
    drawing.legend(28 + tallest * ROW + 12, *((look, words[look]) for look in looks))
    return drawing


def _draw_row(drawing: Drawing, left: float, top: float, text: str) -> None:
    look = {"+": WRITTEN, "-": GOES}.get(text[0], STAYS)
    drawing.box(left, top, COLUMN, ROW - 4, look)
    drawing.text(left + 9, top + 16, text.lstrip("+-"), "mono removed" if look == GOES else "mono")


def _occurs(sign: str, columns: tuple[list[str], ...]) -> bool:
    return any((row[0] if row[0] in "+-" else " ") == sign for column in columns for row in column)


def _spoken(row: str) -> str:
    words = " ".join(row.lstrip("+-").split())
    return f"{words} ({'written' if row[0] == '+' else 'goes'})" if row[0] in "+-" else words
