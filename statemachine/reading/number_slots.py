"""Which number belongs to which slot: by cues beside it, else, for the slot just asked about, the one number that
stands free.

Owns adjacency. Numbers and cues of one message form a line; each is joined to a direct neighbour at most once, so
that as many as possible are joined, the tightest first: "seats 20 budget 5000" and "20 seats 5000 budget" both come
out right. A rate ("a month", 一个月) beside another number is a cue of that number, not a duration.
"""

import re
from collections.abc import Iterable, Mapping

from ...protocol.slots import Slot
from .cues import Cue, find_cues, is_rate, pair_up
from .durations import family_of, find_durations
from .message import Hit, Message, Num, Span, corrects
from .numbers import Number, doubtful, find_numbers

_CLASSIFIERS = r"(?:个|位|名|号|口|台|套|份|张|条|间|件|部)?"
_MORE = r"(?:\+|ish|多|来|几|余|出头|不到|左右|上下|以上|以下|以内|之内)?"
_WORDS_BETWEEN = (
    r"(?:\s*(?:or so|or more|plus|left|of|more|new|additional|extra|total|paid|user|full|our|the)(?![a-z]))*"
)
_NUMBER_CUE = re.compile(
    rf"\s?-?{_MORE}\s?{_CLASSIFIERS}{_MORE}(?P<words>{_WORDS_BETWEEN})(?P<any>\s(?!(?:and|or|for|with|in|on|at|to|but"
    rf"|not|per|each|an?)\s)[a-z-]{{2,15}}|(?<=个)[\u4e00-\u9fff]{{1,4}}|的)?\s?"
)
_LINK = (
    r"(?:is|are|of|be|about|around|approximately|approx|roughly|maybe|probably|just|only|up to|at least|at most|over"
    r"|under|below|between|no more than|less than|more than|would|will|should|say|to|becomes?)"
)
_CUE_NUMBER = re.compile(
    rf"\s?(?P<sure>(?:\s?(?:{_LINK}(?![a-z])\.?|[:=]|是|为|大概|大约|约|有|在|要|共|差不多|不超过|不到|不高于|最多"
    rf"|最高|最少|至少|改[成为到]|换成|变成|[加增减调]到"
    rf"|左右|上限|就|控制在|花|能|给|付|按))*)\s?(?:[$¥€£]|rmb|usd|cny)?\s?"
)
_LABEL = re.compile(r"[数算额量价]\Z|\A(?:budget|price|amount|number|count|total|cost|headcount|quantity|qty)")
_NOT_MEANT = re.compile(r"(?:(?<![a-z])(?:not|isn't|aren't)\s+|不是|不要|并非|(?<![a-z])(?:every|per)\s+|每)\Z")
_TOTAL = re.compile(
    r"(?:(?<![a-z])(?:total(?: of)?|altogether|all in all)|总共|一共|共计|合计|加起来|总计)[^0-9,，。]{0,4}\Z"
)
_IN_TOTAL = re.compile(r"[^0-9,，。.;]{0,10}?(?<![a-z])(?:in total|altogether|all told|in all|total)(?![a-z])")
_A_HEAD_EACH = re.compile(
    r"(?:每个?人|人均|(?:per|each) (?:person|seat|user|head))(?:大概|大约|约|差不多|\s?(?:is|about|around)\s?)?\Z"
)
_PRICE_ASKED = re.compile(
    r"多少钱|几多钱|有.{0,4}(?:优惠|折)|打折吗|打几折|怎么(?:收费|卖|算)|(?<![a-z])(?:how much|discount)(?![a-z])"
)
_TOPIC = re.compile(  # a cue that says what the talk is about, not one that merely counts ("12 people")
    r"(?:budget|spend|headcount|head count|seats?|term|contract|people(?! (?:are|is|like|say))|users?)(?![a-z])"
    r"|预算|费用|花费|价位|人(?:数|手|员|不|少|多|也|头)|席|座席|坐席|工位|员工数|签|期限|合同期"
)
_STRICT_TOPIC = re.compile(r"(?:budget|headcount|head count|seats?(?=:))(?![a-z])|预算|费用|人数|席位数|期限")
_SETTLED = re.compile(
    r"(?<![a-z])(?:fine|good|ok|okay|same|unchanged|stays?|no|not sure|don't know|without|unlimited|great"
    r"|later)(?![a-z])"
    r"|没问题|不变|可以|没有|不知道|不限|无所谓|还没|不用|再说(?![下一])|不确定|差不多"
)
_TIME_UNIT = re.compile(r"\A(?:month|year|week|day|hour|minute)s?\Z")

