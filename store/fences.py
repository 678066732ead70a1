"""Fences: the first one of a session. Beyond any that a session of its name handed out before it was removed or expired, or a
worker that slept since then could still write."""


def first_fence(now_s: float) -> int:
    """`now_s`: seconds since the epoch, by the store's clock."""
    return round(now_s * 1000)
