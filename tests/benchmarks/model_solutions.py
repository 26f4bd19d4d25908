"""Print how close the model solutions come to the limits of a GPU, in the format of the table in reference/README.md.

    python tests/benchmarks/model_solutions.py [--turns N] [--halvings N] [ASSIGNMENT ...]

The shapes fill a large GPU; --halvings halves each size N times. In each turn, the model solution of the student's
steps, the naive kernel, a copy and the kernel that only computes are launched one after the other, on data that the
device makes for each launch. `of copy` and `of peak` are medians of ratios within a turn. `spread` is the range from
the 5th to the 95th percentile of the model solution's times.
"""

import argparse
from collections import defaultdict
from statistics import median, quantiles

from grader.course.assignment import Assignment, Timed
from grader.course.criteria import Sizes
from grader.course.expressions import evaluate
from grader.course.speed_goals import device_class
from grader.course.submissions.submission import fresh_seed
from grader.execution.assignment_plans import control_plan
from grader.execution.device import copy_size, peak_run
from grader.execution.plan import COPY, NAIVE, PEAK, STUDENT, WHOLE
from grader.grading.explain.failures import unwrap
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.settings import load_settings
from grader.grading.timing.digest_verifier import ByReference
from grader.grading.timing.rounds import Participant
from grader.grading.timing.timing_setup import own_programs, request_session, timing_task
from grader.protocol.messages import DeviceFacts

TURNS, WARM_UP = 30, 10

SHAPES: dict[str, Sizes] = {
    "coalsTransp": {"height": 16384, "width": 16384},
    "coalsProgrm": {"height": 1_048_576, "width": 64},
    "optimProgram": {"height": 1_048_576, "width": 64},
    "blockMMM": {"heightA": 4096, "widthB": 4096, "widthA": 4096},
    "rgblkMMM": {"heightA": 4096, "widthB": 4096, "widthA": 4096},
}


def main() -> None:
    """Print one row for each assignment."""
    options = argparse.ArgumentParser()
    options.add_argument("names", nargs="*", metavar="ASSIGNMENT", default=[*SHAPES])
    options.add_argument("--turns", type=int, default=TURNS)
    options.add_argument("--halvings", type=int, default=0)
    given = options.parse_args()
    settings = load_settings({})
    with settings.open_environment(settings.sandbox_for_ours()) as environment:
        with environment.worker() as worker:
            device = worker.ready()
        print("| kernel | shape | model solution | naive | of copy | of peak | spread |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for name in given.names:
            sizes = {size: value >> given.halvings for size, value in SHAPES[name].items()}
            (whole,) = settings.places.load(name).parts
            assignment = _at(whole.timed_on(device_class(device)), sizes, device)
            print(_row(assignment, sizes, device, _times(assignment, device, environment, given.turns)), flush=True)
        print(f"\n{device.name}, driver {device.driver}, medians of {given.turns} launches")


def _at(assignment: Timed, sizes: Sizes, device: DeviceFacts) -> Timed:
    """Return the assignment with these sizes for timing."""
    kind, performance = device_class(device), assignment.speed_goals
    goal = performance.classes[kind].model_copy(update={"sizes": sizes})
    classes = {**performance.classes, kind: goal}
    return assignment.model_copy(update={"performance": performance.model_copy(update={"classes": classes})})


def _times(
    assignment: Timed, device: DeviceFacts, environment: GradingEnvironment, turns: int
) -> dict[str, list[float]]:
    """Return the seconds of each launch, in the order of the turns, for each script of the control worker."""
    verifier = ByReference(timing_task(assignment, device, fresh_seed()))
    seconds = defaultdict(list)
    with environment.worker() as worker:
        control = Participant(worker=worker, plan=verifier.prepare(control_plan(assignment, device)))
        request_session(control, own_programs(assignment), verifier)
        unwrap(worker.open(control.plan))
        for turn in range(WARM_UP + turns):
            for script in (name for name in (STUDENT, COPY, NAIVE, WHOLE, PEAK) if name in control.plan.scripts):
                inputs = verifier.inputs(turn)
                inputs.prepare(control, script)
                inputs.supply(control, script)
                timing = unwrap(worker.session.launch(inputs.script(script)))
                if turn >= WARM_UP:
                    seconds[script].append(timing.seconds)
    return seconds


def _row(assignment: Assignment, sizes: Sizes, device: DeviceFacts, seconds: dict[str, list[float]]) -> str:
    performance, names = assignment.speed_goals, assignment.names(sizes)
    moved = evaluate(performance.bytes, names)
    work = moved if performance.flop is None else evaluate(performance.flop, names)
    copied = 2 * copy_size(assignment, device)
    own = seconds[STUDENT]
    peak_flop = peak_run(device).flop if performance.flop else None
    of_copy = median((moved / mine) / (copied / copy) for mine, copy in zip(own, seconds[COPY], strict=True))
    of_peak = (
        [(work / mine) / (peak_flop / peak) for mine, peak in zip(own, seconds[PEAK], strict=True)] if peak_flop else []
    )
    cuts = quantiles(own, n=20)
    cells = (
        assignment.name,
        " x ".join(f"{size:,}" for size in sizes.values()),
        f"{work / median(own) * 1e-9:,.0f} {performance.unit}",
        f"{work / median(seconds[NAIVE]) * 1e-9:,.0f}",
        "" if peak_flop else f"{of_copy:.2f}",
        f"{median(of_peak):.2f}" if of_peak else "",
        f"{(cuts[-1] - cuts[0]) / median(own):.1%}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
