"""The drawings of the pages about concepts."""

from __future__ import annotations

from collections.abc import Mapping

from drawing import LINE, WIDTH, Drawing, box_height, text_width

DAY = 44
LANES = 175  # between the lanes of a sequence


def gap() -> Drawing:
    """The home page: days that are missing, and a run."""
    drawing = Drawing(
        "A run fills the gaps of a table",
        "Before the run the table holds 1 and 3 June; 2 and 4 June are missing. dbt run loads 2 and 4 June and "
        "leaves the others as they are.",
    )
    days = ("1 June", "2 June", "3 June", "4 June")
    left, width = 92, 88
    for top, words, filled in ((0, "before", "gone"), (98, "after", "new")):
        drawing.text(0, top + 28, words)
        for at, day in enumerate(days):
            drawing.box(left + at * (width + 12), top, width, 44, filled if at % 2 else "held", day)
    drawing.text(0, 76, "dbt run", "mono strong")
    for at in (1, 3):
        middle = left + at * (width + 12) + width / 2
        drawing.arrow((middle, 50), (middle, 92))
    drawing.legend(158, ("held", "loaded before"), ("gone", "missing"), ("new", "loaded by this run"))
    return drawing


def intervals() -> Drawing:
    """Expected, minus recorded, is missing."""
    drawing = Drawing(
        "What a run loads",
        "Expected are all days from start to the last one that is over, here 1 to 7 June. The store has 1 to 3 and 5"
        " June as loaded. Missing, and loaded by this run, are 4, 6 and 7 June; 6 and 7 are one batch. 8 June is not"
        " over yet.",
    )
    left = 126
    for day in range(1, 9):
        drawing.text(left + (day - 0.5) * DAY, 14, f"{day} June" if day == 1 else str(day), "quiet", "middle")
    now = left + 7.35 * DAY
    rows = (
        (26, "expected", "start to now", "box", [(1, 8)]),
        (86, "- recorded", "in the store", "held", [(1, 4), (5, 6)]),
        (146, "= missing", "loaded now", "new", [(4, 5), (6, 8)]),
    )
    for top, words, meaning, look, ranges in rows:
        drawing.text(0, top + 16, words, "strong")
        drawing.text(0, top + 16 + LINE, meaning, "quiet")
        for start, end in ranges:
            for day in range(start, end):
                drawing.box(left + (day - 1) * DAY + 2, top, DAY - 4, 34, look)
    for start, end, words in ((4, 5, "batch 1"), (6, 8, "batch 2")):
        low, high = left + (start - 1) * DAY + 2, left + (end - 1) * DAY - 2
        drawing.line((low, 188), (low, 194), (high, 194), (high, 188))
        drawing.text((low + high) / 2, 211, words, "quiet", "middle")
    drawing.line((now, 22), (now, 190), look="dashed")
    drawing.text(now, 211, "now", "quiet", "middle")
    return drawing


def restatement() -> Drawing:
    """A restated week, and what follows in the models that read it."""
    drawing = Drawing(
        "What follows a restatement",
        "flights is restated from 1 to 7 April. airline_days, which reads it day by day, reprocesses 1 to 7 April. "
        "airline_weeks, which sums seven days, reprocesses 1 to 13 April.",
    )
    left, day = 112, 26
    for at in (1, 4, 7, 10, 13):
        words = f"{at} April" if at == 1 else str(at)
        drawing.text(left + (at - 0.5) * day, 14, words, "quiet", "middle")
    rows = (
        (26, "flights", "held", 7, "restated"),
        (74, "airline_days", "new", 7, "reprocessed"),
        (122, "airline_weeks", "new", 13, "reprocessed: 7 days and 6 after"),
    )
    for top, model, look, days, words in rows:
        drawing.text(0, top + 22, model)
        drawing.box(left, top, days * day, 34, look, words)
    for low, high in ((60, 74), (108, 122)):
        drawing.arrow((left + 13, low), (left + 13, high))
    drawing.line((left + 7 * day, 22), (left + 7 * day, 160), look="dashed")
    return drawing


def store() -> Drawing:
    """What a run tells the store."""
    return _sequence(
        Drawing(
            "A run, the store and a table",
            "In this order: dbt run reads in the store what is recorded and claims the table; it takes back what is "
            "loaded again; it replaces the batch in the table; it records the batch as loaded; it releases the "
            "claim.",
        ),
        {"dbt run": 70, "the store": 70 + LANES, "your table": 70 + 2 * LANES},
        ("dbt run", "the store", "what is recorded?\nclaim the table"),
        ("dbt run", "the store", "take back what is\nloaded again"),
        ("dbt run", "your table", "replace the batch"),
        ("dbt run", "the store", "loaded"),
        ("dbt run", "the store", "release"),
    )


