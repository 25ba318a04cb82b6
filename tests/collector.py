"""The collector as a process of its own, and values that it takes or refuses."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLUMNS: list[dict[str, Any]] = [
    {"name": "id", "data_type": "bigint", "not_null": True},
    {"name": "page", "data_type": "string"},
    {"name": "received_at", "data_type": "timestamp"},
]


def manifest(folder: Path, landing: Path | str, columns: list[dict[str, Any]] = COLUMNS, **more: str) -> Path:
    """A manifest with one model of events a landing folder."""
    nodes = {}
    for name, path in {"clicks": f"{landing}/raw/clicks", **more}.items():
        meta = {"columns": columns, "landing": {"path": path}}
        nodes[f"model.p.{name}"] = {"name": name, "config": {"materialized": "events", "meta": meta}, "meta": meta}
    nodes["model.p.other"] = {"name": "other", "config": {"materialized": "table", "meta": {}}}
    file = folder / "manifest.json"
    file.write_text(json.dumps({"nodes": nodes}), "utf-8")
    return file


@dataclass
class Collector:
    """A running collector."""

    port: int
    landing: Path
    process: subprocess.Popen[str]

    def post(self, path: str, body: str | bytes, **headers: str) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", path, body if isinstance(body, bytes) else body.encode(), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        finally:
            connection.close()

    def files(self) -> list[list[str]]:
        """The lines of each landed file, oldest first."""
        folder = self.landing / "raw" / "clicks"
        return [file.read_text("utf-8").splitlines() for file in sorted(folder.glob("[!.]*"))]

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for lines in self.files() for line in lines]


def start(landing: Path, port: int, *options: str, **variables: str) -> subprocess.Popen[str]:
    command = [
        str(Path(sys.executable).with_name("dbt-kinds")),
        "collect",
        "--landing",
        str(landing),
        "--port",
        str(port),
        *options,
    ]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **variables})


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextlib.contextmanager
def collector(tmp_path: Path, *options: str, **variables: str) -> Iterator[Collector]:
    landing, port = tmp_path / "landing", free_port()
    file = manifest(tmp_path, landing)
    process = start(landing, port, "--manifest", str(file), *options, **variables)
    try:
        wait_for(port, process)
        yield Collector(port, landing, process)
    finally:
        process.kill()
        process.wait()


def wait_for(port: int, process: subprocess.Popen[str]) -> None:
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.1)
    raise AssertionError("the collector does not listen")


# a type, a value of JSON, and whether the one holds the other
FITS: list[tuple[str, str, bool]] = [
    ("int", "2147483647", True),
    ("int", "2147483648", False),
    ("int", "-2147483648", True),
    ("int", "1.0", False),
    ("int", '"1"', False),
    ("int", "true", False),
    ("bigint", "9223372036854775808", False),
    ("smallint", "-32769", False),
    ("boolean", "false", True),
    ("boolean", "0", False),
    ("boolean", '"true"', False),
    ("string", '{"a": [1]}', True),
    ("string", "1", True),
    ("string", "1.10", True),
    ("string", '"a\\ud83d\\ude00?"', True),
    ("string", '"a\\\\ud83d?"', True),
    ("string", '"a\\ud83d?"', False),
    ("string", '"\\ude00"', False),
    ("array<string>", '["\\ud83d"]', False),
    ("array<string>", "[1.10, null]", True),
    ("double", "1", True),
    ("double", "1e400", False),
    ("double", "-1e400", False),
    ("double", "1e-400", False),
    ("double", "0e-400", True),
    ("double", "0.1", True),
    ("double", "9007199254740992", True),
    ("double", "9007199254740993", False),
    ("double", "100000000000000000000", True),
    ("double", "123456789012345678901234567890", False),
    ("float", "16777217", False),
    ("float", "-16777216", True),
    ("float", "1e39", False),
    ("float", "0.1", True),
    ("array<double>", "[1, 1e400]", False),
    ("double", '"NaN"', True),
    ("double", '"-INF"', True),
    ("double", '"1.5"', False),
    ("double", "false", False),
    ("float", '"x"', False),
    ("decimal(6,2)", "9999.99", True),
    ("decimal(6,2)", "9999.994", False),
    ("decimal(6,2)", "9999.995", False),
    ("decimal(6,2)", "1.005", False),
    ("decimal(6,2)", "1.5000000000000000000000000000000000000000000", True),
    ("decimal(6,2)", "1.5000000000000000000000000000000000000000001", False),
    ("decimal(6,2)", "15000e-4", True),
    ("decimal(6,2)", "15001e-4", False),
    ("decimal(6,2)", "0e-30", True),
    ("decimal(6,2)", "-10000", False),
    ("decimal(6,2)", "0.001", False),
    ("decimal(6,2)", "1e-30", False),
    ("decimal(6,2)", "1e3", True),
    ("decimal(6,2)", "1e4", False),
    ("decimal(2,2)", "0.99", True),
    ("decimal(2,2)", "0.995", False),
    ("decimal(2,2)", "1", False),
    ("decimal(38,0)", "12345678901234567890123456789012345678", True),
    ("decimal(38,0)", "123456789012345678901234567890123456789", False),
    ("decimal", "9999999999", True),
    ("decimal(6,2)", "true", False),
    ("date", '"2024-02-29"', True),
    ("date", '"2023-02-29"', False),
    ("date", '"2024-2-9"', True),
    ("date", '"2024-02"', True),
    ("date", '"2024"', True),
    ("date", '"2024-02-29T00:00:00"', True),
    ("date", '"2024-02-29 00:00:00.000Z"', True),
    ("date", '"2024-02-29T10:00:00"', False),
    ("date", '"2024-02-29T00:00:00+02:00"', False),
    ("date", '"2024-02-29T25:00:00"', False),
    ("date", '"2024-02-29x"', False),
    ("date", '"x"', False),
    ("date", "20240229", False),
    ("date", "2024", True),
    ("timestamp", '"2024-02-29T12:30:00.123456Z"', True),
    ("timestamp", '"2024-02-29T12:30:00.123456000Z"', True),
    ("timestamp", '"2024-02-29T12:30:00.123456789Z"', False),
    ("timestamp", '"2024-02-29 12:30:00"', True),
    ("timestamp", '"2024-02-29 12:30"', True),
    ("timestamp", '"2024-02-29T12:30:00+02:00"', True),
    ("timestamp", '"2024-02-29T12:30:00 -08:00"', True),
    ("timestamp", '"2024-02-29T24:30:00"', False),
    ("timestamp", '"2024-02-29T12:60:00"', False),
    ("timestamp", '"2024-02-30T12:30:00"', False),
    ("timestamp", '"2024-02-29T12:30:00 nowhere"', False),
    ("timestamp", '"2024-02-29"', True),
    ("timestamp", '"12:30:00"', False),
    ("timestamp_ntz", '"2024-02-29T12:30:00"', True),
    ("timestamp_ntz", '"2024-02-29T12:30:00Z"', True),
    ("timestamp_ntz", '"2024-02-29T12:30:00+00:00"', True),
    ("timestamp_ntz", '"2024-02-29T12:30:00+02:00"', False),
    ("timestamp_ntz", '"2024-02-29T12:30:00.1234567"', False),
    ("array<int>", "[1, null]", True),
    ("array<int>", '["x"]', False),
    ("array<int>", "1", False),
    ("array<int>", '{"a": 1}', False),
    ("map<string,int>", '{"a": 1, "b": null}', True),
    ("map<string,int>", '{"a": "x"}', False),
    ("map<string,int>", "[1]", False),
    ("map<string,int>", '{"a": 1, "a": 2}', False),
    ("map<string,decimal(6,2)>", '{"a": 1.25, "b": null}', True),
    ("map<string,decimal(6,2)>", '{"a": 1.25, "b": 1.255}', False),
    ("array<map<string,string>>", '[{"a": 1.10}, {}, null]', True),
    ("array<map<string,string>>", '[{"a": 1, "b": {"a": 1}}, {"a": 1, "a": 1}]', False),
    ("struct<p: int, q: string>", '{"q": 1}', True),
    ("struct<p: int, q: string>", '{"p": "x"}', False),
    ("struct<p: int, q: string>", '{"p": null, "more": 1}', True),
    ("struct<p: int, q: string>", "[]", False),
    ("struct<p: int, q: string>", '{"q": {"p": [1.10]}}', True),
    ("struct<p: int, q: string>", '{"p": 1, "p": 1}', False),
    ("struct<p: decimal(6,2)>", '{"p": 1.005}', False),
]
