"""Is one word the other with a slip of the finger? Which words are worth asking about is the caller's matter."""


def one_edit(one: str, two: str) -> bool:
    """One letter changed, added, dropped, or two neighbours swapped; the first letter is right."""
    if abs(len(one) - len(two)) > 1 or one[:1] != two[:1]:
        return False
    at = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    a, b = one[at:], two[at:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
