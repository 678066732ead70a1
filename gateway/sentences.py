"""What the gateway itself says to customers, in both languages."""

from collections.abc import Mapping
from typing import Final

from ..protocol.texts import Lang

REFERENCE: Final[Mapping[Lang, str]] = {"en": "(Conversation {ref})", "zh": "（会话 {ref}）"}
ALREADY_DONE: Final[Mapping[Lang, str]] = {
    "en": "In this conversation the following has already been done: {done}. Changing an earlier message cannot undo it, so I "
    "have done nothing now. Please write on from here.",
    "zh": "本次会话中以下操作已经完成：{done}。修改之前的消息无法撤销这些操作，所以我没有做任何改动。请从这里继续。",
}
INTERRUPTED: Final[Mapping[Lang, str]] = {
    "en": "Something went wrong here after your request had been worked on. What was done stays on record. Please ask me how it "
    "stands before you ask for it again.",
    "zh": "您的请求已开始处理，但随后系统出现问题。已完成的部分都有记录，请先询问进展，再决定是否重新提出。",
}
