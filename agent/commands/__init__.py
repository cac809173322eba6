"""The verbs of the command line, one file each: arguments -> one call -> printed result and exit code."""