def late_data() -> Drawing:
    """Late rows, found by the snapshots of their source."""
    drawing = Drawing(
        "How late rows are noticed",
        "1 July: a run sees that raw.events is at snapshot 41, loads June and notes 41. Then snapshot 42 is a "
        "compaction, and with snapshot 43 rows of 3 June arrive. 2 July: the run asks what changed since 41: 42 only"
        " moved files, 43 added a file with rows of 3 June. It loads 3 June again, and 1 July, and notes 43. The "
        "other 29 days of June are not read.",
    )
    _sequence(
        drawing,
        {"raw.events": 70, "dbt run": 70 + LANES, "the table": 70 + 2 * LANES},
        ("dbt run", "raw.events", "1 July: which snapshot?"),
        ("raw.events", "dbt run", "41"),
        ("dbt run", "the table", "June; 41 is noted"),
        ("raw.events", "raw.events", "42: a compaction"),
        ("raw.events", "raw.events", "43: late rows of 3 June"),
        ("dbt run", "raw.events", "2 July: what changed?"),
        ("raw.events", "dbt run", "42: files moved\n43: 3 June"),
        ("dbt run", "the table", "3 June and 1 July;\n43 is noted"),
    )
    drawing.text(WIDTH, drawing.height + 20, "29 days of June are not read", "quiet", "end")
    return drawing


def audits() -> Drawing:
    """A batch between its query and its table."""
    drawing = Drawing(
        "A batch and its audits",
        "The model's query fills a stage. One statement runs all audits over the stage. If they hold, the kind "
        "writes the batch and it is recorded as loaded. If one fails, the stage is dropped, the table is as it was, "
        "and the model fails with the audit, its number and three rows.",
    )
    middle = WIDTH / 2
    _chain(drawing, middle, 0, ["the model's query"], ["stage: a table beside yours"], ["all audits, one statement"])
    bottom = 2 * 58 + 34
    for x, words, look, first, second in (
        (112, "they hold", "held", ["the kind's write"], ["recorded as loaded"]),
        (
            368,
            "one fails",
            "gone",
            ["stage dropped,", "table as it was"],
            ["the model fails:", "audit, number, three rows"],
        ),
    ):
        drawing.arrow((middle, bottom), (middle, bottom + 14), (x, bottom + 14), (x, bottom + 52))
        drawing.text(x + 10, bottom + 40, words, "quiet")
        top = bottom + 52
        for at, words_of_box in enumerate((first, second)):
            if at:
                drawing.arrow((x, top), (x, top + 24))
                top += 24
            drawing.box(x - 112, top, 224, 54, look, *words_of_box)
            top += 54
    return drawing


def readiness() -> Drawing:
    """What has to hold before a unit is loaded."""
    drawing = Drawing(
        "Whether a unit is loaded",
        "Of the units that are due and not recorded, those that end after ready_until wait; with "
        "on_missing_upstream: wait, so do those whose parents lack something that they read. The rest is loaded in "
        "batches, oldest first, as many as max_batches allows. Units that wait, and batches beyond that number, are "
        "left for the next runs.",
    )
    x, half = 140, 140
    questions = (
        (["due and not recorded"], "box"),
        (["ready_until:", "does it end by then?"], "box"),
        (["on_missing_upstream: wait", "do its parents hold all of it?"], "box"),
        (["max_batches:", "is it among the first ones?"], "box"),
        (["loaded and recorded"], "new"),
    )
    top, leaving = 0.0, []
    for at, (words, look) in enumerate(questions):
        height = box_height(words)
        if at:
            drawing.arrow((x, top), (x, top + 30))
            if at > 1:
                drawing.text(x + 10, top + 20, "yes", "quiet")
            top += 30
        drawing.box(x - half, top, 2 * half, height, look, *words)
        if len(words) == 2:
            leaving.append(top + height / 2)
        top += height
    right = 356
    for at, words in enumerate((["waits"], ["waits"], ["to go"])):
        drawing.arrow((x + half, leaving[at]), (right, leaving[at]))
        drawing.text(x + half + 38, leaving[at] - 7, "no", "quiet", "middle")
        drawing.box(right, leaving[at] - 17, 124, 34, "gone", *words)
        if at < 2:
            drawing.line((right + 62, leaving[at] + 17), (right + 62, leaving[at + 1] - 17))
    drawing.arrow((right + 62, leaving[-1] + 17), (right + 62, top - 44))
    drawing.box(right, top - 44, 124, 44, "box", "the next runs")
    return drawing


