"""local_model: a model in this process, from a GGUF file. Owns the use of the optional library xllamacpp (llama.cpp).

llama.cpp's own OpenAI-compatible server runs on threads of this process, on loopback and behind a key made for it; what asks it
is the InstructorDecider that asks any other server. Knows no flow and no terminal. Called by `--local` and by Python programs.
"""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from ..protocol.errors import BadRequest

if TYPE_CHECKING:
    from ..decision.client import InstructorDecider

LOCAL_TIMEOUT_S = 120.0
"""For one decision: a processor reads a first prompt at 50 to 150 tokens a second, where a hosted model takes no time."""
CONTEXT_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class LocalServer:
    """Where a model of this process is served: any OpenAI-compatible client takes these three."""

    name: str
    base_url: str
    api_key: str


@asynccontextmanager
async def local_decider(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    timeout_s: float = LOCAL_TIMEOUT_S,
    menu_schema: bool = True,
    logs: bool = False,
) -> AsyncIterator["InstructorDecider"]:
    """A decider over the model in a GGUF file, which is loaded here and gone at the end. Raises BadRequest as `serving` does.

    It works on one decision at a time; others wait, within their `timeout_s`. `menu_schema`: llama.cpp holds the model to each
    menu's own schema. Such models are small, so code reads before them (`reads_first="likely"`). Nothing else of the program runs
    while the file is loaded, a second or some: begin with it.

        async with local_decider("model.gguf") as decider, Maitred(flow, decider=decider) as maitred:
            reply = await maitred.say("customer-7", "three tins please")
    """
    with serving(path, threads=threads, logs=logs) as server:
        from ..decision.client import InstructorDecider  # a second of work, wasted where the file cannot be used

        async with InstructorDecider(
            server.name,
            server.base_url,
            server.api_key,
            timeout_s=timeout_s,
            menu_schema=menu_schema,
            reads_first="likely",
        ) as decider:
            yield decider


@contextmanager
def serving(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    context_tokens: int = CONTEXT_TOKENS,
    logs: bool = False,
) -> Iterator[LocalServer]:
    """The model, loaded and served until the block ends. `threads`: half the processors if None. `logs`: llama.cpp's, to stderr.

    Raises BadRequest if the file is not there, is not GGUF or cannot be loaded, or if xllamacpp is not installed.
    """
    file = Path(path)
    _check(file)
    try:
        import xllamacpp
    except ImportError as error:
        raise BadRequest(
            f"a model in this process needs the package xllamacpp ({error}): pip install 'maitred[local]'; "
            "or start any OpenAI-compatible server and name it with --model and --base-url"
        ) from error
    api_key = token_urlsafe()  # the port is open to every program of this machine
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.api_keys = [api_key]
    params.n_ctx = context_tokens
    params.cache_ram_mib = 0  # else up to 8 GB of earlier prompts are kept; the last one is in any case
    params.n_batch = params.n_ubatch = 64  # it is stopped, and stops for a lost client, between batches only
    params.warmup = False  # the probe is one, and Ctrl-C ends it
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads or _half_the_processors()
    if not logs:
        params.verbosity = 0
    try:
        server = xllamacpp.Server(params)  # chooses a free port; returns when the model is loaded
    except (RuntimeError, MemoryError) as error:
        raise BadRequest(
            f"{_named(file)} cannot be loaded{'' if logs else '; the log of llama.cpp says why'}"
        ) from error
    try:
        yield LocalServer(file.stem, f"{server.listening_address}/v1", api_key)
    finally:
        del server  # the last reference: this stops it


def _check(file: Path) -> None:
    """llama.cpp says only that it failed."""
    try:
        with file.open("rb") as opened:
            begins = opened.read(4)
    except OSError as error:
        raise BadRequest(f"{_named(file)} cannot be read: {error.strerror}") from error
    if begins != b"GGUF":
        raise BadRequest(f"{_named(file)} is not a GGUF file: it does not begin with the letters GGUF")


def _half_the_processors() -> int:
    """Threads wait for each other at every step: one whose processor is busy elsewhere, or is half of a core, slows them all."""
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, usable // 2)


def _named(file: Path) -> str:
    return f"the model {str(file)!r}"
