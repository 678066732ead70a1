"""The harness: maitred measured on public data. Ships, so that users can run it."""
