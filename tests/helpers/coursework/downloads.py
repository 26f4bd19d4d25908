"""Writers of downloads as learning platforms produce them, for a given list of people. Other tests read these
downloads.

A person is (full name, id on the platform, {assignment: bytes of the .cl file}). A person with one assignment submits
the file kernels.cl. A person with several assignments submits one file for each, with the assignment's name. Each
function writes to `path`, and returns the path that an instructor would pass on the command line.
"""

import zipfile
from pathlib import Path

Person = tuple[str, str, dict[str, bytes]]

KERNEL = b"__kernel void %s(__global float *A) {\n    A[get_global_id(0)] = 0.0f;\n}\n"


def source(*kernels: str) -> bytes:
    """Return a source file that defines kernels with these names."""
    return b"\n".join(KERNEL % name.encode() for name in kernels)


def files_of(person: Person) -> dict[str, bytes]:
    """Return the person's files by name."""
    handed_in = person[2]
    if len(handed_in) == 1:
        return {"kernels.cl": next(iter(handed_in.values()))}
    return {f"{assignment}.cl": data for assignment, data in handed_in.items()}


def write_zip(path: Path, members: dict[str, bytes]) -> Path:
    """Write a zip archive of files by name. A name that ends in a slash is a folder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def write_folder(path: Path, members: dict[str, bytes]) -> Path:
    """Write files into a folder by their path in it. A path that ends in a slash is a folder."""
    path.mkdir(parents=True, exist_ok=True)
    for name, data in members.items():
        if name.endswith("/"):
            (path / name).mkdir(parents=True, exist_ok=True)
        else:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(data)
    return path


def folders(path: Path, people: list[Person]) -> Path:
    """Write one folder per student. The folder of a student without a file is empty."""
    write_folder(path, {f"{person[0]}/": b"" for person in people})
    return write_folder(path, {f"{p[0]}/{name}": data for p in people for name, data in files_of(p).items()})


def flat(path: Path, people: list[Person]) -> Path:
    """Write one file NAME.cl per student, which contains all of the student's kernels."""
    return write_folder(path, {f"{p[0]}.cl": b"\n".join(p[2].values()) for p in people if p[2]})


def moodle(path: Path, people: list[Person]) -> Path:
    """Write the zip of "Download all submissions". It does not include students without a file."""
    return write_zip(
        path,
        {f"{p[0]}_{p[1]}_assignsubmission_file/{name}": data for p in people for name, data in files_of(p).items()},
    )


def moodle_flat(path: Path, people: list[Person]) -> Path:
    """Write the zip of "Download all submissions" with "Download submissions in folders" switched off."""
    return write_zip(
        path,
        {f"{p[0]}_{p[1]}_assignsubmission_file_{name}": data for p in people for name, data in files_of(p).items()},
    )


def canvas(path: Path, people: list[Person], late: tuple[str, ...] = ()) -> Path:
    """Write the zip of "Download Submissions". `late` lists the ids of students who submitted late."""
    members = {}
    for person in people:
        first, _, last = person[0].rpartition(" ")
        name = "".join(letter for letter in f"{last}{first}".lower() if letter.isalnum())
        for file_name, data in files_of(person).items():
            mark = "LATE_" if person[1] in late else ""
            members[f"{name}_{mark}{person[1]}_{90000 + len(members)}_{file_name}"] = data
    return write_zip(path, members)


def gradescope(path: Path, people: list[Person]) -> Path:
    """Write the zip of "Export Submissions": a folder with the metadata and one folder for each submission."""
    root = "assignment_4711_export/"
    metadata, members = ["---"], {}
    for number, person in enumerate(people, 1):
        metadata += [
            f"submission_{number}:",
            "  :submitters:",
            f'  - :name: "{person[0]}"',
            f"    :sid: '{person[1]}'",
            f"    :email: {person[1]}@example.org",
            f"  :created_at: 2026-01-{number % 28 + 1:02} 10:00:00.000000000 Z",
            "  :score: 0.0",
            "  :history: []",
        ]
        members |= {f"{root}submission_{number}/{name}": data for name, data in files_of(person).items()}
    return write_zip(path, {f"{root}submission_metadata.yml": "\n".join(metadata).encode() + b"\n", **members})


def checkouts(path: Path, people: list[Person]) -> Path:
    """Write checkouts.csv, a list of git checkouts, and next to it a working tree for each student."""
    write_folder(path, {f"repos/{p[1]}/.git/HEAD": b"ref: refs/heads/main\n" for p in people})
    write_folder(path, {f"repos/{p[1]}/{name}": data for p in people for name, data in files_of(p).items()})
    lines = ["student,path", *(f'"{p[0]}",repos/{p[1]}' for p in people)]
    (path / "checkouts.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path / "checkouts.csv"
