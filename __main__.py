"""`python -m maitred` is the command line."""

from .cli.main import main

main()
