"""A validation whose measurements are made up."""

from io import StringIO

import pytest
from drafts import course_in
from gradings_here import GradingsHere
from rich.console import Console
from samples import PROFILE
from validations import HOLDS, WIDTH, skeleton_of, timed

from grader.authoring.extent import FULL, NOISY
from grader.authoring.rewards import Rewards
from grader.authoring.selftest import OwnResults
from grader.authoring.validation import Examined, Judged
from grader.cli.validation import sections as module
from grader.cli.validation.page import Page
from grader.cli.validation.sections import Sources, print_validation


@pytest.fixture
def printed(drafted, monkeypatch, environment):
    """Return a function that validates the draft with made-up results and returns the text and the number of faults."""

    def validate(model=None, baseline=PROFILE, statements=(HOLDS,), differences=None, **others):
        graded, avoiding = others.get("graded", 0.9), others.get("avoiding", ())

        def examine(assignment, *_):
            own = None if model is None else OwnResults(model=model, skeleton=skeleton_of(assignment))
            extent = others.get("machine", others.get("extent", FULL))
            return Examined(assignment=assignment, statements=statements, own=own, baseline=baseline, extent=extent)

        def judge(golden, *_):
            extent = others.get("at_submissions", FULL)
            if isinstance(graded, Exception):
                raise graded
            told = (differences or {}).get(golden.name, ())
            return Judged(golden=golden, result=timed(graded), differences=told, extent=extent)

        def rewards(assignment, *_):
            return Rewards(assignment=assignment, avoiding=avoiding, slips=(), trivial=())

        monkeypatch.setattr(module, "examine", examine)
        monkeypatch.setattr(module, "rewards", rewards)
        monkeypatch.setattr(module, "judge", judge)
        page = Page(console=Console(file=StringIO(), width=WIDTH, highlight=False))
        submissions = drafted / "tests" / "submissions"
        sources = Sources(
            course=course_in(drafted),
            submissions=submissions,
            environment=environment,
            gradings=GradingsHere(environment),
            extent=others.get("extent", FULL),
        )
        print_validation("scaling", sources, page)
        assert page.is_noisy is (NOISY in {others.get("machine"), others.get("at_submissions")})
        return page.console.file.getvalue(), page.failed

    return validate
