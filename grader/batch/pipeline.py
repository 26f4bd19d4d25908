"""Runs a batch from beginning to end.

submissions and options -> intake -> plan -> missing results, from the workforce -> reports, gradebooks, overview
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from grader.batch.changes import conditions_of, files_in_words, grades_in_words, stands_of, why_again
from grader.batch.lateness import LateWork, apply_deadlines
from grader.batch.lists import Orders, read_corrections, read_extensions, without_effect
from grader.batch.lms_files import write_uploads
from grader.batch.outputs import Outputs
from grader.batch.page_renderer import INLINE, PageRenderer
from grader.batch.progress_table import counting, following
from grader.batch.publishing import FAULTS, Missing, Outcomes, blank_book, pages_of, publish
from grader.batch.scheduler import Event, Left, Listener, choose, chosen_in_words, grade_all, make_plan, missing
from grader.batch.station import Facilities
from grader.batch.store import Store, at_work, batch_seed, conditions_before, swap_stands
from grader.batch.workforce import Workforce
from grader.common.errors import InputError, InterruptedGradingError
from grader.common.optional import noting
from grader.common.people import person_key
from grader.common.phrases import count
from grader.course.submissions.handin import Intake
from grader.course.suite import Coursework
from grader.lms.intake import take_all
from grader.lms.intake.owners import Owner
from grader.lms.intake.roster import everybody
from grader.lms.intake.summary import tell
from grader.lms.platforms import Upload
from grader.protocol.text import showable
from grader.results.gradebook import Gradebook
from grader.results.withholding import View, withheld


@dataclass(frozen=True, kw_only=True)
class BatchRequest:
    """The options of a batch. Every station grades with the settings in `settings_json` (Settings.as_json). `view`
    selects the part of a result that students see. All people on the roster or in a file for upload belong to the
    batch.
    """

    submissions: tuple[Path, ...]
    assignments: tuple[Coursework, ...]
    folder: Path
    settings_json: str
    uploads: tuple[Upload, ...] = ()
    roster: tuple[Owner, ...] = ()
    seed: int | None = None
    regrade: tuple[str, ...] = ()
    view: View = withheld


def grade_batch(
    request: BatchRequest, hire: Callable[[], Workforce], say: Callable[[str], None], renderer: PageRenderer = INLINE
) -> Gradebook:
    """Grade all items without a stored result, write all results and reports, and return the gradebook.

    `hire` is called only after the intake has shown that there is something to grade. `say` prints one or more lines.
    `renderer` makes pages while submissions are graded.
    """
    assignments = {assignment.name: assignment for assignment in request.assignments}
    deadlines, corrections = look(request, say)
    with at_work(request.folder):
        seed = batch_seed(request.folder, request.seed)
        store = Store(request.folder)
        with closing(hire()) as workforce:
            plan = make_plan(deadlines.intake, request.assignments, workforce.facilities(), request.settings_json, seed)
            for wanted in request.regrade:
                chosen = choose(plan, store, assignments, wanted)
                say(chosen_in_words(wanted, len(chosen)))
                for key in chosen:
                    store.drop(key)
            outcomes = Outcomes(
                deadlines=deadlines,
                assignments=assignments,
                plan=plan,
                store=store,
                faults={},
                view=request.view,
                corrections=corrections,
            )
            left = missing(plan, store)
            before = len(plan.items) - len(left.plan.items)
            say(_start(len(plan.items), before, plan.facilities))
            if left.plan.items:
                for why in _why_again(left, why_again(conditions_before(request.folder), conditions_of(plan))):
                    say(why)
                renderer.start()
            try:
                with following(len(plan.items), before, say) as listen:
                    faults = grade_all(left.plan, workforce, store, _with_pages(outcomes, renderer, listen))
            except InterruptedGradingError as error:
                done = sum(store.holds(key) for key in plan.items)
                raise InterruptedGradingError(
                    f"{error} {done} of {count(len(plan.items), 'grading')} are done and kept in {request.folder}; "
                    "the same command continues from there (without --regrade)."
                ) from error
            workforce.dismiss()
            return _publish(request, replace(outcomes, faults=faults), renderer, say)


def _with_pages(outcomes: Outcomes, renderer: PageRenderer, listen: Listener) -> Listener:
    """Return a listener that also starts making the pages of each graded item."""

    def hear(event: Event | None) -> None:
        listen(event)
        if event is not None and event.what == "graded":
            for outcome in outcomes.of(event.item):
                for told in pages_of(outcome).values():
                    renderer.begin(told)

    return hear


def look(request: BatchRequest, say: Callable[[str], None]) -> tuple[LateWork, Orders]:
    """Read all input. Report what will be graded and what is wrong with the input now, rather than after hours of
    grading. Raises InputError for input that cannot be used, and if nothing can be graded.
    """
    for path in request.submissions:
        if request.folder.resolve().is_relative_to(path.resolve()):
            raise InputError(
                f"{request.folder} is inside {path}, and would be read as a submission; choose another folder."
            )
    assignments = {assignment.name: assignment for assignment in request.assignments}
    found = _with_lateness(take_all(request.submissions, request.assignments, _everybody(request)), request.uploads)
    people = everybody(found, (request.roster, *(upload.roster() for upload in request.uploads)))
    extensions, idle = read_extensions(request.folder, people, assignments)
    deadlines = apply_deadlines(found, assignments, extensions)
    intake = deadlines.intake
    say(tell(intake))
    for line in deadlines.lines:
        say(line)
    if not intake.handins:
        named = ", ".join(map(str, request.submissions))
        raise InputError(f"{named} contains nothing that can be graded; the lines above give the reasons.")
    for upload in request.uploads:
        upload.fill(blank_book(intake, assignments))
    corrections, unused = read_corrections(request.folder, people, assignments)
    for remark in (*idle, *unused):
        say(showable(f"{remark.where}: {remark.why}"))
    return deadlines, corrections


def _publish(
    request: BatchRequest, outcomes: Outcomes, renderer: PageRenderer, say: Callable[[str], None]
) -> Gradebook:
    """Write all files of this run, remove files that only earlier runs made, and report the changes."""
    handins = len(outcomes.intake.handins)
    say(f"Writing the files of {count(handins, 'hand-in')} to {request.folder} ...")
    outputs = Outputs(request.folder)
    with counting(handins, "hand-ins written") as written:
        published = publish(outcomes, outputs, renderer, written)
    book = published.book
    with noting() as faults:
        remarks = write_uploads(request.uploads, book, outputs)
    missing = (*published.missing, *(Missing(where="the batch", fault=fault) for fault in faults))
    if missing:
        outputs.write(FAULTS, "\n".join(map(str, missing)))
    for remark in (*without_effect(outcomes.corrections, book), *remarks):
        say(showable(f"{remark.where}: {remark.why}"))
    say(files_in_words(outputs.finish()))
    now = stands_of(book)
    if told := grades_in_words(swap_stands(request.folder, now, conditions_of(outcomes.plan)), now):
        say(told)
    if missing:
        lost = f"the grader failed {count(len(missing), 'time')} to explain or report something"
        say(f"{lost}. The grades are not affected. {request.folder / FAULTS} lists what is missing and why.")
    return book


def _everybody(request: BatchRequest) -> tuple[Owner, ...]:
    """Return the people on the roster. Without a roster, return the people in the first file for upload that lists any,
    because each platform has its own list of people.
    """
    lists = [request.roster] if request.roster else [upload.roster() for upload in request.uploads]
    return next((people for people in lists if people), ())


def _with_lateness(intake: Intake, uploads: tuple[Upload, ...]) -> Intake:
    """Return the intake with the late marks and the hand-in times from the files for upload."""
    late = {person_key(key) for upload in uploads for key in upload.late()}
    times = {person_key(key): when for upload in uploads for key, when in upload.submitted().items()}
    handins = (
        replace(
            each,
            late=each.late or person_key(each.student.key or "") in late,
            submitted=each.submitted or times.get(person_key(each.student.key or "")),
        )
        for each in intake.handins
    )
    return replace(intake, handins=tuple(handins))


def _why_again(left: Left, changed: str) -> Iterator[str]:
    """Yield the reasons why submissions are graded again that were graded before."""
    if changed:
        yield changed
    if left.untimed:
        yield f"{count(left.untimed, 'stored grading')} without a speed, so timed again."
    if left.unmeasured:
        yield f"{count(left.unmeasured, 'stored grading')} without what the assignment measures now, so graded again."


def _start(total: int, before: int, facilities: Facilities) -> str:
    how_many = f", {before} of them made before" if before else " to make"
    return f"{count(total, 'grading')}{how_many},\nwith {facilities}, in the sandbox {facilities.sandbox}."
