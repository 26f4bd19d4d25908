"""grader/lms/intake: source text in files other than a kernels.cl in UTF-8."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
from downloads import source, write_folder, write_zip
from intake_findings import graded, lines, missing

from grader.lms.intake import take_all
from grader.lms.intake.reading import tarball

PRODUCT, TURN = source("blockMMM"), source("coalsTransp")


@pytest.fixture(scope="session")
def one(transposition):
    return (transposition,)


@pytest.fixture(scope="session")
def two(product, transposition):
    return (product, transposition)


def tar(members, **changes):
    """Return a tar of these members. `changes` are applied to the fields of each member."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for field, value in changes.items():
                setattr(info, field, value)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def packed(name, text):
    """Return the content of a file of this name that contains the text."""
    *_, last = name.casefold().split(".")
    file = io.BytesIO(tar({"kernels.cl": text}))
    match last:
        case "gz":
            return gzip.compress(file.getvalue())
        case "bz2":
            return bz2.compress(file.getvalue())
        case "xz":
            return lzma.compress(file.getvalue())
        case "zip":
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("kernels.cl", text)
            return file.getvalue()
    return text


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("kernels.cl", "kernels-1.cl"),
        ("kernels.cl.txt", "kernels.cl-1.txt"),
        ("kernels.cl.txt", "kernels.cl (1).txt"),
        ("submission.zip", "submission-2.zip"),
        ("kernels.tar.gz", "kernels.tar-1.gz"),
        ("kernels.tar.gz", "kernels-1.tar.gz"),
        ("kernels.tar.gz", "kernels.tar (2).gz"),
        ("Kernels.TAR.BZ2", "Kernels.TAR-12.BZ2"),
        ("kernels.tar.xz", "kernels.tar(3).xz"),
    ],
)
def test_a_copys_number_may_divide_an_ending(first, again, tmp_path, one):
    """A copy with a number before the last dot, as Canvas and browsers write it, is read instead of the original."""
    copy = {f"lovelaceada_7_90002_{again}": packed(again, TURN)}
    both = {f"lovelaceada_7_90001_{first}": packed(first, PRODUCT), **copy}
    for members in (copy, both):
        (handin,) = take_all((write_zip(tmp_path / "canvas.zip", members),), one).handins
        assert handin.data == TURN


@pytest.mark.parametrize("name", ["kernels.rar-1.gz", "kernels-1.gz", "kernels.tar-1.rar", "kernels.tar-x.gz"])
def test_a_number_makes_no_tar_of_another_file(name, tmp_path, one):
    """A number within an ending does not turn another file into a tar, because only the endings of tars are joined."""
    intake = take_all((write_zip(tmp_path / "canvas.zip", {f"lovelaceada_7_90002_{name}": b"x"}),), one)
    assert "is an archive of a kind that is not opened" in lines(intake.unplaced)


def about(kind, data):
    """Return a header of this kind, with data about the next member."""
    info = tarfile.TarInfo("about")
    info.type, info.size = kind, len(data)
    return info.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % tarfile.BLOCKSIZE)


def long_name():
    """Return a header that announces a long name, without the data that should follow it."""
    info = tarfile.TarInfo("././@LongLink")
    info.type = tarfile.GNUTYPE_LONGNAME
    return info.tobuf(tarfile.GNU_FORMAT)


def test_many_texts_cost_no_source_its_reading(tmp_path, one):
    """Other texts, such as the headers of a library, are read after sources, so they cannot use up the budget."""
    large = b"//" + b"x" * (1024 * 1024 - 2)
    files = {f"ada/include/{number:03}.h": large for number in range(70)}
    intake = take_all(
        (write_folder(tmp_path / "all", {**files, "ada/src/turn.cl": TURN, "bob/kernels.cl": TURN}),), one
    )
    assert len(intake.handins) == 2
    assert intake.unplaced == ()


@pytest.mark.whole
def test_many_sources_cost_what_is_named_as_asked_nothing(tmp_path, one):
    """A file called kernels.cl is read before others that precede it in the alphabet and exceed the budget."""
    blank = b" " * (1024 * 1024)
    packed = write_zip(tmp_path / "x.zip", {f"{number:03}.cl": blank for number in range(70)} | {"kernels.cl": TURN})
    files = {"ada/x.zip": packed.read_bytes(), "bob.cl": TURN}
    intake = take_all((write_folder(tmp_path / "all", files),), one)
    assert graded(intake) == {("ada", "coalsTransp"): "ada/x.zip/kernels.cl", ("bob", "coalsTransp"): "bob.cl"}


