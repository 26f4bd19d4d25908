"""The price list: what an attack earns when what holds it is switched off. A fix that costs it nothing is decoration.

prices.yaml is the list; that nothing is earned otherwise, test_hostile.py holds.
"""

import pytest
import yaml
from attacks import HOSTILE, corpus, small_assignment, verdict
from project import ROOT
from suites import quick

from grader.common.record import replace
from grader.course.rubric import Correctness
from grader.course.submissions.submission import read_submission
from grader.course.submissions.task import Task
from grader.grading.grade import grade_submission
from grader.grading.rules import TimingRules
from grader.results.result import Kind, Reason
from grader.results.withholding import withheld

LIST = yaml.safe_load((ROOT / "tests" / "prices.yaml").read_text(encoding="utf-8"))
PRICES = LIST["prices"]
ATTACKS = {attack.name: attack for attack in corpus()}

AS_MANY_AS_IT_TAKES = TimingRules(warm_up_seconds=0, min_pairs=9, max_seconds=8, noise_limit=100)
"""What nine pairs leave open is a finding after more."""


def grade(assignment, name, bench):
    task = Task(assignment=assignment, submission=read_submission(HOSTILE / name), seed=7)
    return grade_submission(task, replace(quick(bench), timing=AS_MANY_AS_IT_TAKES), lambda _: None)


def speed(result):
    """The points for speed."""
    return sum(check.points for check in result.checks if check.kind is Kind.PERFORMANCE)


@pytest.mark.whole
@pytest.mark.timed
@pytest.mark.parametrize("name", sorted(PRICES))
def test_an_attack_gains_points_without_the_fix(name, bench, tmp_path, monkeypatch):
    """And none with it."""
    assignment = small_assignment(tmp_path, ATTACKS[name])
    assert speed(grade(assignment, name, bench)) == 0
    for target in PRICES[name]["without"]:
        monkeypatch.setattr(target, lambda *_: None)
    assert speed(grade(assignment, name, bench)) == PRICES[name]["gains"]


@pytest.mark.whole
def test_a_hidden_outcome_is_told_where_hidden_cases_are_run_with_the_others(bench, tmp_path, monkeypatch):
    """It is their worker of their own, and that they come last, that keeps it."""
    name = "notices-a-hidden-failure"
    assignment = small_assignment(tmp_path, ATTACKS[name])
    assert verdict(withheld(grade(assignment, name, bench), assignment)) == ATTACKS[name].docker
    monkeypatch.setattr(Correctness, "shown", property(lambda asked: asked.cases))
    monkeypatch.setattr(Correctness, "hidden", property(lambda _: ()))
    assert verdict(withheld(grade(assignment, name, bench), assignment)) == Reason.WRONG_OUTPUT


def test_whatever_could_gain_points_for_speed_has_a_price():
    """Or a reason why it has none. Other classes gain something else; the list names none that is not there."""
    fields = {attack.name: yaml.safe_load((attack.folder / "expected.yaml").read_text()) for attack in corpus()}
    listed = PRICES.keys() | LIST["otherwise"].keys()
    of_speed = {name for name, each in fields.items() if each["class"] == "speed"}
    assert {name for name in of_speed if "points" in fields[name]["gains"]} <= listed <= of_speed
    assert not PRICES.keys() & LIST["otherwise"].keys()
