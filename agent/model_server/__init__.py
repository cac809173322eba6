"""A language model served by vLLM on this machine: vLLM's own environment, a model that it can load, and the server."""
