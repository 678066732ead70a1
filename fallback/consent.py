"""Consent: does a message tell us, in so many words, to do just what we asked about? "I read it twice, please place the order."

A bare yes is `protocol/polarity.py`. Here the customer names the action itself, perhaps beside other talk. That counts only if
nothing in the whole message holds back: no question, no negation, no condition, no delay, no change. It guards orders, so every
doubt is a no: the question is simply asked again.
"""

import re
from collections.abc import Iterable

from ..protocol.normalize import normalize, read_clauses

MAX_CHARS = 240

_HOLDS_BACK = re.compile(
    r"\b(?:no|not|nor|none|never|nothing|neither|cannot|without|\w+n't|but|except|unless|if|whether|until|before|after|once|when|"
    r"maybe|perhaps|probably|possibly|might|may|could|would|should|later|tomorrow|tonight|soon|wait|hold|hang|stop|"
    r"think|thinking|thought|consider\w*|decide\w*|unsure|sure about|wonder\w*|ask|asking|discuss\w*|check with|talk to|"
    r"instead|change|changed|different|another|other|cheaper|more|less|fewer|wrong|mistake|incorrect|cancel\w*|first|only|"
    r"almost|nearly|however|although|though|rather|refuse|hate|joking|kidding|"
    r"what|why|how|which|who|where)\b"
    r"|不(?!错|好意思)|没(?!错|问题|毛病)|未|别|等|如果|要是|假如|万一|的话|但|可是|然而|除了|除非|改|换|再(?!次)|先|"
    r"考虑|想想|商量|讨论|问|犹豫|也许|可能|大概|暂|晚点|晚些|明天|后天|以后|之后|之前|回头|取消|退|(?<!没)错(?!过)|"
    r"多少|什么|怎么|为何|为什么|哪|吗|呢|谁|贵|便宜|少(?!不了)|只|才"
)
_GO = (
    "go ahead",
    "proceed",
    "confirmed",
    "i confirm",
    "we confirm",
    "please confirm it",
    "确认下单",
    "确认订单",
    "同意下单",
)


def orders_it(text: str, phrases: Iterable[str]) -> bool:
    """Whether the message orders the action that `phrases` name (its examples; bare yeses among them do not matter)."""
    if len(text) > MAX_CHARS:
        return False
    clauses = read_clauses(text)
    if any(clause.question or _HOLDS_BACK.search(clause.text) for clause in clauses):
        return False
    named = [normalize(phrase) for phrase in (*phrases, *_GO)]
    return any(_names(clause.text, phrase) for clause in clauses for phrase in named if _long_enough(phrase))


def _long_enough(phrase: str) -> bool:
    """Two words, or two Chinese characters: less could stand in any sentence."""
    return " " in phrase or phrase == "confirmed" or (len(phrase) >= 2 and not phrase.isascii())


def _names(clause: str, phrase: str) -> bool:
    return phrase in clause if not phrase.isascii() else f" {phrase} " in f" {clause} "
