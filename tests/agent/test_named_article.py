"""The built-in law's articles by their names: Act, Decree, Rule and Notice share most numbers."""

import pytest

from agent.named_article import ArticleNames
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.links import citation_graph
from graph.records import Provision, Status


@pytest.fixture(scope="module")
def names():
    return ArticleNames(citation_graph(read_corpus([BUILTIN_LAW]).provisions), "en")


@pytest.mark.parametrize(
    ("question", "present"),
    [
        ("What does Article 13-2 of the Act say?", ("fire-safety-act_13-2",)),
        ("what does article 10 of the Decree say?", ("fire-safety-decree_10",)),
        ("Is it in Article 12-2 in the Fire Safety Rule?", ("fire-safety-rule_12-2",)),
        ("Article 31, please", ("fire-safety-act_31",)),  # no other law goes so far
        ("Under Articles 13 and 13-2 of the Act?", ("fire-safety-act_13", "fire-safety-act_13-2")),
        ("Read me fire-safety-rule_16.", ("fire-safety-rule_16",)),
        ("Is 13 an unlucky number?", ()),
    ],
)
def test_an_article_is_found_by_its_label_and_its_law(names, question, present):
    assert names.find(question).present == present


def test_of_several_laws_with_that_number_the_one_that_fits_the_question_is_meant(names):
    assert names.find("How often, by Article 5?").present == ()
    near = ["fire-safety-decree_5", "fire-safety-rule_3"]
    assert names.find("How often, by Article 5?", near).present == ("fire-safety-decree_5",)


def test_a_repealed_an_absent_and_an_unknown_one_are_told_apart(names):
    assert [one.semantic_id for one in names.find("Article 11 of the Act?").repealed] == ["fire-safety-act_11"]
    assert [one.semantic_id for one in names.find("Annex 4 to the Decree?").absent] == ["fire-safety-decree_annex-4"]
    assert names.find("Article 57 of the Fire Safety Act?").unknown == ("Fire Safety Act, Article 57",)
    assert not names.find("Article 5 of the Marriage Act?").is_any  # of a law that nobody cites, nothing is known


def test_many_names_are_read_no_further_than_the_first_few(names):
    assert len(names.find("Article 13-2 of the Act and Articles 1 to 36 of the Act, " * 1800).present) <= 4


def test_the_levels_that_a_question_speaks_of_are_those_of_the_corpus(names):
    assert names.levels_named("The Decree only asks for six floors.") == {1}
    assert names.levels_named("Does the decree of fate matter?") == frozenset()


def test_in_korean_a_label_finds_its_article_too():
    article = Provision(
        semantic_id="등대법_10조", doc_id=0, law_name="등대법", collection_name="등대법", law_level="법률",
        chapter="제10조", text="등대지기는 등을 켜야 한다.",
    )  # fmt: skip
    gone = Provision(
        semantic_id="등대법_11조", doc_id=1, law_name="등대법", collection_name="등대법", law_level="법률",
        chapter="제11조", status=Status.REPEALED, effective_date="2020-01-01",
    )  # fmt: skip
    names = ArticleNames(citation_graph([article, gone]), "ko")
    assert names.find("제10조가 뭐라고 하나요").present == ("등대법_10조",)
    assert [one.semantic_id for one in names.find("등대법 제11조는 아직 유효한가요?").repealed] == ["등대법_11조"]
    assert names.find("법 제99조에 따르면?").unknown == ("등대법, 제99조",)
