"""authoring.py: the commands for authors of assignments."""

import json

import pytest
from commandline import complaint, grader, output_of

from grader.authoring.extent import NOISY
from grader.authoring.selftest import Claim
from grader.authoring.validation import Examined
from grader.cli.app import app
from grader.cli.exit_codes import FAILED, UNGRADED
from grader.cli.validation import sections


@pytest.mark.parametrize("which", ["result", "assignment"])
def test_schema_is_json_that_describes_the_file(tmp_path, which):
    """`grader schema` prints a JSON schema that describes the fields of the record."""
    schema = json.loads(output_of(tmp_path, "schema", which))
    assert schema["type"] == "object"
    assert "title" in schema["properties"]


def test_new_tells_what_it_has_written_and_what_to_do_next(tmp_path):
    """`grader new` lists the files that it has written and prints the next command.

    A second run refuses to overwrite them, and a name that no kernel can have is refused in one line.
    """
    *written, _, advice, _, command = output_of(tmp_path, "new", "scaling", "--course", "my course").splitlines()
    assert all((tmp_path / path).is_file() for path in written)
    assert "my course/assignments/scaling/assignment.yaml" in written
    assert "comments" in advice
    assert command.startswith("    ")
    assert command.endswith("grader validate scaling --course 'my course'")
    again = complaint(grader(tmp_path, "new", "scaling", "--course", "my course"))
    assert "already contains assignments/scaling, reference/scaling, tests/submissions/scaling;" in again
    assert "cannot be the name of a kernel" in complaint(grader(tmp_path, "new", "3d", "--course", "my course"))


@pytest.mark.whole
def test_validate_of_a_file_that_cannot_be_used_is_exit_code_1(tmp_path):
    """An unknown field counts as one false statement of its assignment, with exit code 1. Other assignments are
    validated.
    """
    output_of(tmp_path, "new", "scaling", "--course", "mine")
    output_of(tmp_path, "new", "adding", "--course", "mine")
    for name in ("scaling", "adding"):
        path = tmp_path / "mine" / "assignments" / name / "assignment.yaml"
        path.write_text(path.read_text().replace("title:", "titel:"))
    done = grader(tmp_path, "validate", "--course", "mine")
    assert done.returncode == 1
    assert done.stderr == ""
    assert "titel: unknown key; did you mean title?" in " ".join(done.stdout.split())
    assert [line for line in done.stdout.splitlines() if line.endswith("1 statement is FALSE")] == [
        "adding: 1 statement is FALSE",
        "scaling: 1 statement is FALSE",
    ]


def test_validate_of_an_unknown_name_suggests_the_nearest(tmp_path):
    """`grader validate` suggests the nearest name for an unknown one before it runs anything."""
    output_of(tmp_path, "new", "scaling", "--course", "mine")
    assert "did you mean scaling?" in complaint(grader(tmp_path, "validate", "scalling", "--course", "mine"))


@pytest.mark.parametrize(("holds", "code"), [(True, UNGRADED), (False, FAILED)])
def test_selftest_on_a_noisy_machine_checks_all_but_the_speed(monkeypatch, capsys, holds, code):
    """If the machine stays too noisy to time kernels, `grader selftest` prints all other statements. It says whose
    speed was not checked, and what to do.
    """
    statement = Claim(claim="the baseline computes the right results", holds=holds, seen="in 12 cases")
    seen = {"statements": (statement,), "own": None, "baseline": None, "extent": NOISY}
    monkeypatch.setattr(sections, "examine", lambda assignment, *_: Examined(assignment=assignment, **seen))
    with pytest.raises(SystemExit) as ended:
        app(["selftest", "coalsTransp", "--sandbox", "process"], obj=None)
    text = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == code
    assert "coalsTransp: the baseline computes the right results (in 12 cases) unknown" in text
    assert "coalsTransp: its speed was not checked. This machine was too noisy to time kernels: all 3" in text
    assert text.endswith("Stop other programs, and run: grader selftest coalsTransp")
