"""Webhooks: inboxes that send what customers write, and are sent what they are answered. `webhooks.py` wires it."""
