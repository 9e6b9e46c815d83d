"""docs/attack.md is what the command writes, but for the control, which takes half an hour."""

from pathlib import Path

import pytest

from benchmarks.attack import __main__ as command
from benchmarks.attack import proof

DOCUMENT = Path(__file__).parents[2] / "docs" / "attack.md"
CONTROL = "## P2's classifiers (Table S1), with the control they lack"


def test_the_proof_stands_in_the_document():
    assert "\n".join(proof.lines()) in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.long
def test_the_exact_figures_are_what_the_command_writes():
    written, _, _ = DOCUMENT.read_text(encoding="utf-8").partition(CONTROL)
    assert [*command._introduction(), *command._exact()] == written.splitlines()
