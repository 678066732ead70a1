"""The floor of `bench http`: a FastAPI application that sends back what it got, under the server that `maitred serve` has.

A program of its own: `python -m maitred.benchmarks.http_echo`.
"""

import socket
import sys
from typing import Any

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.post("/v1/chat/completions")
async def echo(body: dict[str, Any]) -> dict[str, Any]:
    return body


def main() -> None:
    """Serve until the program is ended; says on which port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sys.stdout.write(f"listens on http://127.0.0.1:{listening.getsockname()[1]}\n")
        sys.stdout.flush()
        uvicorn.Server(uvicorn.Config(app, access_log=False, log_config=None)).run(sockets=[listening])


if __name__ == "__main__":
    main()
