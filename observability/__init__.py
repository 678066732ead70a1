"""Observability: what operators see. Logs without personal data, and counts of what the engine tells of its turns."""
