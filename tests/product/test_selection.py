"""selection.yaml: what `make test` grades covers every class of what `make test-all` grades."""

from attacks import CLASSES, corpus
from golden import CORPUS, expectation
from selection import ATTACKS, GOLDEN, RIGHT, SELECTION

EVERY = {f"{folder.parent.name}/{folder.name}": expectation(folder) for folder in CORPUS}


def test_what_is_selected_is_there_and_says_why():
    """No name is stale, and none is without its reason."""
    assert EVERY.keys() >= GOLDEN | RIGHT
    assert {attack.name for attack in corpus()} >= ATTACKS
    assert all(why for names in SELECTION.values() for why in names.values())


def test_every_assignment_is_among_the_selected(course):
    """With a right or a wrong submission; nothing is expected to fail of the right ones, of five assignments."""
    assert {name.partition("/")[0] for name in GOLDEN | RIGHT} == set(course.names())
    assert len({name.partition("/")[0] for name in RIGHT}) >= 5
    assert all(EVERY[name].is_right for name in RIGHT)


def test_every_reason_of_both_corpora_is_among_the_selected():
    """In one of them; NOT_RUN is what stands after many. Also both verdicts about speed, and a part of a suite."""
    selected = {reason.value for name in GOLDEN for reason in EVERY[name].reasons}
    selected |= {attack.docker for attack in corpus() if attack.name in ATTACKS}
    every = {reason.value for each in EVERY.values() for reason in each.reasons}
    assert selected | {"NOT_RUN"} == every | {attack.docker for attack in corpus()}
    timed = [EVERY[name] for name in GOLDEN if EVERY[name].is_timed]
    assert {each.is_right for each in timed} == {True, False}
    assert any(EVERY[name].part for name in GOLDEN)


def test_every_class_of_attack_is_among_the_selected():
    """Also every assignment that is attacked, and the simulator."""
    every = corpus()
    selected = [attack for attack in every if attack.name in ATTACKS]
    assert {attack.kind for attack in every} == set(CLASSES)
    for of in ("kind", "assignment", "watched"):
        assert {getattr(attack, of) for attack in selected} == {getattr(attack, of) for attack in every}, of
