"""SQLMesh's side of `benchmarks.nightly`, run by SQLMesh's own Python: reads a request on stdin, writes answer.json to its folder."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from sqlmesh_context import new_context  # type: ignore[import-not-found]


def main() -> None:
    request = json.load(sys.stdin)
    context = new_context(request)
    adapter = context.engine_adapter
    seconds = []
    for now, source in zip(request["days"], request["sources"], strict=True):
        for statement in source:
            adapter.execute(statement)
        if now == request["days"][0]:
            context.plan(execution_time=now, auto_apply=True, no_prompts=True, skip_tests=True)
            continue
        begun = time.perf_counter()
        status = context.run(execution_time=now, skip_janitor=True)
        seconds.append(time.perf_counter() - begun)
        if not status.is_success:
            raise SystemExit(str(status))
    contents = {}
    for name in request["models"]:
        table = context.get_snapshot(f"benchmark.{name}", raise_if_missing=True).table_name()
        contents[name] = list(adapter.fetchall(request["content"].format(table=table))[0])
    (Path(request["folder"]) / "answer.json").write_text(json.dumps({"seconds": seconds, "contents": contents}))


if __name__ == "__main__":
    main()
