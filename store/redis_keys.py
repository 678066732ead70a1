"""Names of a session's keys: all hash to one slot, since the state's own name is the hash tag of its siblings."""

_SIBLINGS = ("lease", "events", "history", "turns", "requests")


def keys_of(session_id: str) -> tuple[str, ...]:
    """State, lease, events, history, turns, requests. An id holds no brace (`protocol/ids.py`)."""
    state = f"agent_state:{session_id}"
    return (state, *(f"{{{state}}}:{name}" for name in _SIBLINGS))


def late_key(session_id: str) -> str:
    """Not among the others: where it is missing, as it mostly is, a cluster that moves the slot would refuse them all."""
    return f"{{agent_state:{session_id}}}:late"
