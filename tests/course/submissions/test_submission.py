"""submission.py: which files are accepted as OpenCL source, the error messages for others, and valid seeds."""

import os
import zlib

import pytest

from grader.common.errors import InputError
from grader.course.forbidden import Construct
from grader.course.submissions.scan import scan
from grader.course.submissions.submission import LINES, SIZE_LIMIT, check_seed, fresh_seed, read_submission

KERNEL = "__kernel void f(__global float *a) { a[0] = 1; }\n"


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path):
    """A byte order mark and Windows line ends are removed, so that build errors have the student's line and column."""
    path = tmp_path / "kernels.cl"
    path.write_bytes(b"\xef\xbb\xbf" + KERNEL.replace("\n", "\r\n").encode())
    assert read_submission(path).source == KERNEL


def test_a_latin_1_comment_is_no_reason_to_refuse(tmp_path):
    """A file with a comment in Latin-1 is accepted, because some editors do not write UTF-8."""
    path = tmp_path / "kernels.cl"
    path.write_bytes("// løsning\n".encode("latin-1") + KERNEL.encode())
    assert read_submission(path).source.endswith(KERNEL)


def test_a_byte_order_mark_is_no_part_of_the_source(tmp_path):
    """A byte order mark is removed from UTF-8 and Latin-1 files, because a compiler would reject it."""
    path = tmp_path / "kernels.cl"
    for comment in ("// løsning\n".encode(), "// løsning\n".encode("latin-1")):
        path.write_bytes(b"\xef\xbb\xbf" + KERNEL.encode() + comment)
        assert read_submission(path).source == KERNEL + "// løsning\n"


@pytest.mark.parametrize("letter", ["\0", "\a", "\x1a", "\x1b", "\x7f"], ids=ascii)
def test_a_control_character_is_read_as_compilers_do(tmp_path, letter):
    """A control character in a comment or string becomes a space. In code, it is reported by name, unless it is NUL."""
    path = tmp_path / "kernels.cl"
    path.write_text(f"// {letter}{KERNEL}" + f'constant char s[] = "{letter}";\n/*\n{letter}*/')
    harmless = read_submission(path)
    assert harmless.source == path.read_text().replace(letter, " ")
    assert harmless.scan.sightings == ()
    path.write_text(f"// a comment\n{letter}{KERNEL}")
    seen = [(each.construct, each.line, each.text) for each in read_submission(path).scan.sightings]
    names = {"\a": "BEL (^G)", "\x1a": "SUB (^Z)", "\x1b": "ESC (^[)", "\x7f": "DEL (^?)"}
    assert seen == ([] if letter == "\0" else [(Construct.CONTROL, 2, names[letter])])


@pytest.mark.parametrize("end", ["\x1a", "\r\n\x1a", "\x1a\x1a\n", "// done \x1a"])
def test_an_old_editors_mark_of_the_end_is_none_of_the_text(tmp_path, end):
    """Ctrl-Z, which marks the end of a file for DOS, is removed at the end of a source, because compilers reject it."""
    path = tmp_path / "kernels.cl"
    path.write_bytes((KERNEL + end).encode())
    submission = read_submission(path)
    assert submission.source.startswith(KERNEL)
    assert "\x1a" not in submission.source
    assert submission.scan.sightings == ()


@pytest.mark.parametrize("letter", ["\0", "\x1b", "\x1a"], ids=ascii)
@pytest.mark.parametrize(
    "text", ["#{}include <x>\n", "#in{}clude <x>\n", "// \\{}\n#include <x>\n", "/{}/\n#include <x>\n"]
)
def test_a_control_character_hides_no_construct(tmp_path, letter, text):
    """A control character cannot hide a construct, because the scan reads the same text as the compiler."""
    path = tmp_path / "kernels.cl"
    path.write_text(KERNEL + text.format(letter))
    submission = read_submission(path)
    assert submission.source == KERNEL + text.format(" ")
    kept = tuple(each for each in submission.scan.sightings if each.construct is not Construct.CONTROL)
    assert kept == scan(submission.source).sightings


