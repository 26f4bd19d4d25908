"""The price list: points that an attack earns if its defence is switched off.

A defence is useless if the attack earns no points without it. prices.yaml is the list, and test_hostile.py proves that
attacks earn nothing while all defences are on.
"""

from dataclasses import replace
from functools import partial

import pytest
import yaml
from attacks import HELD, HOSTILE, corpus, small_assignment, verdict
from golden import SUBMISSIONS
from project import ROOT
from suites import quick

from grader.course.rubric import Correctness, Kind
from grader.course.submissions.submission import Task, read_submission
from grader.grading.checks import memory
from grader.grading.checks.simulation import simulator_runs
from grader.grading.checks.simulation.counts import memory_run
from grader.grading.grade import grade_submission
from grader.grading.rules import TimingRules
from grader.results.verdicts import Reason
from grader.results.withholding import withheld

LIST = yaml.safe_load((ROOT / "tests" / "prices.yaml").read_text(encoding="utf-8"))
PRICES = LIST["prices"]
ORDERED = LIST["ordered"]
OPEN = LIST["open"]
ATTACKS = {attack.name: attack for attack in corpus()}

AS_MANY_AS_IT_TAKES = TimingRules(warm_up_seconds=0, min_pairs=9, max_seconds=8, noise_limit=100)
"""Timing rules that measure beyond nine pairs if the result is still open."""


def grade(assignment, folder, environment):
    task = Task(assignment=assignment, submission=read_submission(folder), seed=7)
    return grade_submission(task, replace(quick(environment), timing=AS_MANY_AS_IT_TAKES), lambda _: None)


def points(result, kind):
    """Return the points of all checks of one kind."""
    return sum(check.points for check in result.checks if check.kind is kind)


@pytest.mark.whole
@pytest.mark.timed
@pytest.mark.parametrize("name", sorted(PRICES))
def test_an_attack_gains_points_without_the_fix(name, environment, tmp_path, monkeypatch):
    """An attack earns no points for speed with its defence, and exactly the listed points without it."""
    assignment = small_assignment(tmp_path, ATTACKS[name])
    assert points(grade(assignment, HOSTILE / name, environment), Kind.PERFORMANCE) == 0
    for target in PRICES[name]["without"]:
        monkeypatch.setattr(target, lambda *_: None)
    assert points(grade(assignment, HOSTILE / name, environment), Kind.PERFORMANCE) == PRICES[name]["gains"]


@pytest.mark.whole
@pytest.mark.parametrize("name", sorted(ORDERED))
def test_an_order_gains_points_where_work_items_run_in_that_order(name, environment, tmp_path, monkeypatch):
    """A kernel that depends on the order of work-items earns memory points only if they always run in that order.
    Alternating orders reveal it.
    """
    assignment = small_assignment(tmp_path, ATTACKS[name])
    held = grade(assignment, HOSTILE / name, environment)
    assert (verdict(held), points(held, Kind.MEMORY)) == (Reason.ORDER_DEPENDENT, 0)
    for module in (simulator_runs, memory):
        monkeypatch.setattr(module, "memory_run", partial(memory_run, order="ascending"))
    assert points(grade(assignment, HOSTILE / name, environment), Kind.MEMORY) == ORDERED[name]["gains"]


@pytest.mark.whole
@pytest.mark.parametrize("name", sorted(OPEN))
def test_what_nothing_holds_gains_what_the_list_says(name, environment, tmp_path):
    """An attack without a defence earns exactly the listed memory points more than the kernel that it really runs on
    the device. The simulator finds no mistake in it.
    """
    assignment = small_assignment(tmp_path, ATTACKS[name])
    attack = grade(assignment, HOSTILE / name, environment)
    honest = grade(assignment, SUBMISSIONS / assignment.name / OPEN[name]["runs"], environment)
    assert verdict(attack) == HELD
    assert points(attack, Kind.MEMORY) - points(honest, Kind.MEMORY) == OPEN[name]["gains"]


@pytest.mark.whole
def test_a_hidden_outcome_is_told_where_hidden_cases_are_run_with_the_others(environment, tmp_path, monkeypatch):
    """A submission could reveal a hidden outcome if hidden cases ran together with the others. Running them last, in
    separate workers, prevents this.
    """
    name = "notices-a-hidden-failure"
    assignment = small_assignment(tmp_path, ATTACKS[name])
    assert verdict(withheld(grade(assignment, HOSTILE / name, environment), assignment)) == ATTACKS[name].docker
    monkeypatch.setattr(Correctness, "shown", property(lambda asked: asked.cases))
    monkeypatch.setattr(Correctness, "hidden", property(lambda _: ()))
    assert verdict(withheld(grade(assignment, HOSTILE / name, environment), assignment)) == Reason.WRONG_OUTPUT


def test_whatever_could_gain_points_for_speed_has_a_price():
    """Every attack that could earn points for speed has a price, or a reason why it has none. The list contains no
    other attacks.
    """
    fields = {attack.name: yaml.safe_load((attack.folder / "expected.yaml").read_text()) for attack in corpus()}
    listed = PRICES.keys() | LIST["otherwise"].keys()
    of_speed = {name for name, each in fields.items() if each["class"] == "speed"}
    assert {name for name in of_speed if "points" in fields[name]["gains"]} <= listed <= of_speed
    assert not PRICES.keys() & LIST["otherwise"].keys()
