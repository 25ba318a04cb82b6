"""The dbt names of models, with remarks."""

from __future__ import annotations

from collections import defaultdict

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import Project, SkippedModel
from dbt_kinds.readers.names import dbt_name, node_names
from dbt_kinds.readers.sqlmesh.context import ModelSource, ProjectContext
from dbt_kinds.readers.sqlmesh.models import ModelReader
from dbt_kinds.readers.sqlmesh.tables import Tables


def name_models(sources: list[ModelSource], context: ProjectContext, project: Project) -> list[ModelReader]:
    """Assigns dbt names to models, and refuses models that would share a table."""
    tables = context.tables
    if tables.catalog is None:
        catalogs = {source.name.catalog for source in sources if source.name.catalog}
        tables.catalog = catalogs.pop() if len(catalogs) == 1 else None
    places: dict[tuple[str, str], list[ModelSource]] = defaultdict(list)
    for source in sources:
        places[(dbt_name(source.name.schema or ""), dbt_name(source.name.table))].append(source)
    nodes = node_names(places)
    readers = []
    for (schema, table), group in sorted(places.items(), key=lambda item: (item[1][0].file, item[0])):
        if len(group) > 1:
            _refuse_clash(group, project)
            continue
        source = group[0]
        _note_names(source, tables)
        reader = ModelReader(source, nodes[(schema, table)], schema or None, table, context)
        readers.append(reader)
    tables.models.update(reader.key for reader in readers)
    return readers


def _refuse_clash(group: list[ModelSource], project: Project) -> None:
    files = sorted({f"{source.file}:{source.block.place.line}" for source in group})
    for source in group:
        place = source.block.place
        message = f"{source.name.text} is the same table of dbt-spark as another model ({', '.join(files)}); rename one"
        note = Diagnostic.of(CompileCode.NameClash, message, place.file, place.line)
        project.left_out.append(SkippedModel(source.name.text, source.kind_name, place, "refused", [note]))


def _note_names(source: ModelSource, tables: Tables) -> None:
    name, line = source.name, source.block.place.line
    if name.catalog and (tables.catalog is None or name.catalog.lower() != tables.catalog.lower()):
        message = (
            f"the catalog {name.catalog} of {name.text} was dropped: dbt-spark writes to one catalog, the profile's"
        )
        source.scope.note(CompileCode.CatalogDropped, message, line)
    changed = [part for part in name.parts[-2:] if dbt_name(part) != part.lower()]
    if changed:
        message = (
            f"{'.'.join(name.parts[-2:])} became {'.'.join(dbt_name(part) for part in name.parts[-2:])}: dbt-spark "
            "does not quote names; the old table keeps its name"
        )
        source.scope.note(CompileCode.NameChanged, message, line)
