"""`python -m agent`: the agent's verbs alone."""

from agent.cli import register, run

run("python -m agent", [register])
