"""Opening what a command works on: the flow behind `--flow`, the store behind `--db`, and the example's world if it has one."""

from dataclasses import dataclass
from pathlib import Path

from ..app.flow_loading import load_flow
from ..app.maitred import Maitred, open_store
from ..examples.presales.shop import ShopError
from ..examples.presales.world import World
from ..protocol.errors import BadRequest, StoreUnavailable
from ..protocol.ports import Store
from ..runtime.turns import Times
from ..statemachine.flow import Flow
from ..store.places import place_of

EXAMPLE = "presales"
EXAMPLE_REF = "maitred.examples.presales.world:presales"
FLOW_HELP = "presales (the example), a flow.yaml, a folder that holds one, module:attribute or file.py:attribute."
DB_HELP = "Keeps the sessions: a SQLite file, or a Redis URL such as redis://localhost:6379 or redis+cluster://localhost:7000."
DB_NAMES = ("--db", "--store")
DB_ENV = ["MAITRED_STORE", "MAITRED_DB"]
"""For every command; the first that is set counts."""
DEFAULT_DB = "maitred.db"
EVERY = 2**31 - 1
"""As many sessions as there are."""
AT_A_TERMINAL = Times(close_s=1.0)
"""Only Ctrl-C closes while a turn runs; whoever pressed it does not wait for a model, and the log outlives it."""


def shown_db(db: str) -> str:
    """`db` as it may stand on a screen: a URL without its password."""
    return place_of(db).shown


@dataclass(frozen=True, slots=True)
class Opened:
    """A flow, and the world around it if it is the example."""

    flow: Flow
    world: World | None = None


def open_flow(ref: str, db: str | None = None) -> Opened:
    """The flow behind `ref`. With `db`, the example keeps its shop beside that file; without, in a temporary one."""
    if ref != EXAMPLE:
        return Opened(load_flow(ref))
    world = open_world(db)
    return Opened(world.flow, world)


def open_world(db: str | None) -> World:
    """The example with its shop: beside the file `db` (for Redis, beside the default one), or temporary."""
    place = place_of(db) if db else None
    if place is None or place.kind == "memory":
        return World()
    path = Path(place.where if place.kind == "sqlite" else DEFAULT_DB)
    if not path.name or path.is_dir() or not path.parent.is_dir():
        raise BadRequest(f"--db {db!r} is no file in a folder that is there")
    try:
        return World(path.with_suffix(".shop.db"))
    except ShopError as error:
        raise StoreUnavailable(f"the example's shop beside {db!r}: {error}") from error


def open_existing(db: str) -> Store:
    """A store that must be there already. Raises BadRequest if it is not, instead of making an empty one."""
    place = place_of(db)
    if place.kind != "redis" and not Path(place.where).is_file():
        raise BadRequest(f"no database {place.where!r}; `maitred chat --db {place.where}` makes one")
    return open_store(db)


async def flow_of_session(store: Store, db: str, session_id: str, ref: str | None) -> Maitred:
    """Maitred over `store` with the flow given, or the example if the session says it is its own."""
    session = await store.load(session_id)
    if session is None:
        known = ", ".join(row.session_id for row in await store.sessions(10)) or "none"
        raise BadRequest(f"no session {session_id!r} in {shown_db(db)}; sessions: {known}")
    if ref is None and session.flow != EXAMPLE:
        raise BadRequest(f"session {session_id!r} belongs to flow {session.flow!r}; say where it is with --flow")
    return Maitred(open_flow(ref or EXAMPLE).flow, store=store)
