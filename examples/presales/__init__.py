"""The example: pre-sales of a cloud phone system, in Chinese and English, over a real shop in one SQLite file."""
