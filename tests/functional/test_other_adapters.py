"""What adapters for Spark that the kinds refuse do to a statement, as check_adapter says: two of them, in their own venvs, and no Spark."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.functional.own_venv import own_venv
from tests.functional.project import PACKAGE

pytestmark = pytest.mark.sweep

PARSER = str(PACKAGE / "tests" / "stubs" / "dbt-core-experimental-parser")
# each takes the address of the service and a statement
GLUE = """
import sys
from dbt.adapters.glue.credentials import GlueCredentials
from dbt.adapters.glue.gluedbapi import GlueConnection, GlueCursor
connection = GlueConnection(GlueCredentials(role_arn="none", region="eu-west-1", schema="shop", location="s3://none"))
connection._session = {"Session": {"Id": "0"}}
GlueCursor(connection).execute(sys.argv[2])
"""
FABRIC = """
import sys
from dbt.adapters.fabricspark.credentials import FabricSparkCredentials
from dbt.adapters.fabricspark.singleton_livy import LivySessionManager
LivySessionManager.connect(FabricSparkCredentials(
    method="livy", livy_mode="local", livy_url=sys.argv[1], schema="shop", spark_config={"name": "none"},
)).cursor().execute(sys.argv[2])
"""
NO_ROWS = '{"results": [], "description": []}'
ANSWERS = {
    "AWSGlue.RunStatement": {"Id": 0},
    "AWSGlue.GetStatement": {
        "Statement": {
            "State": "AVAILABLE",
            "Output": {"Status": "ok", "Data": {"TextPlain": NO_ROWS}},
        }
    },
    "/sessions": {"id": 0, "state": "idle"},
    "/sessions/0": {"id": 0, "state": "idle"},
    "/sessions/0/statements": {"id": 0, "state": "waiting"},
    "/sessions/0/statements/0": {"id": 0, "state": "available", "output": {"status": "ok", "data": {}}},
}


class Service(ThreadingHTTPServer):
    """Takes statements as Glue and Livy do; the answer to the first one is lost."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.code: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        name = self.headers.get("X-Amz-Target", self.path)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        self.server.code += [body[key] for key in ("Code", "code") if key in body]
        is_lost = len(self.server.code) == 1 and name in ("AWSGlue.RunStatement", "/sessions/0/statements")
        answer = json.dumps(ANSWERS.get(name, {})).encode()
        self.send_response(503 if is_lost else 200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def sent(python: Path, script: str, service: Service, statement: str, folder: Path) -> list[str]:
    """The code that a service gets for a statement, once for each time that it is to run it."""
    address = f"http://127.0.0.1:{service.server_port}"
    given = {"AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}
    subprocess.run([str(python), "-c", script, address, statement], cwd=folder, env=os.environ | given, check=True)
    return service.code


def test_glue_takes_backslashes_for_pythons_and_runs_a_statement_twice(service: Service, tmp_path: Path) -> None:
    python = own_venv(tmp_path / "venv", [PARSER, "dbt-glue==1.12.*"])
    twice = sent(python, GLUE, service, r"insert into t select 'it\'s', '\\d' as d", tmp_path)
    calls = [ast.parse(code).body[0] for code in twice]
    statements = [call.value.args[0].value for call in calls]  # type: ignore[attr-defined]
    assert statements == [r"insert into t select 'it's', '\d' as d"] * 2


def test_fabricspark_cuts_into_strings_and_runs_a_statement_twice(service: Service, tmp_path: Path) -> None:
    python = own_venv(tmp_path / "venv", ["dbt-core>=1.10,<1.12", "dbt-fabricspark==1.13.*"])
    twice = sent(python, FABRIC, service, "insert into t select '/in/*/2024/*/day'", tmp_path)
    assert twice == ["insert into t select '/in\nday'"] * 2
