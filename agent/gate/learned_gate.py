"""The learned gate: the probability that a context is enough for a question."""

from __future__ import annotations

from collections.abc import Sequence

from agent.gate.features import GateFeatures
from agent.gate.model import GateModel
from graph.errors import IndexFolderError
from retrieval.encoder import Encoder
from retrieval.retriever import Retriever

__all__ = ["LearnedGate"]


class LearnedGate:
    """A fitted model on one index.

    encoder: of questions, where it is not to be the retriever's own, such as one with a cache. Raises IndexFolderError
    if the model looks at vectors and the index has none.
    """

    def __init__(self, retriever: Retriever, model: GateModel, *, encoder: Encoder | None = None) -> None:
        if model.reads_vectors and not retriever.index.has_vectors:
            raise IndexFolderError(
                f"{retriever.index.folder}: was built without vectors, and the gate looks at them; build it with: "
                f"nonliquet index SOURCE --index {retriever.index.folder} --encoder embedded"
            )
        self.model = model
        encoder = (encoder or retriever.encoder) if model.reads_vectors else None
        self._features = GateFeatures(retriever, model.knowledge, encoder=encoder)

    def sufficiency(self, question: str, context: Sequence[str], options: Sequence[str] = ()) -> float:
        """Return the probability that these articles are enough to answer, in [0, 1]; 0 for none.

        context: semantic ids. options: their texts, without one that says "cannot be answered". Raises ValueError if
        the model was fitted on options and there are none.
        """
        if self.model.reads_options and not options:
            raise ValueError("this gate was fitted on questions with options; give them, or fit one on questions alone")
        return self.model.probability(self._features.values(question, context, options)) if context else 0.0
