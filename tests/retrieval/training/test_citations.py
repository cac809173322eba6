import pytest

from graph.errors import TrainingError
from graph.records import Provision
from retrieval.training.citations import citation_pairs, held_out_clauses


def article(law, label, text, heading="", level="법률"):
    number = label.removeprefix("제")
    return Provision(
        semantic_id=f"{law.replace(' ', '-')}_{number}",
        doc_id=hash((law, label)) % 1000,
        law_name=law,
        collection_name="화재예방법",
        law_level=level,
        chapter=label,
        chapter_description=heading,
        text=text,
    )


ACT = [
    article("화재예방법", "제1조", "소방서장은 화재 안전에 필요한 조치를 명할 수 있다.", "조치명령"),
    article(
        "화재예방법",
        "제2조",
        "관계인은 건물을 깨끗이 관리하여야 한다. 제1조에 따른 명령을 받은 관계인은 이의를 신청할 수 있다.",
        "이의신청",
    ),
]


def words_of(pairs):
    return {(pair.question, pair.article) for pair in pairs}


def test_the_sentence_that_cites_asks_for_the_cited_article_without_the_words_that_cite():
    assert ("에 따른 명령을 받은 관계인은 이의를 신청할 수 있다.", 0) in words_of(citation_pairs(ACT))


def test_a_heading_asks_for_its_article():
    assert {("조치명령", 0), ("이의신청", 1)} <= words_of(citation_pairs(ACT))


def test_nothing_else_makes_a_pair():
    assert len(citation_pairs(ACT)) == 3


def test_no_question_holds_the_words_of_any_citation_in_its_clause():
    text = "관계인은 제1조 및 「화재예방법」 제2조에 따라 소방시설을 매년 점검하여야 한다."
    pairs = citation_pairs([*ACT, article("화재예방법", "제3조", text)])
    asked = {pair.question: pair.right for pair in pairs if "점검" in pair.question}
    ((words, right),) = asked.items()
    assert "제1조" not in words
    assert "제2조" not in words
    assert "화재예방법" not in words
    assert right == {0, 1}


def test_a_pair_knows_all_articles_whose_words_it_asks_with():
    again = "제1조에 따른 명령을 받은 관계인은 이의를 신청할 수 있다."  # as in the second sentence of article 2
    pairs = citation_pairs([*ACT, article("화재예방법", "제3조", again)])
    sources = {(pair.question, pair.article): pair.sources for pair in pairs}
    assert sources["에 따른 명령을 받은 관계인은 이의를 신청할 수 있다.", 0] == {1, 2}
    assert sources["조치명령", 0] == {0}


def test_a_delegating_clause_is_of_the_article_that_delegates():
    act = article("화재예방법", "제5조", "관계인은 대통령령으로 정하는 바에 따라 화재 안전 점검을 하여야 한다.")
    decree = article("화재예방법 시행령", "제3조", "법 제5조에 따른 점검은 매년 한 번 실시한다.", level="대통령령")
    assert {pair.sources for pair in citation_pairs([act, decree]) if pair.article == 1} == {frozenset({0})}


def test_a_clause_of_which_hardly_anything_is_left_asks_nothing():
    pairs = citation_pairs([*ACT, article("화재예방법", "제3조", "제1조를 준용한다.")])
    assert all("준용" not in pair.question for pair in pairs)


def test_the_clause_that_delegates_asks_for_the_article_that_fills_it_in():
    act = article("화재예방법", "제5조", "관계인은 대통령령으로 정하는 바에 따라 화재 안전 점검을 하여야 한다.")
    decree = article("화재예방법 시행령", "제3조", "법 제5조에 따른 점검은 매년 한 번 실시한다.", level="대통령령")
    pairs = words_of(citation_pairs([act, decree]))
    delegating = [words for words, row in pairs if row == 1]
    assert len(delegating) == 1
    assert "화재 안전 점검을 하여야 한다" in delegating[0]
    assert any(row == 0 and "매년 한 번 실시한다" in words for words, row in pairs)


def test_held_out_clauses_take_all_their_pairs_with_them():
    pairs = citation_pairs(
        [*ACT, *(article("화재예방법", f"제{n}조", "소방서장은 정한다.", f"제목 {n}") for n in range(10, 40))]
    )
    training, dev = held_out_clauses(pairs, ACT + [ACT[0]] * 40, 2, seed=1)
    assert len(dev) == 2
    assert not {one.text for one in dev} & {pair.question for pair in training}
    assert len(training) + 2 == len(pairs)


def test_a_small_law_still_has_a_clause_for_the_dev_metric():
    training, dev = held_out_clauses(citation_pairs(ACT), ACT, 500, seed=0)
    assert len(dev) == 1
    assert len(training) == 2


def test_articles_without_headings_and_citations_teach_nothing():
    with pytest.raises(TrainingError, match="nothing to learn from"):
        citation_pairs([article("화재예방법", "제1조", "소방서장은 정한다.")])
