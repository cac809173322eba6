"""I/O: the Paraformer's sentence encoder and layers, and the folder that holds them.

ranker.json         the kind, the base, whether the encoder is frozen, the dimension, and where the encoder is
model.safetensors   the weights of the layers
encoder/            the sentence encoder, unless it is frozen and has an id
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import clean_text
from retrieval.training.article_sentences import article_sentences
from retrieval.training.bi_encoder import STATIC, sentence_prompts, static_base
from retrieval.training.model_files import open_sentence_transformer
from retrieval.training.paraformer_network import ParaformerNetwork

__all__ = ["KIND", "ParaformerModel", "new_paraformer"]

KIND = "paraformer"

_CONFIG, _WEIGHTS, _ENCODER = "ranker.json", "model.safetensors", "encoder"


class ParaformerModel:
    """Layers and the encoder whose sentence vectors they read; vectors are scaled to unit length.

    A frozen encoder encodes each sentence and each question once. An encoder reads as much of a sentence as it can.
    """

    def __init__(self, encoder: Any, network: ParaformerNetwork, *, base: str, frozen: bool) -> None:
        """encoder: of sentence-transformers. base: where it is from. frozen: whether it stays as it was."""
        self.encoder, self.network, self.base, self.frozen = encoder, network, base, frozen
        self._prompts = sentence_prompts(encoder.prompts, base)
        self._known: dict[tuple[str, str], Any] = {}  # of a frozen encoder: task and text to vector
        if frozen:
            encoder.requires_grad_(False)
            encoder.eval()

    @property
    def module(self) -> Any:
        """What is trained: the layers, with the encoder unless it is frozen."""
        if self.frozen:
            return self.network
        return torch.nn.ModuleDict({"encoder": self.encoder, "network": self.network})

    @property
    def description(self) -> str:
        """The kind, and whether its encoder was frozen or fine-tuned."""
        name = self.base if self.base == STATIC else Path(self.base).name
        return f"{KIND}, {'frozen' if self.frozen else 'fine-tuned'} encoder {name}"

    def questions(self, questions: Sequence[str]) -> Any:
        """Return the vectors of questions, shape (n, dimension)."""
        return self._vectors([clean_text(question) for question in questions], "query")

    def sentences(self, articles: Sequence[Provision]) -> tuple[Any, Any]:
        """Return the vectors of the articles' sentences, shape (n, m, dimension), zeros after an article's last.

        The second is true where there is a sentence, shape (n, m).
        """
        texts = [article_sentences(article) for article in articles]
        vectors = self._vectors([text for of_one in texts for text in of_one], "document")
        lengths = [len(of_one) for of_one in texts]
        padded = torch.nn.utils.rnn.pad_sequence(vectors.split(lengths), batch_first=True)
        places = torch.arange(max(lengths), device=vectors.device)
        return padded, places < torch.tensor(lengths, device=vectors.device)[:, None]

    def save(self, folder: Path) -> None:
        """Write configuration, weights and encoder into a folder that is there."""
        by_id = self.frozen and self.base != STATIC and not Path(self.base).exists()
        if not by_id:
            self.encoder.save(str(folder / _ENCODER), create_model_card=False)
        config = {
            "kind": KIND,
            "base": self.base,
            "frozen": self.frozen,
            "dimension": self.network.attention.in_features,
            "encoder": self.base if by_id else _ENCODER,
        }
        weights = {name: one.detach().cpu().contiguous() for name, one in self.network.state_dict().items()}
        save_file(weights, folder / f"{_WEIGHTS}.new")
        (folder / f"{_WEIGHTS}.new").replace(folder / _WEIGHTS)
        (folder / f"{_CONFIG}.new").write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n", "utf-8")
        (folder / f"{_CONFIG}.new").replace(folder / _CONFIG)

    @classmethod
    def open(cls, folder: Path) -> ParaformerModel:
        """Open a saved one. Raises EncoderError naming the file that is missing or does not fit."""
        config_file, weights_file = folder / _CONFIG, folder / _WEIGHTS
        try:
            config = json.loads(config_file.read_text(encoding="utf-8"))
            base, frozen, place = str(config["base"]), bool(config["frozen"]), str(config["encoder"])
            network = ParaformerNetwork(int(config["dimension"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EncoderError(f"{config_file}: describes no Paraformer: {error!r}; train it anew") from error
        encoder = open_sentence_transformer(str(folder / _ENCODER) if place == _ENCODER else place)
        try:
            network.load_state_dict(load_file(weights_file))
        except (OSError, RuntimeError, SafetensorError) as error:
            reason = str(error).splitlines()[0]
            raise EncoderError(f"{weights_file}: cannot be read: {reason}; train the model anew") from error
        _check_dimension(encoder, network, folder)
        encoder.eval()
        return cls(encoder, network.to(encoder.device).eval(), base=base, frozen=frozen)

    def _vectors(self, texts: list[str], task: str) -> Any:
        """Return unit vectors, with a gradient while a fine-tuned encoder learns."""
        if not self.frozen:
            return torch.nn.functional.normalize(self._encoded(texts, task), dim=1)
        new = [text for text in dict.fromkeys(texts) if (task, text) not in self._known]
        if new:
            vectors = self.encoder.encode(
                new, prompt=self._prompts[task] or None, task=task, show_progress_bar=False, convert_to_tensor=True
            )
            unit = torch.nn.functional.normalize(vectors.float(), dim=1)
            self._known.update(zip(((task, text) for text in new), unit, strict=True))
        return torch.stack([self._known[task, text] for text in texts])

    def _encoded(self, texts: list[str], task: str) -> Any:
        features = self.encoder.preprocess(texts, prompt=self._prompts[task] or None, task=task)
        device = self.encoder.device
        features = {name: one.to(device) if torch.is_tensor(one) else one for name, one in features.items()}
        return self.encoder(features, task=task)["sentence_embedding"].float()


def new_paraformer(
    base: str, articles: Sequence[Provision], *, language: str, seed: int, frozen: bool
) -> ParaformerModel:
    """Return a model to train, over a sentence-transformers model by id or folder, or `static`, terms' random vectors.

    articles: whose terms are counted for `static`. Raises EncoderError if the base cannot be opened.
    """
    encoder = static_base(language, articles, seed=seed) if base == STATIC else open_sentence_transformer(base)
    torch.manual_seed(seed)
    network = ParaformerNetwork(int(encoder.get_embedding_dimension()))
    return ParaformerModel(encoder, network.to(encoder.device), base=base, frozen=frozen)


def _check_dimension(encoder: Any, network: ParaformerNetwork, folder: Path) -> None:
    found, wanted = int(encoder.get_embedding_dimension()), network.attention.in_features
    if found != wanted:
        raise EncoderError(f"{folder}: its encoder has {found} dimensions, its layers {wanted}; train it anew")
