"""The store's rows, made in bulk, for benchmarks."""

from __future__ import annotations

from tests.functional.project import Project


def append_loads(project: Project, models: int, loads: int, *, hours: int, files: int) -> None:
    """Appends, for each of the models `model_0` and so on, loads of so many hours, one after the other from 2024-01-01 on.

    `files` is the number of files that the rows come in, as if that many appends had written them.
    """
    columns = {
        "event": "'loaded'",
        "relation": f"concat('{project.schema}.model_', id div {loads})",
        "interval_start": _instant(f"(id % {loads}) * {hours}"),
        "interval_end": _instant(f"(id % {loads} + 1) * {hours}"),
        "recorded_at": f"concat({_instant(f'(id % {loads} + 1) * {hours}')}, '.', lpad(id div {loads}, 6, '0'))",
        "execution_time": _instant(f"(id % {loads} + 1) * {hours}"),
        "invocation_id": "concat('00000000-0000-0000-0000-', lpad(id, 12, '0'))",
        "model": f"concat('model.shop.model_', id div {loads})",
        "kind": "'incremental_by_time_range'",
        "rows_written": "id",
        "seconds": "1.5D",
        "source": "'run'",
    }
    names = [row[0] for row in project.sql("describe table {schema}.dbt_kinds_intervals")]
    selected = ", ".join(f"{columns.get(name, 'null')} as {name}" for name in names)
    project.sql(
        f"insert into {{schema}}.dbt_kinds_intervals "
        f"select /*+ repartition({files}) */ {selected} from range({models * loads})"
    )


def _instant(hours: str) -> str:
    """SQL: the instant so many hours after 2024-01-01, as the store writes it."""
    at = f"timestamp '2024-01-01 00:00:00+00:00' + make_interval(0, 0, 0, 0, cast({hours} as int))"
    return f"date_format({at}, \"yyyy-MM-dd'T'HH:mm:ss\")"
