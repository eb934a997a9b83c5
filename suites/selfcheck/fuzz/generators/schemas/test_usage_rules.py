"""Usage rules: torch accepts and refuses what the model says, every rule is drawn, and one that fails is a find."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.schemas.registration import helpers_for
from suites.fuzz.generators.schemas.schema import parse
from suites.fuzz.generators.schemas.usage_rules.drawing import HELPERS, UsageRule, draw_usage_rule
from suites.fuzz.generators.schemas.usage_rules.hints import draw_function
from suites.fuzz.generators.schemas.usage_rules.operators import USAGES
from suites.fuzz.judging import judge
from suites.fuzz.kinds import KINDS
from suites.fuzz.reduction.script import script
from suites.fuzz.reduction.search import one_by_one, reduce

HEAD = "from collections.abc import Sequence\nfrom typing import List, Optional\n\nimport torch"
PROGRAM = "def program(a):\n    return a * 2\n\n\ndef inputs():\n    return (torch.ones(3),)"
MANY = 900


def _file(rule: UsageRule) -> str:
    text = rule.text("ruling0")
    return "\n\n\n".join([HEAD, *helpers_for(text), HELPERS, text, PROGRAM]) + "\n"


@pytest.fixture(scope="module")
def many() -> list[UsageRule]:
    return [draw_usage_rule(Seeded(f"usage rules/{number}"), f"ruled_{number}") for number in range(MANY)]


def test_torch_agrees_with_the_model(many: list[UsageRule]) -> None:
    """On what is accepted and on what is refused; twice, as a program's file is executed for every run."""
    wrong = []
    for rule in many:
        code = compile(_file(rule), "program.py", "exec", dont_inherit=True)
        try:
            for _ in range(2):
                exec(code, {"__name__": "ruled"})
        except Exception as error:
            wrong.append(f"{error}\n{rule.text('ruling0')}")
    assert not wrong, f"{len(wrong)} of {MANY}:\n" + "\n".join(wrong[:3])


def test_every_rule_is_drawn(many: list[UsageRule]) -> None:
    counted = Counter(rule.rule for rule in many)
    assert min(counted.values()) >= 4
    assert set(USAGES) <= set(counted)
    taken = sum(not rule.error for rule in many)
    assert MANY // 4 < taken < 3 * MANY // 4


def test_schema_of_a_function_is_one_that_torch_reads() -> None:
    for number in range(200):
        schema = draw_function(Seeded(f"functions/{number}")).schema
        torch._C.parse_schema(f"drawn::read{schema}")
        assert str(parse(str(schema))) == str(schema)


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        (UsageRule("no such thing", ("return 1",), "refused", "ValueError"), "not refused"),
        (
            UsageRule("no such thing", ("raise ValueError('for another reason')",), "refused", "ValueError"),
            "another reason",
        ),
        (UsageRule("no such thing", ("raise KeyError('refused')",), "refused", "ValueError"), "KeyError"),
        (UsageRule("no such thing", ("return 1",), 2), "comes to 1, not to 2"),
        (UsageRule("no such thing", ("raise ValueError('no')",), 2), "refused with ValueError"),
    ],
)
def test_rule_that_does_not_hold_is_a_find(rule: UsageRule, kind: str) -> None:
    judgement = judge(_file(rule), "aot_eager")
    assert judgement.diverges
    assert judgement.first is not None
    assert judgement.first.fingerprint == "eager:error:usage rule that does not hold: no such thing"
    assert kind in judgement.first.seen
    assert judge(_file(rule), judgement.first.layer).fingerprint == judgement.fingerprint


def test_rule_that_holds_is_none() -> None:
    assert judge(_file(UsageRule("a rule", ("return 2",), 2)), "aot_eager").outcome == "pass"


@pytest.mark.parametrize(
    ("wrong", "rules"),
    [
        (
            lambda *args, **kwargs: "(Tensor x) -> Tensor",
            {"the schema of a function's hints", "what is mutated is a tensor"},
        ),
        (lambda *args, **kwargs: 1 / 0, {"the schema of a function's hints", "the convention of Tag.out"}),
    ],
)
def test_wrong_reading_of_hints_is_found(
    monkeypatch: pytest.MonkeyPatch, many: list[UsageRule], wrong: Any, rules: set[str]
) -> None:
    monkeypatch.setattr(torch.library, "infer_schema", wrong)
    found = {judge(_file(rule), "eager").fingerprint for rule in many[:150] if rule.rule in rules}
    assert {f"eager:error:usage rule that does not hold: {rule}" for rule in rules} <= found


def test_find_is_made_small_and_its_script_fails(tmp_path: Path) -> None:
    """What is left is the one rule, in a file without operators."""
    good, bad = UsageRule("a rule", ("return 2",), 2), UsageRule("no such thing", ("return 1",), 2)
    text = _file(bad).replace(PROGRAM, f"{good.text('ruling1')}\n\n\n{PROGRAM}")
    judgement = judge(text, "aot_eager")
    assert judgement.first is not None
    still = one_by_one(lambda candidate: judge(candidate, "eager").fingerprint == judgement.fingerprint)
    small = reduce(text, still, 60, KINDS["schemas"].passes)
    assert "ruling0" in small.text
    assert "ruling1" not in small.text
    path = tmp_path / "script.py"
    path.write_text(script(small.text, judgement.first))
    assert subprocess.run([sys.executable, str(path)], capture_output=True, check=False, timeout=120).returncode == 1
