"""Which audits run on a batch before it is published, and which are tests of the existing table.

An audit saw the loaded range of a model by time range, and the whole table of any other. A batch is equivalent if an
audit looks at one row at a time; for the others the resulting table is (`over: table`).
"""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import DataTest, Kind, Model, ModelReference, Project, TestDefinition, This
from dbt_kinds.readers.circles import way_back
from dbt_kinds.readers.sqlmesh.model_graph import models_read

# those tests of dbt and the package that look at one row at a time
_OF_ONE_ROW = frozenset(
    {"not_null", "accepted_values", "dbt_kinds.not_accepted_values", "dbt_kinds.not_empty_string", "dbt_kinds.forall"}
    | {"dbt_kinds.accepted_range", "dbt_kinds.string_length_between", "dbt_kinds.string_length_equal"}
    | {"dbt_kinds.valid_uuid", "dbt_kinds.valid_email", "dbt_kinds.valid_url", "dbt_kinds.valid_http_method"}
    | {"dbt_kinds.match_regex_pattern_list", "dbt_kinds.not_match_regex_pattern_list"}
    | {"dbt_kinds.match_like_pattern_list", "dbt_kinds.not_match_like_pattern_list"}
)
# constructs that make a query look at more than one row at a time
_OF_MANY_ROWS = (exp.AggFunc, exp.Window, exp.Join, exp.Group, exp.Having, exp.Distinct, exp.Limit, exp.Subquery)
HISTORIES = (Kind.SCD_TYPE_2_BY_TIME, Kind.SCD_TYPE_2_BY_COLUMN)
# SQL cannot determine which of the table's rows such a batch replaces
_HIDDEN_PARTITION = re.compile(r"\s*(bucket|truncate)\s*\(", re.IGNORECASE)


def place_audits(project: Project, *, as_tests: bool) -> None:
    """Turns tests of models into audits where the kind has them, and notes which tests see more than the audit did.

    Args:
        as_tests: keep all of them as tests.
    """
    reads = models_read(project.models)
    for model in project.models:
        if not as_tests:
            _take_audits(model, project, reads)
        left = [test for test in model.tests if test.config.get("enabled") is not False]
        if model.kind == Kind.INCREMENTAL_BY_TIME_RANGE and left:
            message = f"the tests of {model.name} see the whole table, not only the range that was loaded"
            if not as_tests:
                names = ", ".join(dict.fromkeys(test.name for test in left))
                message = (
                    f"tests of {model.name} read it by its name, or what is built from it: {names}; "
                    "they see the whole table"
                )
            model.notes.append(Diagnostic.of(CompileCode.WholeTableTest, message, model.place.file, model.place.line))


def _take_audits(model: Model, project: Project, reads: dict[str, set[str]]) -> None:
    tests, model.tests = model.tests, []
    definitions = {definition.name: definition for definition in project.tests}
    for test in tests:
        read = {placeholder.key for placeholder in project.read_by(test) if isinstance(placeholder, ModelReference)}
        over = _over(test, model, definitions.get(test.name))
        if over is None or way_back(model.key, {**reads, model.key: read}):
            model.tests.append(test)
            continue
        reads[model.key] |= read
        if over == "table":
            test.config["over"] = over
        model.audits.append(test)


def _over(test: DataTest, model: Model, definition: TestDefinition | None) -> str | None:
    """The rows equivalent to those an audit saw; None if only the existing table is."""
    if not model.kind.has_audits:
        return None
    if model.kind in (Kind.FULL, Kind.INCREMENTAL_BY_TIME_RANGE):
        return "batch"
    is_of_one_row = _looks_at_one_row(test, definition)
    if model.kind in HISTORIES:
        # every version was once a row of the query, except for its validity times
        return "batch" if is_of_one_row and not _names_validity(test, definition, model.options) else None
    # merged rows may differ from those in the batch
    if is_of_one_row and not {"when_matched", "merge_filter"} & model.options.keys():
        return "batch"
    partitions = model.settings.get("partition_by", []) if model.kind == Kind.INCREMENTAL_BY_PARTITION else []
    return None if any(_HIDDEN_PARTITION.match(partition) for partition in partitions) else "table"


def _looks_at_one_row(test: DataTest, definition: TestDefinition | None) -> bool:
    if any(re.search(r"\bselect\b", text, re.IGNORECASE) for text in _texts(test)):
        return False
    if definition is None:
        return test.name in _OF_ONE_ROW
    tree, placeholders = definition.query.tree, definition.query.placeholders
    if not isinstance(tree, exp.Select) or tree.find(*_OF_MANY_ROWS) or len(list(tree.find_all(exp.Select))) > 1:
        return False
    return [placeholders.get(table.name) for table in tree.find_all(exp.Table)] == [This()]


def _names_validity(test: DataTest, definition: TestDefinition | None, options: dict[str, Any]) -> bool:
    texts = [*_texts(test), *([definition.query.text] if definition is not None else [])]
    names = "|".join(re.escape(str(options.get(f"{name}_name", name))) for name in ("valid_from", "valid_to"))
    return any(re.search(rf"\b({names})\b", text, re.IGNORECASE) for text in texts)


def _texts(test: DataTest) -> list[str]:
    values = [test.column, *test.arguments.values(), test.config.get("where")]
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [item for item in flat if isinstance(item, str)]
