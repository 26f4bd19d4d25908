"""Measure how often mistakes are caught and explained. The mistakes are single mutations of right kernels; the table
has rows by assignment and by kind.

    python tests/benchmarks/mutants.py [ASSIGNMENT ...] [--kind KIND ...] [--count N] [--seed S] [--among]
        [--seconds S] [--jobs N] [--to FILE]
    python tests/benchmarks/mutants.py --table FILE [--sample N]

Right kernels are the model solutions and the right submissions in tests/submissions/. From all their mutations, N are
drawn, spread as evenly as possible over kinds and assignments. With --among, N are drawn from all assignments and
kinds, but only mutants of the named ones are graded. This allows grading some mutants of an earlier run again. A judge
that is independent of grader (second_judge.py) decides which mutants are `same`, which means as right as before. The
others should be `caught` by a build, a case or the sanitizer. Their first explanation is then judged:

    named    names a line that was changed or that directly shows the effect
    false    names only other lines, or makes an impossible claim
    words    names no line, so only a reader can judge it
    none     gives only the number of wrong elements or their place in the array

`near` is a stricter count: the first sentence names a line that is at most one line away from a changed line.

Percentages refer to the mutants that are not `same`.

Each outcome is written to a file as soon as it is known, so an interrupted run has figures, too. --table prints the
figures of such a file. With --sample, N of its wrong mutants are shown in full, with the change, the explanation and
its judgement.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

from explanations import Judgement, first_sentences, is_near, judged  # noqa: E402
from golden import CORPUS, read  # noqa: E402
from mutation_operators import Kind  # noqa: E402
from mutations import Mutation, mutations  # noqa: E402
from second_judge import Fault, fault  # noqa: E402

from grader.authoring.golden import ONE_PAIR  # noqa: E402
from grader.course.assignment import Assignment  # noqa: E402
from grader.course.catalogue import Course  # noqa: E402
from grader.course.folders import MODEL_FILE  # noqa: E402
from grader.course.rubric import Kind as Checked  # noqa: E402
from grader.course.submissions.submission import (  # noqa: E402
    FILE_NAME,
    Task,
    parse_submission,
)
from grader.execution.client import Worker  # noqa: E402
from grader.grading.grade import grade_submission  # noqa: E402
from grader.grading.grading_environment import GradingEnvironment  # noqa: E402
from grader.grading.rules import SearchRules  # noqa: E402
from grader.grading.settings import load_settings  # noqa: E402
from grader.results.check import Check  # noqa: E402

COURSE = Course(assignments=ROOT / "assignments", reference=ROOT / "reference")

DECIDING = {Checked.BUILD, Checked.CORRECTNESS, Checked.SANITIZER}
"""Checks that catch a mistake. A slow kernel does not count as a mistake here."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A right kernel file for an assignment, or for a part of it, with one mistake."""

    assignment: str
    part: str
    origin: Path
    mutation: Mutation

    @property
    def kind(self) -> Kind:
        """Kind of the mutation."""
        return self.mutation.kind


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Result of a mutant. `judgement` is about the first explanation, and None if no check caught the mutant. `near` is
    true if the first sentence names a line next to a changed line. `told` describes everything for a reader.
    """

    assignment: str
    kind: Kind
    fault: Fault
    judgement: Judgement | None
    near: bool
    seconds: float
    told: str


def main() -> None:
    """Draw mutants, judge them and print the table."""
    given = _options()
    if given.table:
        _print(given.table, given.sample)
        return
    mutants = _chosen(given)
    given.to.write_text("")
    start = time.perf_counter()
    with ProcessPoolExecutor(given.jobs) as pool:
        parts = [mutants[number :: given.jobs] for number in range(given.jobs)]
        list(pool.map(partial(_judge, seed=given.seed, seconds=given.seconds, to=given.to), parts))
    print(f"{time.perf_counter() - start:.0f} s; the outcomes are in {given.to}\n")
    _print(given.to, given.sample)


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser()
    options.add_argument("names", nargs="*", metavar="ASSIGNMENT", default=COURSE.names())
    options.add_argument("--kind", nargs="+", type=Kind, choices=[*Kind], default=[*Kind])
    options.add_argument("--count", type=int, default=400)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--among", action="store_true")
    options.add_argument("--seconds", type=float, default=SearchRules().seconds, help="seconds for a search")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--sample", type=int, default=0)
    options.add_argument("--to", type=Path, default=Path(tempfile.gettempdir()) / "mutants.jsonl")
    options.add_argument("--table", type=Path, metavar="FILE")
    return options.parse_args()


# --- selection of mutants ---------------------------------------------------------------------


def _chosen(given: argparse.Namespace) -> list[Mutant]:
    """Return the mutants of the named assignments and kinds. With --among, they are those among the mutants drawn from
    all assignments and kinds.
    """
    names = COURSE.names() if given.among else given.names
    kinds = [*Kind] if given.among else given.kind
    mutants = drawn((each for name in names for each in _mutants(name) if each.kind in kinds), given)
    return [each for each in mutants if each.assignment in given.names and each.kind in given.kind]


def _mutants(name: str) -> Iterator[Mutant]:
    """Yield all mutants of the right kernels of an assignment."""
    coursework = COURSE.load(name)
    origins = [(part, part.reference / MODEL_FILE) for part in coursework.parts]
    goldens = [read(folder) for folder in CORPUS if folder.parent.name == name]
    right = [each for each in goldens if each.expectation.is_right]
    origins += [(each.subject(coursework), each.folder / FILE_NAME) for each in right]
    for part, path in origins:
        kernels = {part.kernel, *part.aliases, *(launch.kernel for launch in part.student_launches)}
        for mutation in mutations(_source(path), kernels):
            yield Mutant(assignment=name, part=part.part, origin=path, mutation=mutation)


def _source(path: Path) -> str:
    """Return the text that is graded."""
    return parse_submission(path, path.read_bytes()).source


def drawn(mutants: Iterable[Mutant], given: argparse.Namespace) -> list[Mutant]:
    """Draw mutants reproducibly, taking one of each assignment and kind before a second of any."""
    chance = Random(given.seed)
    groups: dict[tuple[str, Kind], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        groups[mutant.assignment, mutant.kind].append(mutant)
    piles = [chance.sample(groups[key], len(groups[key])) for key in sorted(groups)]
    chance.shuffle(piles)
    longest = max(map(len, piles), default=0)
    in_turn = [pile[turn] for turn in range(longest) for pile in piles if turn < len(pile)]
    return in_turn[: given.count]


# --- judging ----------------------------------------------------------------------------------


def _judge(mutants: list[Mutant], seed: int, seconds: float, to: Path) -> None:
    """Judge the mutants in one environment, and write each outcome to the file at once. A search may take `seconds`."""
    settings = load_settings({"timing": ONE_PAIR, "search": SearchRules(seconds=seconds)})
    with (
        settings.open_batch(settings.sandbox_for_ours()) as environment,
        environment.worker() as worker,
        to.open("a") as file,
    ):
        for mutant in mutants:
            outcome = _outcome(mutant, environment, worker, seed)
            file.write(json.dumps(asdict(outcome)) + "\n")
            file.flush()


def _outcome(mutant: Mutant, environment: GradingEnvironment, worker: Worker, seed: int) -> Outcome:
    start = time.perf_counter()
    part = next(each for each in COURSE.load(mutant.assignment).parts if each.part == mutant.part)
    found = fault(part, mutant.mutation.source, worker, seed)
    if found is Fault.COMPLAINT and fault(part, _source(mutant.origin), worker, seed) is Fault.COMPLAINT:
        found = Fault.NONE  # the second judge also complains about the right text
    wrong = found not in {Fault.NONE, Fault.UNBUILT}
    first = _first(part, mutant.mutation.source, environment, seed) if wrong else None
    judgement = None if first is None else judged(mutant.mutation, first)
    return Outcome(
        assignment=mutant.assignment,
        kind=mutant.kind,
        fault=found,
        judgement=judgement,
        near=first is not None and is_near(mutant.mutation, first),
        seconds=time.perf_counter() - start,
        told=_told(mutant, found, first, judgement),
    )


def _first(part: Assignment, source: str, environment: GradingEnvironment, seed: int) -> Check | None:
    """Return the check that a student reads first, if it is one that can catch a mistake."""
    submission = parse_submission(Path(FILE_NAME), source.encode())
    result = grade_submission(Task(assignment=part, submission=submission, seed=seed), environment, lambda _: None)
    first = result.first_cause
    return first if first is not None and first.kind in DECIDING else None


# --- output -----------------------------------------------------------------------------------


HEADS = ("mutants", "same", "caught", *Judgement, "near", "s each")


def _print(file: Path, sample: int) -> None:
    """Print the table for a file of outcomes, and some of the mutants in full."""
    outcomes = [_parsed(line) for line in file.read_text().splitlines()]
    built = [each for each in outcomes if each.fault is not Fault.UNBUILT]
    wrong = [each for each in built if each.fault is not Fault.NONE]
    print("\n".join(each.told for each in wrong[:sample]))
    print("\n".join(_table(built)))
    print(f"\n{len(outcomes)} mutants, {len(outcomes) - len(built)} of which do not build and are left out")


def _parsed(line: str) -> Outcome:
    fields = json.loads(line)
    judgement = fields["judgement"]
    return Outcome(
        **{
            **fields,
            "kind": Kind(fields["kind"]),
            "fault": Fault(fields["fault"]),
            "judgement": None if judgement is None else Judgement(judgement),
        }
    )


def _table(outcomes: list[Outcome]) -> Iterator[str]:
    """Yield the rows for each assignment, for each kind, and for all mutants together."""
    by: dict[str, Callable[[Outcome], str]] = {
        "assignment": lambda each: each.assignment,
        "kind": lambda each: each.kind,
    }
    for head, key in by.items():
        yield f"{head:<16}" + "".join(f"{word:>8}" for word in HEADS)
        for name in sorted({key(each) for each in outcomes}):
            yield _row(name, [each for each in outcomes if key(each) == name])
        yield ""
    yield _row("all", outcomes)
    wrong = [each for each in outcomes if each.fault is not Fault.NONE]
    caught, near = (sum(map(is_it, wrong)) for is_it in (_is_caught, _is_near))
    counts = [caught, *(_count(wrong, each) for each in Judgement), near]
    shares = "".join(f"{100 * count / max(1, len(wrong)):6.1f} %" for count in counts)
    yield f"{'':<16}{'':>8}{'':>8}{shares}"


def _row(name: str, outcomes: list[Outcome]) -> str:
    same = sum(each.fault is Fault.NONE for each in outcomes)
    judged_ones = (_count(outcomes, each) for each in Judgement)
    counts = (len(outcomes), same, sum(map(_is_caught, outcomes)), *judged_ones, sum(map(_is_near, outcomes)))
    seconds = sum(each.seconds for each in outcomes) / max(1, len(outcomes))
    return f"{name:<16}" + "".join(f"{count:8d}" for count in counts) + f"{seconds:8.1f}"


def _is_caught(outcome: Outcome) -> bool:
    return outcome.judgement is not None


def _is_near(outcome: Outcome) -> bool:
    return outcome.near


def _count(outcomes: list[Outcome], judgement: Judgement) -> int:
    return sum(each.judgement is judgement for each in outcomes)


def _told(mutant: Mutant, found: Fault, first: Check | None, judgement: Judgement | None) -> str:
    """Describe a mutant and its outcome for a reader."""
    mutation = mutant.mutation
    before, after = _source(mutant.origin).splitlines(), mutation.source.splitlines()
    changes = (
        f"{number:5d} {sign} {line}"
        for number, pair in enumerate(zip(before, after, strict=True), start=1)
        for sign, line in zip("-+", pair, strict=True)
        if pair[0] != pair[1]
    )
    said = "not caught" if first is None else f"{first.name}: {first.reason}\n{first_sentences(first)}"
    return "\n".join(
        (
            f"=== {mutant.origin.parent.relative_to(ROOT)} {mutant.part}: {mutation.kind}",
            *changes,
            f"lines {sorted(mutation.lines)}, effect in {sorted(mutation.effect)}; the other judge: {found}",
            f"{said}\n--> {judgement}\n",
        )
    )


if __name__ == "__main__":
    main()
