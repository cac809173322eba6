"""The Paraformer's layers over vectors of sentences (Nguyen et al., 2022, arXiv 2212.13899, equations 9 to 11)."""

from __future__ import annotations

from typing import Any

import torch

from retrieval.training.sparsemax import sparsemax

__all__ = ["ParaformerNetwork"]

_SHARPNESS = 8.0  # of the attention before training: sentences whose cosines differ by an eighth exclude each other
_SCALE = 8.0  # of the cosine in the logit before training
_EVEN = 0.5  # the cosine at which, before training, an article is as likely right as wrong


class ParaformerNetwork(torch.nn.Module):  # type: ignore[misc]  # untyped package
    """A question's attention over an article's sentences, and a linear layer that gives the pair's logit.

    a_i = qᵀ tanh(A r_i + b) (9), α = sparsemax(a) (10), r = Σ α_i r_i (11), and the logit is w · [r, q, d r ∘ q] + c,
    with d the dimension, so that the products are about 1 as the learning rate expects.
    The paper's linear layer reads r; its program lets the question in as well, which we do by the products.
    Nothing is random before training: A and b give, but for tanh's bend, the cosine of question and sentence, and w
    gives that of question and article. So an untrained network ranks as the sentence encoder does.
    """

    def __init__(self, dimension: int, *, dropout: float = 0.1) -> None:
        """dimension: of the sentences' vectors. dropout: of what the linear layer reads."""
        super().__init__()
        self.attention = torch.nn.Linear(dimension, dimension)  # A and b
        self.output = torch.nn.Linear(3 * dimension, 1)  # w and c
        self.dropout = torch.nn.Dropout(dropout)
        with torch.no_grad():
            self.attention.weight.copy_(_SHARPNESS * torch.eye(dimension))
            self.attention.bias.zero_()
            self.output.weight.zero_()
            self.output.weight[0, 2 * dimension :] = _SCALE / dimension
            self.output.bias.fill_(-_SCALE * _EVEN)

    def weights(self, questions: Any, sentences: Any, mask: Any) -> Any:
        """Return α, shape (n, m), each row summing to 1.

        questions: (n, d), of unit length. sentences: (n, m, d), likewise, for each question its own. mask: (n, m),
        true where there is a sentence, which there must be in each row.
        """
        scores = (torch.tanh(self.attention(sentences)) @ questions[:, :, None])[:, :, 0]
        return sparsemax(scores.float() if scores.dtype == torch.bfloat16 else scores, mask)

    def forward(self, questions: Any, sentences: Any, mask: Any) -> Any:
        """Return the logits, shape (n,); the arguments as for `weights`."""
        weights = self.weights(questions, sentences, mask).to(sentences.dtype)
        articles = (weights[:, None, :] @ sentences)[:, 0, :]
        found = torch.cat([articles, questions, questions.shape[1] * articles * questions], dim=1)
        return self.output(self.dropout(found))[:, 0]
