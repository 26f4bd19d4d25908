"""The golden corpus, and what is expected of each of its submissions.

    tests/submissions/ASSIGNMENT/CASE/  kernels.cl   expected.yaml

expected.yaml lists the checks that must fail, each with its reason; all others must pass. A list of reasons stands for
undefined behaviour: any of them will do. Checks of memory stand by their names below `memory`, or have one reason for
all of them; for speed there may be a reason for each class of device. What is NOT_RUN after a failed build or case need
not be written: the sanitizer where it finds nothing, memory and performance.

`cause` is what the first explanation must say of a mistake: its `reason`, a `line` that it names (of several, at least
one; for a race, two), words that it `says`, and the `stride` in bytes between neighbouring work-items. `finding: none`
marks a right solution of which nothing may be reported. What a device makes of a race, a missed barrier or a value that
was never set is a matter of luck, and nothing is expected of it; `luck` names the cases of which that is true where it
is not of all.
"""

import re

import yaml
from attacks import HOSTILE
from conftest import ROOT

from grader.result import Verdict

EXPECTATIONS = (ROOT / "tests" / "submissions").glob("*/*/expected.yaml")
CORPUS = sorted(path.parent for path in EXPECTATIONS if path.parent.parent != HOSTILE)


def expectation(folder):
    """The failures that expected.yaml lists."""
    return yaml.safe_load((folder / "expected.yaml").read_text(encoding="utf-8"))["fails"]


def annotation(folder, name):
    """The `cause` or the `finding` of expected.yaml; None without one."""
    return yaml.safe_load((folder / "expected.yaml").read_text(encoding="utf-8")).get(name)


def is_timed(folder):
    """Whether its speed is a question: that of right solutions is, and where something is expected of it."""
    fails = expectation(folder)
    return not fails or "performance" in fails


LUCK = {"DATA_RACE", "BARRIER_DIVERGENCE", "UNINITIALISED"}
"""Causes that leave open what a device makes of a kernel."""


def is_luck(folder):
    """Whether only the simulator's word is asked for: the device may get it right, too, as where nothing else fails."""
    reason = (annotation(folder, "cause") or {}).get("reason")
    return reason in LUCK or (reason == "OUT_OF_BOUNDS" and set(expectation(folder)) == {"sanitizer"})


def comparison(folder, assignment, result):
    """What failed and what had to, by the names that expected.yaml uses; equal if the verdicts are right.

    What could not be checked here, and what nothing is expected of, is in neither.
    """
    device_class = "cpu" if result.provenance.device.type == "cpu" else "gpu"
    found, expected = failures(result), expected_failures(expectation(folder), assignment, device_class)
    unasked = skipped(result) | ({"performance"} if "performance" not in expected and not is_timed(folder) else set())
    unasked |= set(annotation(folder, "luck") or ())
    if is_luck(folder):
        unasked |= {name for name in (*found, *expected) if name != "sanitizer"}
    return (
        {name: why for name, why in found.items() if name not in unasked},
        {name: match(found.get(name), why) for name, why in expected.items() if name not in unasked},
    )


def failures(result):
    """What failed, by the names that expected.yaml uses."""
    return {short(check.name): check.reason for check in result.checks if check.reason is not None}


def skipped(result):
    """What could not be checked: without a simulator, what rests on it."""
    return {short(check.name) for check in result.checks if check.verdict is Verdict.SKIPPED}


def short(name):
    """A check's name without what differs from one device or size to another."""
    return re.sub(r"^correctness: | \(.*\)$|: (cpu|gpu) .*$", "", name)


def expected_failures(fails, assignment, device_class):
    """The failures of expected.yaml, with its shorthands written out."""
    cases = [case.name for case in assignment.correctness.cases]
    memory = [f"memory: {check.name}" for check in assignment.memory.checks] if assignment.memory else []
    consequences = dict.fromkeys(["sanitizer", *memory, "performance"], "NOT_RUN")
    if "build" in fails:
        return {**dict.fromkeys(cases, "NOT_RUN"), **consequences, "build": fails["build"]}
    shorthands = {"every case": cases, "memory": memory}
    expected = {}
    for name, reason in fails.items():
        if not isinstance(reason, dict):
            expected |= dict.fromkeys(shorthands.get(name, [name]), reason)
        elif name == "memory":
            expected |= {f"memory: {check}": why for check, why in reason.items()}
        elif reason[device_class] != "passed":
            expected[name] = reason[device_class]
    return {**consequences, **expected} if set(expected) & set(cases) else expected


def listed(reason):
    """One reason or several, as a list."""
    return reason if isinstance(reason, list) else [reason]


def match(found, reason):
    """The reason that must be found: of several, the one that was, if it is among them."""
    return found if found in listed(reason) else reason
