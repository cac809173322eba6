"""Words only: prompts and fixed sentences, one file per task and language."""
