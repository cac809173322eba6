"""I/O: one file per source format, each turning a source into provisions."""
