"""`dbt-kinds verify`: compares the old and the new version of a model over one window on the user's warehouse.

Both are compiled by dbt in a copy of the project, so that macros, variables and packages work as usual. It writes three
scratch tables, which are always dropped; the model's table is only read.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from dbt_kinds.dbt_profiles import adapter_of
from dbt_kinds.errors import Left, VerifyError
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.decide import decide
from dbt_kinds.migrate.dialects import known_dialect
from dbt_kinds.migrate.git import committed_text
from dbt_kinds.migrate.meaning import Meaning, meaning_of
from dbt_kinds.migrate.microbatch import batch_of, decide_microbatch
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.reading import read_model
from dbt_kinds.migrate.settings import is_kind, read_settings
from dbt_kinds.operate.dbt import Dbt, DbtOptions
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile, read_project
from dbt_kinds.readers.dbt.rendering import Names

_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?")


@dataclass(frozen=True)
class Side:
    """The result of one version: its columns, its rows, and those that the other one lacks."""

    columns: tuple[str, ...]
    rows: int
    differing: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """The comparison of one model."""

    model: str
    old: Side
    new: Side

    @property
    def is_same(self) -> bool:
        """Whether both have the same columns and the same rows, including duplicates."""
        same_columns = [name.lower() for name in self.old.columns] == [name.lower() for name in self.new.columns]
        return same_columns and not self.old.differing and not self.new.differing


@dataclass(frozen=True)
class OldBounds:
    """How the old version finds new rows.

    Attributes:
        cut: the columns of its own table whose newest values it reads.
        variables: variables that bound it, the beginning before the end.
        time_column: the output column that restricts both results to the window; None if they are compared as a whole.
        is_batch: whether dbt gives it the window itself.
    """

    cut: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    time_column: str | None
    is_batch: bool = False


def verify(
    root: Path,
    name: str,
    start: str,
    end: str,
    options: DbtOptions,
    old: Path | None = None,
    given: MigrateOptions | None = None,
) -> Verdict:
    """Builds the old and the new model for a window and compares them.

    Args:
        start, end: the window, half-open; whole intervals of the model.
        old: the file with the old version; default git's HEAD.

    Raises:
        VerifyError: there is no old version, or it cannot be restricted to a window.
        DbtFailedError: a version does not compile or run.
    """
    for written in (start, end):
        if not _INSTANT.fullmatch(written):
            raise VerifyError(f"'{written}' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)")
    if datetime.fromisoformat(start) >= datetime.fromisoformat(end):
        raise VerifyError(f"the window begins at {start} and ends at {end}, which is not after it")
    project = read_project(root)
    model = model_of_kind(project, name)
    old_text = read_old_text(root, model, old)
    old_model = replace_text(model, old_text)
    bounds = old_bounds(project, old_model, given or MigrateOptions(), root)
    if bounds.is_batch:
        old_text = batch_of(old_model, _parents(project, _known(project, given or MigrateOptions(), root)), start, end)
    mark = f"kinds_verify_{uuid.uuid4().hex[:8]}"
    with _scratch_project(root) as folder:
        place = (folder / model.path).parent
        names = {side: f"{mark}_{side}" for side in ("old", "new")}
        materialized = "table" if bounds.is_batch else "incremental"
        (place / f"{names['old']}.sql").write_text(_scratch_text(old_text, names["old"], materialized), "utf-8")
        (place / f"{names['new']}.sql").write_text(_scratch_text(model.text, names["new"], None), "utf-8")
        variables = dict(options.variables) | {"kinds_start": start, "kinds_end": end}
        for variable, side in bounds.variables:
            variables.setdefault(variable, start if side == "start" else end)
        where = replace(
            options, project_dir=str(folder), profiles_dir=options.profiles_dir or _profiles(root), variables=variables
        )
        return _run(Dbt(where), name, names, bounds, start, end)


def read_old_text(root: Path, model: ModelFile, old: Path | None) -> str:
    """The old version of a model.

    Raises:
        VerifyError: there is none, or it already is of a kind.
    """
    if old is not None:
        text: str | None = old.read_bytes().decode("utf-8")
    else:
        text = committed_text(root / model.path)
    if text is None:
        raise VerifyError(f"git has no {model.path} at HEAD; name the file with the old text: --old FILE")
    if is_kind(replace_text(model, text)):
        source = str(old) if old is not None else f"{model.path} at HEAD"
        raise VerifyError(f"{source} is of a kind already; name the file with the old text: --old FILE")
    return text


def replace_text(model: ModelFile, text: str) -> ModelFile:
    """The same model with a different text."""
    return ModelFile(model.name, model.path, text, model.inherited, model.properties)


def old_bounds(project: DbtProject, model: ModelFile, options: MigrateOptions, root: Path) -> OldBounds:
    """How to restrict an old model to a window.

    Raises:
        VerifyError: it is impossible, because the model depends on more than the contents of its table.
    """
    options = _known(project, options, root)
    parents = _parents(project, options)
    try:
        settings = read_settings(model, project, options)
        if settings.strategy == "microbatch":
            column = decide_microbatch(model, settings, parents, options).options["time_column"]
            return OldBounds((), (), column, is_batch=True)
        reading = read_model(model, project, options, parents, Names())
        meanings = [meaning_of(found, reading.names, options) for found in reading.filters]
        meanings += [meaning_of(found, reading.names, options, may_be_upper=True) for found in reading.outside]
        if any(meaning.keys for meaning in meanings):
            raise VerifyError("the old model finds new rows by their absence, which no window can be cut from")
        column = decide(reading, settings, project, options).options.get("time_column")
    except Left as left:
        raise VerifyError(f"the old model would be left ({left.code}): {left.message}") from left
    if any(bound.base == "now" for meaning in meanings for bound in meaning.lower):
        raise VerifyError(
            "the old model is bounded by what now is; compare it for a window that ends now, "
            "with --old and a fixed bound"
        )
    cut = tuple(
        dict.fromkeys(bound.column for meaning in meanings for bound in meaning.lower if bound.column is not None)
    )
    return OldBounds(cut, tuple(_variables(meanings)), column if column is not None else (cut[0] if cut else None))


def _known(project: DbtProject, options: MigrateOptions, root: Path) -> MigrateOptions:
    """The options with the dialect and the adapter of the project's profile."""
    adapter = adapter_of(root, project.profile)
    return replace(options, dialect=known_dialect(adapter) or "spark", adapter=adapter)


