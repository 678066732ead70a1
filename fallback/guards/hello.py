"""Hello: a bare greeting."""

from ...protocol.normalize import normalize
from .view import GuardView, GuardWish

_HELLOS = frozenset(
    (
        "hello|hi|hey|hello there|hi there|good morning|good afternoon|good evening|"
        "你好|您好|哈喽|嗨|在吗|你好啊|您好啊|早上好|下午好|晚上好|你好 在吗|您好 在吗"
    ).split("|")
)


def hello(view: GuardView) -> GuardWish | None:
    """A bare greeting needs no model."""
    if view.greeting and normalize(view.text) in _HELLOS:
        return GuardWish("answer", reason="a greeting", words=view.greeting)
    return None
