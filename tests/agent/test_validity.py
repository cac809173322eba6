from agent.validity import has_own_date, not_in_force, not_yet, usual_dates
from graph.records import Provision, Status


def article(number, since, status=Status.PRESENT):
    return Provision(
        semantic_id=f"등대법_{number}조",
        doc_id=number,
        law_name="등대법",
        collection_name="등대법",
        law_level="법률",
        chapter=f"제{number}조",
        effective_date=since,
        status=status,
    )


def test_an_article_is_not_yet_the_law_before_its_date_and_is_on_it():
    assert not_yet(article(1, "2020-07-01"), "2020-06-30")
    assert not not_yet(article(1, "2020-07-01"), "2020-07-01")


def test_without_a_date_or_without_the_articles_own_nothing_is_left_out():
    assert not not_yet(article(1, "2020-07-01"), None)
    assert not not_yet(article(1, ""), "1900-01-01")


def test_the_date_of_a_repealed_article_is_that_of_its_end():
    gone = article(2, "2023-05-01", Status.REPEALED)
    assert not not_yet(gone, "2020-01-01")
    assert (not_in_force(gone).repealed, not_in_force(gone).since) == (True, "2023-05-01")


def test_an_article_later_than_most_of_its_law_has_a_date_of_its_own():
    law = [article(1, "2020-01-01"), article(2, "2020-01-01"), article(3, "2025-01-01"), article(4, "")]
    usual = usual_dates(law)
    assert usual == {"등대법": "2020-01-01"}
    assert [has_own_date(one, usual) for one in law] == [False, False, True, False]
