"""Question in, hits out: lexical, dense and structure-aware retrieval over an index folder."""
