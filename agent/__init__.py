"""Hits in, Answer or Abstention out."""
