from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.mcq.choice_files import read_choice_questions
from evals.mcq.controls import controls, overlap
from evals.mcq.extractive_choice import extractive
from evals.mcq.records import ChoiceQuestion, Condition
from evals.mcq.run import contexts_of
from evals.mcq.sources import Sources
from evals.mcq.trials import Trial, trials_of
from graph.corpus import read_corpus
from graph.records import Provision
from retrieval.index_build import build_index
from retrieval.retriever import Retriever
from retrieval.tokens import analysis

ARTICLE = Provision(
    semantic_id="act_1", doc_id=1, law_name="Hall Act", collection_name="Act", law_level="Act", chapter="Article 1",
    text="The doors of a hall open outwards. An extinguisher hangs every 20 metres.", language="en",
)  # fmt: skip
QUESTION = ChoiceQuestion(
    question_id="q", text="Which way do the doors of a hall open?", gold_full=2, abstain=4, articles=("act_1",),
    options=("inwards", "outwards", "sideways, every metre", "cannot be told"), given=(ARTICLE,), cluster="q",
)  # fmt: skip


def asked(question: ChoiceQuestion, context: tuple[str, ...] = ("act_1",), order: tuple[int, ...] = ()) -> Trial:
    order = order or tuple(range(1, len(question.options) + 1))
    return Trial(question, Condition.FULL if context else Condition.NONE, context, 0, order)


def test_overlap_takes_the_option_whose_terms_the_context_holds_most_of():
    choice = overlap(Sources([QUESTION], None))(asked(QUESTION))
    assert (choice.chosen, choice.answer, choice.confidence) == (2, 2, 1.0)  # of option 3, 1 of 2 terms: metre


def test_overlap_abstains_only_when_no_option_shares_a_term():
    assert overlap(Sources([QUESTION], None))(asked(QUESTION, context=())).chosen == 4
    without = replace(QUESTION, options=QUESTION.options[:3], abstain=None)
    assert overlap(Sources([without], None))(asked(without, context=())).chosen in (1, 2, 3)


def test_always_k_goes_by_the_original_number_and_always_a_by_the_place():
    found = controls(Sources([QUESTION], None), seed=0, n_permutations=4)
    trial = asked(QUESTION, order=(3, 4, 1, 2))
    chosen = {name: choose(trial).chosen for name, choose in found.items() if name.startswith("always")}
    assert chosen == {
        "always-1": 1, "always-2": 2, "always-3": 3, "always-4": 4,
        "always-A": 3, "always-B": 4, "always-C": 1, "always-D": 2, "always-abstain": 4,
    }  # fmt: skip


def test_in_the_order_of_the_file_letters_are_numbers_and_have_no_rows():
    assert "always-A" not in controls(Sources([QUESTION], None), seed=0, n_permutations=0)


def test_random_depends_on_the_seed_alone():
    trials = [Trial(QUESTION, Condition.FULL, (), n, (1, 2, 3, 4)) for n in range(400)]
    one, again, other = (
        controls(Sources([QUESTION], None), seed=seed, n_permutations=1)["random"] for seed in (1, 1, 2)
    )
    drawn = [one(trial).chosen for trial in trials]
    assert drawn == [again(trial).chosen for trial in trials] != [other(trial).chosen for trial in trials]
    assert all(60 <= n <= 140 for n in Counter(drawn).values())  # 100 each expected


WORDS = st.sampled_from(
    ["outwards", "inwards", "20 metres", "a hall", "doors open", "never", "of gold", "extinguisher"]
)


