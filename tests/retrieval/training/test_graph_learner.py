import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")

from graph.citation_graph import CitationGraph  # noqa: E402
from graph.records import Edge, EdgeKind, Provision  # noqa: E402
from retrieval.encoder import unit_rows  # noqa: E402
from retrieval.graph_vectors import RELATIONS, Neighbourhoods  # noqa: E402
from retrieval.training.graph_learner import GraphLearner  # noqa: E402
from retrieval.training.pairs import TrainingPair  # noqa: E402
from retrieval.training.run_folder import TrainingRun  # noqa: E402
from retrieval.training.settings import TrainingSettings  # noqa: E402
from retrieval.training.trainer import train  # noqa: E402

N = 24
SETTINGS = TrainingSettings(
    n_epochs=4, batch_size=4, learning_rate=0.05, weight_decay=0.0, temperature=0.1, n_checkpoint_steps=2
)
RNG = np.random.default_rng(3)
VECTORS = unit_rows(RNG.standard_normal((N, 6)))
ARTICLES = [
    Provision(
        semantic_id=f"law{row % 3}_{row}",
        doc_id=row,
        law_name=f"law{row % 3}",
        collection_name="laws",
        law_level="Act",
        chapter=f"Article {row}",
        heading_path=["", "I", "I > a", "II"][row % 4],
        text="Words.",
    )
    for row in range(N)
]
KINDS = [EdgeKind.CITES, EdgeKind.DELEGATES, EdgeKind.IMPLEMENTS, EdgeKind.DEFINES, EdgeKind.EXCEPTS]
EDGES = [
    Edge(ARTICLES[source].semantic_id, ARTICLES[target].semantic_id, KINDS[place % len(KINDS)])
    for place, (source, target) in enumerate(RNG.integers(0, N, size=(60, 2)).tolist())
    if source != target
]


def question_of(row):
    return f"question {row}"


QUESTION_VECTORS = {question_of(row): unit_rows(RNG.standard_normal((1, 6)))[0] for row in range(N)}
PAIRS = [
    TrainingPair(question_of(row), row, frozenset({row, (row + 5) % N}), frozenset({(row + 7) % N})) for row in range(N)
]


def learner(vectors=VECTORS, edges=EDGES, articles=ARTICLES, questions=QUESTION_VECTORS, settings=SETTINGS):
    return GraphLearner(vectors, Neighbourhoods(CitationGraph(articles, edges)), questions, settings)


def loss_of(one, batch):
    return one.loss(batch, np.random.default_rng(0))


def value_of(one, batch):
    return float(loss_of(one, batch).detach())


def with_gains(gains, **options):
    one = learner(**options)
    one.module.double()
    with torch.no_grad():
        one.module.gains.copy_(torch.tensor(gains))
    return one


def test_untrained_the_vectors_are_the_bases():
    assert learner().article_vectors().tolist() == VECTORS.tolist()
    assert set(learner().gains.values()) == {0.0}


def test_the_gradients_are_those_of_finite_differences():
    gains = np.random.default_rng(8).normal(0, 0.3, len(RELATIONS))
    one = with_gains(gains)
    loss_of(one, PAIRS[:6]).backward()
    for name, parameter in one.module.named_parameters():
        for place in range(parameter.numel()):
            losses = []
            for step in (1e-5, -1e-5):
                with torch.no_grad():
                    parameter.view(-1)[place] += step
                    losses.append(value_of(one, PAIRS[:6]))
                    parameter.view(-1)[place] -= step
            expected = (losses[0] - losses[1]) / 2e-5
            assert float(parameter.grad.view(-1)[place]) == pytest.approx(expected, abs=1e-6), (name, place)


def test_the_order_of_the_batch_does_not_matter():
    one = with_gains(np.linspace(-0.3, 0.3, len(RELATIONS)))
    assert value_of(one, PAIRS[:7]) == pytest.approx(value_of(one, PAIRS[:7][::-1]), abs=1e-12)


