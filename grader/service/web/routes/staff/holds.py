"""Routes that hold back the results of an assignment, and publish them."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.phrases import count
from grader.service.grades.publication import (
    graded_so_far,
    hides,
    hold_back,
    publish,
    release_of,
    require_held,
    require_published,
)
from grader.service.submissions.versions import count_needing_run
from grader.service.web.auth import Instructor, StaffForm
from grader.service.web.pages import Confirmation, confirmation_page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course/assignments/{name}")

OLDER = (
    "{} of an older version can show what the assignment hides now. To prevent this, first grade all attempts at this "
    "assignment again, on the page Course."
)


@router.get("/hold")
def ask_to_hold_back(request: Request, member: Instructor, name: str) -> Response:
    """Page that explains what students will no longer see, with a button to confirm the hold."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        require_published(session, name)
        graded = graded_so_far(session, name)
    attempts, students = count(graded.attempts, "attempt"), count(graded.students, "student")
    asked = Confirmation(
        question=f"Hold back the results of {shown.title}?",
        says=(
            "Students see that an attempt was received and graded.",
            "They do not see points, reports, checks or the leaderboard, neither on pages nor with the API.",
            f"This hides the results of {attempts} of {students}. Students may have read or downloaded them.",
            "You and your assistants see everything, and exports contain everything.",
            "You can publish the results at any time.",
        ),
        action=f"/course/assignments/{name}/hold",
        button="Hold back results",
        back=f"/course/assignments/{name}",
    )
    return confirmation_page(request, member, asked)


@router.post("/hold")
def hold_results_back(request: Request, member: Instructor, _form: StaffForm, name: str) -> Response:
    """Hold back all results of an assignment."""
    state = state_of(request)
    state.cache.assignment(name)
    with state.database.writing() as session:
        hold_back(session, name, member.key, state.now())
    return RedirectResponse(f"/course/assignments/{name}", 303)


@router.get("/publication")
def ask_to_publish(request: Request, member: Instructor, name: str) -> Response:
    """Page that explains what students will see, with a button to confirm the publication."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        require_held(session, name)
        graded, withheld = graded_so_far(session, name), hides(session, shown) and release_of(session, name) is None
        older = count_needing_run(session, shown)
    attempts, students = count(graded.attempts, "attempt"), count(graded.students, "student")
    asked = Confirmation(
        question=f"Publish the results of {shown.title}?",
        says=(
            f"This shows the results of {attempts} of {students} at once: points, reports and checks.",
            "Attempts that are graded later show their results as soon as they are graded.",
            *([OLDER.format(count(older, "result"))] if older else []),
            *(["Hidden checks stay hidden until you release them."] if withheld else []),
            "Students can keep copies of the results, even if you hold the results back again.",
        ),
        action=f"/course/assignments/{name}/publication",
        button="Publish results",
        back=f"/course/assignments/{name}",
    )
    return confirmation_page(request, member, asked)


@router.post("/publication")
def publish_results(request: Request, member: Instructor, _form: StaffForm, name: str) -> Response:
    """Publish the results of an assignment."""
    state = state_of(request)
    state.cache.assignment(name)
    with state.database.writing() as session:
        publish(session, name, member.key, state.now())
    return RedirectResponse(f"/course/assignments/{name}", 303)
