"""Edge: where sessions live."""
