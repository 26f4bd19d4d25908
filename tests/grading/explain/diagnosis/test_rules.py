"""rules.py: each rule explains its example and needs the evidence that the list of rules states. A case is
explained by one rule or remains unexplained.
"""

import inspect
from dataclasses import replace

import numpy as np
import pytest
from gradings import grade
from project import ROOT
from wrong_arrays import (
    COL,
    DEPTH,
    GENERATOR,
    HEIGHT,
    LARGER,
    PRODUCT,
    ROW,
    SIZES,
    WIDE_A,
    A,
    C,
    case,
    cases,
    moved,
    poisoned,
    product,
    right,
    sentence,
    transposition,
    unwritten,
)

from grader.course.poison import INPUT_POISON
from grader.course.truth.mistakes import by_columns
from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis import mistakes, observations, rules
from grader.grading.explain.diagnosis.rules import LARGE, RULES, Needs, explain

SQUARE = {"height": 21, "depth": 21, "width": 21}
SPOILED = np.where(GENERATOR.random(C.shape) < 0.1, 0.5, C).astype(np.float32)
NOISE = GENERATOR.uniform(-5, 5, C.shape).astype(np.float32)


def negative_at_the_end(a, b):
    got = right(a, b)
    got[-2:] *= -1
    return got


EXAMPLES = {
    "listed mistake": cases(lambda a, b: right(-a, b), LARGER),
    "copy of an input": [product(A, truth=Truth(value=2 * WIDE_A, magnitude=2 * np.abs(WIDE_A)))],
    "swapped tiles": [product(moved(C, ROW // 16 * 16 + COL % 16, COL // 16 * 16 + ROW % 16))],
    "layout of the result": [product(C.T.reshape(C.shape))],
    "sign": [product(-C)],
    "shift": [product(moved(C, ROW + 1, COL))],
    "factor or difference": [product(1.5 * C)],
    "input read at wrong places": [case(LARGER[1], lambda a, b: right(by_columns(a), b))],
    "repetition": [product(C[:, :1] + 0 * C)],
    "exchanged inputs": [case(SQUARE, lambda a, b: right(b, a))],
    "lost bits of inputs": cases(lambda a, b: right(a.astype(np.float16), b), LARGER),
    "edge at another size": [case(each, lambda a, b: unwritten(a, b, a.shape[0])) for each in (SIZES[1], LARGER[1])],
    "mistake in a part": cases(negative_at_the_end, LARGER),
    "every other launch": [product(NOISE, repeats=(SPOILED, C, NOISE, C))],
    "unsteady results": [product(NOISE, repeats=(C, C, SPOILED, C))],
    "whole numbers": [product(np.trunc(C))],
    "narrower floats": [product(C.astype(np.float16))],
    "not a number": [product(poisoned(C, np.s_[52], INPUT_POISON))],
    "one value": [product(np.zeros_like(C))],
    "nearly right": [product(PRODUCT.value + 1e-4 * PRODUCT.magnitude * GENERATOR.uniform(-1, 1, C.shape))],
    "place that is not written": [product(poisoned(C, np.s_[15::16]))],
    "place that is wrong": [product(np.where(ROW >= 48, NOISE, C))],
}
"""Cases that each rule explains. A new rule needs an entry here."""

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def said_by(rule, failed):
    """Return a list with True for each case that this rule explains."""
    return [said is not None and said.rule == rule.name for said in explain(failed)]


def test_each_rule_has_a_name_of_its_own_and_an_example():
    """Rules have unique names. Each rule has an example, and each example belongs to a rule."""
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    assert set(names) == set(EXAMPLES)


@pytest.mark.parametrize("module", [mistakes, observations], ids=lambda module: module.__name__)
def test_each_public_function_is_in_the_registry(module):
    """Every public function of the modules is used in the list of rules, because a function that is not listed has no
    effect.
    """
    own = [name for name, each in inspect.getmembers(module, inspect.isfunction) if each.__module__ == module.__name__]
    room, source = module.__name__.rpartition(".")[2], inspect.getsource(rules)
    assert [name for name in own if name[0] != "_" and f"{room}.{name}" not in source] == []


@each_rule
def test_each_rule_explains_its_example(rule):
    """Each rule explains its example, and no earlier rule explains it first."""
    failed = EXAMPLES[rule.name]
    assert all(said_by(rule, failed))
    assert all(said.sentence.endswith(".") for said in explain(failed))


@each_rule
def test_a_case_of_noise_refutes_only_what_all_cases_must_support(rule):
    """If one case is noise, a rule that must fit all failed cases explains none of them. A rule for single cases still
    explains the other cases.
    """
    failed = EXAMPLES[rule.name]
    noise = replace(failed[-1], got=GENERATOR.normal(0, 9, failed[-1].got.shape).astype(np.float32), repeats=())
    is_shared = rule.needs in {Needs.ALL_CASES, Needs.FAILED_CASES}
    assert said_by(rule, [*failed, noise]) == [not is_shared] * len(failed) + [False]


@each_rule
def test_only_some_rules_need_several_launches(rule):
    """Without repeated launches, exactly the rules that compare launches stop explaining their examples."""
    failed = [replace(each, repeats=()) for each in EXAMPLES[rule.name]]
    assert all(said_by(rule, failed)) is (rule.needs is not Needs.LAUNCHES)


@each_rule
def test_only_places_are_looked_for_in_huge_arrays(rule, monkeypatch):
    """In huge arrays, only the rules about places are tried, because other rules take too long."""
    monkeypatch.setattr(rules, "LARGE", 0)
    assert all(said_by(rule, EXAMPLES[rule.name])) is (rule.needs is Needs.PLACES)


def test_right_cases_are_only_asked_about_what_explains_the_others():
    """The correct cases are computed again only if there is a possible explanation to check, because this takes
    time.
    """

    def never():
        raise AssertionError
        yield

    explain(cases(lambda a, b: GENERATOR.normal(0, 9, (a.shape[0], b.shape[1]))), never())


@pytest.mark.parametrize("seed", range(5))
def test_garbage_gets_no_explanation(seed):
    """Noise everywhere, noise in some elements, infinities and random bits remain unexplained."""
    generator = np.random.default_rng(seed)
    noise = generator.normal(0, 3, C.shape)
    here_and_there = np.where(generator.random(C.shape) < 0.3, noise, C)
    endless = np.where(generator.random(C.shape) < 0.3, np.inf, noise)
    any_bits = generator.integers(0, 2**32, C.shape, dtype=np.uint32).view(np.float32)
    for got in (noise, here_and_there, endless, any_bits):
        assert sentence(product(got)) is None
        assert sentence(transposition(got[:, :40].T.reshape(DEPTH, HEIGHT), A)) is None


def test_of_huge_arrays_only_places_are_told():
    """In huge arrays, only the place of the wrong elements is described, so that a timed run does not wait for
    predictions.
    """
    value = np.ones((2, LARGE))
    got = value.copy()
    got[1] = 0
    evidence = product(got, truth=Truth(value=value, magnitude=value))
    assert sentence(evidence) == "`C` is wrong only in the last row; all else is right."


@pytest.mark.whole
def test_only_whole_explanations_are_counted(course, environment):
    """All wrong cases of a kernel for which a cause is found have the same cause."""
    result = grade(
        course.load("blockMMM"), ROOT / "tests" / "submissions" / "blockMMM" / "reset-every-step", environment
    )
    causes = {check.cause for check in result.checks if check.cause}
    assert causes == {"only the last step along k counts, as if the sum restarted in every step"}
