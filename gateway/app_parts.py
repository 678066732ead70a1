"""Parts that a service and a wrapper make alike: the index of transcripts beside a store, and the check of its runner."""

from pathlib import Path

from ..app.maitred import Maitred
from ..protocol.errors import BadRequest
from ..store.memory import MemoryStore
from ..store.sqlite import SqliteStore
from .derived_effects import DerivedEffects
from .transcripts import MemoryTranscripts, Transcripts
from .transcripts_sqlite import SqliteTranscripts


def check_runner(maitred: Maitred) -> None:
    """Raises BadRequest if a tool that cannot be repeated could run in a conversation without a name."""
    specs = [spec for version in maitred.versions for spec in version.specs.values()]
    unsafe = sorted(spec.name for spec in specs if spec.effect == "non_idempotent")
    if unsafe and not isinstance(maitred.runner, DerivedEffects):
        raise BadRequest(
            f"tool {unsafe[0]!r} cannot be repeated, and a gateway must not run it in conversations without a name: "
            "give Maitred(..., runner=DerivedEffects())"
        )


def transcripts_beside(maitred: Maitred, keep_days: float = 30.0) -> Transcripts:
    """Beside a SQLite store's file, in the same Redis, in memory for a store in memory. Raises BadRequest for other stores."""
    store = maitred.store
    if isinstance(store, SqliteStore) and store.path != ":memory:":
        return SqliteTranscripts(str(Path(store.path).with_suffix(".gateway.db")))
    if isinstance(store, (MemoryStore, SqliteStore)):
        return MemoryTranscripts()
    from ..store.redis import RedisStore  # redis costs a tenth of a second: only who uses it pays

    if isinstance(store, RedisStore):
        from .transcripts_redis import RedisTranscripts

        return RedisTranscripts(store, keep_days=keep_days)
    raise BadRequest(f"no index of transcripts is known for a {type(store).__name__}: give transcripts=...")