def one_run() -> Drawing:
    """The steps of a run, and where it asks or tells the store."""
    drawing = Drawing(
        "The steps of a run",
        "options; plan, which reads the store; checks and write spec; lease, which is claimed in the store. Then for"
        " each batch: query, audits, withdraw the record in the store, write, record in the store.",
    )
    before = (
        ("options", ""),
        ("plan", "reads what is recorded"),
        ("checks and write spec", ""),
        ("lease", "claims the table"),
    )
    each = (("query", ""), ("audits", ""), ("withdraw the record", "invalidated"), ("write", ""), ("record", "loaded"))
    left, width, height, step, right = 34, 190, 34, 52, 372
    names = [*before, *each]
    bottom = (len(names) - 1) * step + height
    drawing.box(right, 0, 108, bottom, "held", "dbt_kinds_", "intervals")
    for at, (name, told) in enumerate(names):
        top = at * step
        drawing.box(left, top, width, height, "new" if name == "write" else "box", name)
        if at:
            drawing.arrow((left + width / 2, top - step + height), (left + width / 2, top))
        if told:
            ends = ((left + width, top + 17), (right, top + 17))
            drawing.arrow(*(reversed(ends) if name == "plan" else ends))
            drawing.text(
                (left + width + right) / 2, top + 10, told if name != "plan" else "recorded", "quiet", "middle"
            )
    first = len(before) * step + height / 2
    last = (len(names) - 1) * step + height / 2
    drawing.arrow((left, last), (12, last), (12, first), (left, first))
    drawing.text(0, first - 14, "next", "quiet")
    return drawing


def which_kind() -> Drawing:
    """Questions that lead to a kind."""
    drawing = Drawing(
        "Which kind fits a table",
        "Do rows have a time by which the table is loaded? Yes: incremental_by_time_range; yes, but rows are only "
        "ever added: incremental_unmanaged. No: is there one row for each key? The newest: "
        "incremental_by_unique_key; every version: scd_type_2; a running total: cumulative_aggregate. No: what "
        "changes together? A partition: incremental_by_partition; a group, such as an invoice: tracked; nothing, "
        "rows are only added: append; everything, it is small: full. No query, files land in a folder: events.",
    )
    questions = (
        (
            "Do rows have a time, and is the table loaded by it?",
            (("yes", "incremental_by_time_range"), ("yes, only added", "incremental_unmanaged")),
        ),
        (
            "Is there one row for each key?",
            (
                ("the newest", "incremental_by_unique_key"),
                ("every version", "scd_type_2"),
                ("a running total", "cumulative_aggregate"),
            ),
        ),
        (
            "What changes together?",
            (
                ("a partition", "incremental_by_partition"),
                ("a group: an invoice", "tracked"),
                ("nothing, only added", "append"),
                ("all: it is small", "full"),
                ("no query, but files", "events"),
            ),
        ),
    )
    top = 0.0
    for at, (question, answers) in enumerate(questions):
        if at:
            drawing.arrow((14, top - 34), (14, top))
            drawing.text(26, top - 10, "no", "quiet")
        drawing.box(0, top, WIDTH, 34, "box", question)
        top += 34
        spine = 40
        for answer, kind in answers:
            middle = top + 8 + 17
            drawing.line((spine, top - (0 if answer == answers[0][0] else 17)), (spine, middle))
            drawing.arrow((spine, middle), (236, middle))
            drawing.text(spine + 10, middle - 6, answer, "quiet")
            drawing.box(236, middle - 15, 244, 30, "held")
            drawing.text(358, middle + 5, kind, "mono", "middle")
            top += 42
        top += 34
    return drawing


def _chain(drawing: Drawing, middle: float, top: float, *boxes: list[str]) -> None:
    """Boxes one below the other, with arrows between them."""
    for at, words in enumerate(boxes):
        if at:
            drawing.arrow((middle, top), (middle, top + 24))
            top += 24
        width = max(text_width(line) for line in words) + 30
        drawing.box(middle - width / 2, top, width, box_height(words), "box", *words)
        top += box_height(words)


def _sequence(drawing: Drawing, actors: Mapping[str, float], *steps: tuple[str, str, str]) -> Drawing:
    """Who tells whom what, from top to bottom; what happens to one alone is in a box."""
    bottom = 56 + sum(_step_height(words) for _, _, words in steps)
    for name, x in actors.items():
        drawing.line((x, 34), (x, bottom), look="dashed")
        drawing.box(x - 60, 0, 120, 34, "box", name)
    top = 44.0
    for teller, told, words in steps:
        x, end = actors[teller], actors[told]
        top += _step_height(words)
        if x == end:
            drawing.box(x - 62, top - 22, text_width(words) + 20, 26, "new", words)
            continue
        # the words are over the part of the arrow that no other lane crosses
        reach = min(abs(end - x), LANES)
        lines = words.split("\n")
        for at, line in enumerate(lines):
            base = top - 7 - (len(lines) - 1 - at) * LINE
            drawing.text(x + (reach / 2 if end > x else -reach / 2), base, line, "quiet", "middle")
        drawing.arrow((x, top), (end, top))
    return drawing


def _step_height(words: str) -> float:
    return 38 + words.count("\n") * LINE
