"""Core: the flow and its machine. Pure: values in, values out; no I/O, no clock, no randomness."""
