"""nearest: the end of a message about a name that nothing has. Called wherever a name of a flow is looked up."""

import difflib
from collections.abc import Iterable


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint for the end of a message: the nearest allowed name, or all of them."""
    options = sorted({str(option) for option in allowed})
    close = difflib.get_close_matches(str(name), options, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; allowed: {', '.join(options) or 'none'}"
