"""Networks of Hugging Face's transformers: two steps of training of each kind, and words that some of them generate."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from suites.harness import Check, clause, tensor
from suites.models.hugging_face import ARCHITECTURES, GENERATING, PACKAGE, WORDS, Architecture, Batch
from suites.models.training import Compile, begin, train


@clause("models.hugging_face", modes="train", fullgraph=False, needs=PACKAGE, profile="full", stand_for_all=2)
@pytest.mark.parametrize("kind", list(ARCHITECTURES))
def test_training(check: Check, kind: str) -> None:
    """A step on each of two batches, of which the second has another size, trains as in eager."""
    architecture = ARCHITECTURES[kind]

    def program(compile_part: Compile, beside: torch.Tensor) -> dict[str, Any]:
        network = begin(architecture.build, beside).train()
        forward = compile_part(network)
        return train(
            network, lambda batch: forward(**batch).loss, [(batch,) for batch in _batches(architecture, beside)]
        )

    # Some ask whether they are compiled (a mask that is left out, a scan), others are cut where the data decide.
    result = check(program, calls=[(tensor(1, grad=False),)], in_parts=True, backward=False, exact=False)
    first, second = (result.value(f"out['losses'][{step}]") for step in range(2))
    result.happened(bool(first.isfinite() & second.isfinite() & (first != second)), "two losses that differ")
    if architecture.draws:
        result.drew_random()


def _batches(architecture: Architecture, beside: torch.Tensor) -> list[Batch]:
    """Two, of which one is of other sizes; floating point of the dtype of ``beside``."""

    def moved(part: Any) -> Any:
        if not isinstance(part, torch.Tensor):
            return part
        return part.to(beside) if part.is_floating_point() else part.to(beside.device)

    torch.manual_seed(1)
    batches = [architecture.batch(2, length) for length in architecture.lengths]
    return [{name: moved(part) for name, part in batch.items()} for batch in batches]


@clause("models.hugging_face", fullgraph=False, needs=PACKAGE, profile="full", stand_for_all=2)
@pytest.mark.parametrize("kind,past", [(kind, past) for kind, pasts in GENERATING.items() for past in pasts])
def test_generation(check: Check, kind: str, past: str) -> None:
    """Words and their scores, one at a time, each by those before it, with a past that grows or one of a fixed size."""

    def program(compile_part: Compile, prompt: torch.Tensor, beside: torch.Tensor) -> dict[str, Any]:
        network: Any = begin(ARCHITECTURES[kind].build, beside).eval()
        network.forward = compile_part(network.forward)
        found = network.generate(
            prompt,
            max_new_tokens=4,
            min_new_tokens=4,
            do_sample=False,
            # Where there is a GPU, it would compile by itself.
            disable_compile=True,
            cache_implementation="static" if past == "static" else None,
            return_dict_in_generate=True,
            output_scores=True,
        )
        return {"words": found.sequences, "scores": list(found.scores)}

    prompt = tensor(2, 3, dtype=torch.int64, values=[[5, 9, 4], [7, 3, WORDS - 1]])
    result = check(program, calls=[(prompt, tensor(1, grad=False))], in_parts=True, exact=False)
    first, last = result.value("out['scores'][0]"), result.value("out['scores'][3]")
    result.happened(first.shape == last.shape and not first.equal(last), "scores that differ from word to word")