def test_a_folder_means_the_kernels_in_it(tmp_path):
    """If the path is a folder, its kernels.cl is read, because students hand in folders."""
    (tmp_path / "kernels.cl").write_text(KERNEL)
    assert read_submission(tmp_path).path == tmp_path / "kernels.cl"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\x7fELF\x00\x01", "binary"),
        ("x = 1".encode("utf-16"), "UTF-16"),
        ("x = 1".encode("utf-16-be"), "binary"),
        (zlib.compress(KERNEL.encode() + bytes(range(256))), "binary"),
        (b"\x1a", "is empty"),
        (b"/" * (SIZE_LIMIT + 1), "over 1 MiB"),
        (b"x" + b"\n" * (LINES + 1), "over 20,000 lines"),
        (b"x" + b"\r" * (LINES + 1), "over 20,000 lines"),
    ],
)
def test_what_cannot_be_source_text_is_refused_in_one_line(tmp_path, content, said):
    """Each kind of invalid file raises InputError with its path and a specific reason."""
    path = tmp_path / "kernels.cl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said) as caught:
        read_submission(path)
    assert str(path) in str(caught.value)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    """A pipe immediately raises InputError, by itself or in a folder, because reading it could wait forever."""
    os.mkfifo(tmp_path / "kernels.cl")
    for path in (tmp_path / "kernels.cl", tmp_path):
        with pytest.raises(InputError, match=r"kernels\.cl is not a regular file"):
            read_submission(path)


@pytest.mark.parametrize(
    ("source", "defined"),
    [
        ("typedef uint uint32_t;", True),
        ("typedef unsigned int\n   uint32_t ;", True),
        ("#define uint32_t uint", True),
        ("  #  define uint32_t uint", True),
        ("// typedef uint uint32_t;", False),
        ("/* typedef uint\nuint32_t; */", False),
        ("/* never closed\ntypedef uint uint32_t;", False),
        ("uint32_t f(uint32_t x) { return x; }", False),
        ("typedef uint my_uint32_t;", False),
    ],
)
def test_a_definition_of_a_type_is_noticed(tmp_path, source, defined):
    """A definition of uint32_t, as in the course's files, is found. Definitions in comments are ignored."""
    path = tmp_path / "kernels.cl"
    path.write_text(source)
    assert read_submission(path).scan.defined & {"uint32_t"} == ({"uint32_t"} if defined else set())


def test_a_missing_file_is_named(tmp_path):
    """A missing file raises InputError."""
    with pytest.raises(InputError, match="there is no file"):
        read_submission(tmp_path / "nothing.cl")


def test_a_folder_without_kernels_names_what_it_has(tmp_path):
    """A folder without kernels.cl raises InputError with the names of its files."""
    (tmp_path / "solution.cl").write_text(KERNEL)
    with pytest.raises(InputError, match=r"no kernels\.cl.*solution\.cl"):
        read_submission(tmp_path)


def test_an_unreadable_path_is_named(tmp_path):
    """A path through a file raises InputError with the system's reason, even for root."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be read: Not a directory"):
        read_submission(tmp_path / "file" / "kernels.cl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_forbidden_file_is_named(tmp_path):
    """A file without read permission raises InputError."""
    path = tmp_path / "kernels.cl"
    path.write_text(KERNEL)
    path.chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        read_submission(path)


def test_fresh_seeds_are_seeds_and_never_the_same():
    """Fresh seeds are distinct, and are valid for --seed."""
    seeds = {check_seed(fresh_seed()) for _ in range(100)}
    assert len(seeds) == 100


@pytest.mark.parametrize("seed", [-1, 2**63, 10**30])
def test_a_seed_out_of_range_is_refused(seed):
    """A seed out of range raises InputError, which states the range."""
    with pytest.raises(InputError, match="out of range; it must be from 0 to 9223372036854775807"):
        check_seed(seed)
