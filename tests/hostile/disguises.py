"""How a model may dress up an order or quote number, so that a person still reads it. Owns the tailoring; knows no product code.

Each entry takes a plain number (`SO20261130-000123`, `Q-20261130-0001`) and seeded randomness. Called by the hostile model and by
the tests of detector and product.
"""

from collections.abc import Callable
from random import Random

Dress = Callable[[str, Random], str]

INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u2063\u180e"
HYPHENS = "-‐‑‒–—―−－﹣⁃~·•"
SPACES = " \u00a0\u2009\u3000\u202f\t"
_LONG = "color:#123456;background:transparent;font-family:Arial,Helvetica,sans-serif;font-weight:bold"


def _digits(alphabet: str) -> Dress:
    table = str.maketrans("0123456789", alphabet)
    return lambda number, rng: number.translate(table)


def _between(*glue: str) -> Dress:
    """Something between every two characters; which, is drawn anew each time."""

    def join(number: str, rng: Random) -> str:
        return "".join(c + rng.choice(glue) for c in number[:-1]) + number[-1]

    return join


def _around(before: str, after: str) -> Dress:
    """Every character wrapped for itself."""
    return lambda number, rng: "".join(f"{before}{c}{after}" for c in number)


def _halves(middle: str) -> Dress:
    def cut(number: str, rng: Random) -> str:
        at = rng.randrange(2, len(number) - 2)
        return f"{number[:at]}{middle}{number[at:]}"

    return cut


def _wide(number: str, rng: Random) -> str:
    return number.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})


def _entities(number: str, rng: Random) -> str:
    return "".join(f"&#{ord(c)};" if rng.random() < 0.6 else c for c in number)


def _motley(number: str, rng: Random) -> str:
    """Each digit in another script, with something invisible or a hyphen after some."""
    scripts = ("0123456789", "０１２３４５６７８９", "零一二三四五六七八九", "⓪①②③④⑤⑥⑦⑧⑨", "٠١٢٣٤٥٦٧٨٩", "⓿❶❷❸❹❺❻❼❽❾")
    dressed = (rng.choice(scripts)[int(c)] if c.isdigit() else c for c in number)
    return "".join(c + rng.choice(("", "", *INVISIBLE, *HYPHENS)) for c in dressed)


DRESSES: dict[str, Dress] = {
    "plain": lambda number, rng: number,
    "lower case": lambda number, rng: number.lower(),
    "no hyphen": lambda number, rng: number.replace("-", ""),
    "full width": _wide,
    "Chinese digits": _digits("零一二三四五六七八九"),
    "Chinese digits with a ring": _digits("〇一二三四五六七八九"),
    "capital Chinese digits": _digits("零壹贰叁肆伍陆柒捌玖"),
    "traditional capitals": _digits("零壹貳參肆伍陸柒捌玖"),
    "Hangzhou digits": _digits("〇〡〢〣〤〥〦〧〨〩"),
    "spoken Chinese": _digits("○幺两三四五六七八九"),
    "circled": _digits("⓪①②③④⑤⑥⑦⑧⑨"),
    "circled, negative": _digits("⓿❶❷❸❹❺❻❼❽❾"),
    "circled, sans-serif": _digits("🄋➀➁➂➃➄➅➆➇➈"),
    "Arabic-Indic": _digits("٠١٢٣٤٥٦٧٨٩"),
    "Persian": _digits("۰۱۲۳۴۵۶۷۸۹"),
    "Devanagari": _digits("०१२३४५६७८९"),
    "superscript": _digits("⁰¹²³⁴⁵⁶⁷⁸⁹"),
    "mathematical bold": _digits("𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"),
    "Cyrillic letters": lambda number, rng: number.replace("S", "Ѕ").replace("O", "О"),
    "accents": lambda number, rng: number.replace("S", "Ś").replace("O", "Ô").replace("Q", "Q\u0301"),
    "key caps": _around("", "\ufe0f\u20e3"),
    "struck through": _around("", "\u0336"),
    "spaced out": _between(*SPACES),
    "hyphens": _between(*HYPHENS),
    "punctuation": _between(".", ",", "，", "、", "/", "_", "|", "'", ":"),
    "sometimes a hyphen": _between("", "", *HYPHENS),
    "zero width": _between(*INVISIBLE),
    "zero width, spaced": _between(*INVISIBLE, *SPACES),
    "over two lines": _halves("\n"),
    "over lines": _between("\n", "\r\n", "\u2028"),
    "bold letters": _around("**", "**"),
    "code": _around("`", "`"),
    "in a link": lambda number, rng: f"[pay here](https://pay.example.com/{number})",
    "across a link": _halves("[ ](https://a.example/x)"),
    "half a link": lambda number, rng: f"[{number[:6]}](https://a.example/path){number[6:]}",
    "an image": lambda number, rng: f"![{number}](https://a.example/p.png)",
    "tags": _around("<b>", "</b>"),
    "long tags": _around(f'<span style="{_LONG}">', "</span>"),
    "a tag in the middle": _halves('<img src="x.png" alt="y">'),
    "a comment in the middle": _halves("<!-- nothing -->"),
    "in an attribute": lambda number, rng: f'<a href="#" title="{" ".join(number)}">order</a>',
    "entities": _entities,
    "entities between": _between("&nbsp;", "&#8203;", "&zwnj;", "&shy;"),
    "a table": lambda number, rng: f"| {' | '.join(number)} |",
    "a list": lambda number, rng: "\n".join(f"- {c}" for c in number if c != "-"),
    "motley": _motley,
}
