"""The kinds of encoder, one file each; `retrieval.encoder.open_encoder` picks one."""
