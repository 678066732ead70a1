"""The prompt: a decision request as chat messages, made so that a provider's prefix cache survives.

    constant system message | past turns | the customer's text | block `<now>`

What was sent last turn, up to and including the customer's text, is a byte-exact prefix of what is sent this turn, except at a
history cut, at a switch of language and in a new episode. So nothing that changes stands in front: no id, no time, no counter,
no state. Text that is not ours is escaped (`escaping.py`) and no template is ever rendered. Pure; called by deciders that ask a
model. Sizes: `prompt_settings.py`; golden examples: docs/prompt.md.
"""

from ..protocol.decision import DecisionRequest
from ..protocol.texts import Lang
from .escaping import escape
from .history import Message, past_messages, user_content
from .now_block import now_block
from .prompt_settings import PromptSettings
from .prompt_words import WORDS

DEFAULT = PromptSettings()


def messages_for(request: DecisionRequest, settings: PromptSettings = DEFAULT) -> list[Message]:
    """The messages of one question: system, then user and assistant in turn, the last one from the user.

    The block ends the last message, behind a blank line: two messages of one role in a row, or a system message that is not the
    first, are refused by the chat templates of Gemma, Llama 2 and Mistral. `own_message` sends it as a message of its own.
    """
    past = past_messages(request.history, WORDS[request.lang], settings)
    said = "\n".join(message["content"] for message in past if message["role"] == "assistant")
    text, block = user_content(request.text), now_block(request, settings, said)
    last: list[Message] = (
        [{"role": "user", "content": text}, {"role": "user", "content": block}]
        if settings.own_message
        else [{"role": "user", "content": f"{text}\n\n{block}"}]
    )
    return [system_message(request.identity, request.lang), *past, *last]


def system_message(identity: str, lang: Lang) -> Message:
    """Identity and output format: the same for every question of a flow in one language."""
    rules = WORDS[lang].rules
    return {"role": "system", "content": f"{escape(identity.strip())}\n{rules}" if identity.strip() else rules}
