"""What names a store, wherever one is named."""

import pytest

from maitred.app.maitred import open_store
from maitred.protocol.errors import BadRequest
from maitred.store.places import Place, place_of


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("shop.db", Place("sqlite", "shop.db", "shop.db")),
        ("sqlite:///shop.db", Place("sqlite", "shop.db", "shop.db")),
        ("sqlite:////srv/shop.db", Place("sqlite", "/srv/shop.db", "/srv/shop.db")),
        ("file:redis://x", Place("sqlite", "file:redis://x", "file:redis://x")),
        (":memory:", Place("memory", ":memory:", ":memory:")),
        ("redis://:secret@localhost", Place("redis", "redis://:secret@localhost", "redis://localhost:6379")),
        ("redis+cluster://h:1,i:2?allow_open=yes", Place("redis", "redis+cluster://h:1,i:2?allow_open=yes", "redis+cluster://h:1,i:2")),
    ],
)  # fmt: skip
def test_name_of_a_store_is_read(text: str, place: Place):
    """A file, with or without a scheme, a Redis, or memory."""
    assert place_of(text) == place


@pytest.mark.parametrize(
    "text", ["postgres://localhost/x", "sqlite:///", "", "sqlite:///http://x", "Redis://localhost"]
)
def test_what_names_no_store_is_refused(text: str):
    """Instead of a file of that name."""
    with pytest.raises(BadRequest, match="a store is a file, sqlite:///FILE, a Redis URL or :memory:"):
        open_store(text)
