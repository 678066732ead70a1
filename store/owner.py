"""Owner: who holds a lease, so that on one machine the lease of a dead process is void at once instead of after its time.

Across machines or containers only time tells: another host name or another process-id namespace means waiting. So does a process
id that was given out again, or a dead process that nobody has reaped.
"""

import os
import socket


def this_owner() -> str:
    """`host/namespace:pid` of this process."""
    return f"{_place()}:{os.getpid()}"


def surely_dead(owner: str) -> bool:
    """Whether `owner` was a process of this machine that is gone."""
    place, _, pid = owner.rpartition(":")
    if place != _place() or not pid.isdigit() or os.name != "posix":
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False


def _place() -> str:
    """Host and process-id namespace: containers on the host's network share its name, but not its process ids."""
    try:
        return f"{socket.gethostname()}/{os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115  # not a path but a name
    except OSError:
        return socket.gethostname()
