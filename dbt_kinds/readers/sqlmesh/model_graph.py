"""Which models read which."""

from __future__ import annotations

from collections.abc import Iterable

from dbt_kinds.kinds import Model, ModelReference, Placeholder, PythonBody


def placeholders_of(model: Model) -> Iterable[Placeholder]:
    """The placeholders of what a model reads: in its query, in its hooks, and as declared dependencies."""
    texts = [model.query, *model.pre_hooks, *model.post_hooks]
    for text in texts:
        yield from text.references if isinstance(text, PythonBody) else text.placeholders.values()
    yield from model.depends_on


def models_read(models: Iterable[Model]) -> dict[str, set[str]]:
    """The models that each model reads, by key."""
    return {
        model.key: {
            placeholder.key for placeholder in placeholders_of(model) if isinstance(placeholder, ModelReference)
        }
        for model in models
    }
