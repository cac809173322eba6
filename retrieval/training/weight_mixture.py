"""A trained model averaged with the base that it began from: what is learned stays, less of the base is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

__all__ = ["WeightMixture"]


class WeightMixture:
    """share · base + (1 − share) · trained, weight by weight.

    Wortsman et al., "Robust fine-tuning of zero-shot models" (CVPR 2022, arXiv 2109.01903); for dense retrievers Xiao
    et al., "LM-Cocktail" (arXiv 2311.13534), whose share is a half.
    """

    def __init__(self, module: Any, share: float) -> None:
        """module: with the weights of the base, which are copied. share: in [0, 1); 0 leaves the trained weights."""
        self._module, self._share = module, share
        self._base = deepcopy(module.state_dict()) if share else {}

    def apply(self) -> None:
        """Put the mixture in the place of the module's weights."""
        if self._share:
            trained = self._module.state_dict()
            self._module.load_state_dict({name: self._mixed(name, one) for name, one in trained.items()})

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Put the mixture in the place of the module's weights for a while."""
        trained = deepcopy(self._module.state_dict()) if self._share else None
        self.apply()
        yield
        if trained is not None:
            self._module.load_state_dict(trained)

    def _mixed(self, name: str, trained: Any) -> Any:
        return trained.lerp(self._base[name], self._share) if trained.is_floating_point() else trained
