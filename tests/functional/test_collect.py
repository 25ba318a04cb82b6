"""What the collector accepts, the next run loads: once, and in the columns' types."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import random
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.collector import FITS, free_port, start, wait_for
from tests.functional.project import Project
from tests.functional.test_events import events, rejects
from tests.sweep import size

CLIENTS = 8


def test_a_run_takes_what_the_collector_takes(project: Project, tmp_path: Path) -> None:
    """A column of each type, a line of each value, written past the collector."""
    types = sorted({data_type for data_type, _, _ in FITS})
    columns = [{"name": "id", "data_type": "int"}]
    columns += [{"name": f"c{number}", "data_type": data_type} for number, data_type in enumerate(types)]
    folder = tmp_path / "in"
    folder.mkdir()
    lines = [f'{{"id": {n}, "c{types.index(kind)}": {value}}}' for n, (kind, value, _) in enumerate(FITS)]
    (folder / "all.jsonl").write_text("\n".join(lines) + "\n")
    events(project, "t", folder, "parquet", columns=columns)
    project.run()
    loaded = {row[0] for row in project.sql("select id from {schema}.t")}
    assert [one for n, one in enumerate(FITS) if one[2] is not (n in loaded)] == []
    filled = ", ".join(f"c{number} is not null" for number in range(len(types)))
    assert {
        row[0] for row in project.sql(f"select id from {{schema}}.t where array_contains(array({filled}), true)")
    } == loaded


@pytest.mark.sized
def test_every_event_that_was_accepted_is_in_the_table_once(project: Project, tmp_path: Path) -> None:
    """Eight clients post, singly and in batches, to a collector that is killed with -9; runs load what has landed."""
    posts = size("KINDS_POSTS", 400, full=10_000)
    landing, columns = tmp_path / "landing", [{"name": "id", "data_type": "int", "not_null": True}]
    (landing / "raw" / "t").mkdir(parents=True)
    events(project, "t", landing / "raw" / "t", "iceberg", columns=columns, max_files=100_000)
    project.flags.remove("--no-write-json")
    project.dbt("parse")
    port = free_port()
    options = ("--project-dir", str(project.folder))
    sent, accepted = Counter[int](), Counter[int]()

    def post(client: int) -> None:
        luck = random.Random(client)
        numbers = iter(range(client, posts, CLIENTS))
        while ids := list(itertools.islice(numbers, luck.choice([1, 1, 1, 5]))):
            single, body = len(ids) == 1, [{"id": one} for one in ids]
            sent.update(ids)
            # no answer: it may have arrived; the client asks on, with other events
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request(
                    "POST", f"/collect/raw/t{'' if single else '/batch'}", json.dumps(body[0] if single else body)
                )
                if connection.getresponse().status == 202:
                    accepted.update(ids)
                connection.close()
                continue
            time.sleep(0.05)

    process = start(landing, port, *options)
    wait_for(port, process)
    clients = [threading.Thread(target=post, args=(client,)) for client in range(CLIENTS)]
    for client in clients:
        client.start()
    kills = 0
    while any(client.is_alive() for client in clients):
        time.sleep(1.5)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
        process = start(landing, port, *options)
        wait_for(port, process)
    process.kill()
    process.wait()
    project.run()
    held = Counter(row[0] for row in project.sql("select id from {schema}.t"))
    print(f"{sum(sent.values())} posted, {sum(accepted.values())} accepted, {sum(held.values())} held, {kills} kills")
    assert set(sent) == set(range(posts))
    assert sum(accepted.values()) > posts // 4
    assert [one for one in accepted if held[one] != 1] == []
    assert [one for one, times in held.items() if times != 1 or one not in sent] == []
    assert rejects(project, "t") == []
