"""One file a verb of `nonliquet evals`."""
