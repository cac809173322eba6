"""I/O: a GGUF file -> a folder of safetensors with tokenizer and chat template: run by the Python that has vLLM.

This is a script, not a module: nothing of this project, and no dependency of it, is installed where it runs.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

_RECORD = "nonliquet.json"  # what the folder was made of; written last

# For a base model, which has none: the texts of the conversation, one after the other. vLLM adds no token of its own to
# what a template says, and some base models write nonsense without their first token.
_BARE_TEMPLATE = "{{ bos_token or '' }}{% for message in messages %}{{ message['content'] }}\n{% endfor %}"


def convert(gguf: Path, folder: Path, dtype: str) -> None:
    """Write the model, its weights no longer quantised but of this type, into an existing folder."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    has_template = bool(tokenizer.chat_template)
    if not has_template:
        tokenizer.chat_template = _BARE_TEMPLATE
    model = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=getattr(torch, dtype))
    # The weights were dequantised while being read; these marks would have vLLM look for quantised ones.
    for name in ("quantization_config", "_pre_quantization_dtype"):
        if hasattr(model.config, name):
            delattr(model.config, name)
    model.hf_quantizer = None
    model.is_quantized = False
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    record = {"source": str(gguf), "dtype": dtype, "chat_template": "from the file" if has_template else "bare"}
    (folder / _RECORD).write_text(json.dumps(record), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("dtype", choices=["float32", "bfloat16"])
    arguments = parser.parse_args()
    convert(arguments.gguf, arguments.folder, arguments.dtype)
