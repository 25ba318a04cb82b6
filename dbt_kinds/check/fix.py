"""`dbt-kinds check --fix`: writes the derived bounds and proofs into the authors' models and changes nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dbt_kinds.analysis.edits import edited
from dbt_kinds.check.compiled_project import CompiledProject
from dbt_kinds.check.config_call import proof_edit, without_config
from dbt_kinds.check.findings import CheckedModel
from dbt_kinds.check.references import exchanged
from dbt_kinds.errors import NotPlacedError
from dbt_kinds.writers.query_hash import query_hash


@dataclass(frozen=True)
class Fix:
    """The outcome for one file: its new text, None if unchanged, and what must be edited by hand."""

    model: str
    path: str
    text: str | None
    unplaced: tuple[str, ...] = ()


def fixes(directory: Path, project: CompiledProject, checked: Iterable[CheckedModel]) -> Iterator[Fix]:
    """The fixes of all admitted models in the project's own folder; models of packages are not fixed."""
    for one in checked:
        file = directory / one.model.path
        if one.proof is not None and file.is_file():
            text = file.read_bytes().decode("utf-8")
            yield fixed(text, one, project)


def fixed(text: str, checked: CheckedModel, project: CompiledProject) -> Fix:
    """One admitted model's file with its bounds as `window_of` and its proof in `meta.safety`.

    If its own conditions read too little, nothing is proven yet: dbt compile and another check come first.
    """
    model, proof = checked.model, checked.proof
    assert model.query is not None
    assert proof is not None
    if text.strip() != model.raw_code.strip():
        # a proof written by an earlier check is of this text
        if query_hash(without_config(text)) in text:
            return Fix(model.name, model.path, None)
        return Fix(model.name, model.path, None, ("it was edited since dbt compiled it; run dbt compile first",))
    exchange = exchanged(text, model.query, project.catalogue, checked.bounds, checked.narrow, project.formatted)
    unplaced, result = list(exchange.unplaced), edited(text, exchange.edits)
    if checked.narrow:
        unplaced.append("a condition of its own reads too little, so nothing is proven; see narrow_read")
    else:
        try:
            edit = proof_edit(result, {**proof, "query_hash": query_hash(without_config(result))})
            result = edited(result, [edit] if edit is not None else [])
        except NotPlacedError as error:
            unplaced.append(str(error))
    return Fix(model.name, model.path, result if result != text else None, tuple(unplaced))


def write_fixes(directory: Path, found: Iterable[Fix]) -> None:
    """Writes the changed files, preserving all other bytes."""
    for fix in found:
        if fix.text is not None:
            (directory / fix.path).write_bytes(fix.text.encode("utf-8"))


def report_lines(found: Iterable[Fix]) -> Iterator[str]:
    """Which files were written, and what must be edited by hand."""
    for fix in found:
        if fix.text is not None:
            yield f"{fix.path}: {fix.model}: written"
        for sentence in fix.unplaced:
            yield f"{fix.path}: {fix.model}: not written: {sentence}"
