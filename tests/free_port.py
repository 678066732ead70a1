"""A port for a server that is started in a moment: from below the range that the system gives to outgoing connections, and never
the same twice, so that nobody takes it meanwhile.
"""

import random
import socket

_PORTS = range(12_000, 30_000)
_given: set[int] = set()


def free_port() -> int:
    """On loopback."""
    while True:
        port = random.choice(_PORTS)
        if port in _given:
            continue
        _given.add(port)
        try:
            with socket.create_server(("127.0.0.1", port), reuse_port=False):
                return port
        except OSError:
            continue
