from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evals.mcq.records import ChoiceQuestion, Condition
from evals.mcq.trials import option_orders, trials_of


def question(question_id: str = "q", n_options: int = 5) -> ChoiceQuestion:
    options = tuple(f"option {n}" for n in range(n_options))
    return ChoiceQuestion(question_id=question_id, text="?", options=options, gold_full=1, cluster=question_id)


def test_no_permutation_is_the_order_of_the_file():
    assert option_orders(question(), 0, seed=3) == [(1, 2, 3, 4, 5)]


@given(n_options=st.integers(2, 7), rounds=st.integers(1, 3), seed=st.integers())
def test_over_as_many_orders_as_options_each_option_stands_once_in_each_place(n_options, rounds, seed):
    orders = option_orders(question(n_options=n_options), n_options * rounds, seed=seed)
    for place in range(n_options):
        assert Counter(order[place] for order in orders) == dict.fromkeys(range(1, n_options + 1), rounds)


def test_orders_depend_on_seed_and_question_alone_and_more_of_them_begin_alike():
    assert option_orders(question(), 12, seed=1)[:4] == option_orders(question(), 4, seed=1)
    assert option_orders(question(), 4, seed=1) != option_orders(question(), 4, seed=2)
    assert option_orders(question("q"), 4, seed=1) != option_orders(question("r"), 4, seed=1)


def test_trials_whose_prompts_begin_alike_stand_next_to_each_other():
    contexts = {
        ("1", Condition.FULL): ("a", "b"),
        ("1", Condition.PARTIAL): ("a",),
        ("2", Condition.FULL): ("c", "d"),
        ("3", Condition.FULL): ("a", "c"),
        ("3", Condition.NONE): (),
    }
    trials = trials_of([question(name) for name in "123"], contexts, n_permutations=2, n_repeats=2, seed=0)
    assert [trial.context for trial in trials[::4]] == [(), ("a",), ("a", "b"), ("a", "c"), ("c", "d")]
    assert [(trial.permutation, trial.repeat) for trial in trials[:4]] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert len({trial.key for trial in trials}) == 20
