"""What the Redis store promises beyond the contract: keys, expiry, the index, logins, lost scripts, servers that died."""

import asyncio
import json
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from redis.crc import key_slot

from maitred.protocol.errors import Fenced, StoreUnavailable
from maitred.protocol.log import verify_chain
from maitred.protocol.ports import Append, Begun, Busy, Replay, Stage
from maitred.store.redis import _UNDONE, RedisStore
from maitred.store.redis_keys import keys_of, late_key

from ..free_port import free_port as free_port_

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DOCS = Path(__file__).resolve().parents[2] / "docs"
Writer = Any
Server = Any


@pytest.fixture
async def redis_store(redis_server: Server) -> Any:
    store = RedisStore(redis_server.url)
    yield store
    await store.close()


def ended(write: Append, state: str = "completed") -> Append:
    return replace(write, session=write.session.model_copy(update={"state": state}), due_at=None)


class TestKeys:
    async def test_state_is_readable_json_and_holds_the_whole_snapshot(
        self, redis_server: Server, redis_store: RedisStore, writer: Writer
    ):
        """What people look for stands in front."""
        begun = await writer.begin(redis_store)
        write = replace(writer.write(begun), allowed_actions=("answer", "leave"))
        await redis_store.append(write)
        with redis_server.client() as client:
            state = json.loads(client.get("agent_state:s1"))
        assert list(state)[:4] == ["current_state", "allowed_actions", "state_version", "updated_at"]
        assert (state["current_state"], state["allowed_actions"], state["state_version"]) == (
            "open",
            ["answer", "leave"],
            0,
        )
        assert datetime.fromisoformat(state["updated_at"]) == NOW
        assert state["snapshot"] == write.session.model_dump(mode="json", exclude_defaults=True)

    @pytest.mark.parametrize("name", ["s1", "客户-7", 'odd"\\:*?[a]^$%', "x" * 200])
    async def test_every_name_of_a_session_works_and_its_keys_are_in_one_slot(
        self, redis_server: Server, redis_store: RedisStore, writer: Writer, name: str
    ):
        """No name leads to another session's keys."""
        await writer.turn(redis_store, "m1", session=name)
        await writer.turn(redis_store, "m2", session=name)
        await redis_store.keep_late(name, b"{}")
        with redis_server.client() as client:
            keys = [key for key in client.scan_iter() if not key.startswith(b"{agent_bucket")]
        assert sorted(keys) == sorted(key.encode() for key in (*keys_of(name), late_key(name)))
        assert len({key_slot(key) for key in keys}) == 1
        assert [row.session_id for row in await redis_store.sessions()] == [name]
        assert len(await redis_store.log(name)) == 6

    async def test_big_snapshot_and_odd_values_come_back_as_they_were(self, redis_store: RedisStore, writer: Writer):
        """Empty lists, empty objects, integers beyond 2^53: nothing that Lua's JSON would change is seen by Lua."""
        data = {"none": [], "nothing": {}, "big": 2**60 + 1, "text": "line\nline\r\u2028 客户", "long": "x" * 300_000}
        begun = await writer.begin(redis_store, content="one\ntwo")
        write = writer.write(begun, text="three\nfour\r\n")
        await redis_store.append(replace(write, session=write.session.model_copy(update={"data": data})))
        loaded = await redis_store.load("s1")
        assert loaded is not None
        assert loaded.data == data
        assert await redis_store.log("s1") == write.records
        verify_chain(await redis_store.log("s1"), write.session.head)
        history = (await writer.begin(redis_store, "m2")).history
        assert [(e.user, e.reply) for e in history] == [("one\ntwo", "three\nfour \n")]

    async def test_records_that_do_not_go_on_where_the_log_ends_are_refused(
        self, redis_store: RedisStore, writer: Writer
    ):
        """A gap, though numbered without one in themselves; nothing of them is kept."""
        await writer.turn(redis_store, "m1")
        begun = await writer.begin(redis_store, "m2", content="m2")
        write = writer.write(begun)
        later = tuple(replace(record, n=record.n + 1) for record in write.records)
        session = write.session.model_copy(update={"records": write.session.records + 1})
        with pytest.raises(StoreUnavailable, match="not numbered on from 3"):
            await redis_store.append(replace(write, records=later, session=session))
        await redis_store.append(write)
        assert len(await redis_store.log("s1")) == 6


