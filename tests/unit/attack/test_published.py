"""The page's record of the control is what docs/attack.md holds."""

from pathlib import Path

from engine.attack.published import RECORDED_CONTROL

DOCUMENT = Path(__file__).parents[3] / "docs" / "attack.md"


def test_the_recorded_control_is_the_documents():
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    for row in RECORDED_CONTROL:
        start = f"| {row.matrices} | {row.text('logistic')} | {row.text('forest')} |"
        assert any(line.startswith(start) for line in lines), start


def test_taking_the_target_out_changes_nothing_beyond_the_error():
    by_name = {row.matrices: row for row in RECORDED_CONTROL}
    raw, removed = by_name["raw"], by_name["target removed"]
    for (mean, error), (other, _) in (
        (raw.logistic, removed.logistic),
        (raw.forest, removed.forest),
    ):
        assert abs(mean - other) <= error
