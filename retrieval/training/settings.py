"""How long and how hard a retriever is trained."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

__all__ = ["TrainingSettings"]


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """The defaults are BSARD's (Louis and Spanakis, ACL 2022)."""

    n_epochs: int = 100
    batch_size: int = 22  # pairs
    learning_rate: float = 2e-5  # at its highest
    weight_decay: float = 0.01
    n_warmup_steps: int = 500  # but never more than a tenth of all steps
    temperature: float = 0.05  # τ of the in-batch loss
    n_hard_negatives: int = 0  # a pair, besides the other articles of the batch
    term_dropout: float = 0.0  # of the static base: a question loses a share of its terms, from 0 to at most this
    base_share: float = 0.0  # of the base in the mean of its weights and the trained ones that is kept
    patience: int = 10  # epochs without a better dev metric before training ends
    n_checkpoint_steps: int = 100  # steps between two checkpoints
    seed: int = 0

    def __post_init__(self) -> None:
        counts = (self.n_epochs, self.batch_size, self.patience, self.n_checkpoint_steps)
        if min(counts) < 1 or min(self.n_warmup_steps, self.n_hard_negatives, self.seed) < 0:
            raise ValueError(f"training needs counts of 1 or more, warm-up, negatives and seed of 0 or more: {self}")
        if not (0 < self.learning_rate < math.inf and 0 < self.temperature < math.inf and self.weight_decay >= 0):
            raise ValueError(f"training needs a learning rate and a temperature above 0, a decay of 0 or more: {self}")
        if not 0 <= self.term_dropout <= 1:
            raise ValueError(f"training needs a term dropout in [0, 1]: {self}")
        if not 0 <= self.base_share < 1:
            raise ValueError(f"training needs a base share in [0, 1): {self}")

    def learning_rate_at(self, step: int, n_steps: int) -> float:
        """Return the learning rate of a step, from 0: up in a line over the warm-up, then down in a line to 0."""
        n_warmup = min(self.n_warmup_steps, n_steps // 10)
        if step < n_warmup:
            return self.learning_rate * (step + 1) / n_warmup
        return self.learning_rate * (n_steps - step) / max(n_steps - n_warmup, 1)

    def to_json(self) -> dict[str, int | float]:
        """Return the fields as a dict of plain values."""
        return asdict(self)
