"""Words: what the layers say to each other. Types and pure text rules only; imports the standard library, pydantic, rfc8785."""
