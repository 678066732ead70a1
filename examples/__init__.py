"""Examples that ship with their data."""
