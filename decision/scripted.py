"""ScriptedDecider: answers from a list or a function. For tests, and for demonstrations that must not vary."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping

from pydantic import JsonValue

from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.errors import ModelError

Answer = AgentDecision | Mapping[str, JsonValue]


class ScriptedDecider:
    """`script`: answers in order, or a function of the request. Keeps the requests it saw in `requests`.

    An exception in the list is raised in its turn. Raises ModelError when the list is used up.
    """

    name = "script"
    immediate = True

    def __init__(self, script: Iterable[Answer | Exception] | Callable[[DecisionRequest], Answer]) -> None:
        self.requests: list[DecisionRequest] = []
        self._choose = script if callable(script) else None
        self._answers = deque(() if callable(script) else script)

    async def decide(self, request: DecisionRequest) -> Answer:
        self.requests.append(request)
        if self._choose is not None:
            return self._choose(request)
        if not self._answers:
            raise ModelError(f"the script has no answer left for its call number {len(self.requests)}")
        answer = self._answers.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer
