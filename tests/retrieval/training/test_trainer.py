import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")

from graph.errors import TrainingError  # noqa: E402
from retrieval.training.run_folder import TrainingRun  # noqa: E402
from retrieval.training.settings import TrainingSettings  # noqa: E402
from retrieval.training.trainer import train  # noqa: E402

SETTINGS = TrainingSettings(n_epochs=4, batch_size=3, learning_rate=0.05, n_checkpoint_steps=2, patience=2, seed=5)
EXAMPLES = [(x / 10, 3 * x / 10 - 1) for x in range(10)]  # 4 steps an epoch, 16 in all


class Line:
    """Learns y = 3x - 1, through a dropout, with something drawn at random in each loss."""

    def __init__(self, *, broken_at=None):
        torch.manual_seed(0)
        self.module = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
        self.n_losses = 0
        self.broken_at = broken_at

    def loss(self, batch, rng):
        self.n_losses += 1
        if self.n_losses == self.broken_at:
            raise KeyboardInterrupt
        x, y = torch.tensor(batch, dtype=torch.float32).T
        found = self.module(x[:, None])[:, 0]
        return ((found - y) ** 2).mean() + float(rng.random()) * found.mean() ** 2 / 100

    def error(self):
        x, y = torch.tensor(EXAMPLES, dtype=torch.float32).T
        with torch.no_grad():
            return -float(((self.module.eval()(x[:, None])[:, 0] - y) ** 2).mean())

    def weights(self):
        return np.concatenate([one.detach().numpy().ravel() for one in self.module.parameters()])


def trained(folder, line, *, dev=True, settings=SETTINGS, config=None):
    with TrainingRun.open(folder, config or {"kind": "line"}) as run:
        train(line, EXAMPLES, settings, run, dev=line.error if dev else None)
        return run.log()


def test_training_lowers_the_loss(tmp_path):
    line = Line()
    before = line.error()
    log = trained(tmp_path / "model", line)
    assert line.error() > before / 2
    assert [record["step"] for record in log if "loss" in record] == list(range(1, 17))


@pytest.mark.parametrize("base_share", [0.0, 0.5])
@pytest.mark.parametrize("dev", [True, False])
@pytest.mark.parametrize("broken_at", [1, 4, 5, 10])
def test_a_run_that_was_killed_ends_with_the_weights_and_the_log_of_one_that_was_not(
    tmp_path, broken_at, dev, base_share
):
    settings = replace(SETTINGS, base_share=base_share)
    whole = Line()
    log = trained(tmp_path / "whole", whole, dev=dev, settings=settings)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "broken", Line(broken_at=broken_at), dev=dev, settings=settings)
    resumed = Line()
    torch.manual_seed(99)
    assert trained(tmp_path / "broken", resumed, dev=dev, settings=settings) == log
    assert resumed.weights().tolist() == whole.weights().tolist()
    if broken_at > 2:
        assert resumed.n_losses < whole.n_losses


def test_a_share_of_the_base_is_mixed_into_what_is_kept_and_not_into_what_is_trained(tmp_path):
    base, plain, mixed = Line().weights(), Line(), Line()
    trained(tmp_path / "plain", plain, dev=False)
    trained(tmp_path / "mixed", mixed, dev=False, settings=replace(SETTINGS, base_share=0.25))
    assert mixed.weights().tolist() == pytest.approx((0.25 * base + 0.75 * plain.weights()).tolist(), abs=1e-6)


def test_with_a_share_of_the_base_the_mixture_is_what_is_measured_and_kept(tmp_path):
    line, measured = Line(), []
    metric = iter([0.0, 0.2, 0.5, 0.3, 0.4])

    def dev():
        measured.append(line.weights())
        return next(metric)

    with TrainingRun.open(tmp_path / "mixed", {}) as run:
        train(line, EXAMPLES, replace(SETTINGS, base_share=0.25), run, dev=dev)
    assert line.weights().tolist() == measured[2].tolist()
    for epoch in (1, 2):
        shorter = Line()
        with TrainingRun.open(tmp_path / str(epoch), {}) as run:
            run_to(shorter, epoch, run)
        expected = 0.25 * measured[0] + 0.75 * shorter.weights()
        assert measured[epoch].tolist() == pytest.approx(expected.tolist(), abs=1e-6)


def run_to(line, n_epochs, run):
    """Train for the first epochs of the four: what stops it stands for a dev metric that gets no better."""
    metric = iter([0.0, *range(1, n_epochs + 1), *[-1.0] * 4])
    train(line, EXAMPLES, replace(SETTINGS, patience=1), run, dev=lambda: next(metric))


