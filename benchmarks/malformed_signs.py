"""Signs: kinds of damage within a JSON object, how each is known, and how it is done to a sound object.

The table is read from above and the first sign counts, so what is rare and exact stands before what is broad. Each has a name,
what shows it in the row's object, and how it is done: it takes the sound text and the row's object, for what is kept of it (a
comment, a stray word). Where `in_strings` is false both look at the object with its sound strings emptied. A sign that cannot be
done (no number to spoil) gives the sound text back, and the next is tried. Pure; called by `malformed_damage.py`.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

_STRING = r'"(?:[^"\\]|\\.)*"'
_SOUND_STRING = r'"(?:[^"\\\n\t]|\\["\\/bfnrtu])*"(?=\s*[:,}\]])'
_COMMENT = r"/\*.*?\*/|(?://|#)[^\n{}\[\]\"']*\n?"
_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?"
_NO_NUMBER = rf"(?<=:)\s*(?!{_NUMBER}\s*[,}}\]\s])[-+.]?\d[\w.+-]*"
_LIST_MEMBER = r",\s*\[[^{}]*\](?=\s*}$)"
_EMPTY = "''"

Shown = Callable[[str], bool]
Done = Callable[[str, str], str]


class Sign(NamedTuple):
    """One kind of damage."""

    name: str
    shown: Shown
    done: Done
    in_strings: bool = True

    def put_on(self, sound: str, inside: str) -> str:
        """The sound text with this damage; as it is if the row's object does not show it."""
        seen = inside if self.in_strings else re.sub(_SOUND_STRING, _EMPTY, inside)
        return self.done(sound, seen) if self.shown(seen) else sound


# --- what shows it -----------------------------------------------------------------------------------------------------------


def _has(pattern: str) -> Shown:
    return lambda seen: re.search(pattern, seen, re.DOTALL) is not None


def _open_brackets(seen: str) -> tuple[int, int]:
    """Braces and square brackets that are not closed; below zero where one is closed that was not open."""
    return seen.count("{") - seen.count("}"), seen.count("[") - seen.count("]")


# --- how it is done ----------------------------------------------------------------------------------------------------------


def _replace(pattern: str, by: str | Callable[[re.Match[str]], str]) -> Done:
    """Where it first stands."""
    return lambda sound, _: re.sub(pattern, by, sound, count=1)


def _each_string(change: Callable[[str], str], *, keys: bool = True, values: bool = True) -> Done:
    """Change strings, quotes included."""

    def do(sound: str, _: str) -> str:
        def one(found: re.Match[str]) -> str:
            is_key = sound[found.end() :].startswith(":")
            return change(found[0]) if (keys if is_key else values) else found[0]

        return re.sub(_STRING, one, sound)

    return do


def _last_string(change: Callable[[str], str]) -> Done:
    """Change the last value, which is the decision's words: its content -> what stands there, quotes included."""

    def do(sound: str, _: str) -> str:
        last = [*re.finditer(_STRING, sound)][-1]
        return sound[: last.start()] + change(last[0][1:-1]) + sound[last.end() :]

    return do


def _kept(pattern: str, place: Callable[[str, str], str]) -> Done:
    """Take a piece of the row's object along: (sound text, piece) -> text."""

    def do(sound: str, inside: str) -> str:
        found = re.search(pattern, inside, re.DOTALL)
        return place(sound, found[0]) if found else sound

    return do


def _like_number(sound: str, inside: str) -> str:
    """A number of the decision, with what the row has beside its first digits. Without one, the row's own as a value."""
    found = re.search(_NO_NUMBER, inside)
    word = found[0].strip() if found else ""
    parts = re.fullmatch(r"(\D*0*)\d+(.*)", word)
    if parts is None or re.fullmatch(_NUMBER, word):  # sound: what is wrong stands behind it
        return sound
    spoiled = re.sub(rf"(?<=: ){_NUMBER}", lambda number: f"{parts[1]}{number[0]}{parts[2]}", sound, count=1)
    return spoiled if spoiled != sound else _last_string(lambda _: word)(sound, inside)


def _behind_first_member(sound: str, piece: str) -> str:
    return sound.replace(", ", f", {piece} ", 1)