_ALONE = re.compile(
    r"\A\W*(?:(?:just|only|maybe|about|around|probably|roughly|approximately|i think|i guess|it's|it is|its"
    r"|we have|we need|i need|i want|make it|say|ok|yes|sure|please|um+|uh+|hmm+|like|let's|how about|what about"
    r"|there(?:'s| are| is)|we're|we are|up to|under|over|no more than|less than|at most|at least|between|so|then"
    r"|just have|only have|have|me"
    r"|大概|大约|约|差不多|就|只有|只要|是|有|要|我们|我|一共|总共|共|嗯|哦|那|应该|可能|需要|先|不超过"
    r"|不到|最多|最少"
    r"|至少|算|按|签|打算|目前|现在|全部|加起来)\s*)*\Z"
)
_ALONE_AFTER = re.compile(
    r"\A\s*(?:\+|or so|ish|please|of them|of us|for now|i think|i guess|max|tops|at most|or less|or under|in total"
    r"|total|using it|here|only|用|而已|在用"
    r"|or thereabouts|个|位|名|号|口|台|套|份|张|间|左右|上下|以内|之内|以下|以上|出头|不到|多|来|几|吧|好了|的|啊|呢"
    r"|呀"
    r"|哈|嘛|\s)*\W*\Z"
)
_A_HEAD = re.compile(
    r"[个位名](?!问题|事|疑问|建议|要求|想法|月|周|星期|礼拜|季|年|天|小时|钟|地方|地点|分?店|门店|部门|办公|城市"
    r"|分公司"
    r"|套餐|方案|选|多|不)[\u4e00-\u9fff]"
)
_TIME_AFTER = re.compile(r"\s?(?:am|pm|o'clock|点)(?![a-z])")
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)(?![a-z])")

_ONE_UNIT = re.compile(r"(?:an?|one|一个?)\s?(?:day|week|month|quarter|year|天|周|星期|月|季度|年)")
_APART = re.compile(r"[,，。.;!?、\n]|(?<![a-z])(?:for|and|or)(?![a-z])|签")
_COUNTED = ("number", "phone", "regex")

_MOST_BARE = 20
Numbers = dict[str, list[Hit[Num]]]


def read_numbers_of(
    slots: Mapping[str, Slot], message: Message, blocked: Iterable[Span], *, asked: str | None
) -> Numbers:
    """Candidates for the number slots among `slots`; cues of the other slots only keep their numbers away."""
    low = message.lower
    numbers = [n for n in find_numbers(low, blocked) if not _NOT_MEANT.search(low, max(0, n.start - 8), n.start)]
    if not numbers and not any(family_of(slot.cues) is not None for slot in slots.values()):
        return {}
    cues = find_cues(low, {name: slot.cues for name, slot in slots.items() if slot.read in _COUNTED})
    rates = _rates(low, numbers, cues, asked)
    numbers = [n for n in numbers if not any(r.start <= n.start and n.end <= r.end for r in rates)]
    wanted = [name for name in _asked_first(slots, asked) if slots[name].read == "number"]
    found: Numbers = {}
    for name in wanted:
        durations = find_durations(low, numbers, slots[name].cues)
        durations = [d for d in durations if not any(r.start < d.end and d.start < r.end for r in rates)]
        durations = [d for d in durations if not _PRICE_ASKED.search(low, *message.clause_at(d.start))]
        if durations:
            found[name] = durations
            numbers = [n for n in numbers if not any(n.start < d.end and d.start < n.end for d in durations)]
    taken = _link(low, numbers, cues, wanted, found)
    unsure = doubtful(low, numbers, taken)
    found = _without(found, unsure)
    rest = [n for n in numbers if n not in taken | unsure]
    if rest and len(rest) <= _MOST_BARE:
        rest = _give_to_topics(message, rest, cues, {name: slots[name] for name in wanted}, found)
    if asked in wanted and asked is not None and len(rest) <= _MOST_BARE:
        bare = [n for n in rest if _stands_free(message, n, cues, slots[asked])]
        if asked in found:  # beside a number with its cue, a bare one counts only as its correction
            bare = [n for n in bare if corrects(message, found[asked][-1].end, n.start) or _is_total(low, n)]
        found.setdefault(asked, []).extend(Hit(n.value, n.start, n.end) for n in bare)
    return {name: _totals(low, hits) for name, hits in found.items() if hits}