class TestExpiry:
    @pytest.mark.parametrize("state", ["completed", "abandoned"])
    async def test_keys_of_an_ended_session_go_in_time_and_a_new_episode_keeps_them(
        self, redis_server: Server, redis_store: RedisStore, writer: Writer, state: str
    ):
        """Thirty days by default; a live session has no expiry."""
        await writer.turn(redis_store, "m1")
        await redis_store.keep_late("s1", b"{}")
        with redis_server.client() as client:
            assert {client.ttl(key) for key in keys_of("s1")[:1]} == {-1}
            await redis_store.append(ended(writer.write(await writer.begin(redis_store, "m2")), state))
            left = [client.ttl(key) for key in (*keys_of("s1"), late_key("s1"))]
            assert all(0 <= 30 * 86400 - seconds < 60 for seconds in left), left
            begun = await writer.begin(redis_store, "m3")
            await redis_store.append(writer.write(replace(begun, session=begun.session), final=False))
            assert all(client.ttl(key) in (-1, -2) for key in keys_of("s1"))

    async def test_escalated_session_does_not_expire(
        self, redis_server: Server, redis_store: RedisStore, writer: Writer
    ):
        """A human will come."""
        await redis_store.append(ended(writer.write(await writer.begin(redis_store)), "escalated"))
        with redis_server.client() as client:
            assert client.ttl("agent_state:s1") == -1

    async def test_zero_keeps_ended_sessions(self, redis_server: Server, writer: Writer):
        """A setting of the URL."""
        store = RedisStore(f"{redis_server.url}?keep_ended_s=0")
        await store.append(ended(writer.write(await writer.begin(store))))
        with redis_server.client() as client:
            assert client.ttl("agent_state:s1") == -1
        await store.close()

    async def test_session_that_is_gone_leaves_no_trace_in_the_index(self, redis_server: Server, writer: Writer):
        """It is looked at once more, when its keys have gone, and forgotten."""
        store = RedisStore(f"{redis_server.url}?keep_ended_s=1")
        await store.append(ended(writer.write(await writer.begin(store))))
        assert [row.session_id for row in await store.sessions()] == ["s1"]
        with redis_server.client() as client:
            client.delete(*keys_of("s1"))  # as the expiry does
            assert await store.sessions() == ()
            assert len(client.keys()) == 1
            assert await store.due(datetime.now(UTC) + timedelta(seconds=300)) == ()
            assert client.keys() == []
        await store.close()


class TestIndex:
    async def test_refused_write_does_not_move_a_deadline(self, redis_server: Server, writer: Writer):
        """What a fenced worker put into the index before its commit says nothing; the session's own claim stands."""
        clock = [1000.0]
        store = RedisStore(redis_server.url, clock=lambda: clock[0])
        zombie = await writer.begin(store, "m1")
        clock[0] += 60
        await store.append(writer.write(await writer.begin(store, "m1"), due=NOW))
        with pytest.raises(Fenced):
            await store.append(writer.write(zombie, due=NOW + timedelta(days=300)))
        assert await store.due(NOW) == ("s1",)
        begun = await writer.begin(store, "m2")
        zombie_write = writer.write(begun, due=NOW - timedelta(days=1))
        clock[0] += 60
        heir = await writer.begin(store, "m2")
        with pytest.raises(Fenced):
            await store.append(zombie_write)
        await store.append(writer.write(heir, due=NOW + timedelta(days=2)))
        assert await store.due(NOW) == ()
        assert await store.due(NOW + timedelta(days=2)) == ("s1",)
        await store.close()

    async def test_claim_whose_commit_is_still_to_come_is_kept(
        self, redis_server: Server, redis_store: RedisStore, writer: Writer
    ):
        """The timer looks between the two: the deadline must not be lost."""
        await writer.turn(redis_store, "m1")
        begun = await writer.begin(redis_store, "m2")
        write = writer.write(begun, due=NOW)
        claim = redis_store._claim(write.session, write.lease.fence, write.due_at)
        await redis_store._server.in_order(*redis_store._index.note("s1", claim))
        assert await redis_store.due(NOW) == ()
        with redis_server.client() as client:
            (bucket,) = [key for key in client.scan_iter() if b"agent_bucket" in key]
            assert client.zscore(bucket, claim.member) == NOW.timestamp()
        await redis_store.append(write)
        assert await redis_store.due(NOW) == ("s1",)

    async def test_purged_session_leaves_no_key_and_no_name(
        self, redis_server: Server, redis_store: RedisStore, writer: Writer
    ):
        """Nor what another worker's claims said of it."""
        for n in range(5):
            await writer.turn(redis_store, f"m{n}", due=NOW)
        other = RedisStore(redis_server.url)
        assert await other.purge("s1")
        with redis_server.client() as client:
            assert list(client.scan_iter()) == []
        begun = await writer.begin(redis_store, "m1")  # which still remembers it
        assert (begun.session, begun.history) == (None, ())
        await other.close()

    async def test_index_does_not_grow_with_the_turns(
        self, redis_server: Server, redis_store: RedisStore, writer: Writer
    ):
        """Claims that later writes voided are swept on the way."""
        for n in range(100):
            await writer.turn(redis_store, f"m{n}", due=NOW + timedelta(minutes=n))
        with redis_server.client() as client:
            (bucket,) = [key for key in client.scan_iter() if b"agent_bucket" in key]
            assert client.zcard(bucket) < 20
        assert await redis_store.due(NOW + timedelta(days=1)) == ("s1",)
        with redis_server.client() as client:
            assert client.zcard(bucket) == 1


