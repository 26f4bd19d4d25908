"""A headless browser, for the tests that look at pages (a fixture).

Without Chromium such a test is skipped, and says why; with GRADER_TEST_BROWSER=required it fails.
"""

import html
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

POLICY = re.compile(r"<meta http-equiv=.Content-Security-Policy.[^>]*>")


@dataclass(frozen=True, kw_only=True)
class Browser:
    """Chromium, with a folder for its profile and for the pages that it opens."""

    program: str
    folder: Path

    def title(self, page):
        """The page's title, after all that runs in it has run."""
        return html.unescape(re.search("<title>(.*?)</title>", self._run("--dump-dom", page), re.DOTALL)[1])

    def measure(self, page, widths, expression):
        """What a script's expression says of the page in windows so many pixels wide, one after the other.

        The windows are frames: the browser's own has a least width that no phone has. The page's policy would forbid
        the script that measures, so that it is left out here.
        """
        frames = []
        for number, width in enumerate(widths):
            answer = f"parent.answers[{number}] = {expression}; parent.document.title = JSON.stringify(parent.answers)"
            copy = add_script(without_policy(page), f"<script>onload = () => {{ {answer} }}</script>")
            size = f'width="{width}" height="844" style="border: 0"'
            frames.append(f'<iframe {size} srcdoc="{html.escape(copy)}"></iframe>')
        return json.loads(self.title(f"<title></title><script>answers = []</script>{''.join(frames)}"))

    def printed(self, page):
        """The words on the sheets that the page is printed on, in one line."""
        sheets = self.folder / "page.pdf"
        self._run("--no-pdf-header-footer", page, f"--print-to-pdf={sheets}")
        text = subprocess.run(["pdftotext", "-layout", sheets, "-"], capture_output=True, text=True, check=True).stdout
        return " ".join(text.split())

    def _run(self, option, page, *more):
        path = self.folder / "page.html"
        path.write_text(page, encoding="utf-8")
        command = (
            *(self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *(f"--user-data-dir={self.folder / 'profile'}", "--virtual-time-budget=2000", option, *more, path.as_uri()),
        )
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def without_policy(page):
    """The page without the policy that keeps scripts from running: what is left must do without."""
    copy = POLICY.sub("", page)
    assert copy != page
    return copy


def add_script(page, script):
    """The page with a script at its end."""
    head, mark, tail = page.rpartition("</body>")
    assert mark
    return f"{head}{script}{mark}{tail}"


@pytest.fixture
def browser(tmp_path):
    """The Chromium of this machine."""
    programs = {name: shutil.which(name) for name in ("chromium", "pdftotext")}
    lacking = ", ".join(name for name, path in programs.items() if path is None)
    if lacking and os.environ.get("GRADER_TEST_BROWSER") == "required":
        pytest.fail(f"there is no {lacking}")
    if lacking:
        pytest.skip(f"there is no {lacking}")
    folder = tmp_path / "browser"
    folder.mkdir()
    return Browser(program=programs["chromium"], folder=folder)
