"""Edge: the turn. Runs proposals through the core and makes the result durable through ports."""
