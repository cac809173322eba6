"""`python -m evals`: the verbs of `nonliquet evals`."""

from agent.cli import run
from evals.cli import register_verbs

run("python -m evals", [register_verbs])