@pytest.mark.parametrize("name", ["kernels.cl.txt", "KERNELS.CL.TXT", "kernels (1).cl.txt", "coalsTransp.cl.txt"])
def test_an_ending_that_a_system_added_is_none(name, tmp_path, one):
    """An additional ending .txt is ignored, because Windows adds it without showing it."""
    intake = take_all((write_folder(tmp_path / "all", {f"ada/{name}": TURN, f"bob/{name}": TURN + b" "}),), one)
    assert len(intake.handins) == 2
    assert intake.unplaced == ()


@pytest.mark.parametrize("name", ["İpek Ünal", "Straße", "ﬁona", "ada"])
@pytest.mark.parametrize("added", [".cl", ".CL", ".tar.gz"])
def test_a_name_is_whole_although_small_letters_are_more(name, added, tmp_path, one):
    """A student's name is not cut if its lower-case form is longer. The file name alone identifies the student here."""
    data = gzip.compress(tar({"kernels.cl": TURN})) if added == ".tar.gz" else TURN
    intake = take_all((write_folder(tmp_path / "all", {f"{name}{added}": data, "bob.cl": TURN}),), one)
    assert {each.student.label for each in intake.handins} == {name, "bob"}


@pytest.mark.parametrize("name", ["kernels.txt", "kernel.c", "main.cpp", "solution.opencl"])
def test_a_text_under_another_name_counts_if_it_defines_the_kernel(name, tmp_path, one):
    """If there is no .cl file, a text with another ending counts if it defines the kernel, and a remark says so."""
    files = {f"ada/{name}": TURN, f"bob/{name}": b"notes", f"eve/{name}": TURN, "eve/kernels.cl": TURN + b"// mine\n"}
    intake = take_all((write_folder(tmp_path / "all", files),), one)
    assert graded(intake) == {("ada", "coalsTransp"): f"ada/{name}", ("eve", "coalsTransp"): "eve/kernels.cl"}
    assert f"all/ada/{name}: is graded, although it is not named as a .cl file" in lines(intake.remarks)
    assert f"all/bob/{name}: is not source text; ask for the .cl file" in lines(intake.unplaced)
    (absence,) = intake.absences
    assert absence.refused


def test_a_text_under_another_name_counts_for_what_is_missing(tmp_path, two):
    """A text with another ending counts for the assignment that has no .cl file."""
    files = {"ada/blockMMM.cl": PRODUCT, "ada/turn.c": TURN, "ada/old.c": PRODUCT + b"// old\n"}
    intake = take_all((write_folder(tmp_path / "all", files),), two)
    assert graded(intake) == {("ada", "blockMMM"): "ada/blockMMM.cl", ("ada", "coalsTransp"): "ada/turn.c"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read_as_what_it_says(encoding, tmp_path, two):
    """A file in UTF-16 is decoded, so that it fits the right assignment and equals a copy in UTF-8."""
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    files = {
        "ada/kernels.cl": mark + TURN.decode().encode(encoding),
        "bob/kernels.cl": TURN,
        "eve/kernels.cl": b"\xff\xfe\0",
    }
    intake = take_all((write_folder(tmp_path / "all", files),), two)
    assert {each.student.label: each.data for each in intake.handins} == {"ada": TURN, "bob": TURN}
    assert ("eve", "coalsTransp") in missing(intake)


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("x.tar", bytes),
        ("x.tar.gz", gzip.compress),
        ("X.TGZ", gzip.compress),
        ("x.tar.bz2", bz2.compress),
        ("x.txz", lzma.compress),
    ],
)
def test_a_tar_is_opened_like_a_zip(name, pack, tmp_path, one):
    """A tar is opened like a zip, at the top or in a student's folder, even if it contains folders and leftovers."""
    packed = pack(tar({"lab/kernels.cl": TURN, "lab/._kernels.cl": b"x", "../out.cl": b"x"}))
    intake = take_all(
        (write_zip(tmp_path / "all.zip", {f"ada/{name}": packed, f"bob-{name}": packed, "e.cl": b"x"}),), one
    )
    assert sorted(graded(intake).values()) == [f"ada/{name}/lab/kernels.cl", f"bob-{name}/lab/kernels.cl", "e.cl"]
    assert "has a path that leads out of the archive" in lines(intake.unplaced)


