import pytest

from retrieval.training.settings import TrainingSettings


def test_the_learning_rate_rises_over_the_warm_up_and_falls_to_nothing():
    settings = TrainingSettings(learning_rate=1.0, n_warmup_steps=4)
    rates = [settings.learning_rate_at(step, 44) for step in range(44)]
    assert rates[:5] == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.0])
    assert rates[24] == pytest.approx(0.5)  # 20 of 40 falling steps are done
    assert rates[-1] == pytest.approx(1 / 40)


def test_the_warm_up_is_at_most_a_tenth_of_all_steps():
    settings = TrainingSettings(learning_rate=1.0, n_warmup_steps=500)
    assert [settings.learning_rate_at(step, 20) for step in (0, 1, 2)] == pytest.approx([0.5, 1.0, 1.0])


@pytest.mark.parametrize("name", ["n_epochs", "batch_size", "learning_rate", "temperature", "patience"])
def test_what_must_be_above_zero_is_checked(name):
    with pytest.raises(ValueError, match="training needs"):
        TrainingSettings(**{name: 0})
