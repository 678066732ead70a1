"""Texts: what customers read, by language. Owns the Text type, template filling and the built-in sentences (zh, en).

A Text is one string for every language or a mapping of language to string. A template's fields are dotted paths in braces,
`{seats}` or `{create_order.order_no}`; only values that events of the session hold can fill them. No expression, no call.
"""

import re
from collections.abc import Mapping
from typing import Literal, cast

Lang = Literal["zh", "en"]
LANGS: tuple[Lang, ...] = ("zh", "en")
Text = str | Mapping[Lang, str]

_FIELD = re.compile(r"\{([^\W\d][\w-]*(?:\.[\w-]+)*)\}")
UNKNOWN = "-"


def in_lang(text: Text | None, lang: Lang) -> str:
    """The wording for `lang`; if there is none, any other; empty for None."""
    if text is None or isinstance(text, str):
        return text or ""
    return text.get(lang) or next(iter(text.values()), "")


def all_langs(text: Text | None) -> tuple[str, ...]:
    """Every wording of a text."""
    if text is None:
        return ()
    return (text,) if isinstance(text, str) else tuple(text.values())


def fields_of(text: Text | None) -> frozenset[str]:
    """The paths that a template names, over all languages."""
    return frozenset(path for wording in all_langs(text) for path in _FIELD.findall(wording))


def look_up(path: str, scope: Mapping[str, object]) -> object | None:
    """The value at a dotted path in nested mappings; None if any part is missing."""
    value: object = scope
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = cast(Mapping[str, object], value)[part]
    return value


def fill(template: str, scope: Mapping[str, object]) -> str:
    """Fill `{path}` fields once. Filled values are never looked at again, so a value that looks like a field stays as it is."""

    def value(match: re.Match[str]) -> str:
        found = look_up(match.group(1), scope)
        return UNKNOWN if found is None else _shown(found)

    return _FIELD.sub(value, template)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


