"""KeywordDecider: picks an action by words, without a model and without a key. The embedded default, and honest about it.

It knows labels, names and examples of the menu, the slot values that code read, and yes and no. It never invents words: its
`reply_text` is a fact of the flow's knowledge or empty, and then the flow's own sentences speak.
"""

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.menu import MenuItem
from ..protocol.normalize import normalize, read_clauses
from ..protocol.polarity import Polarity, polarity
from ..protocol.slots import Scalar
from .likeness import goes_on, is_question, likeness, puts_off

ENOUGH = 0.55
"""Likeness from which an action is taken. Half of a phrase's weight can be one common word; more than half is a choice."""
SURE = 0.8
"""Likeness from which an action goes before values found in the same message, or before an answer from knowledge (a question that
is like a phrase with `?` goes before it from `ENOUGH`)."""


class KeywordDecider:
    """Needs nothing, costs microseconds, understands little. Good for demos, tests and as what is left when the model is down."""

    name = "keyword"
    immediate = True

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        return choose(request)


def choose(request: DecisionRequest) -> AgentDecision:
    """The decision for one message; a pure function of the request."""
    found = dict(request.found)
    best, score, phrase = _best(request.menu.items, request.text, found)
    if _is_data(request, score):
        told = request.knowledge[0] if request.knowledge and is_question(request.text) else ""
        return AgentDecision(action="provide", parameters=_for(request.menu.get("provide"), found), reply_text=told)
    if best and (score >= SURE or (score >= ENOUGH and phrase.endswith("?") and not puts_off(request.text))):
        return AgentDecision(action=best.name, parameters=_for(best, found))
    if request.knowledge and (is_question(request.text) or puts_off(request.text)):
        return _tell(request)
    if said := _by_polarity(request):
        return AgentDecision(action=said.name, parameters=_for(said, found))
    if best and score >= ENOUGH:
        return AgentDecision(action=best.name, parameters=_for(best, found))
    return _tell(request)


def _tell(request: DecisionRequest) -> AgentDecision:
    return AgentDecision(action="answer", reply_text=request.knowledge[0] if request.knowledge else "")


def _is_data(request: DecisionRequest, score: float) -> bool:
    """Is the message about the values found? Yes if they are asked for now; else if they are new and no action fits better."""
    provide = request.menu.get("provide")
    known = {**provide.parameters, **provide.also} if provide else {}
    fitting = {name: value for name, value in request.found.items() if name in known}
    if any(name in request.missing for name in fitting):
        return True
    return score < SURE and any(request.data.get(name) != value for name, value in fitting.items())


def _for(item: MenuItem | None, found: Mapping[str, Scalar]) -> dict[str, JsonValue]:
    """The found values that this action takes."""
    return {n: v for n, v in found.items() if item and (n in item.parameters or n in item.also)}


def _best(items: Iterable[MenuItem], text: str, found: Mapping[str, Scalar]) -> tuple[MenuItem | None, float, str]:
    """The likeliest action whose required parameters are at hand; of equals one that states, not asks. Built-in actions
    need words of their own (examples)."""
    best: MenuItem | None = None
    top = (0.0, False, "")
    for item in items:
        if any(slot.required and name not in found for name, slot in item.parameters.items()):
            continue
        if item.name in ("provide", "answer"):
            continue
        examples = (
            e for e in item.examples if normalize(e) not in _BARE["yes"] | _BARE["no"]
        )  # `_by_polarity` has these
        phrases = (*examples, item.label, item.name.replace("_", " "))
        fit = max(
            ((likeness(phrase, text), not phrase.endswith("?"), phrase) for phrase in phrases), default=(0.0, False, "")
        )
        if fit[:2] > top[:2] and fit[0] > 0:
            best, top = item, fit
    return best, top[0], top[2]


def _by_polarity(request: DecisionRequest) -> MenuItem | None:
    """An action one of whose examples is a bare yes (or no) stands for every yes (or no)."""
    said = _polarity(request.text)
    if said == "other":
        return None
    for item in request.menu.items:
        bare = [example for example in item.examples if normalize(example) in _BARE[said]]
        if any(not (example.endswith("!") and goes_on(request.text)) for example in bare):
            return item
    return None


def _polarity(text: str) -> Polarity:
    """Of the whole message, else what its clauses say that say something; looser than a confirmation, which a guard reads."""
    said = polarity(text)
    if said != "other" or is_question(text) or puts_off(text):
        return "other" if is_question(text) or puts_off(text) else said
    clauses = {polarity(clause.text) for clause in read_clauses(text)} - {"other"}
    return clauses.pop() if len(clauses) == 1 else "other"


_BARE: Mapping[str, frozenset[str]] = {
    "yes": frozenset({"yes", "ok", "好", "好的", "是", "是的", "可以"}),
    "no": frozenset({"no", "不", "不是", "不要", "不用"}),
}
