"""Does every sentence of an answer say what its quotes say? Checked word by word, without a model of language.

| rule        | what it finds in a sentence                                                                  |
| ----------- | -------------------------------------------------------------------------------------------- |
| citation    | it names a quote that does not stand in its article, or none                                 |
| number      | a quantity that no quoted clause has: compared by value and unit, whatever the language      |
| date        | a date that no quoted clause has, and that is not the entry into force                       |
| reference   | an article or annex that neither is cited nor named in a quoted clause; an id that is none   |
| modality    | it obliges, permits, forbids, exempts, excepts or denies, and the quoted clause does not, or |
|             | the clause denies what it says                                                               |
| quotation   | words in quotation marks that do not stand in the article                                    |
| markup      | a link, an image or markup that no statute writes                                            |
| prompt      | words of the instructions                                                                    |
| support     | its words are not those of the articles that it cites, nor are its numbers, duties and bans  |
| entailment  | a model says that the quoted clauses do not entail it, where one is set                      |
| length      | it lies beyond the sentences that are checked                                                |

A quote counts with the whole clause that it is taken from, with the lead-in of a list, so that no "not" is cut away.
Numbers and dates are compared as values, modal words by class, so that an answer in one language can be held against a
statute in another. A sentence with a finding is dropped.
"""

from agent.verification.record import CheckedSentence, Entails, Finding, Verification
from agent.verification.verify import verify

__all__ = ["CheckedSentence", "Entails", "Finding", "Verification", "verify"]
