"""The learned gate: is a context enough for a question? A small model over features of both and of the index."""
