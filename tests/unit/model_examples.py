"""Every MODEL example of the SQLMesh and Vulcan pages, compiled: the table that stands in docs/coming-from/compile-examples.md.

`python -m tests.unit.model_examples > docs/coming-from/compile-examples.md` writes it anew.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.report import Entry, Report
from dbt_kinds.compile.request import CompileRequest
from tests.unit.compiling import write_files

EXAMPLES = Path(__file__).parent.parent / "conformance" / "model_examples.json"
DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "coming-from" / "compile-examples.md"

# what the examples without a query stand for
_COLUMNS = (
    "id, order_date, date_column, warehouse_id, category, customer_id, order_id, product_id, email, name, first_name, "
    "last_name, price, updated_at, my_updated_at"
)
_QUERY = f"SELECT {_COLUMNS} FROM raw.examples"
_WINDOW = " WHERE order_date BETWEEN @start_ds AND @end_ds"


@dataclass(frozen=True)
class Example:
    """One example; its model stands in a schema of its own, so that all fit into one project."""

    number: int
    page: str
    line: int
    language: str
    text: str

    @property
    def schema(self) -> str:
        return f"example_{self.number:02}"

    @property
    def path(self) -> str:
        return f"models/{self.schema}.{'py' if self.language == 'python' else 'sql'}"

    @property
    def is_bigquery(self) -> bool:
        return any(word in self.text for word in ("vulcan-public-demo", "DATETIME_TRUNC", "INT64"))

    def source(self) -> str:
        """The model file: the example, with what its page leaves out."""
        if self.language == "python":
            return re.sub(r'"(vulcan_demo|demo|db)\.(\w+)",', rf'"{self.schema}.\2",', self.text, count=1) + "\n"
        text = re.sub(r"name \w+\.", f"name {self.schema}.", self.text, count=1)
        if self.is_bigquery:
            text = text.replace("MODEL (", "MODEL (\n  dialect bigquery,\n  table_format iceberg,", 1)
        if "SELECT" not in text and "SEED" not in text:
            window = _WINDOW if "INCREMENTAL" in text else ""
            text = f"{text.rstrip().rstrip(';')};\n\n{_QUERY}{window}"
        return text + "\n"


def examples() -> list[Example]:
    """All examples, numbered in the order of the pages."""
    found = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return [Example(number, **entry) for number, entry in enumerate(found, start=1)]


def project_files() -> dict[str, str]:
    """One SQLMesh project of all examples."""
    files = {"config.yaml": "project: examples\nmodel_defaults:\n  dialect: duckdb\n  start: 2024-01-01\n"}
    seeds = "id,item_id,event_date\n1,2,2024-01-01\n"
    files.update({"seeds/seed_data.csv": seeds, "../seeds/seed_example.csv": seeds})
    files.update({example.path: example.source() for example in examples()})
    return files


def compile_examples(folder: Path, adapter: str) -> Report:
    """Compiles all examples into `folder/dbt`."""
    write_files(folder / "pages" / "source", project_files())
    return compile_project(CompileRequest(folder / "pages" / "source", folder / "dbt", adapter=adapter))


def outcomes(report: Report) -> dict[int, Entry]:
    """The entry of every example, by its number."""
    by_file = {entry.file: entry for entry in report.entries if entry.kind != "EXTERNAL"}
    return {example.number: by_file[example.path] for example in examples()}


def document(spark: Report, databricks: Report) -> str:
    """The table of all examples as Markdown."""
    rows = [
        "# Every MODEL example of the SQLMesh and Vulcan pages",
        "",
        "What `dbt-kinds compile` makes of them; examples without a query got one. The table is a test",
        "(`tests/unit/test_compile_examples.py`), and the project of all of them is parsed by dbt. `needs a person` says",
        "that something must be looked at.",
        "",
        "| page and line | kind | for Spark | for Databricks | what is said |",
        "|---|---|---|---|---|",
    ]
    first, second = outcomes(spark), outcomes(databricks)
    for example in examples():
        one, other = first[example.number], second[example.number]
        codes = ", ".join(
            f"`{code}`" for code in dict.fromkeys(note.code for note in one.notes if note.severity != "note")
        )
        where = f"{example.page}:{example.line} ({'SQL' if example.language == 'sql' else 'Python'})"
        statuses = " | ".join(entry.status.replace("_", " a ") for entry in (one, other))
        rows.append(f"| {where} | {one.kind} | {statuses} | {codes} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        reports = [compile_examples(Path(folder) / adapter, adapter) for adapter in ("spark", "databricks")]
    print(document(*reports), end="")