def _without(found: Numbers, numbers: set[Number]) -> Numbers:
    kept = {n: [h for h in hits if not any(h.start <= d.start < h.end for d in numbers)] for n, hits in found.items()}
    return {name: hits for name, hits in kept.items() if hits}


def _totals(low: str, hits: list[Hit[Num]]) -> list[Hit[Num]]:
    """Of several numbers those called the total ("3 here and 5 there, 8 in all"), if any is."""
    return [hit for hit in hits if _is_total(low, hit)] or hits


def _is_total(low: str, place: Hit[Num] | Number) -> bool:
    return bool(_TOTAL.search(low, max(0, place.start - 16), place.start) or _IN_TOTAL.match(low, place.end))


def _give_to_topics(
    message: Message, numbers: list[Number], cues: list[Cue], slots: Mapping[str, Slot], found: Numbers
) -> list[Number]:
    """A bare number belongs to the slot that the talk is about ("人数错了，应该是28"); what is left over."""
    left = []
    every: list[Number | Hit[Num]] = [*numbers]
    every += [hit for hits in found.values() for hit in hits]
    for number in numbers:
        name = _topic(message, number, every, cues, slots)
        if name is None or not _stands_free(message, number, cues, slots[name]):
            left.append(number)
        else:
            found.setdefault(name, []).append(Hit(number.value, number.start, number.end))
    return left


def _topic(
    message: Message, number: Number, every: list[Number | Hit[Num]], cues: list[Cue], slots: Mapping[str, Slot]
) -> str | None:
    """The slot named before the number in its clause, or in the nearest of the two before it that names any. None if a number
    stands there that this one does not correct, or if all is well there ("the budget is fine, 24")."""
    low, clauses = message.lower, message.clauses
    at = clauses.index(message.clause_at(number.start))
    for start, end in reversed([*clauses[max(0, at - 2) : at], (clauses[at][0], number.start)]):
        inside = [cue for cue in cues if cue.names and start <= cue.start < end]
        if not inside:
            continue
        topic = _TOPIC if end != number.start else _STRICT_TOPIC
        owners = {name for name in slots for cue in inside if name in cue.names and topic.match(low, cue.start)}
        rivals = [n for n in every if start <= n.start < end and n.start != number.start]
        settled = _SETTLED.search(low, start, end) or message.asks_at(start)
        settled = settled or any(not corrects(message, n.end, number.start) for n in rivals)
        return owners.pop() if len(owners) == 1 and not settled else None
    return None


def _asked_first(slots: Iterable[str], asked: str | None) -> list[str]:
    return sorted(slots, key=lambda name: name != asked)


def _rates(low: str, numbers: list[Number], cues: list[Cue], asked: str | None) -> list[Cue]:
    """Cues that look like a duration ("a month", 一个月) but say per what time another number is meant: one beside them,
    or, for the slot asked about, one anywhere that has no cue of its own."""
    rates: list[Cue] = []
    for cue in cues:
        if not cue.names or not _ONE_UNIT.fullmatch(cue.word):
            continue
        others = [n for n in numbers if n.end <= cue.start or cue.end <= n.start]
        beside = any(_beside(low, n, cue) and not _owned_by_another(low, n, cue, cues) for n in others)
        if beside or (asked in cue.names and any(not _owned_by_another(low, n, cue, cues) for n in others)):
            rates.append(cue)
    return rates


def _beside(low: str, number: Number, cue: Cue) -> bool:
    gap = low[number.end : cue.start] if number.end <= cue.start else low[cue.end : number.start]
    return len(gap) <= 12 and not _APART.search(gap)


def _owned_by_another(low: str, number: Number, rate: Cue, cues: list[Cue]) -> bool:
    """Whether a unit that is not the rate's slot's own stands right behind the number ("20人")."""
    return any(
        not set(other.names) & set(rate.names)
        for other in cues
        if other.start >= number.end and _NUMBER_CUE.fullmatch(low, number.end, other.start)
    )


def _link(low: str, numbers: list[Number], cues: list[Cue], wanted: list[str], found: Numbers) -> set[Number]:
    owned = [cue for cue in cues if cue.names and not is_rate(low, cue)]
    numbers = [n for n in numbers if not n.vague or n.value != 1 or _all_there_is(low, n, owned, wanted[:1])]
    owned = [cue for cue in owned if not any(n.start < cue.end and cue.start < n.end for n in numbers)]
    taken: set[Number] = set()
    for number, cue in _pairs(low, numbers, owned, cues, wanted):
        taken.add(number)
        names = [name for name in wanted if name in cue.names]
        name = next((name for name in names if name not in found), names[-1] if names else None)
        if name is not None:
            hit: Hit[Num] = Hit(number.value, min(number.start, cue.start), max(number.end, cue.end))
            found.setdefault(name, []).append(hit)
    return taken


