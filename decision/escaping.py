"""Escaping: what customers, tools and knowledge bring must not pass for our tags or for the frame of a chat template.

Only what could forge one of them is altered: the bracket before `now` or `earlier`, and before a model's special token such as
`<|im_end|>` or `[INST]`. (Most servers tokenize the rendered prompt as one string, so a token that a customer types is as good as
the template's own: transformers#29279, vllm#31735, llama.cpp#26273, ollama#17262.) The bracket becomes `&lt;`, `&#65308;` or
`&#91;`; such an entity that stood there before gets one `amp;` more, so `unescape` gives back every text.
All else (`{{7*7}}`, `{% %}`, `{x}`, `</menu>`, `system:`) passes as it is: nothing here or later renders templates, and roles are
fields of JSON, not lines of text. Called by everything in the prompt that holds text which is not ours. Pure and linear.
"""

import re

TAGS = ("now", "earlier")
_ENTITIES = {"<": "&lt;", "＜": "&#65308;", "[": "&#91;"}
_CHARACTERS = {entity: character for character, entity in _ENTITIES.items()}

# Between a bracket and its name people, and attackers, put slashes, spaces and what nobody sees.
_GAP = r"[\s/\\\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]{0,8}"
_ROLE_TOKENS = (
    r"(?:s|bos|eos|pad|unk|sep|cls|mask|start_of_turn|end_of_turn|start_of_image|sys|think|tool_call|tool_response)"
)
_BRACKET_TOKENS = (
    r"(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content|args|call_id|img|think|gmask|sop)"
)
# A bracket within a token counts as any character: escaped itself, it leaves a token around it.
_TAG_LIKE = re.compile(  # one set of characters in front, so that the engine skips to the next of them
    r"[<＜\[&](?i:"
    rf"(?<=[<＜])(?={_GAP}(?:{'|'.join(TAGS)})(?![^\W_])|[|｜][^\s>＞]{{1,40}}>|[^\s>＞|｜]{{1,40}}[|｜]>|/?{_ROLE_TOKENS}>)"
    rf"|(?<=\[)(?=/?{_BRACKET_TOKENS}\])"
    r"|(?<=&)(?=(?:amp;)*(?:lt|#65308|#91);))"
)
_ESCAPED = re.compile(r"&((?:amp;)*)(lt|#65308|#91);", re.IGNORECASE)


def escape(text: str) -> str:
    """`text` without anything that could forge a tag of ours or a special token."""
    return _TAG_LIKE.sub(lambda found: _ENTITIES.get(found[0], "&amp;"), text)


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return _ESCAPED.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    more, entity = found[1], found[2]
    return f"&{more[4:]}{entity};" if more else _CHARACTERS[f"&{entity.lower()};"]
