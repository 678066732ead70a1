"""InstructorDecider: asks a model behind any OpenAI-compatible address. All that knows openai, instructor and tenacity.

`decider.py` what a decision is made of, `settings.py` what it is given, `server.py` the calls, `stream.py` those that are heard
as they come, `bounded.py` what may come back, `failures.py` what went wrong. An edge by exception in the core: it reads the
environment, the clock and the network.
"""

from .decider import InstructorDecider as InstructorDecider
