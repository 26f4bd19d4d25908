"""pages.py and its files: vendored scripts are unchanged, and live checks look like those in the report."""

import hashlib
import json

import pytest
from project import ROOT

from grader.reports.groups import SIGNS, STATES
from grader.service.web.pages import STATIC

VENDORED = sorted(path for room in ("grader", "tests") for path in (ROOT / room).rglob("vendor/**/SHA256SUMS"))


@pytest.mark.parametrize("sums", VENDORED, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_scripts_of_others_are_unchanged_and_have_their_licence(sums):
    """SHA256SUMS lists each file in a vendored folder with its original hash. The folder includes the licence."""
    lines = [line.split() for line in sums.read_text().splitlines() if not line.startswith("#")]
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sums.parent.iterdir()}
    del found[sums.name]
    assert found == {name: digest for digest, name in lines}
    assert "LICENSE" in found


@pytest.mark.parametrize(("reason", "said"), [("WRONG_OUTPUT", "✗failed"), ("NOT_RUN", "-skipped")])
def test_a_check_that_arrives_is_shown_as_in_the_report(browser, reason, said):
    """A live check that was not run because of another failure is shown as skipped. Other checks show their verdict."""
    script = STATIC["live.js"].decode()
    page = f'<meta http-equiv="Content-Security-Policy" content="script-src"><body><script>{script}</script></body>'
    note = f'{{check: "one", verdict: "failed", reason: "{reason}", words: ""}}'
    states = json.dumps({str(verdict): (SIGNS[word], word) for verdict, word in STATES.items()})
    (shown,) = browser.measure(page, [800], f"rowOf({note}, {states}).textContent")
    assert shown == f"{said}one {reason}"


def test_the_editors_script_is_among_the_files_of_pages():
    """The static files include the vendored editor and this project's own files."""
    assert {"codemirror.js", "codemirror.css", "clike.js", "editor.js", "style.css"} <= STATIC.keys()
