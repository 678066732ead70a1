"""A model's server for `bench http`: always answers in words, at an even pace, and writes into them when they began.

A program of its own, so that its work is not counted as ours: `python -m maitred.benchmarks.http_model`. It knows streamed and
plain chat completions and a connection that is kept.
"""

import asyncio
import json
import sys
import time

FIRST_S, TOKEN_S = 0.02, 0.004
SENTENCE = " we deliver within three days to every place in this country."
TOKENS = [SENTENCE[n : n + 5] for n in range(0, len(SENTENCE), 5)]
"""One sentence; the reply has three of them."""
OPENING = ['{"act', 'ion": ', '"answer', '", "param', 'eters": {}, ', '"reply_text": "']
USAGE = {"prompt_tokens": 300, "completion_tokens": 45, "total_tokens": 345}


def mark() -> str:
    """The time, as a word of the reply."""
    return f"@{time.monotonic_ns()}@"


async def main() -> None:
    """Serve until the program is ended; says on which port."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    sys.stdout.write(f"listens on http://127.0.0.1:{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = head.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0]
            asked = json.loads(await reader.readexactly(int(length)))
            await (_stream(writer) if asked.get("stream") else _whole(writer))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _stream(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    await asyncio.sleep(FIRST_S)
    for token in [*OPENING, "", *TOKENS * 3, '"}']:
        await asyncio.sleep(TOKEN_S)
        _send(writer, {"choices": [{"index": 0, "delta": {"content": token or mark()}, "finish_reason": None}]})
    _send(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    _send(writer, {"choices": [], "usage": USAGE})
    writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")


def _send(writer: asyncio.StreamWriter, chunk: object) -> None:
    data = f"data: {json.dumps(chunk)}\n\n".encode()
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


async def _whole(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(FIRST_S + TOKEN_S * (len(OPENING) + 3 * len(TOKENS) + 2))
    content = "".join([*OPENING, mark(), *TOKENS * 3, '"}'])
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice], "usage": USAGE}).encode()
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
    )


if __name__ == "__main__":
    asyncio.run(main())
