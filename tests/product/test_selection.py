"""selection.yaml: the tests that `make test` selects cover every kind of test in `make test-all`."""

from attacks import CLASSES, corpus
from golden import CORPUS, expectation, reasons_of
from selection import ATTACKS, GOLDEN, RIGHT, SELECTION

EVERY = {f"{folder.parent.name}/{folder.name}": expectation(folder) for folder in CORPUS}


def test_what_is_selected_is_there_and_says_why():
    """Every selected submission and attack exists and has a reason for its selection."""
    assert EVERY.keys() >= GOLDEN | RIGHT
    assert {attack.name for attack in corpus()} >= ATTACKS
    assert all(why for names in SELECTION.values() for why in names.values())


def test_every_assignment_is_among_the_selected(course):
    """At least one submission of every assignment is selected. The selected correct submissions expect no failure and
    cover at least five assignments.
    """
    assert {name.partition("/")[0] for name in GOLDEN | RIGHT} == set(course.names())
    assert len({name.partition("/")[0] for name in RIGHT}) >= 5
    assert all(EVERY[name].is_right for name in RIGHT)


def test_every_reason_of_both_corpora_is_among_the_selected():
    """Every reason occurs in a selected submission or attack, except NOT_RUN, which follows many other reasons. Both
    verdicts about speed and one kernel of a suite are also selected.
    """
    selected = {reason.value for name in GOLDEN for reason in reasons_of(EVERY[name])}
    selected |= {attack.docker for attack in corpus() if attack.name in ATTACKS}
    every = {reason.value for each in EVERY.values() for reason in reasons_of(each)}
    assert selected | {"NOT_RUN"} == every | {attack.docker for attack in corpus()}
    timed = [EVERY[name] for name in GOLDEN if EVERY[name].is_timed]
    assert {each.is_right for each in timed} == {True, False}
    assert any(EVERY[name].part for name in GOLDEN)


def test_every_class_of_attack_is_among_the_selected():
    """The selected attacks cover every class of attack, every attacked assignment, and attacks with and without the
    simulator.
    """
    every = corpus()
    selected = [attack for attack in every if attack.name in ATTACKS]
    assert {attack.kind for attack in every} == set(CLASSES)
    for of in ("kind", "assignment", "watched"):
        assert {getattr(attack, of) for attack in selected} == {getattr(attack, of) for attack in every}, of