def _parents(project: DbtProject, options: MigrateOptions) -> Parents:
    return Parents(project, options.dialect, options.adapter or options.dialect)


def _variables(meanings: list[Meaning]) -> Iterator[tuple[str, str]]:
    for meaning in meanings:
        for bound in meaning.lower:
            if bound.base == "variable" and bound.variable is not None:
                yield bound.variable, "start"
        for bound in meaning.upper:
            if bound.base == "variable" and bound.variable is not None:
                yield bound.variable, "end"


def model_of_kind(project: DbtProject, name: str) -> ModelFile:
    """The model with a name.

    Raises:
        VerifyError: there is none, or it is not of a kind.
    """
    model = project.models_by_name.get(name)
    if model is None:
        raise VerifyError(f"no model of this project is called {name}")
    if not is_kind(model):
        raise VerifyError(f"{name} is of no kind; migrate it first")
    return model


def _scratch_text(text: str, name: str, materialized: str | None) -> str:
    """The text with its own relation, and without the side effects of a run."""
    settings = f"alias='{name}', pre_hook=[], post_hook=[], enabled=true, grants={{}}, contract={{'enforced': false}}"
    if materialized is not None:
        settings += f", materialized='{materialized}', full_refresh=none"
    return f"{text}\n{{{{ config({settings}) }}}}\n"


@contextmanager
def _scratch_project(root: Path) -> Iterator[Path]:
    """A copy of a project that files can be added to: its model folders are copied, the rest is linked."""
    import yaml

    settings = yaml.safe_load((root / "dbt_project.yml").read_text("utf-8"))
    paths = {str(path).split("/")[0] for path in settings.get("model-paths") or ["models"]}
    with tempfile.TemporaryDirectory(prefix="dbt_kinds_verify_") as made:
        folder = Path(made)
        for entry in root.iterdir():
            if entry.name in ("target", "logs", ".git"):
                continue
            if entry.name in paths:
                shutil.copytree(entry, folder / entry.name)
            else:
                (folder / entry.name).symlink_to(entry.resolve())
        yield folder


def _profiles(root: Path) -> str | None:
    return str(root) if (root / "profiles.yml").is_file() else None


def _run(dbt: Dbt, model: str, names: Mapping[str, str], bounds: OldBounds, start: str, end: str) -> Verdict:
    nodes = {node.name: node for node in dbt.manifest.nodes.values()}
    old, new = nodes[names["old"]], nodes[names["new"]]
    target = nodes[model].relation_name
    tables = {
        "copy": old.relation_name,
        "old": old.relation_name.replace(names["old"], names["old"] + "_rows"),
        "new": new.relation_name.replace(names["new"], names["new"] + "_rows"),
    }
    file_format = nodes[model].config.get("file_format") or "parquet"
    common = {"target": target, "start": start, "end": end, "file_format": file_format, **tables}
    try:
        dbt.operation("verify", {"step": "before", "cut": list(bounds.cut), **common})
        queries = dbt.compiled_code([old, new])
        answer = dbt.operation(
            "verify",
            {
                "step": "compare",
                "old_query": queries[old.unique_id],
                "new_query": queries[new.unique_id],
                "time_column": bounds.time_column,
                **common,
            },
        )
    finally:
        dbt.operation("verify", {"step": "drop", **tables})
    return Verdict(model, _side(answer["old"]), _side(answer["new"]))


def _side(told: Mapping[str, Any]) -> Side:
    return Side(tuple(told["columns"]), told["rows"], told["differing"], tuple(told["examples"]))


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """The result of the comparison, as sentences."""
    if verdict.is_same:
        yield f"{verdict.model}: same: {verdict.old.rows:,} rows each"
        return
    columns = [", ".join(side.columns) for side in (verdict.old, verdict.new)]
    if columns[0].lower() != columns[1].lower():
        yield f"{verdict.model}: columns differ: {columns[0]} before, {columns[1]} now"
    yield (
        f"{verdict.model}: different: {verdict.old.rows:,} rows before, {verdict.new.rows:,} now; "
        f"{verdict.old.differing:,} only before, "
        f"{verdict.new.differing:,} only now"
    )
    for side, sign in ((verdict.old, "-"), (verdict.new, "+")):
        for example in side.examples:
            yield f"{sign} {example}"
