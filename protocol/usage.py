"""Usage: what one call of a model cost, and the sums. Values only; recorded by the model client, shown by consoles.

Counts are the server's own; None is "it did not say", which is not 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call: `prompt` in all, `cached` of them from the server's prefix cache, `completion` written."""

    prompt: int
    cached: int
    completion: int


def tokens(count: object) -> int | None:
    """A count as a server tells it, if it can be one: not negative, not a word, not beyond what a log can hold."""
    return count if type(count) is int and 0 <= count < 2**40 else None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One HTTP call: how long it took, how it ended (`ok` or an error's code), what it used if the server said so."""

    latency_s: float
    outcome: str = "ok"
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """The sum over attempts. `uncounted`: calls of which the server told no usage (all that failed on the way, too)."""

    calls: int
    latency_s: float
    usage: Usage
    uncounted: int

    @classmethod
    def of(cls, attempts: Iterable[Attempt]) -> "Total":
        every = tuple(attempts)
        counted = [attempt.usage for attempt in every if attempt.usage]
        usage = Usage(
            sum(usage.prompt for usage in counted),
            sum(usage.cached for usage in counted),
            sum(usage.completion for usage in counted),
        )
        return cls(len(every), sum(attempt.latency_s for attempt in every), usage, len(every) - len(counted))

    def as_meta(self) -> dict[str, str | int | float | bool]:
        """For the meta of an agent_response: a few numbers, so that the log stays small. No tokens if no call told of any."""
        spent = {"model_calls": self.calls, "model_s": round(self.latency_s, 3)}
        if self.uncounted:
            spent["uncounted_calls"] = self.uncounted
        if self.uncounted == self.calls:
            return {**spent}
        return {
            **spent,
            "prompt_tokens": self.usage.prompt,
            "cached_tokens": self.usage.cached,
            "completion_tokens": self.usage.completion,
        }
