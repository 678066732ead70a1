"""maitred: the model orders from the menu; code runs the floor."""

__version__ = "0.1.0"