class TestHistory:
    async def test_worker_that_kept_the_past_reads_only_what_is_new_of_it(self, redis_server: Server, writer: Writer):
        """Two workers by turns, over many turns and a new episode: both see what a third one, new to it, sees."""
        workers = [RedisStore(redis_server.url) for _ in range(2)]
        moments = random.Random(7)
        for n in range(1, 120):
            worker = moments.choice(workers)
            begun = await writer.begin(worker, f"m{n}", content=f"m{n}")
            new = RedisStore(redis_server.url, clock=lambda: 4e9)
            assert (await writer.begin(new, f"m{n}", content=f"m{n}")).history == begun.history
            await new.release((await self._take_back(worker, writer, n)).lease)
            begun = await writer.begin(worker, f"m{n}", content=f"m{n}")
            await worker.append(writer.write(begun, new_episode=n in (45, 70)))
            await new.close()
        for worker in workers:
            await worker.close()

    async def _take_back(self, worker: RedisStore, writer: Writer, n: int) -> Begun:
        far = RedisStore(worker.path, clock=lambda: 5e9)
        begun = await writer.begin(far, f"m{n}", content=f"m{n}")
        await far.close()
        return begun


class TestLogin:
    def acl(self) -> str:
        """The user that the documentation tells people to make."""
        found = re.search(r"^ACL SETUSER (.+)$", (DOCS / "redis.md").read_text(encoding="utf-8"), re.MULTILINE)
        assert found
        return found[1]

    async def test_user_of_the_documentation_may_do_all_that_is_needed_and_no_more(
        self, new_redis_server: Callable[..., Server], writer: Writer
    ):
        """User and password come from the URL."""
        server = new_redis_server(*"--user default off --user admin on >root ~* +@all".split())
        admin = server.client_as("admin", "root")
        name, *rules = self.acl().split()
        admin.execute_command("ACL SETUSER", name, *rules)
        password = next(rule[1:] for rule in rules if rule.startswith(">"))
        store = RedisStore(f"redis://{name}:{password}@127.0.0.1:{server.port}")
        await writer.turn(store, "m1", due=NOW)
        for n in range(2, 50):
            await writer.turn(store, f"m{n}", due=NOW)
        begun = await writer.begin(store, "last")
        await store.renew(begun.lease)
        await store.stop("s1", "other")
        await store.keep_late("s1", b"{}")
        assert await store.late("s1") == (b"{}",)
        breaker = store.breaker("f")
        await breaker.timed_out("tool")
        assert not await breaker.may_call("tool")
        await breaker.succeeded("tool")
        await store.release(begun.lease, untried=True)
        await store._all_actions("s1")
        await store.append(ended(writer.write(await writer.begin(store, "end"))))
        await store.append(writer.write(await writer.begin(store, "again")))
        assert len(await store.log("s1")) > 100
        assert await store.load("s1") is not None
        assert len(await store.sessions()) == 1
        await store.due(NOW + timedelta(days=1))
        dossier = await store.dossier("s1")
        assert dossier is not None
        assert await store.purge("s1")
        assert await store.restore(dossier)
        admin.script_flush()
        await writer.turn(store, "m-flushed")
        limited = server.client_as(name, password)
        for forbidden in (("KEYS", "*"), ("FLUSHALL",), ("CONFIG", "GET", "*"), ("GET", "other:key")):
            with pytest.raises(Exception, match=r"(?i)permission"):
                limited.execute_command(*forbidden)
        await store.close()
        admin.close()
        limited.close()

    @pytest.mark.parametrize(
        ("login", "why"),
        [("", "wants a password"), ("maitred:wrong-pass@", "does not accept the user or the password")],
    )
    async def test_login_that_fails_names_the_server_and_never_the_password(
        self, new_redis_server: Callable[..., Server], writer: Writer, login: str, why: str
    ):
        """One sentence that says what to do."""
        server = new_redis_server("--requirepass", "root")
        store = RedisStore(f"redis://{login}127.0.0.1:{server.port}")
        with pytest.raises(StoreUnavailable, match=why) as caught:
            await writer.begin(store)
        assert f"127.0.0.1:{server.port}" in str(caught.value)
        assert "wrong-pass" not in str(caught.value)
        await store.close()

    @pytest.fixture
    def certificate(self, tmp_path: Path) -> tuple[Path, Path]:
        """For localhost, and its key."""
        if not shutil.which("openssl"):
            pytest.skip("openssl makes the certificate of this test")
        if not shutil.which("redis-server"):
            pytest.skip("the Valkey that takes the place of Redis has no TLS")
        made = tmp_path / "certificate.pem", tmp_path / "key.pem"
        subprocess.run(
            ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(made[1]), "-out", str(made[0]),
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"), check=True, capture_output=True,
        )  # fmt: skip
        return made

    async def test_tls_by_url_with_the_certificate_checked(
        self,
        new_redis_server: Callable[..., Server],
        writer: Writer,
        certificate: tuple[Path, Path],
        free_port: int,
    ):
        """Whose authority is not named is not trusted."""
        public, key = certificate
        new_redis_server(
            "--tls-port", str(free_port), "--tls-cert-file", str(public), "--tls-key-file", str(key),
            "--tls-ca-cert-file", str(public), "--tls-auth-clients", "no", "--requirepass", "secret",
        )  # fmt: skip
        trusting = RedisStore(f"rediss://:secret@localhost:{free_port}?ssl_ca_certs={public}")
        await writer.turn(trusting, "m1")
        assert len(await trusting.log("s1")) == 3
        wary = RedisStore(f"rediss://:secret@localhost:{free_port}")
        with pytest.raises(StoreUnavailable, match="certificate that cannot be verified"):
            await wary.load("s1")
        for store in (trusting, wary):
            await store.close()

    async def test_cluster_by_tls(
        self,
        new_redis_server: Callable[..., Server],
        writer: Writer,
        certificate: tuple[Path, Path],
        free_port: int,
    ):
        """The nodes that the first one names are reached in the same way, with the same login."""
        public, key = certificate
        bus = free_port_()
        server = new_redis_server(
            "--tls-port", str(free_port), "--tls-cert-file", str(public), "--tls-key-file", str(key),
            "--tls-ca-cert-file", str(public), "--tls-auth-clients", "no", "--requirepass", "secret",
            "--tls-cluster", "yes", "--cluster-enabled", "yes", "--cluster-announce-hostname", "localhost",
            "--cluster-preferred-endpoint-type", "hostname", "--cluster-port", str(bus),
        )  # fmt: skip
        with server.client_as("default", "secret") as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
            until = time.monotonic() + 20
            while client.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
                assert time.monotonic() < until, "the cluster does not come up"
                await asyncio.sleep(0.02)
        store = RedisStore(f"rediss+cluster://:secret@localhost:{free_port}?ssl_ca_certs={public}")
        await writer.turn(store, "m1")
        assert len(await store.log("s1")) == 3
        await store.close()

    async def test_right_that_is_missing_is_said(self, new_redis_server: Callable[..., Server], writer: Writer):
        """Inside a script, too."""
        server = new_redis_server(*"--user poor on >pass ~* +@all -xadd".split())
        store = RedisStore(f"redis://poor:pass@127.0.0.1:{server.port}")
        begun = await writer.begin(store)
        with pytest.raises(StoreUnavailable, match="does not allow this user"):
            await store.append(writer.write(begun))
        await store.close()


