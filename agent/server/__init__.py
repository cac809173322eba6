"""The HTTP face: the agent behind the OpenAI chat protocol, and behind routes of its own."""
