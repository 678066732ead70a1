"""Owner: who holds a lease, so that on one machine the lease of a dead process is void at once instead of after its time.

Across machines (or containers: another host name) only time tells. A reused process id merely means waiting for the time.
"""

import os
import socket


def this_owner() -> str:
    """`host:pid` of this process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def surely_dead(owner: str) -> bool:
    """Whether `owner` was a process of this machine that is gone."""
    host, _, pid = owner.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit() or os.name != "posix":
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
