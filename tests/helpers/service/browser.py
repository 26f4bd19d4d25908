"""A fixture with a headless browser, for tests that look at pages.

Without Chromium, such a test is skipped with a reason. With GRADER_TEST_BROWSER=required, it fails instead.
"""

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from chromium_pipe import Driven

POLICY = re.compile(r"<meta http-equiv=.Content-Security-Policy.[^>]*>")

NUMBERS = count()
"""Numbers for pages, so that each page has its own address."""


@dataclass(frozen=True, kw_only=True)
class Browser:
    """Chromium, with a folder for the pages of a test and for the profiles of browsers that it starts. All tests of a
    process share one browser for pages, because starting one takes a second.
    """

    program: str
    folder: Path
    shared: Callable[[], Driven]

    def title(self, page):
        """Return the page's title after its scripts have run."""
        return self._open(page).say("document.title")

    def measure(self, page, widths, expression):
        """Return the value of a JavaScript expression in the page, in windows of these widths in pixels, one after the
        other.

        The windows are frames, because the browser's own window cannot be as narrow as a phone. The page is loaded
        without its policy, which would forbid the measuring script.
        """
        frames = []
        for number, width in enumerate(widths):
            answer = f"parent.answers[{number}] = {expression}; parent.document.title = JSON.stringify(parent.answers)"
            copy = add_script(without_policy(page), f"<script>onload = () => {{ {answer} }}</script>")
            size = f'width="{width}" height="844" style="border: 0"'
            frames.append(f'<iframe {size} srcdoc="{html.escape(copy)}"></iframe>')
        return json.loads(self.title(f"<title></title><script>answers = []</script>{''.join(frames)}"))

    def printed(self, page):
        """Return the text of the printed page, in one line."""
        sheets = self.folder / "page.pdf"
        sheets.write_bytes(self._open(page).printed())
        text = subprocess.run(["pdftotext", "-layout", sheets, "-"], capture_output=True, text=True, check=True).stdout
        return " ".join(text.split())

    def _open(self, page):
        path = self.folder / f"{next(NUMBERS)}.html"
        path.write_text(page, encoding="utf-8")
        driven = self.shared()
        driven.open_until_still(path.as_uri())
        return driven


def without_policy(page):
    """Return the page without the policy that keeps scripts from running, so that tests depend on its other
    protections.
    """
    copy = POLICY.sub("", page)
    assert copy != page
    return copy


def add_script(page, script):
    """Return the page with a script added at its end."""
    head, mark, tail = page.rpartition("</body>")
    assert mark
    return f"{head}{script}{mark}{tail}"


@pytest.fixture(scope="session")
def shared_chromium(tmp_path_factory):
    """Return a function that returns the shared browser, and starts it at the first call."""
    started = []

    def shared():
        if not started:
            folder = tmp_path_factory.mktemp("chromium")
            started.append(Driven(shutil.which("chromium"), folder))
        return started[0]

    yield shared
    for driven in started:
        driven.close()


@pytest.fixture
def browser(tmp_path, shared_chromium):
    """The headless Chromium of this machine."""
    programs = {name: shutil.which(name) for name in ("chromium", "pdftotext")}
    lacking = ", ".join(name for name, path in programs.items() if path is None)
    if lacking and os.environ.get("GRADER_TEST_BROWSER") == "required":
        pytest.fail(f"there is no {lacking}")
    if lacking:
        pytest.skip(f"there is no {lacking}")
    folder = tmp_path / "browser"
    folder.mkdir()
    return Browser(program=programs["chromium"], folder=folder, shared=shared_chromium)
