"""What the command's exit code tells a script."""

from enum import IntEnum

__all__ = ["ExitCode"]


class ExitCode(IntEnum):
    """0 and 3 are results; the others are not."""

    DONE = 0  # answered, or done
    ERROR = 1  # any error but the next
    USAGE = 2  # wrong arguments
    ABSTAINED = 3
    INTERRUPTED = 130  # Ctrl-C, as shells count it: 128 + SIGINT
