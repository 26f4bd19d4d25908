"""What no student may be given, and how to find it in whatever they are given: in text, in wheels, in zips.

Sources are compared by their tokens, without comments and spaces, so that text which was reformatted is found as well.
A passage is LENGTH tokens in a row. What students are meant to read (skeletons, handouts, naive kernels) is no secret,
even where a solution has it too.
"""

import io
import re
import zipfile

from project import ROOT

LENGTH = 16
"""Tokens in a row that are no coincidence: longer than `const uint row = get_global_id(1);` (9), shorter than the line
of a tiled product that adds up (20)."""

COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TOKENS = re.compile(r"[A-Za-z_]\w*|[\d.]+\w*|[^\w\s]")

SOLUTIONS = sorted(ROOT.glob("reference/*/kernels.cl"))
GOLDEN = sorted(path for each in SOLUTIONS for path in ROOT.glob(f"tests/submissions/{each.parent.name}/*/kernels.cl"))
PUBLIC = sorted(
    (
        *ROOT.glob("assignments/*/kernels.cl"),
        *ROOT.glob("assignments/*/README.md"),
        *ROOT.glob("reference/*/baseline.cl"),
        *ROOT.glob("grader/authoring/template/**/*.cl"),  # the example that `grader new` begins with
        ROOT / "student_template" / "kernels.cl",
    )
)


def passages(text):
    """All runs of LENGTH tokens of a text."""
    tokens = TOKENS.findall(COMMENTS.sub(" ", text))
    return {tuple(tokens[start : start + LENGTH]) for start in range(len(tokens) - LENGTH + 1)}


def of_files(paths):
    return {passage for path in paths for passage in passages(path.read_text(encoding="utf-8", errors="replace"))}


def secret_passages():
    """Those of model solutions and golden submissions that stand in nothing that students are meant to read."""
    return of_files([*SOLUTIONS, *GOLDEN]) - of_files(PUBLIC)


def opened(name, data):
    """A file's name and text, and those of all that it holds, if it is an archive."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.namelist():
                yield from opened(f"{name}: {member}", archive.read(member))
    else:
        yield name, data.decode("utf-8", errors="replace")


def secrets_in(files, secrets):
    """What of these passages is in files (bytes by name), by the file: a passage of each."""
    found = {}
    for outer, data in files.items():
        for name, text in opened(outer, data):
            both = passages(text) & secrets
            if both:
                found[name] = " ".join(min(both))
    return found


def folder_of(root):
    """The files of a folder and those below it, by their names there."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