@pytest.mark.parametrize("broken_at", [5, 8, 9, 12])
def test_a_slow_epoch_leaves_a_checkpoint_and_a_run_killed_after_it_goes_on_from_there(
    tmp_path, monkeypatch, broken_at
):
    settings = replace(SETTINGS, n_checkpoint_steps=100)
    monkeypatch.setattr("retrieval.training.trainer.QUICK_S", 0.0)  # so that every epoch is slow
    whole = Line()
    log = trained(tmp_path / "whole", whole, settings=settings)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "broken", Line(broken_at=broken_at), settings=settings)
    checkpoint = torch.load(tmp_path / "broken" / "training" / "checkpoint.pt", weights_only=True)
    assert checkpoint["state"]["step"] == 4 * ((broken_at - 1) // 4)  # 4 steps an epoch
    resumed = Line()
    torch.manual_seed(99)
    assert trained(tmp_path / "broken", resumed, settings=settings) == log
    assert resumed.weights().tolist() == whole.weights().tolist()
    assert resumed.n_losses == 16 - checkpoint["state"]["step"]


def test_quick_epochs_are_sooner_done_again_than_saved(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "model", Line(broken_at=10), settings=replace(SETTINGS, n_checkpoint_steps=100))
    assert not (tmp_path / "model" / "training" / "checkpoint.pt").exists()


def test_the_weights_are_those_that_were_best_by_the_dev_metric(tmp_path):
    line = Line()
    kept = []
    metric = iter([0.0, 0.2, 0.5, 0.3, 0.4, 0.9])

    def dev():
        kept.append(line.weights())
        return next(metric)

    with TrainingRun.open(tmp_path / "model", {}) as run:
        train(line, EXAMPLES, SETTINGS, run, dev=dev)
    assert len(kept) == 5  # two epochs without a better one end it: 0.9 is never measured
    assert line.weights().tolist() == kept[2].tolist()


def test_training_that_only_worsens_leaves_the_weights_it_began_with(tmp_path):
    line = Line()
    before = line.weights().tolist()
    metric = iter([0.5, 0.4, 0.3])
    with TrainingRun.open(tmp_path / "model", {}) as run:
        train(line, EXAMPLES, SETTINGS, run, dev=lambda: next(metric))
    assert line.weights().tolist() == before


class Diverging(Line):
    def loss(self, batch, rng):
        loss = super().loss(batch, rng)
        return loss * float("nan") if self.n_losses == 6 else loss


def test_a_loss_that_is_not_a_number_is_an_error_and_the_checkpoint_is_kept(tmp_path):
    with pytest.raises(
        TrainingError, match=r"loss of step 6 is nan; the checkpoint of step 4 is kept; .*learning-rate"
    ):
        trained(tmp_path / "model", Diverging())
    weights = torch.load(tmp_path / "model" / "training" / "checkpoint.pt", weights_only=True)["weights"]
    assert all(torch.isfinite(one).all() for one in weights.values())


def test_no_examples_are_an_error(tmp_path):
    with TrainingRun.open(tmp_path / "model", {}) as run, pytest.raises(TrainingError, match="nothing to train on"):
        train(Line(), [], SETTINGS, run)


def test_a_run_of_another_configuration_is_not_gone_on_with(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "model", Line(broken_at=5), config={"base": "one", "seed": 1})
    with pytest.raises(TrainingError, match="holds a run with other base; name another folder"):
        trained(tmp_path / "model", Line(), config={"base": "two", "seed": 1})


def test_a_run_that_is_done_is_not_gone_on_with(tmp_path):
    with TrainingRun.open(tmp_path / "model", {"kind": "line"}) as run:
        train(Line(), EXAMPLES, SETTINGS, run)
        run.finish()
    assert not (tmp_path / "model" / "training" / "checkpoint.pt").exists()
    with pytest.raises(TrainingError, match="is trained already"):
        trained(tmp_path / "model", Line())


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(TrainingError, match="is there and holds no training run"):
        trained(tmp_path, Line())
    assert [one.name for one in tmp_path.iterdir()] == ["letter.txt"]


def test_a_run_that_another_process_writes_is_left_alone(tmp_path):
    with TrainingRun.open(tmp_path / "model", {}), pytest.raises(TrainingError, match="another process is training"):
        trained(tmp_path / "model", Line(), config={})


def test_a_checkpoint_that_cannot_be_read_is_an_error_that_names_it(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "model", Line(broken_at=5))
    (tmp_path / "model" / "training" / "checkpoint.pt").write_bytes(b"nothing")
    with pytest.raises(TrainingError, match=r"checkpoint\.pt: cannot be read"):
        trained(tmp_path / "model", Line())


def test_a_line_of_the_log_that_a_kill_left_unfinished_is_dropped(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "model", Line(broken_at=5))
    with (tmp_path / "model" / "training" / "log.jsonl").open("a") as file:
        file.write('{"step": 5, "lo')
    log = trained(tmp_path / "model", Line())
    lines = (tmp_path / "model" / "training" / "log.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == log
