"""Slot values out of a customer's message, by rules; `readers.read_slots` is the door."""
