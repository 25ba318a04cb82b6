"""Filters that a variable of the project takes the place of: `{% if var('from') %} … {% elif is_incremental() %} …`.

What stands for a run without the variable is written out before a model is read. A variable that switches more than
conditions is left in place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import MigrationNote, UnrenderableError
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.edits import removal
from dbt_kinds.migrate.filters import prints_conditions
from dbt_kinds.migrate.reading import asks
from dbt_kinds.migrate.substitution import Template
from dbt_kinds.readers.dbt.blocks import Block, Branch, nesting, walk
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.rendering import Names, Renderer
from dbt_kinds.readers.dbt.tags import Tag, tags

_ASKED = re.compile(r"\bis_incremental\(\s*\)")
_MOST_LEVELS = 5


@dataclass(frozen=True)
class Chosen:
    """A model with the filters that it has without variables.

    Attributes:
        steps: the texts that led there, each with the edits that were made in it.
        replaced: the variables that chose other ones.
    """

    model: ModelFile
    steps: tuple[tuple[str, list[Edit]], ...] = ()
    replaced: frozenset[str] = frozenset()


def with_chosen_filters(model: ModelFile, project: DbtProject, options: MigrateOptions) -> Chosen:
    """The model with the filters that it has where no run gives its variables another value."""
    text = model.text
    steps: list[tuple[str, list[Edit]]] = []
    replaced: set[str] = set()
    while len(steps) < _MOST_LEVELS and (steps or _has_choices(text)):
        read = _Text(text, project, options)
        edits = list(read.edits(read.nodes, is_in_filter=False))
        if not edits:
            break
        steps.append((text, edits))
        text = edited(text, edits)
        replaced |= read.replaced
    if not steps:
        return Chosen(model)
    return Chosen(replace(model, text=text), tuple(steps), frozenset(replaced))


def window_for(variables: Iterable[str]) -> list[MigrationNote]:
    """The note on variables that chose another filter."""
    names = ", ".join(sorted(set(variables)))
    if not names:
        return []
    return [
        MigrationNote(
            MigrateCode.WindowForVariables,
            f"the window takes the place of {names}, which chose to read from another time on: given to --vars it has "
            "no effect; to load a window again, pass kinds_start and kinds_end",
        )
    ]


def _has_choices(text: str) -> bool:
    """Whether a condition of a template asks more than is_incremental()."""
    tests = [tag.rest for tag in tags(text) if tag.kind == "statement" and tag.word in ("if", "elif")]
    return any(_ASKED.fullmatch(test) is None for test in tests)


def _sets(node: Block | Tag, name: str) -> bool:
    """Whether a statement gives a name a value: a set, or a loop."""
    tag = node.branches[0].tag if isinstance(node, Block) else node
    return re.match(rf"(?:set|for)\b[^=]*?\b{re.escape(name)}\b", tag.code) is not None and tag.kind == "statement"


class _Text:
    def __init__(self, text: str, project: DbtProject, options: MigrateOptions) -> None:
        self.text, self.project, self.options = text, project, options
        self.nodes = nesting(text)
        self.replaced: set[str] = set()
        self.renderer = Renderer(
            project.macros, project.variables, options.adapter or options.dialect, project.name, Names()
        )
        try:
            self.context = self.renderer.render(text)[1]
        except UnrenderableError:
            self.context = {}

    def edits(self, nodes: list[Block | Tag], *, is_in_filter: bool) -> Iterator[Edit]:
        """The edits that leave of each `if` what its variables choose without a run's value."""
        for node in nodes:
            if not isinstance(node, Block):
                continue
            is_asked = node.word == "if" and any("is_incremental" in branch.tag.rest for branch in node.branches)
            found = None
            if node.word == "if":
                found = self._test_edit(node) if is_asked else self._block_edits(node, is_in_filter=is_in_filter)
            if found:
                yield from found
                continue
            for branch in node.branches:
                yield from self.edits(branch.children, is_in_filter=is_in_filter or is_asked)

    def _test_edit(self, block: Block) -> list[Edit] | None:
        """`is_incremental() and not var('x', false)`, or a constant, as `is_incremental()`; a block of nothing goes."""
        tag = block.branches[0].tag
        test = tag.rest
        if not any(self.text[branch.start : branch.end].strip() for branch in block.branches):
            return [removal(self.text, block.start, block.end)]
        if _ASKED.fullmatch(test) or any("is_incremental" in branch.tag.rest for branch in block.branches[1:]):
            return None
        run = self._answer(_ASKED.sub("True", test))
        if run is None or not run[0]:
            return None
        variables = run[1]
        # with each value of a variable, it is false for other runs
        for forced in [{}, *({variable: value} for variable in variables for value in (False, True))]:
            other = self._answer(_ASKED.sub("False", test), forced)
            if other is None or other[0]:
                return None
        self.replaced |= variables
        start = tag.code_start + tag.code.index(test)
        return [Edit(start, start + len(test), "is_incremental()")]

    def _block_edits(self, block: Block, *, is_in_filter: bool) -> list[Edit] | None:
        """What is left of a block whose variables choose among conditions."""
        taken: Branch | None = None
        variables: set[str] = set()
        for branch in block.branches:
            said = (True, frozenset()) if branch.tag.word == "else" else self._answer(branch.tag.rest)
            if said is None:
                return None
            variables |= said[1]
            if said[0] and taken is None:
                taken = branch
        filtering = [branch for branch in block.branches if self._has_filter(branch)]
        if not variables:
            # a branch that no run takes
            if not is_in_filter and all(branch is taken for branch in filtering):
                return None
        elif not self._are_conditions(block) or not (is_in_filter or taken in filtering):
            return None
        self.replaced |= variables
        if taken is None:
            return [removal(self.text, block.start, block.end)]
        return [removal(self.text, block.start, taken.start), removal(self.text, taken.end, block.end)]

    def _are_conditions(self, block: Block) -> bool:
        """Whether each branch prints conditions alone, or nothing."""
        pieces = [self.text[branch.start : branch.end] for branch in block.branches]
        dialect = self.options.dialect
        return all(prints_conditions(Template(one, dialect, self.renderer, self.context)) for one in pieces)

    def _is_fixed(self, test: str) -> bool:
        """Whether what a condition names is set once, for the whole template."""
        for name in set(re.findall(r"\w+", test)):
            sets = [node for node in walk(self.nodes) if _sets(node, name)]
            if len(sets) > 1 or any(node not in self.nodes for node in sets):
                return False
        return True

    def _answer(self, test: str, forced: dict[str, bool] | None = None) -> tuple[bool, frozenset[str]] | None:
        """What a condition says without a run's variables, and the variables that it asks; None if more decides it."""
        if not self._is_fixed(test):
            return None
        names = self.renderer.names
        names.asked, names.undecided, names.forced = set(), False, forced or {}
        try:
            said = self.renderer.render("{{ 1 if " + test + " else 0 }}", **self.context)[0]
        except UnrenderableError:
            return None
        finally:
            names.forced = {}
        return None if names.undecided else (said == "1", frozenset(names.asked))

    def _has_filter(self, branch: Branch) -> bool:
        """Whether a branch is a filter of incremental runs, or a macro that writes one."""
        piece = self.text[branch.start : branch.end]
        codes = [tag.code for tag in tags(piece) if tag.kind != "comment"]
        return any("is_incremental" in code or asks(code, self.project) for code in codes)
