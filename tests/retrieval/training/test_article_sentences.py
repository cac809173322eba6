from graph.records import Provision
from retrieval.training.article_sentences import MOST_SENTENCES, article_sentences


def article(text):
    return Provision(
        semantic_id="fire-act_5",
        doc_id=5,
        law_name="Fire Act",
        collection_name="",
        law_level="Act",
        chapter="Article 5",
        chapter_description="Exits",
        text=text,
    )


def test_the_title_and_then_the_sentences_and_items_of_the_text():
    text = "(1) Exits are kept\tclear. Doors open outwards:\n  1. in halls;\n  2. in schools.\n\n(2) Others may."
    assert article_sentences(article(text)) == [
        "Fire Act Article 5 Exits",
        "(1) Exits are kept clear.",
        "Doors open outwards:",
        "1. in halls;",
        "2. in schools.",
        "(2) Others may.",
    ]


def test_an_article_without_text_is_its_title():
    assert article_sentences(article(" \n")) == ["Fire Act Article 5 Exits"]


def test_of_a_very_long_article_the_first_sentences_are_read():
    found = article_sentences(article("Doors open. " * 500))
    assert len(found) == MOST_SENTENCES
    assert found[-1] == "Doors open."
