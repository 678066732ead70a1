"""Core: whoever answers "which action?", and the check that every answer passes."""
