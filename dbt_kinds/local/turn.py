"""Waits for its turn at an embedded metastore: a script of Spark's launcher, which needs nothing but Python."""

from __future__ import annotations

import os
import signal
import sys
import time

# after so many seconds it also says how to go on
PATIENCE = 60
# as of a program that was ended by Ctrl-C
GIVEN_UP = 128 + signal.SIGINT


def wait_for_turn(descriptor: int, owner: int, metastore: str) -> bool:
    """Locks an open file, for as long as any process has it open, and writes into it for whom.

    Returns whether it did: it ends early when the owner is gone, since nobody then needs the turn.

    Args:
        descriptor: the open file.
        owner: the process for which the metastore is used, that of dbt.
        metastore: what others are told that it waits for.
    """
    what_to_say = [
        (0, f"{_holder(descriptor)} uses the metastore of this profile ({metastore}); waiting until it ends"),
        (
            PATIENCE,
            "still waiting; end that process, or write a profile for other tables: dbt-kinds local-profile --dir",
        ),
    ]
    began = time.monotonic()
    while not _locks(descriptor):
        if what_to_say and time.monotonic() - began >= what_to_say[0][0]:
            print(f"dbt-kinds: {what_to_say.pop(0)[1]}", file=sys.stderr, flush=True)
        time.sleep(0.2)
        if not _is_alive(owner):
            return False
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(owner).encode(), 0)
    return True


def _locks(descriptor: int) -> bool:
    """Locks the file, unless somebody else has."""
    # Windows has none, and Spark's launcher there does not read what calls this
    import fcntl

    try:
        # of the open file, not of this process: it stays when this one ends
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # a file system without locks: Derby will tell
        return True
    return True


def _holder(descriptor: int) -> str:
    pid = os.pread(descriptor, 20, 0).decode(errors="replace")
    return f"process {pid}" if pid else "another process"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    # dbt ends on Ctrl-C when its connection does, and Spark's launcher ignores it
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(0 if wait_for_turn(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]) else GIVEN_UP)
