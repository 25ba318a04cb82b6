"""The collector, as a server of its own that is posted to."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path

import pytest

from dbt_kinds.collect.events import BadEventError, line_writer, read_batch, read_event
from dbt_kinds.collect.fits import fits_type
from dbt_kinds.collect.targets import Column, Target, read_targets
from dbt_kinds.errors import UnreadableProjectError
from tests.collector import FITS, Collector, collector, free_port, manifest, start


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collector]:
    with collector(tmp_path_factory.mktemp("collect")) as server:
        yield server


def test_what_is_accepted_is_a_file_with_the_time_it_was_received(running: Collector) -> None:
    before = datetime.now(timezone.utc)
    status, answer = running.post(
        "/collect/raw/clicks", '{"id": 71,\n "page": "a\\nb",\r\n "amount": 1.10000000000000000001}'
    )
    assert (status, answer) == (202, {"accepted": 1})
    lines = [line for lines in running.files() for line in lines if '"id": 71' in line]
    assert len(lines) == 1
    assert "1.10000000000000000001" in lines[0], "a number is not written anew"
    received_at = datetime.fromisoformat(json.loads(lines[0])["received_at"].replace("Z", "+00:00"))
    assert before <= received_at <= datetime.now(timezone.utc)


def test_a_batch_is_taken_whole_or_not_at_all(running: Collector) -> None:
    held = len(running.events())
    assert running.post("/collect/raw/clicks/batch", '[{"id": 1}, {"id": 2, "received_at": "2024-01-01"}]')[0] == 202
    assert running.events()[held:][1] == {"id": 2, "received_at": "2024-01-01"}
    status, answer = running.post("/collect/raw/clicks/batch", '[{"id": 3}, {"id": null}]')
    assert (status, answer["error"]) == (400, "event 1: id is missing or null")
    assert running.post("/collect/raw/clicks/batch", "[]") == (202, {"accepted": 0})
    assert len(running.events()) == held + 2


def test_events_that_arrive_together_share_a_file(running: Collector) -> None:
    held = len(running.files())
    with ThreadPoolExecutor(16) as senders:
        statuses = list(
            senders.map(lambda n: running.post("/collect/raw/clicks", f'{{"id": {n}}}')[0], range(500, 548))
        )
    assert set(statuses) == {202}
    landed = running.files()[held:]
    assert sum(map(len, landed)) == 48
    assert len(landed) < 24


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/collect/raw/nothing", '{"id": 1}', 404, "raw/nothing is no model of the kind events; there are raw/clicks"),
        ("/collect/raw/clicks", "{oops", 400, "not JSON"),
        ("/collect/raw/clicks", "[1]", 400, "not a JSON object"),
        ("/collect/raw/clicks", '{"id": 1}{"id": 2}', 400, "more than one JSON object"),
        ("/collect/raw/clicks", '{"id": NaN}', 400, "NaN is not JSON"),
        ("/collect/raw/clicks", '{"id": 1e99999999999999999999}', 400, "not JSON"),
        ("/collect/raw/clicks", b'{"id": 1, "page": "\xff"}', 400, "not UTF-8"),
        ("/collect/raw/clicks", '{"id": 1, "page": "a\nb"}', 400, "not JSON"),
        ("/collect/raw/clicks", "[" * 100_000, 400, "nested too deeply"),
        ("/collect/raw/clicks", '{"page": "x"}', 400, "id is missing or null"),
        (
            "/collect/raw/clicks",
            '{"id": "1", "received_at": "x"}',
            400,
            "id is not of type bigint, received_at is not of",
        ),
        ("/collect/raw/clicks", '{"id": 1, "page": "' + "x" * 1_000_000 + '"}', 413, "more than 1 MB"),
        ("/collect/raw/clicks/batch", '{"id": 1}', 400, "not a JSON array"),
        ("/collect/raw/clicks/batch", '[{"id": 1}', 400, "not a JSON array"),
        ("/collect/raw/clicks/batch", '[{"id": 1},]', 400, "event 1: not JSON"),
        ("/collect/raw/clicks/batch", '[{"id": 1}] 2', 400, "not a JSON array"),
        ("/collect/raw/clicks/batch", '["' + "x" * 10_000_000 + '"]', 413, "more than 10 MB"),
    ],
)
def test_what_is_not_accepted_is_not_written(
    running: Collector, path: str, body: str | bytes, status: int, words: str
) -> None:
    held = len(running.files())
    answered, answer = running.post(path, body)
    assert answered == status
    assert words in answer["error"]
    assert len(running.files()) == held


def test_a_web_page_may_not_post_without_a_token(running: Collector) -> None:
    assert running.post("/collect/raw/clicks", '{"id": 1}', Origin="https://example.org")[0] == 403


def test_a_token_is_asked_for(tmp_path: Path) -> None:
    with collector(tmp_path, "--token-env", "COLLECT_TOKEN", "--host", "0.0.0.0", COLLECT_TOKEN="s3cret") as server:
        assert server.post("/collect/raw/clicks", '{"id": 1}')[0] == 401
        assert server.post("/collect/raw/nothing", '{"id": 1}', Authorization="Bearer wrong")[0] == 401
        assert server.post("/collect/raw/clicks", '{"id": 1}', Authorization="Bearer s3cret")[0] == 202


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "--token-env"),
        (["--token-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE"),
        (["--manifest", "nothing.json"], "run dbt parse first"),
    ],
)
def test_what_cannot_be_served_is_said_at_the_start(tmp_path: Path, options: list[str], words: str) -> None:
    file = manifest(tmp_path, tmp_path)
    process = start(tmp_path, free_port(), "--manifest", str(file), *options)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 2
    assert words in told


def test_a_collector_that_is_told_to_stop_answers_first(tmp_path: Path) -> None:
    body = b'{"id": 1}'
    head = f"POST /collect/raw/clicks HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    with collector(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port), timeout=60) as sender:
        sender.sendall(head.encode())
        # it is asked for the body by whoever handles the request
        assert sender.recv(1000).startswith(b"HTTP/1.1 100")
        server.process.send_signal(signal.SIGTERM)
        sender.sendall(body)
        assert sender.recv(1000).startswith(b"HTTP/1.1 202")
        assert server.process.wait(timeout=30) == 0 or server.process.returncode == -signal.SIGTERM
        assert [event["id"] for event in server.events()] == [1]


def test_two_models_with_one_address_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableProjectError, match="rename one"):
        read_targets(manifest(tmp_path, "/a", again="/b/raw/clicks"))


def test_a_folder_of_an_object_store_is_a_target(tmp_path: Path) -> None:
    targets = read_targets(manifest(tmp_path, "s3a://bucket/landing"))
    assert {target.read_from for target in targets.values()} == {"s3a://bucket/landing/raw/clicks"}


def test_a_batch_keeps_the_text_of_each_event() -> None:
    events = read_batch(b' [ {"a": 1.50, "b": [1, {"c": "]},"}]} ,\n{}\t] ')
    assert [event.text for event in events] == ['{"a": 1.50, "b": [1, {"c": "]},"}]}', "{}"]


@pytest.mark.parametrize(
    ("data_type", "line"),
    [
        ("timestamp", '{"received_at":"2024-02-29T12:30:01.000002Z"}'),
        ("timestamp_ntz", '{"received_at":"2024-02-29T12:30:01.000002"}'),
        ("date", '{"received_at":"2024-02-29"}'),
        ("string", '{"received_at":"2024-02-29T12:30:01.000002Z"}'),
        ("bigint", "{}"),
    ],
)
def test_the_time_of_arrival_is_written_as_its_column_wants_it(data_type: str, line: str) -> None:
    write = line_writer(Target("m", "a/m", "/a/m", (Column("received_at", data_type),)))
    assert write(read_event(b"{}"), datetime(2024, 2, 29, 12, 30, 1, 2, timezone.utc)) == line
    if data_type == "bigint":
        with pytest.raises(BadEventError):
            write(read_event(b'{"received_at": "x"}'), datetime.now(timezone.utc))


@pytest.mark.parametrize(("data_type", "value", "expected"), FITS)
def test_values_fit_types_as_spark_reads_them(data_type: str, value: str, expected: bool) -> None:
    (event,) = read_batch(f'[{{"c": {value}}}]'.encode())
    assert fits_type(data_type)(event.values["c"]) is expected


def test_a_type_that_is_not_known_here_is_left_to_the_run() -> None:
    assert fits_type("variant")(1)
    assert fits_type("no type at all (")("x")


def test_a_key_that_is_given_twice_is_refused_by_its_name() -> None:
    write = line_writer(Target("m", "a/m", "/a/m", (Column("id", "bigint"), Column("n", "string"))))
    assert write(read_event(b'{"id": 1, "more": 1, "more": 2}'), datetime.now(timezone.utc))
    with pytest.raises(BadEventError, match=r"^id is given twice$"):
        write(read_event(b'{"id": 1, "id": 2}'), datetime.now(timezone.utc))
