"""The HTTP service: an OpenAI-compatible surface and a native one over one Maitred."""
