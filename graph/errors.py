"""Every error that is the world's fault; the command line prints these in one line, and nothing else catches them.

NonLiquetError
├── CorpusError           a statute source that cannot be read; names file, line and field
├── QuestionsError        a question file that cannot be read; names file, line and field
├── IndexFolderError      no index, a corrupt or foreign one, or one that somebody else is writing
├── EncoderError          an encoder that is not installed, not reachable, or not the one the index was built with
├── ModelError            a language model that is unknown, not installed, or refuses a request
├── SettingsError         a settings file with an unknown name or a value out of range
├── TrainingError         a training run that cannot begin or go on: bad data, another configuration, a loss that is NaN
├── TraceError            a trace that cannot be replayed: no trace, of another index, or without the model's replies
└── ServiceUnavailable    a server (model, vectors, embeddings) that does not answer

A wrong argument from a programmer is a ValueError. Having no answer is not an error: see `agent.reply.Abstention`.
"""

__all__ = [
    "CorpusError",
    "EncoderError",
    "IndexFolderError",
    "ModelError",
    "NonLiquetError",
    "QuestionsError",
    "ServiceUnavailable",
    "SettingsError",
    "TraceError",
    "TrainingError",
]


class NonLiquetError(Exception):
    """Root of the tree; its message is one line that names the offender and what mends it."""


class CorpusError(NonLiquetError):
    """A statute source cannot be read."""


class QuestionsError(NonLiquetError):
    """A question file cannot be read."""


class IndexFolderError(NonLiquetError):
    """There is no index, it is corrupt or foreign, or another process is writing it."""


class EncoderError(NonLiquetError):
    """An encoder is missing, unreachable, or not the one whose vectors are stored."""


class ModelError(NonLiquetError):
    """A language model is unknown, its package is missing, or it refuses a request."""


class SettingsError(NonLiquetError):
    """A settings file names something unknown or a value out of range."""


class TraceError(NonLiquetError):
    """A trace cannot be replayed."""


class TrainingError(NonLiquetError):
    """A training run cannot begin or go on."""


class ServiceUnavailable(NonLiquetError):
    """A server that the request needs does not answer."""
