"""regrading.py: --regrade selects the right stored results."""

import pytest
from fake_workforce import FakeWorkforce, handin, plan_of, silent
from samples import BUILD, SLOW, failed, result

from grader.batch.regrading import choose
from grader.batch.scheduler import grade_all
from grader.batch.store import Store
from grader.common.errors import InputError

FILES = (handin("anna"), handin("bob", b"wrong"), handin("carol", b"slow"), handin("dora"))


@pytest.fixture
def graded(transposition, tmp_path):
    """Stored results: the identical files of Anna and Dora passed, Bob's is wrong, and Carol's is slow."""
    plan, store = plan_of([transposition], *FILES), Store(tmp_path)
    answers = {b"wrong": [result(BUILD, failed("correctness: two (n 3)"))], b"slow": [result(BUILD, SLOW)]}
    grade_all(plan, FakeWorkforce(answers=answers, assignment_sha256=transposition.sha256), store, silent)
    return plan, store


def chosen(graded, transposition, wanted):
    plan, store = graded
    keys = choose(plan, store, {"coalsTransp": transposition}, wanted)
    return [plan.items[key].handins[0].student.label for key in keys]


@pytest.mark.parametrize(
    ("wanted", "labels"),
    [
        ("student=bob", ["bob"]),
        ("student=dora", ["anna"]),
        ("check=correctness", ["bob"]),
        ("check=correctness: two", ["bob"]),
        ("check=performance", ["carol"]),
        ("check=sanitizer", []),
        ("check=build", []),
    ],
)
def test_what_is_chosen(graded, transposition, wanted, labels):
    """A choice selects the result of a student, which may be shared by identical files, or the results that failed a
    check.
    """
    assert chosen(graded, transposition, wanted) == labels


def test_results_of_another_version_of_the_assignment_are_chosen(graded, transposition):
    """`changed=` selects results from another version of the assignment. Those of Bob and Carol have version "a", as
    all samples do.
    """
    assert chosen(graded, transposition, "changed=coalsTransp") == ["bob", "carol"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("bob", "is not understood; write student=LABEL, check=WORDS or changed=ASSIGNMENT"),
        ("who=bob", "is not understood"),
        ("student=", "is not understood"),
        ("student=bop", "there is no student 'bop'; did you mean bob?"),
        ("changed=coalTransp", "there is no assignment 'coalTransp' in this batch; did you mean coalsTransp?"),
        ("student=o", "there is no student 'o'; did you mean bob?"),
        ("student=*", "there is no student '*'."),
    ],
)
def test_a_choice_that_can_mean_nothing_is_refused(graded, transposition, wanted, said):
    """A choice of unknown form, or with an unknown student or assignment, is refused before any result is dropped."""
    with pytest.raises(InputError) as caught:
        chosen(graded, transposition, wanted)
    assert said in str(caught.value)


def test_what_is_not_there_is_not_chosen(graded, transposition):
    """A missing result is not selected, because it will be graded anyway."""
    plan, store = graded
    for key in plan.items:
        store.drop(key)
    assert chosen(graded, transposition, "student=bob") == []