def test_the_loss_is_that_of_plain_loops():
    gains = np.linspace(-0.2, 0.4, len(RELATIONS))
    one, batch = with_gains(gains), PAIRS[2:5]
    own = [row for pair in batch for row in pair.sources]
    vectors = one.article_vectors(without=own).astype(np.float64)
    expected = []
    for pair in batch:
        cosines = vectors @ QUESTION_VECTORS[pair.question]
        shares = {
            row: np.exp(cosines[row] / 0.1)
            for row in range(N)
            if row == pair.article or row not in pair.right | pair.sources
        }
        expected.append(-np.log(shares[pair.article] / sum(shares.values())))
    assert value_of(one, batch) == pytest.approx(np.mean(expected), abs=1e-5)


# Each article 10 to 19 cites one of 0 to 9, and is of a law of its own. A question is the citing article's own vector,
# and so says nothing about the cited one, whose vector is drawn apart.
CITED = [
    Provision(
        semantic_id=f"law{row}_1",
        doc_id=row,
        law_name=f"law{row}",
        collection_name="laws",
        law_level="Act",
        chapter="Article 1",
        text="Words.",
    )
    for row in range(20)
]
CITING_EDGES = [Edge(f"law{row + 10}_1", f"law{row}_1", EdgeKind.CITES) for row in range(10)]
CITED_VECTORS = unit_rows(np.random.default_rng(5).standard_normal((20, 30)))
OWN_WORDS = {question_of(row): CITED_VECTORS[row + 10] for row in range(10)}


def leak(sources):
    """Train on the cited articles, and return the gain of being cited and how much of the loss went."""
    pairs = [TrainingPair(question_of(row), row, frozenset({row}), sources(row)) for row in range(10)]
    one = learner(CITED_VECTORS, CITING_EDGES, CITED, OWN_WORDS)
    before = value_of(one, pairs)
    optimizer = torch.optim.SGD([one.module.gains], lr=0.5)
    for _ in range(50):
        optimizer.zero_grad()
        loss = loss_of(one, pairs)
        loss.backward()
        optimizer.step()
    return one.gains["cites reversed"], before - float(loss.detach())


def test_with_its_source_among_the_neighbours_a_pair_would_give_itself_away():
    gain, fallen = leak(lambda row: frozenset())
    assert gain > 0.5  # the citing article's vector is the question
    assert fallen > 1


def test_a_pairs_own_source_never_reaches_its_article():
    gain, _ = leak(lambda row: frozenset({row + 10}))
    assert gain == 0.0  # nothing else cites the article, so there is nothing to learn


def test_a_source_reaches_no_other_article_through_a_heading():
    sources, others = [7, 11, 13], np.array([row for row in range(N) if row not in (7, 11, 13)])
    moved = VECTORS.copy()
    moved[sources] = -moved[sources]
    gains = np.full(len(RELATIONS), 0.4)
    before = with_gains(gains).article_vectors(rows=others, without=sources)
    after = with_gains(gains, vectors=moved).article_vectors(rows=others, without=sources)
    assert after.tolist() == before.tolist()
    assert with_gains(gains, vectors=moved).article_vectors(rows=others).tolist() != before.tolist()


def test_training_begins_with_the_temperature_that_fits_the_base():
    pairs = [TrainingPair(f"own {row}", row, frozenset({row})) for row in range(N)]
    for sign, low, high in ((1, 0.001, 0.01), (-1, 0.19, 0.21)):  # its article's vector, the colder the better; or not
        one = learner(questions={f"own {row}": sign * VECTORS[row] for row in range(N)})
        one.start_from(pairs)
        assert low < float(one.module.log_temperature.exp().detach()) < high
        assert set(one.gains.values()) == {0.0}


class Broken(GraphLearner):
    def __init__(self, *arguments, broken_at):
        super().__init__(*arguments)
        self.n_left = broken_at

    def loss(self, batch, rng):
        self.n_left -= 1
        if self.n_left == 0:
            raise KeyboardInterrupt
        return super().loss(batch, rng)


def test_a_run_that_was_killed_ends_with_the_gains_of_one_that_was_not(tmp_path):
    def run(folder, one):
        with TrainingRun.open(folder, {}) as opened:
            train(one, PAIRS, SETTINGS, opened)
        return json.dumps(one.gains)

    whole = run(tmp_path / "whole", learner())
    neighbourhoods = Neighbourhoods(CitationGraph(ARTICLES, EDGES))
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "broken", Broken(VECTORS, neighbourhoods, QUESTION_VECTORS, SETTINGS, broken_at=9))
    assert run(tmp_path / "broken", learner()) == whole