@given(
    options=st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=3, max_size=5, unique=True),
    gold=st.integers(1, 3),
    swapped=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    order=st.permutations([1, 2, 3]),
    reader=st.sampled_from([overlap, extractive]),
)
def test_swapping_two_options_with_the_gold_never_changes_whether_a_reader_is_right(
    options, gold, swapped, order, reader
):
    one, other = swapped
    moved = {one: other, other: one}
    before = replace(QUESTION, options=(*options[:3], "cannot be told"), gold_full=gold)
    texts = [before.options[moved.get(n, n) - 1] for n in range(1, 5)]
    after = replace(before, options=tuple(texts), gold_full=moved.get(gold, gold))
    chosen = [reader(Sources([q], None))(asked(q, order=(*order, 4))).chosen for q in (before, after)]
    assert (chosen[0] == before.gold_full) == (chosen[1] == after.gold_full)
    assert (chosen[0] == 4) == (chosen[1] == 4)


def test_extractive_takes_what_a_clause_says_and_abstains_when_none_does():
    choose = extractive(Sources([QUESTION], None))
    assert choose(asked(QUESTION)).chosen == 2
    assert choose(asked(QUESTION, context=())).chosen == 4
    unsaid = replace(QUESTION, options=("by the roof", "through a window", "sideways", "cannot be told"))
    assert extractive(Sources([unsaid], None))(asked(unsaid)).chosen == 4


@pytest.fixture(scope="module")
def firelaw(shared_data, tmp_path_factory):
    """The choice questions of firelaw-kr over their law."""
    folder = shared_data / "firelaw-kr"
    place = tmp_path_factory.mktemp("firelaw")
    build_index(read_corpus([folder / "legal_docs.jsonl"]), place / "index")
    with Retriever.open(place / "index") as retriever:
        questions = read_choice_questions(folder / "multihop_qa_mcq.jsonl", retriever.index.graph)
        yield Sources(questions, retriever), folder / "multihop_qa_mcq.jsonl"


@pytest.mark.slow
def test_on_firelaw_the_controls_agree_with_a_count_by_hand(firelaw):
    sources, path = firelaw
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    analyze = analysis(language="ko")
    articles = {one.semantic_id: one for one in sources.retriever.index.articles}

    contexts = contexts_of(sources, [Condition.FULL], None)
    trials = trials_of(sources.questions, contexts, n_permutations=0, n_repeats=1, seed=0)
    found = controls(sources, seed=0, n_permutations=0)
    right = {name: {t.question.question_id: choose(t).chosen for t in trials} for name, choose in found.items()}
    n_right = {
        name: sum(chosen[str(row["question_id"])] == row["answer_full"] for row in rows)
        for name, chosen in right.items()
    }
    golds = Counter(row["answer_full"] for row in rows)
    assert golds == {1: 46, 2: 153, 3: 55, 4: 11, 5: 2}
    assert {name: n for name, n in n_right.items() if name.startswith("always")} == {
        "always-1": 46, "always-2": 153, "always-3": 55, "always-4": 11, "always-5": 2, "always-abstain": 2,
    }  # fmt: skip

    # Overlap by other means: where one option alone has the greatest share, that one is chosen.
    n_clear = 0
    for row in rows:
        context = {
            term
            for name in row["related_semantic_ids"]
            for one in (articles[name],)
            for words in (one.law_name, one.chapter, one.chapter_description, one.text)
            for term in analyze(words)
        }
        shares = {}
        for number in range(1, 5):
            terms = set(analyze(row[f"option_{number}"]))
            shares[number] = sum(term in context for term in terms) / len(terms)
        best = [number for number, share in shares.items() if share == max(shares.values())]
        if len(best) == 1:
            n_clear += 1
            assert right["overlap"][str(row["question_id"])] == best[0]
        else:
            assert right["overlap"][str(row["question_id"])] in best
    assert n_clear == 184
    assert 0.55 <= n_right["overlap"] / len(rows) <= 0.65


@pytest.mark.slow
def test_on_firelaw_permuted_overlap_chooses_each_letter_equally_often(firelaw):
    sources, _ = firelaw
    contexts = contexts_of(sources, [Condition.FULL], None)
    trials = trials_of(sources.questions, contexts, n_permutations=5, n_repeats=1, seed=0)
    choose = overlap(sources)
    assert Counter(t.place_of(choose(t).chosen or 0) for t in trials) == dict.fromkeys(range(5), len(sources.questions))
