"""The loop that trains every retriever: shuffled batches, AdamW, early stopping, checkpoints, a log.

Which examples make a batch, and what is drawn for it, follows from the seed and the number of the step alone; so a run
that was killed and goes on from its checkpoint has, on a CPU, the weights of one that was never broken.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import torch

from graph.errors import TrainingError
from retrieval.training.run_folder import Checkpoint, TrainingRun
from retrieval.training.settings import TrainingSettings
from retrieval.training.weight_mixture import WeightMixture

__all__ = ["QUICK_S", "DevMetric", "Learner", "Progress", "train"]

QUICK_S = 30.0
"""Seconds that are sooner done again than a checkpoint is written: an epoch that ends within them leaves none."""

Example = TypeVar("Example", contravariant=True)

DevMetric: TypeAlias = Callable[[], float]
"""Measures the model as it is now; higher is better."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with a step's name, how much of it is done, and how much there is."""


class Learner(Protocol[Example]):
    """A model that learns from examples of its kind."""

    module: Any  # torch.nn.Module: its parameters that require gradients are trained

    def loss(self, batch: Sequence[Example], rng: np.random.Generator) -> Any:
        """Return the batch's mean loss, a scalar tensor; what is drawn at random, negatives say, comes from `rng`."""
        ...


def train(
    learner: Learner[Example],
    examples: Sequence[Example],
    settings: TrainingSettings,
    run: TrainingRun,
    *,
    dev: DevMetric | None = None,
    progress: Progress = lambda step, done, total: None,
) -> None:
    """Train the learner's module in place, going on from the run's checkpoint if it has one.

    The module ends with the weights that were best by `dev`, which is asked before the first step and after each
    epoch; without it, with the last ones. With a `base_share`, the weights that are measured and kept are those of the
    mixture with what the module began with. Mixed precision (bfloat16) where the module is on a GPU. A checkpoint is
    written every `n_checkpoint_steps`, and after an epoch if the last one is older than `QUICK_S`.
    Raises TrainingError if there are no examples, or a loss is not finite: the last checkpoint is kept.
    """
    if not examples:
        raise TrainingError("there is nothing to train on: no pair of a question and an article is left")
    parameters = [one for one in learner.module.parameters() if one.requires_grad]
    rate, decay = settings.learning_rate, settings.weight_decay
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=decay, fused=True)  # a ninth of the time on a CPU
    n_batches = math.ceil(len(examples) / settings.batch_size)
    n_steps = n_batches * settings.n_epochs
    torch.manual_seed(settings.seed)  # of dropout
    mixture = WeightMixture(learner.module, settings.base_share)
    state = _resumed(learner, optimizer, run)
    if state is None:
        state = Checkpoint(best=_measured(learner, dev))
        if state.best is not None:
            run.log_dev(0, state.best)
            run.save_best(learner.module.state_dict())
    saved_at = time.monotonic()
    for step in range(state.step, n_steps):
        if state.n_worse >= settings.patience:
            break
        progress("training", step, n_steps)
        rng = np.random.default_rng((settings.seed, step))
        loss = _take_step(learner, optimizer, _batch(examples, step, settings), rng, settings, step, n_steps, run)
        run.log_step(step + 1, loss, optimizer.param_groups[0]["lr"])
        state.step = step + 1
        is_epoch = state.step % n_batches == 0
        if is_epoch:
            with mixture.applied():
                _end_epoch(learner, dev, run, state)
        if state.step % settings.n_checkpoint_steps == 0 or (is_epoch and time.monotonic() - saved_at >= QUICK_S):
            run.save_checkpoint(state, learner.module.state_dict(), optimizer.state_dict())
            saved_at = time.monotonic()
    progress("training", n_steps, n_steps)
    if state.best is not None:
        learner.module.load_state_dict(run.best())
    else:
        mixture.apply()


def _batch(examples: Sequence[Example], step: int, settings: TrainingSettings) -> list[Example]:
    """Return the examples of a step: each epoch goes through all of them, in an order of its own."""
    epoch, place = divmod(step, math.ceil(len(examples) / settings.batch_size))
    order = np.random.default_rng((settings.seed, epoch)).permutation(len(examples))
    chosen = order[place * settings.batch_size : (place + 1) * settings.batch_size]
    return [examples[number] for number in chosen.tolist()]


def _take_step(
    learner: Learner[Example],
    optimizer: Any,
    batch: Sequence[Example],
    rng: np.random.Generator,
    settings: TrainingSettings,
    step: int,
    n_steps: int,
    run: TrainingRun,
) -> float:
    for group in optimizer.param_groups:
        group["lr"] = settings.learning_rate_at(step, n_steps)
    learner.module.train()
    device = next(learner.module.parameters()).device.type
    with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        loss = learner.loss(batch, rng)
    value = float(loss.detach())
    if not math.isfinite(value):
        raise TrainingError(
            f"{run.path}: the loss of step {step + 1} is {value}; {run.kept()}; try a lower --learning-rate in a new "
            "folder"
        )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return value


def _end_epoch(learner: Learner[Example], dev: DevMetric | None, run: TrainingRun, state: Checkpoint) -> None:
    found = _measured(learner, dev)
    if found is None:
        return
    run.log_dev(state.step, found)
    if state.best is None or found > state.best:
        state.best, state.n_worse = found, 0
        run.save_best(learner.module.state_dict())
    else:
        state.n_worse += 1


def _measured(learner: Learner[Example], dev: DevMetric | None) -> float | None:
    if dev is None:
        return None
    learner.module.eval()
    with torch.no_grad():
        return dev()


def _resumed(learner: Learner[Example], optimizer: Any, run: TrainingRun) -> Checkpoint | None:
    found = run.checkpoint()
    if found is None:
        return None
    state, weights, optimizer_state = found
    learner.module.load_state_dict(weights)
    optimizer.load_state_dict(optimizer_state)
    return state