def _all_there_is(low: str, number: Number, cues: list[Cue], asked: list[str]) -> bool:
    """一位, "one of us" count one only as the whole answer to the question ("just one person", 就我一个人)."""
    after = [cue for cue in cues if number.end <= cue.start <= number.end + 8 and set(asked) & set(cue.names)]
    ends = [number.end, *(cue.end for cue in after)]
    return _ALONE.search(low[: number.start]) is not None and any(_ALONE_AFTER.search(low[end:]) for end in ends)


def _pairs(
    low: str, numbers: list[Number], owned: list[Cue], cues: list[Cue], wanted: list[str]
) -> list[tuple[Number, Cue]]:
    line: list[Number | Cue] = sorted([*numbers, *owned], key=lambda item: item.start)
    pairs: list[tuple[Number, Cue]] = []
    for index in pair_up(len(line), lambda i: _cost(low, line[i - 1], line[i], cues, wanted)):
        one, two = line[index - 1], line[index]
        if isinstance(one, Number) and isinstance(two, Cue):
            pairs.append((one, two))
        elif isinstance(one, Cue) and isinstance(two, Number):
            pairs.append((two, one))
    return pairs


def _cost(low: str, left: Number | Cue, right: Number | Cue, cues: list[Cue], wanted: list[str]) -> int | None:
    """How loosely a neighbour hangs on; None: not at all. A cue that wants no number ("电话 12个人") comes last."""
    if right.start - left.end > 40:
        return None
    cost = None
    if isinstance(left, Number) and isinstance(right, Cue):
        cost = _cost_before(low, left, right, cues)
    elif isinstance(left, Cue) and isinstance(right, Number):
        cost = _cost_after(low, left, right)
    cue = left if isinstance(left, Cue) else right
    foreign = isinstance(cue, Cue) and not any(name in wanted for name in cue.names)
    if cost is None or not foreign:
        return cost
    return None if isinstance(left, Number) else cost + 4  # "20 phones" is no phone number


def _cost_before(low: str, number: Number, cue: Cue, cues: list[Cue]) -> int | None:
    gap = _NUMBER_CUE.fullmatch(low, number.end, cue.start)
    if gap is None or (number.glued and cue.start != number.end):
        return None
    if any(number.end <= other.start < cue.start for other in cues):
        return None
    return (2 if gap["any"] else 1 if gap.group().strip() else 0) + (1 if _LABEL.search(cue.word) else 0)


def _cost_after(low: str, cue: Cue, number: Number) -> int | None:
    gap = _CUE_NUMBER.fullmatch(low, cue.end, number.start)
    if gap is None or (number.glued and cue.end != number.start) or number.vague:
        return None
    unit = _TIME_UNIT.search(cue.word) or (not cue.word.isascii() and (len(cue.word) == 1 or cue.word.startswith("个")))
    if unit and not re.search(r"[:=是为]|\bis\b|\bare\b", gap["sure"]) and cue.word not in "¥$€£":
        return None
    return 0 if not gap.group().strip() or re.search("[:=]", gap["sure"]) else 1


def _stands_free(message: Message, number: Number, cues: list[Cue], slot: Slot) -> bool:
    low = message.lower
    start, end = message.clause_at(number.start)
    alone = bool(_ALONE.search(low[start : number.start]) and _ALONE_AFTER.search(low[number.end : end]))
    if (
        number.glued
        or _A_HEAD_EACH.search(low, start, number.start)
        or _TIME_AFTER.match(low, number.end)
        or _ORDINAL_AFTER.match(low, number.end)
    ):
        return False
    if slot.cues and _has_foreign_unit(low, number, cues):
        return False
    if alone:
        return True
    small = number.zh and number.value < 10 and not _A_HEAD.match(low, number.end)  # 三个问题
    return not (number.vague or small or message.asks_at(number.start))


def _has_foreign_unit(low: str, number: Number, cues: list[Cue]) -> bool:
    after = re.compile(r"\s?-?[个多来几+]{0,2}\s?").match(low, number.end)
    reach = after.end() if after else number.end
    if low[: number.start].rstrip().endswith(("$", "¥", "€", "£")):
        return True
    return any(not cue.names and number.end <= cue.start <= reach for cue in cues)
