"""Builds a submission, and drafts the grading if the build fails or kernels are missing."""

from dataclasses import replace

from grader.course.truth.oracle import load_oracle
from grader.grading.checks.causes.compiler_failures import LeftOpen, unbuilt_open
from grader.grading.checks.causes.conclusions import conclude
from grader.grading.checks.compilation.building import Build, check_build
from grader.grading.checks.compilation.device_needs import require_images, require_sizes, require_types
from grader.grading.checks.correctness import try_cases, unrun_cases
from grader.grading.draft import Draft, blamed_on_parameters
from grader.grading.phases.context import GradingContext
from grader.grading.refusal import BUILD_FAILED, unreached, unreached_without_kernels
from grader.results.verdicts import OUTSTANDING, Reason


def build_submission(context: GradingContext) -> Build:
    """Build the submission on the device, and report a successful build."""
    context.begin("building")
    require_sizes(context.task.assignment, context.device)
    require_images(context.task.assignment, context.student)
    build = check_build(context.task, context.student)
    if build.built is not None:
        context.tell([build.check])
    return build


def without_build(context: GradingContext, build: Build) -> Draft:
    """Return the draft after a failed build. All other checks fail, or stay open if the compiler failed.

    Raises DeviceError if our own kernels do not build either, because the device may lack a type.
    """
    asked, check = context.task.assignment, build.check
    if check.reason is Reason.BUILD_ERROR:
        with context.environment.worker() as ours:
            require_types(asked, ours)
    cases = tuple(map(BUILD_FAILED.fail, unrun_cases(asked, asked.correctness.shown)))
    others = tuple(unreached(asked, context.device))
    draft = Draft(task=context.task, provenance=context.provenance, build=check, cases=cases, others=others)
    waits = unbuilt_open(build, context.simulator)
    if waits is not None:
        return as_open(context, draft, waits)
    context.tell([check])
    return draft


def without_kernels(context: GradingContext, build: Build) -> Draft:
    """Return the draft for a file that lacks kernels. A case runs only if it runs one of the file's kernels alone."""
    asked, built = context.task.assignment, build.built
    assert built is not None, "a file that lacks some kernels builds"
    context.begin("running the cases")
    oracle, tried = load_oracle(asked), []
    for each in try_cases(asked.correctness.shown, built, oracle, context.student):
        context.tell([each.check], built.wrong_parameters)
        tried.append(each)
    return Draft(
        task=context.task,
        provenance=context.provenance,
        build=build.check,
        cases=blamed_on_parameters(conclude(tried, built, oracle), built),
        others=tuple(unreached_without_kernels(asked, context.device)),
        built=built,
    )


def as_open(context: GradingContext, draft: Draft, waits: LeftOpen) -> Draft:
    """Return the draft with open checks, which could not be decided because the compiler failed."""
    asked = context.task.assignment
    (build,), cases, others = (waits.of(checks, asked) for checks in ((draft.build,), draft.cases, draft.others))
    context.tell([check for check in (build, *cases, *others) if check.reason in OUTSTANDING])
    return replace(draft, build=build, cases=cases, others=others, left_open=waits)
