"""The picture of a report in the README. `python tests/helpers/picture.py` draws it again with Chromium.

    tests/submissions/reduction/no-barrier-in-the-tree --graded--> tests/helpers/example.json --drawn--> docs/report.png

The picture contains a digest of its page, so that a test can detect an outdated picture. This makes a new result:

    grader grade tests/submissions/reduction/no-barrier-in-the-tree --assignment reduction --sandbox process \\
        --require-sanitizer --json tests/helpers/example.json
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from project import HELPERS, ROOT

from grader.reports import REPORTS
from grader.results.result import Result

SUBMISSION = ROOT / "tests" / "submissions" / "reduction" / "no-barrier-in-the-tree"
EXAMPLE, PICTURE = HELPERS / "example.json", ROOT / "docs" / "report.png"

WIDTH, HEIGHT = 960, 860
"""Size of the picture in pixels. It shows only the beginning of the page."""

BELOW = 200
"""Height in pixels by which the window is larger than the picture, because some versions of Chromium leave the end of a
screenshot blank.
"""

COLOURS = 64
"""Number of colours that are enough for the page, including the smoothed edges of its letters."""

KEY = "page-sha256"


def example():
    """Return the result that the README and docs/reading-your-report.md show, as grader wrote it."""
    return Result.model_validate_json(EXAMPLE.read_text(encoding="utf-8"))


def digest():
    """Return the digest of the page without its figures, which are outside the picture and depend on matplotlib's
    version.
    """
    page = re.sub("<svg.*?</svg>", "", REPORTS["html"](example()), flags=re.DOTALL)
    return hashlib.sha256(page.encode()).hexdigest()


def drawn_from():
    """Return the digest of the page from which the picture was drawn."""
    with Image.open(PICTURE) as picture:
        return picture.text[KEY]


def draw(chromium):
    """Draw the picture, and store the digest of its page in it."""
    with tempfile.TemporaryDirectory() as name:
        folder, note = Path(name), PngInfo()
        (folder / "page.html").write_text(REPORTS["html"](example()), encoding="utf-8")
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}")
        shot = (f"--window-size={WIDTH},{HEIGHT + BELOW}", f"--screenshot={folder / 'page.png'}")
        subprocess.run([chromium, *options, *shot, (folder / "page.html").as_uri()], check=True, capture_output=True)
        note.add_text(KEY, digest())
        with Image.open(folder / "page.png") as page:
            beginning = page.crop((0, 0, WIDTH, HEIGHT))
            small = beginning.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            small.save(PICTURE, optimize=True, pnginfo=note)


if __name__ == "__main__":
    found = shutil.which("chromium")
    if found is None:
        sys.exit("there is no chromium, which draws the page: install it.")
    draw(found)
