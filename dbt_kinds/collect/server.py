"""The collector's HTTP API: who may post, how much, and which response is sent when."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import socket
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dbt_kinds.collect.events import BadEventError, line_writer, read_batch, read_event
from dbt_kinds.collect.landing import GroupedLanding, land, prepare_folder
from dbt_kinds.collect.targets import Target
from dbt_kinds.errors import KindsError

MEGABYTE = 1_000_000
EVENT_LIMIT, BATCH_LIMIT = MEGABYTE, 10 * MEGABYTE
GROUP_SECONDS = 0.1


def check_reach(host: str, token: str | None) -> None:
    """Requires a token if other machines can reach the server.

    Raises:
        KindsError: the address is not loopback, and there is no token.
    """
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = host == "localhost"
    if not is_loopback and not token:
        raise KindsError(
            f"--host {host} can be reached from other machines; put a token into an environment variable and name it "
            "by --token-env"
        )


def make_app(targets: Mapping[str, Target], landing: Path, token: str | None = None) -> Starlette:
    """The application: `POST /collect/<schema>/<table>`, the same with `/batch`, and `GET /health`."""
    folders = {address: prepare_folder(landing, address) for address in targets}
    grouped = {address: GroupedLanding(folder, GROUP_SECONDS) for address, folder in folders.items()}
    writers = {address: line_writer(target) for address, target in targets.items()}

    def admit(request: Request) -> str:
        """The address of a request; raises if the sender may not post to it."""
        if token is not None:
            given = request.headers.get("authorization", "").encode()
            if not hmac.compare_digest(given, f"Bearer {token}".encode()):
                raise HTTPException(401, "no valid token; send the header Authorization: Bearer …")
        elif "origin" in request.headers:
            # otherwise any web page open in this machine's browser could post
            raise HTTPException(403, "web pages may not post without a token; start the collector with --token-env")
        address = f"{request.path_params['schema']}/{request.path_params['table']}"
        if address not in targets:
            raise HTTPException(
                404, f"{address} is no model of the kind events; there are {', '.join(sorted(targets))}"
            )
        return address

    async def collect(request: Request) -> JSONResponse:
        address = admit(request)
        event = read_event(await _body(request, EVENT_LIMIT))
        await grouped[address].land(writers[address](event, datetime.now(timezone.utc)))
        return JSONResponse({"accepted": 1}, 202)

    async def collect_batch(request: Request) -> JSONResponse:
        address = admit(request)
        body, arrived, lines = await _body(request, BATCH_LIMIT), datetime.now(timezone.utc), []
        for event in await asyncio.to_thread(read_batch, body):
            try:
                lines.append(writers[address](event, arrived))
            except BadEventError as error:
                raise BadEventError(f"event {len(lines)}: {error}") from error
        if lines:
            await asyncio.to_thread(land, folders[address], lines)
        return JSONResponse({"accepted": len(lines)}, 202)

    async def health(request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    return Starlette(
        routes=[
            Route("/collect/{schema}/{table}", collect, methods=["POST"]),
            Route("/collect/{schema}/{table}/batch", collect_batch, methods=["POST"]),
            Route("/health", health),
        ],
        exception_handlers={
            HTTPException: _refused,
            BadEventError: _bad,
            ClientDisconnect: _bad,
            OSError: _not_written,
        },
    )


def serve(app: Starlette, host: str, port: int) -> None:
    """Runs the application until the process is stopped; pending requests are answered first.

    Raises:
        KindsError: the port is not available.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise KindsError(f"{host}:{port} cannot be listened on: {error}; give another --port or --host") from error
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
    uvicorn.Server(config).run(sockets=[listening])


async def _body(request: Request, limit: int) -> bytes:
    too_large = HTTPException(413, f"the body has more than {limit // MEGABYTE} MB")
    if int(request.headers.get("content-length") or 0) > limit:
        raise too_large
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > limit:
            raise too_large
    return bytes(body)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = {"WWW-Authenticate": "Bearer"} if error.status_code == 401 else error.headers
    return JSONResponse({"error": error.detail}, error.status_code, headers=headers)


async def _bad(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": str(error)}, 400)


async def _not_written(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": f"the event may not have been written, post it again: {error}"}, 503)
