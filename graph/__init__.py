"""The law as articles and citations: statute sources in, provisions and a citation graph out."""
