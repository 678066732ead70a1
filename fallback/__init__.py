"""Core: what answers before the model, and what failure leads to. Pure rules; they propose, the machine decides."""