def many_long_names():
    return b"".join(long_name() for _ in range(5000))


def much_unpacked():
    return gzip.compress(bytes(tarball.UNPACKED_LIMIT + 512), mtime=0)


def many_members():
    return tar({f"{number}.txt": b"" for number in range(10_001)})


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no tar", "is not a tar, or is damaged"),
        (gzip.compress(tar({"kernels.cl": TURN}), mtime=0)[:60], "damaged"),
        (gzip.compress(tar({"kernels.cl": TURN}), mtime=0)[:12], "is damaged and cannot be unpacked"),
        (tar({"kernels.cl": TURN})[:520], "damaged"),
        (tar({"kernels.cl": b""}, type=tarfile.SYMTYPE, linkname="/etc/passwd"), "is a link"),
        (tar({"kernels.cl": b""}, type=tarfile.LNKTYPE, linkname="kernels.cl"), "is a link"),
        (tar({"kernels.cl": b""}, type=tarfile.FIFOTYPE), "is not a regular file"),
        (tar({"a.zip": b"x"}), "is an archive in an archive"),
        (tar({}), "is an empty archive"),
        (many_long_names, "is not a tar, or is damaged"),
        (much_unpacked, "is over 64 MiB unpacked"),
        (many_members, "has more than 10,000 members"),
        (about(tarfile.XHDTYPE, b"1" * 40_000), "has headers that are too large"),
        (about(tarfile.XGLTYPE, b"1" * 40_000), "has headers that are too large"),
        (about(tarfile.GNUTYPE_LONGNAME, b"a/" * 20_000), "has headers that are too large"),
        (b"".join(about(tarfile.XGLTYPE, b"11 ab=cdef\n" * 300) for _ in range(50)), "has headers that are too large"),
    ],
)
def test_a_hostile_or_damaged_tar_is_refused(data, said, tmp_path, one):
    """A hostile or damaged tar is refused in a line, and its student has a refused hand-in."""
    packed = data() if callable(data) else data
    intake = take_all((write_folder(tmp_path / "all", {"ada/x.tar.gz": packed, "bob/kernels.cl": TURN}),), one)
    assert said in lines(intake.unplaced)
    assert list(graded(intake)) == [("bob", "coalsTransp")]
    assert intake.absences[0].refused


def marked(name, key):
    """Return the path that Moodle gives to a student's hand-in."""
    return f"{name}_{key}_assignsubmission_file/kernels.cl"


def test_names_in_a_students_folder_are_no_platforms(tmp_path, one):
    """Files in a student's folder with names like Moodle's are not a download, even if they outnumber all folders."""
    files = {f"{name}/kernels.cl": TURN + name.encode() for name in ("ada", "bob", "mallory")}
    forged = {f"mallory/ada_{key}_assignsubmission_file_kernels.cl": TURN for key in range(4700, 4720)}
    intake = take_all((write_folder(tmp_path / "all", files | forged),), one)
    assert graded(intake) == {(name, "coalsTransp"): f"{name}/kernels.cl" for name in ("ada", "bob", "mallory")}


def test_a_zip_that_a_student_has_handed_in_is_no_download(tmp_path, one):
    """A zip inside a late hand-in is not taken for a download.

    Ada's own file counts, although Mallory's zip contains another one under her name.
    """
    main = write_zip(tmp_path / "main.zip", {marked("Ada Able", 11): TURN, marked("Bob Bold", 12): TURN})
    forged = {marked("Ada Able", 11): TURN + b"// mallory", marked("Mallory Moon", 13): TURN}
    packed = write_zip(tmp_path / "forged.zip", forged).read_bytes()
    late = write_zip(tmp_path / "late.zip", {marked("Mallory Moon", 13).replace("kernels.cl", "x.zip"): packed})
    for path in (late, write_folder(tmp_path / "late", {"mallory.zip": packed})):
        handins = take_all((main, path), one).handins
        assert {each.data for each in handins if each.student.name == "Ada Able"} == {TURN}