class TestTrouble:
    @pytest.mark.parametrize("written", [False, True])
    async def test_write_that_was_not_begun_is_no_attempt_and_what_was_written_before_stays(
        self, redis_store: RedisStore, writer: Writer, written: bool
    ):
        """The index is on another machine of a cluster, and away: ten times in a row must not hand the turn to a human."""
        for _ in range(10):
            begun = await writer.begin(redis_store, "m1", content="m1")
            if written and begun.stage is Stage.NEW:
                await redis_store.append(writer.write(begun, final=False, stage=Stage.OPENED))
            await redis_store._give_back(begun.lease, _UNDONE)
        assert (begun.attempt, begun.stage) == (1, Stage.OPENED if written else Stage.NEW)
        other = await writer.begin(redis_store, "m2", content="m2")
        assert other.lease.request_id == ("m1" if written else "m2")

    async def test_scripts_that_the_server_lost_are_sent_again(
        self, redis_server: Server, redis_store: RedisStore, writer: Writer
    ):
        """Before each step."""
        with redis_server.client() as client:
            client.script_flush()
            begun = await writer.begin(redis_store)
            client.script_flush()
            await redis_store.renew(begun.lease)
            client.script_flush()
            await redis_store.append(writer.write(begun, final=False, stage=Stage.OPENED))
            client.script_flush()
            await redis_store.release(begun.lease)
            client.script_flush()
            taken = await writer.begin(redis_store)
            assert (taken.attempt, taken.stage) == (2, Stage.OPENED)

    async def test_server_that_died_and_came_back_has_everything_that_was_answered(
        self, new_redis_server: Callable[..., Server], writer: Writer
    ):
        """Killed between turns and in the middle of one; meanwhile one sentence says what is wrong."""
        server = new_redis_server("--appendfsync", "always")
        store = RedisStore(server.url)
        first = await writer.turn(store, "m1")
        begun = await writer.begin(store, "m2", content="m2")
        await asyncio.to_thread(server.kill)
        with pytest.raises(StoreUnavailable, match=rf"127\.0\.0\.1:{server.port} cannot be reached"):
            await store.append(writer.write(begun))
        await asyncio.to_thread(server.start)
        assert await writer.ask(store, "m1", content="m1") == Replay(first.records[-1].body)
        assert isinstance(await writer.ask(store, "m2", content="m2"), Busy)
        second = writer.write(begun)
        await store.append(second)
        await asyncio.to_thread(server.kill)  # the loop runs on, and learns that its connections are gone
        await asyncio.to_thread(server.start)
        assert await store.log("s1") == first.records + second.records
        assert await store.load("s1") == second.session
        await store.close()

    async def test_answer_that_was_lost_is_found_again_and_nothing_was_done_twice(
        self, redis_store: RedisStore, redis_server: Server, writer: Writer, loopback: Any
    ):
        """The line breaks behind a COMMIT: the caller learns that something is wrong, and the repeat gets the reply."""
        async with loopback(redis_server.port) as line:
            store = RedisStore(line.url)
            await writer.turn(store, "m1")
            begun = await writer.begin(store, "m2", content="m2")
            write = writer.write(begun)
            line.swallow = 1
            with pytest.raises(StoreUnavailable):
                await store.append(write)
            assert await writer.ask(store, "m2", content="m2") == Replay(write.records[-1].body)
            assert len(await redis_store.log("s1")) == 6
            await store.close()

    async def test_cancelled_call_never_hands_its_answer_to_the_next(self, redis_store: RedisStore, writer: Writer):
        """Cancelled at random moments; every answer belongs to its question."""
        moments = random.Random(20261201)
        for n in range(20):
            await writer.turn(redis_store, "m", session=f"s{n}", text=f"reply {n}")
        for _ in range(150):
            task = asyncio.ensure_future(redis_store.log(f"s{moments.randrange(20)}"))
            for _ in range(moments.randrange(8)):
                await asyncio.sleep(0)
            task.cancel()
            n = moments.randrange(20)
            loaded = await redis_store.load(f"s{n}")
            assert loaded is not None
            assert loaded.session_id == f"s{n}"
            await asyncio.gather(task, return_exceptions=True)

    async def test_server_that_says_nothing_is_not_waited_for_and_its_late_answer_reaches_nobody(
        self, new_redis_server: Callable[..., Server], writer: Writer
    ):
        """A sentence instead; when it goes on, each answer belongs to its question."""
        server = new_redis_server()
        store = RedisStore(server.url, answer_s=0.2)
        for name in ("s1", "s2"):
            await writer.turn(store, "m1", session=name)
        server.pause()
        with pytest.raises(StoreUnavailable, match="did not answer in time"):
            await store.load("s1")
        server.go_on()
        loaded = await store.load("s2")
        assert loaded is not None
        assert loaded.session_id == "s2"
        await store.close()

    async def test_more_calls_at_once_than_connections_wait(self, redis_store: RedisStore, writer: Writer):
        """None fails."""
        await asyncio.gather(*(writer.turn(redis_store, "m", session=f"s{n}") for n in range(600)))
        assert len(await redis_store.sessions(5000)) == 600

    async def test_foreign_keys_are_a_sentence(self, redis_server: Server, redis_store: RedisStore, writer: Writer):
        """Somebody else's data under our name."""
        with redis_server.client() as client:
            client.set(keys_of("s1")[1], "no hash")
            client.set("agent_state:s2", "no json")
        with pytest.raises(StoreUnavailable, match="holds something else"):
            await writer.begin(redis_store)
        with pytest.raises(StoreUnavailable, match="snapshot that cannot be read"):
            await redis_store.load("s2")
