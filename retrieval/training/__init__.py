"""Retrievers trained on questions, or on a statute's own citations. All of it but the settings needs extra `dense`."""