def _at_the_end(sound: str, piece: str) -> str:
    return f"{sound[:-1]}{piece}}}"


def _unescaped(content: str) -> str:
    return content.replace('\\"', '"')


def _stray_quotes(content: str) -> str:
    """Quotes around the middle of the content."""
    third = len(content) // 3
    return f'"{content[:third]}"{content[third : 2 * third]}"{content[2 * third :]}"'


SIGNS: tuple[Sign, ...] = (
    Sign("all quotes escaped", _has(r'^\{\s*\\"'), lambda sound, _: sound.replace('"', '\\"')),
    Sign("braces doubled", _has(r"^\{\s*\{"), lambda sound, _: f"{{{sound}}}"),
    Sign("comment", _has(_COMMENT), _kept(_COMMENT, _behind_first_member), False),
    Sign("slanted quotes", _has(r"[{\[,:]\s*[“”]"), _each_string(lambda s: f"“{s[1:-1]}”", values=False)),
    Sign("single quotes", _has(r"[{\[,:]\s*'"), _each_string(lambda s: f"'{_unescaped(s[1:-1])}'")),
    Sign("quotes doubled", _has(r':\s*""+[^,}\]\s]'), _last_string(lambda content: f'""{content}"')),
    Sign("words of Python", _has(r"\b(?:True|False)\b"), _replace("true|false", lambda m: m[0].title()), False),
    Sign("no JSON number", _has(_NO_NUMBER), _like_number, False),
    Sign("value missing", _has(r":\s*[,}\]]"), _last_string(lambda _: ""), False),
    Sign("dots for the rest", _has(r",\s*\.\.\.|…"), lambda sound, _: f"{sound[:-1]}, ...}}", False),
    Sign("comma too many", _has(r",\s*[}\],]"), lambda sound, _: f"{sound[:-1]}, }}", False),
    Sign("comma missing", _has(r'"\s*"[^":]*"\s*:'), _replace(", ", " ")),
    Sign("closing quote of a key missing", _has(r'[{,]\s*"\w+:\s*"'), _replace(r'(?<=\w)":', ":")),
    Sign("quotes in a key", _has(r'[{,]\s*"\w*"\w+"'), _replace(r'(?<=")(\w\w)(\w+)(?=":)', r'\1"\2"')),
    Sign("word before a key", _has(r',\s*\w+\s+"'), _kept(r'(?<=,)\s*\w+(?=\s+")', _behind_first_member)),
    Sign("word behind a value", _has(r'"\s+\w+\s*[}\]]'), _kept(r'(?<=")\s+\w+(?=\s*[}\]])', _at_the_end)),
    Sign("line break in a string", _has(r'"[^"{}\[\],]*[\n\t]'), _last_string(lambda content: f'"{content}\n\t"'), False),
    Sign("no such escape", _has(r'\\[^"\\/bfnrtu]'), _last_string(lambda content: f'"{content}\\e"')),
    Sign("quotes in a value", _has(r'".*"'), _last_string(_stray_quotes), False),
    Sign("closing quote missing", _has('"'), _last_string(lambda content: f'"{content}'), False),
    Sign("wrong bracket", lambda seen: min(_open_brackets(seen)) < 0 < max(_open_brackets(seen)), _replace("}", "]"), False),
    Sign("key alone", _has(rf"[{{,]\s*{_EMPTY}\s*}}"), _replace(rf": {_STRING}(?=}}$)", ""), False),
    Sign("list as a member", _has(_LIST_MEMBER), _kept(_LIST_MEMBER, _at_the_end)),
    Sign("keys without quotes", _has(r"[{,]\s*[A-Za-z_]\w*\s*:"), _each_string(lambda s: s[1:-1], values=False), False),
    Sign("value without quotes", _has(r":\s*(?!true|false|null)[A-Za-z_]"), _last_string(lambda content: content), False),
    Sign("key twice", _has(r'("\w+")\s*:[^{}]*\1\s*:'), _replace(r"^\{([^,]*, )", r"{\1\1")),
    Sign("bracket missing", lambda seen: max(_open_brackets(seen)) > 0, _replace("}", ""), False),
    Sign("bracket too many", lambda seen: min(_open_brackets(seen)) < 0, _replace("}", "}}"), False),
)  # fmt: skip
