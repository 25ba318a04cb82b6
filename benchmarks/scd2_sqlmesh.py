"""SQLMesh's side of `benchmarks.scd2`, run by SQLMesh's own Python: reads a request on stdin, writes answer.json to its folder."""

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
    adapter.execute(request["sources"][0])
    context.plan(execution_time=request["days"][0], auto_apply=True, no_prompts=True, skip_tests=True)
    table = context.get_snapshot("benchmark.dim", raise_if_missing=True).table_name()
    for statement in request["history"]:
        adapter.execute(statement.format(table=table))
    runs = []
    for now, source in zip(request["days"][1:], request["sources"][1:], strict=True):
        adapter.execute(source)
        written = request["written"].format(table=table)
        before = len(adapter.fetchall(written))
        begun = time.perf_counter()
        status = context.run(execution_time=now, skip_janitor=True)
        seconds = time.perf_counter() - begun
        if not status.is_success:
            raise SystemExit(str(status))
        commits = adapter.fetchall(written)[before:]
        content = adapter.fetchall(request["content"].format(table=table))[0]
        runs.append({"seconds": seconds, "bytes": sum(int(size) for (size,) in commits), "content": list(content)})
    (Path(request["folder"]) / "answer.json").write_text(json.dumps(runs))


if __name__ == "__main__":
    main()