SENTENCES: Mapping[str, Mapping[Lang, str]] = {
    "handoff": {
        "en": "I am passing you to a colleague now. Everything we have discussed stays on record.",
        "zh": "正在为您转接人工同事，我们聊过的内容都会保留。",
    },
    "with_human": {
        "en": "Your message has been passed on. A colleague will answer you here; if nobody is on duty, as soon as somebody is.",
        "zh": "您的消息已转达，人工同事会在这里回复您；如暂时无人值班，上班后会尽快联系您。",
    },
    "farewell": {
        "en": "All right, I will leave it here. Write again whenever you like.",
        "zh": "好的，那就先到这里，需要时随时联系我。",
    },
    "completed": {"en": "That is all done. Thank you!", "zh": "已全部办妥，感谢您！"},
    "leave_question": {"en": "Do you want to stop here? (yes / no)", "zh": "您是要结束本次咨询吗？（是 / 否）"},
    "leave_refused": {
        "en": "I cannot close this now, since something is still open here. I can pass you to a colleague if you like.",
        "zh": "这里还有事项没有办完，暂时不能结束。如有需要，我可以为您转人工。",
    },
    "confirm_question": {"en": "{label}: shall I go ahead? (yes / no)", "zh": "{label}：确认继续吗？（是 / 否）"},
    "confirm_again": {
        "en": "Please answer yes or no, so that I do the right thing.",
        "zh": "为避免误操作，请明确回复“是”或“否”。",
    },
    "stopped": {
        "en": "All right, I have stopped, and nothing was done.",
        "zh": "好的，已停下，没有办理任何操作。",
    },
    "declined": {
        "en": "Understood, I have not done that. What would you like to change?",
        "zh": "好的，先不办理。您想调整哪里？",
    },
    "unavailable": {
        "en": "I cannot answer just now, so I have changed nothing. Please try again in a moment.",
        "zh": "系统暂时无法回复，所以没有做任何改动。请稍后再试一次。",
    },
    "rephrase": {
        "en": "I did not get that right, so I have changed nothing. Could you say it in other words?",
        "zh": "我没有理解准确，所以没有做任何改动。您可以换个说法吗？",
    },
    "cut_off": {
        "en": "(I was interrupted here. Please ask again if something is missing.)",
        "zh": "（回答在此中断，如有遗漏，请再问一次。）",
    },
    "not_understood": {"en": "Sorry, I did not catch that.", "zh": "抱歉，我没有听明白。"},
    "choices": {"en": "Here I can help with: {labels}.", "zh": "现在可以为您：{labels}。"},
    "empty_text": {"en": "Your message arrived empty. Please write it again.", "zh": "收到的消息是空的，请再发一次。"},
    "outdated": {
        "en": "We have moved on in the meantime; please look at my last message and write again.",
        "zh": "对话在此期间已有更新，请查看我的上一条消息后再回复。",
    },
    "text_too_long": {
        "en": "Your message is too long for me ({limit} characters at most). Please send the main point.",
        "zh": "消息太长了（最多 {limit} 个字），请发送重点内容。",
    },
    "attachment": {
        "en": "I cannot read pictures, voice or files here. Please write it as text.",
        "zh": "我暂时看不了图片、语音或文件，请用文字描述。",
    },
    "tool_trouble": {
        "en": "That is not available at the moment. Please try again a little later.",
        "zh": "该服务暂时不可用，请稍后再试。",
    },
    "tool_unknown": {
        "en": "I could not find out whether that went through, so a colleague will check it before anything else is done.",
        "zh": "暂时无法确认操作是否成功，已转人工同事核实，核实前不会再做任何操作。",
    },
    "too_often": {
        "en": "That was asked for several times in a row. Please try again later or contact support.",
        "zh": "该操作短时间内重复次数过多，请稍后再试或联系客服。",
    },
    "too_many_turns": {
        "en": "We have been at this for a while, so a colleague takes over from here.",
        "zh": "我们已经沟通较久，接下来由人工同事为您处理。",
    },
    "no_progress": {
        "en": "I do not seem to be of help here, so a colleague takes over.",
        "zh": "看来我没能帮上忙，接下来由人工同事为您处理。",
    },
    "too_many_calls": {
        "en": "This took more checks than I may make at once, so a colleague takes over.",
        "zh": "这次需要查询的内容较多，接下来由人工同事为您处理。",
    },
    "recovered": {"en": "Sorry for the interruption. Let us go on.", "zh": "抱歉刚才中断了，我们继续。"},
    "quarantined": {
        "en": "Your last message made trouble here several times, so a colleague will look at it.",
        "zh": "您上一条消息多次处理失败，已转人工同事查看。",
    },
    "refused.not_a_number": {"en": "For {label} I need a number.", "zh": "{label}需要是数字。"},
    "refused.too_small": {"en": "{label} must be at least {allowed}.", "zh": "{label}不能小于 {allowed}。"},
    "refused.too_large": {"en": "{label} must be at most {allowed}.", "zh": "{label}不能大于 {allowed}。"},
    "refused.not_a_choice": {"en": "{label} can be: {allowed}.", "zh": "{label}可选：{allowed}。"},
    "refused.not_a_date": {
        "en": "For {label} I need a date, such as 2026-12-01.",
        "zh": "{label}需要是日期，例如 2026-12-01。",
    },
    "refused.wrong_pattern": {"en": "{label} does not look right; please check it.", "zh": "{label}格式不对，请核对。"},
    "refused.too_long": {"en": "{label} is too long ({allowed} at most).", "zh": "{label}太长（最多 {allowed}）。"},
    "refused.empty": {"en": "{label} is still empty.", "zh": "{label}还是空的。"},
    "refused.wrong_type": {"en": "I cannot use that for {label}.", "zh": "{label}的内容无法使用。"},
    "ask_slot": {"en": "Could you tell me {label}?", "zh": "请问{label}是？"},
    "noted": {"en": "Noted.", "zh": "好的，已记下。"},
    "action.provide": {"en": "note or correct details", "zh": "记录或更正信息"},
    "action.answer": {"en": "only answer in words", "zh": "只用文字回答"},
    "action.ask_human": {"en": "hand over to a human colleague", "zh": "转人工"},
    "action.leave": {"en": "the customer wants to stop", "zh": "客户想结束咨询"},
    "action.show_detail": {"en": "show the last result in full", "zh": "展示上次查询的完整结果"},
}
"""Built-in sentences by key; a flow replaces any of them with `Flow(texts={key: ...})`."""
