"""The OpenAPI document says what the service does: schemathesis sends what it allows, and what it does not, over real sockets."""

import os
from contextlib import suppress

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from maitred.gateway.keys import parse_keys
from maitred.gateway.settings import GatewaySettings

from .in_process import app_of, running, tea_flow

SECRET = "schema-" + "x" * 20
MUST_HOLD = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
ENDLESS = ("/v1/sessions/{session}/events", "get")
EXAMPLES = int(os.environ.get("MAITRED_FUZZ", "0")) // 200 or 10


def test_every_answer_is_one_that_the_document_has():
    """Status, kind and shape of each operation's answers; no 5xx."""
    keys = parse_keys(f"k:{SECRET}")
    limits = GatewaySettings(rate_per_s=1e9, burst=10**9, ping_s=0.05)
    asked: dict[str, set[int]] = {}
    with running(app_of(tea_flow(), keys=keys, settings=limits)) as client:
        schema = schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")
        for found in schema.get_all_operations():
            operation = found.ok()
            if (operation.path, operation.method) == ENDLESS:
                continue
            statuses = asked.setdefault(operation.path, set())
            _ask(operation.as_strategy(generation_mode=GenerationMode.POSITIVE), statuses)
            with suppress(Unsatisfiable):  # nothing can be wrong about a request without parameters
                _ask(operation.as_strategy(generation_mode=GenerationMode.NEGATIVE), statuses)
    assert len(asked) >= 10
    assert asked["/v1/chat/completions"] >= {400, 404}
    assert asked["/v1/sessions/{session}/messages"] >= {200, 400}


def _ask(cases: SearchStrategy[schemathesis.Case], statuses: set[int]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(cases)
    def asks(case: schemathesis.Case) -> None:
        answer = case.call_and_validate(headers={"authorization": f"Bearer {SECRET}"}, checks=MUST_HOLD)
        statuses.add(answer.status_code)

    asks()
