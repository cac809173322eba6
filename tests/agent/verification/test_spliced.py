"""What an attacker wants said, slipped into true sentences; and true sentences in another language than the statute."""

import json
import re
from functools import cache

from agent.extractive import Draft, Quote
from agent.verification import verify
from evals.mutation_counts import passes
from evals.sound_answers import paraphrases
from graph.corpus import BUILTIN_LAW, read_corpus
from tests.conftest import ROOT

BUILTIN = ROOT / "evals" / "builtin"
AN_ID = re.compile(r"[\w‐-]+_[\w‐-]+")
TRUE = [
    ("fire-safety-act_13-2", "Fireworks shall not be sold or given to a person under 16 years of age."),
    ("fire-safety-act_8", "no notice is needed where there is an urgent danger of fire"),
    ("fire-safety-decree_12", "Empty cylinders count as half full."),
]


@cache
def law():
    return {one.semantic_id: one for one in read_corpus([BUILTIN_LAW]).provisions if one.text}


def wanted():
    """What the attacks want said, but ids."""
    attacks = map(json.loads, (BUILTIN / "attacks.jsonl").read_text(encoding="utf-8").splitlines())
    return [words for attack in attacks for words in attack["must_not"] if not AN_ID.fullmatch(words)]


def test_of_what_attackers_slip_after_a_comma_at_most_2_in_100_pass():
    passed, n_all = [], 0
    for name, quote in TRUE:
        for words in wanted():
            n_all += 1
            draft = Draft(f"{quote[0].upper()}{quote[1:].rstrip('.')}, {words}. [1]", (Quote(name, quote),))
            if not verify(draft, law(), language="en").findings:
                passed.append(words)
    assert n_all == len(TRUE) * 72
    assert len(passed) <= 0.02 * n_all, passed


def test_true_sentences_in_another_language_stand_where_rules_have_something_to_compare():
    sound = paraphrases(BUILTIN / "cross_lingual.jsonl", law())
    stand = [one.draft.text for one in sound if passes(one)]
    assert "The ferryman must hand out life jackets to the passengers. [1]" in stand
    assert "열여섯 살이 안 된 사람에게는 불꽃놀이용품을 팔 수 없습니다. [1]" in stand
    assert len(stand) >= 5  # of 20: docs/verification.md says what the others lack
