"""What webhooks themselves say to customers, in both languages."""

from collections.abc import Mapping
from typing import Final

from ...protocol.texts import Lang

FAILED: Final[Mapping[Lang, str]] = {
    "en": "Something went wrong here and I cannot answer your message. A colleague will look at it.",
    "zh": "系统出现问题，我暂时无法回复您的消息，同事会尽快查看。",
}
