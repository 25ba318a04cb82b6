"""Pushes to a receiver over HTTP, each killed with -9: everything arrives, and what arrives again has the id that it had."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.local.profile import local_profile
from dbt_kinds.operate.dbt import Dbt, DbtOptions
from dbt_kinds.push import delivery
from tests.functional.process import OwnSparkProject
from tests.functional.relay import Relay
from tests.sweep import size

KILLS = size("KINDS_KILLS", 1, full=30)
FUNCTION = """
import json
import urllib.request


def push(changes, url):
    told = [{"id": change.id, "type": change.type, "row": change.row} for change in changes]
    request = urllib.request.Request(url, json.dumps(told).encode(), method="POST")
    urllib.request.urlopen(request).read()
    return {change.id: "ok" for change in changes}
"""


class Pushing(OwnSparkProject):
    def push(self) -> list[bool]:
        folder = str(self.folder)
        return [one.is_done for one in delivery.push(Dbt(DbtOptions(folder, folder)), None)]


class Receiver(ThreadingHTTPServer):
    """Keeps every change that it is posted, by id."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.posts = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        for change in json.loads(self.rfile.read(int(self.headers["Content-Length"]))):
            self.server.received[change["id"]].append(change)
        self.server.posts += 1
        # slow, so that a push is killed while it sends
        time.sleep(0.05)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *given: Any) -> None:
        """Says nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    yield receiver
    receiver.shutdown()


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    profile = local_profile(tmp_path / "spark", name="local", schema="pushed", threads=2)
    relay = Relay(Pushing(tmp_path / "project", profile, "pushed"))
    yield relay
    relay.close()


@pytest.mark.sized
def test_what_a_killed_push_left_arrives_with_the_ids_it_had(relay: Relay, receiver: Receiver) -> None:
    project, luck = relay.project, random.Random(1)
    (project.folder / "sinks").mkdir()
    (project.folder / "sinks" / "receiver.py").write_text(FUNCTION)
    relay.use_schema("pushed")
    relay.call("sql", "create table {schema}.source (id int, v int) using iceberg")
    (project.folder / "models" / "sources.yml").write_text(
        "sources: [{name: src, schema: pushed, tables: [{name: source}]}]"
    )
    sink = {"function": "receiver", "args": [receiver.url], "batch_size": 3, "max_concurrent": 2}
    changed = "select id, v from {{ dbt_kinds.changes_of(source('src', 'source')) }} as a"
    project.kind("t", changed, kind="append", config="file_format='iceberg'", start=None, capture="snapshot", sink=sink)
    rows = 0
    for number in range(KILLS):
        more = 60 if number % 3 == 0 else 0
        if more:
            values = ", ".join(f"({id_}, {id_ % 7})" for id_ in range(rows, rows + more))
            relay.call("sql", f"insert into {{schema}}.source values {values}")
            rows += more
        relay.call("dbt", "run")
        before, until = receiver.posts, time.monotonic() + 60
        relay.begin("push")
        posts = luck.randrange(1, 20)
        while receiver.posts < before + posts and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(luck.choice([0.0, luck.uniform(0, 0.1), luck.uniform(0, 3)]))
        relay.kill("push")
        relay.use_schema("pushed")
    assert relay.call("push") == [True]
    told = [change for changes in receiver.received.values() for change in changes]
    assert all(change == changes[0] for changes in receiver.received.values() for change in changes)
    assert len(receiver.received) == rows
    assert sorted(changes[0]["row"]["id"] for changes in receiver.received.values()) == list(range(rows))
    print(f"{rows} changes, {len(told)} received, {relay.tally.total()} kills: {dict(relay.tally)}")
