"""Faults: the crash-safe turn on real files and real processes, killed, stopped, cancelled, cut and doubled, then audited."""
