"""What a Redis URL may be: a server that others can reach has a password, and no error shows one."""

import pytest

from maitred.protocol.errors import BadRequest
from maitred.store.redis import RedisStore
from maitred.store.redis_url import KEEP_ENDED_S, is_redis_url, redis_address


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost", "redis://127.0.0.1:6380/2", "redis://127.9.9.9", "redis://[::1]:6379", "redis://",
        "unix:///run/redis.sock?db=3", "redis://:secret@10.0.0.5", "rediss://user:secret@cache.example:6379/0",
        "redis://10.0.0.5?password=secret", "redis://10.0.0.5:6379?allow_open=yes",
        "redis+cluster://127.0.0.1:7000,localhost:7001",
    ],
)  # fmt: skip
def test_this_machine_or_a_password_is_accepted(url: str):
    """Loopback and sockets need none; others need one, or somebody who says that it is meant."""
    assert is_redis_url(url)
    assert "secret" not in redis_address(url).name


@pytest.mark.parametrize(
    "url", ["redis://10.0.0.5", "rediss://cache.example", "redis://user@10.0.0.5:6379", "redis://localhost.example"]
)
def test_server_on_the_network_without_a_password_is_refused(url: str):
    """The sentence names the server and both ways out."""
    with pytest.raises(BadRequest, match=r"no password.*USER:PASSWORD.*allow_open=yes"):
        RedisStore(url)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://localhost", "begins with redis://"),
        ("redis://localhost:99999", "not a Redis URL"),
        ("redis://localhost/zz", "number of the database"),
        ("redis://localhost/0/1", "number of the database"),
        ("redis://localhost?keep_ended_s=soon", "keep_ended_s is a number"),
        ("redis://localhost?keep_ended_s=-1", "keep_ended_s is a number"),
        ("redis://localhost?allow_open=1", "allow_open is yes or no"),
        ("redis://localhost?socket_timeout=soon", "cannot be used"),
        ("redis://localhost?nonsense=1", "no option 'nonsense'. There are allow_open, keep_ended_s"),
        ("redis://localhost?keep_ended=60", "no option 'keep_ended'; did you mean 'keep_ended_s'"),
        ("redis://localhost?decode_responses=true", "no option 'decode_responses'"),
        ("redis://localhost?retry_on_timeout=yes", "no option 'retry_on_timeout'"),
        ("redis://localhost?wait_replicas=all", "wait_replicas is a number"),
        ("redis+cluster://localhost/1", "no numbered databases"),
        ("redis+cluster://localhost:7000,10.0.0.5:7000", "no password"),
        ("redis+cluster://localhost:7000,localhost:99999", "not a Redis URL"),
        ("redis://localhost:7000,localhost:7001", "not a Redis URL"),
    ],
)
def test_url_that_cannot_be_used_is_refused_with_the_reason(url: str, why: str):
    """When the store is opened, not when the first customer writes."""
    with pytest.raises(BadRequest, match=why):
        RedisStore(url)


def test_our_options_are_read_and_taken_out():
    """The client sees only its own."""
    address = redis_address("redis://localhost:6380/1?keep_ended_s=60&allow_open=no&health_check_interval=5")
    assert (address.url, address.keep_ended_s) == ("redis://localhost:6380/1?health_check_interval=5", 60)
    assert redis_address("redis://localhost").keep_ended_s == KEEP_ENDED_S
    assert redis_address("redis://localhost?wait_replicas=2").wait_replicas == 2


def test_cluster_is_named_by_some_of_its_nodes():
    """Each node is reached with the same login; the name for people has no password."""
    address = redis_address("rediss+cluster://user:secret@10.0.0.5:7000,cache.example?ssl_ca_certs=ca.pem")
    assert address.nodes == (("10.0.0.5", 7000), ("cache.example", 6379))
    assert address.name == "rediss+cluster://user@10.0.0.5:7000,cache.example:6379"
    assert address.at("fd00::1", 7001) == "rediss://user:secret@[fd00::1]:7001?ssl_ca_certs=ca.pem"
    assert redis_address("redis+cluster://").nodes == (("localhost", 6379),)


@pytest.mark.parametrize("path", ["shop.db", ":memory:", "/tmp/redis", "redis", "file:redis://x"])
def test_file_is_no_url(path: str):
    """What is not a URL of ours stays a path."""
    assert not is_redis_url(path)
