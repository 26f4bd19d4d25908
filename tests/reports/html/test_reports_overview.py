"""overview.py: the page of a batch for the instructor."""

import re
from dataclasses import replace

import pytest
from browser import without_policy
from gradebooks import NAMES, SKELETONS, grade, gradebook, mark, missed, row, speed
from pages import PAYLOADS, Reader

from grader.course.rubric import Kind
from grader.course.submissions.handin import Remark
from grader.reports.html.overview import (
    FASTER,
    FASTER_ON_GPU,
    address,
    faster,
    impossible,
    of_model,
    render_overview,
    whole,
)
from grader.reports.html.picking import flags_of
from grader.reports.statistics import (
    POINTS,
    SPEED_UP,
    cases,
    causes_of,
    families,
    histogram,
    incomplete,
    per_cent,
    quartiles,
    sums_of,
    to_decide,
)
from grader.results.result import Correction
from grader.results.verdicts import Reason, Verdict

PERFECT = grade(mark(), mark("performance: cpu (n 1)", Kind.PERFORMANCE, 40.0, 40.0), timed=speed())
UNBUILT = grade(
    missed("build", Kind.BUILD, Reason.BUILD_ERROR, max_points=0.0, message="line 2: what?"),
    missed(reason=Reason.NOT_RUN, message="the build failed."),
    missed("performance: cpu (n 1)", Kind.PERFORMANCE, Reason.NOT_RUN, max_points=40.0),
)
EXCHANGED = "rows and columns are exchanged."


def wrong(cases, cause=EXCHANGED, reason=Reason.WRONG_OUTPUT):
    return grade(
        *(missed(f"correctness: case {i} (n {i})", reason=reason, cause=cause) for i in range(cases)), mark("x")
    )


BOOK = gradebook(
    row("ada", PERFECT, same_as=("fay",)),
    row("ben", UNBUILT, late=True),
    row("cem", wrong(3)),
    row("dee", fault="there is no OpenCL device."),
    row("eve"),
    row("fay", PERFECT, same_as=("ada",)),
    row("ada", grade(mark(points=2.5, max_points=7.25)), NAMES[1]),
    row("ben", assignment=NAMES[1]),
    unplaced=(Remark(where="moodle.zip/notes.docx", why="no kernel."),),
)
LINKS = {(each.student.label, each.assignment): f"{each.assignment}/{each.student.label}.html" for each in BOOK.rows}


def large(number):
    """Return a course with this number of students, and with all kinds of results."""
    kinds = (
        PERFECT,
        UNBUILT,
        wrong(3),
        wrong(1, cause="", reason=Reason.NOT_WRITTEN),
        grade(mark(points=3.3), timed=speed(1.4, 5.0, 1.2)),
    )
    people = [row(f"student-{i:04}", kinds[i % 6] if i % 6 < 5 else None, late=i % 7 == 0) for i in range(number)]
    return gradebook(*people)


def text_of(book, links=LINKS):
    return Reader(render_overview(book, links)).text


def tables(page):
    """Return the rows of each table on a page, as lists of the texts in their cells."""
    found = re.findall(r"<table.*?</table>", page, re.DOTALL)
    return [
        [
            [
                " ".join(re.sub(r"<[^>]*>", "", cell).split())
                for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", line, re.DOTALL)
            ]
            for line in re.findall(r"<tr[ >].*?</tr>", table, re.DOTALL)
        ]
        for table in found
    ]


def number(text):
    return float(text.replace(",", ""))


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", [BOOK, large(300)], ids=["small", "large"])
def test_totals_reconcile_with_the_rows(book):
    """The totals on the page are equal to the sums over the lines of its last table."""
    first, *_, last = tables(render_overview(book, {}))
    head, *lines = last
    points = head.index("Points")
    own = [line for line in first[1:] if line[0] in book.assignments]
    for name, *shown in [*own, *(line for line in first if line[0] == "all")]:
        mine = [line for line in lines if name in {"all", line[1] if len(book.assignments) > 1 else name}]
        status = [line[points] for line in mine]
        graded = [tuple(map(number, each.split("/"))) for each in status if "/" in each]
        handed_in, absent, ungraded = (
            len(mine) - status.count("absent"),
            status.count("absent"),
            status.count("not yet"),
        )
        assert [number(each) for each in shown[:3]] == [len(mine), handed_in, len(graded)]
        assert [number(each) for each in shown[4:7]] == [0, ungraded, absent]
        assert number(shown[7]) == sum("late" in line[-1] for line in mine)
        earned, most = map(number, shown[8].split(" of "))
        assert earned == pytest.approx(sum(each for each, _ in graded))
        assert most == pytest.approx(sum(each for _, each in graded))
        assert number(shown[3]) == sum("/" in line[points] and line[-2] == "" for line in mine)
    assert len(lines) == len(book.rows)


def test_points_of_the_kinds_add_up_to_the_points():
    """In each line of the last table, the points of the kinds add up to the total points."""
    head, *lines = tables(render_overview(large(60), {}))[-1]
    kinds = [head.index(name) for name in ("Correctness", "Performance")]
    for line in lines:
        if "/" in line[head.index("Points")]:
            parts = [line[i].split("/") for i in kinds if line[i]]
            points, most = line[head.index("Points")].split("/")
            assert sum(number(part) for part, _ in parts) == pytest.approx(number(points))
            assert sum(number(part) for _, part in parts) == pytest.approx(number(most))


def test_every_value_is_in_one_bin():
    """Each value is counted in exactly one bin of a histogram. An edge belongs to the bin above it, and full points
    have their own bin.
    """
    shares = [per_cent(each) for each in (PERFECT, UNBUILT, wrong(1), wrong(3))]
    bins = histogram(shares, POINTS)
    assert sum(bins.counts) == 4
    assert (bins.counts[-1], bins.counts[0], bins.counts[5], bins.counts[2]) == (1, 1, 1, 1)
    assert (bins.name(5), bins.name(10)) == ("50 to 60 %", "100 % or more")
    odd = histogram([-1.0, 0.0, 1.0, 99.0, float("nan"), float("inf")], SPEED_UP)
    assert (odd.counts[0], odd.counts[3], odd.counts[-1], sum(odd.counts)) == (2, 1, 1, 4)


def test_quartiles_are_of_what_there_is():
    """All quartiles of a single value are equal to that value. An empty list has no quartiles."""
    assert quartiles([]) is None
    assert quartiles([float("nan")]) is None
    one, five = quartiles([7.0]), quartiles([5.0, 1.0, 2.0, 3.0, 4.0])
    assert (one.least, one.low, one.median, one.high, one.most) == (7.0,) * 5
    assert (five.least, five.low, five.median, five.high, five.most) == (1.0, 2.0, 3.0, 4.0, 5.0)


def test_sums_are_of_every_status():
    """The numbers of graded, ungraded and absent rows add up to the number of all rows."""
    sums = sums_of(BOOK.rows)
    assert (sums.rows, sums.handed_in, sums.graded, sums.passed) == (8, 6, 5, 3)
    assert (sums.ungraded, sums.absent, sums.late) == (1, 2, 1)
    assert sums.graded + sums.ungraded + sums.absent == sums.rows


def test_who_is_excused_is_not_absent():
    """Excused students do not count as absent. If there are any, the page has an additional column for them."""
    excused = row("gus", fault="the student is excused.", left_out="excused")
    first, *_, last = tables(render_overview(gradebook(*BOOK.of(NAMES[0]), excused), {}))
    counted = dict(zip(first[0], first[1], strict=True))
    assert (counted["Students"], counted["Nothing handed in"], counted["Excused"], counted["Not graded yet"]) == (
        *("7", "1", "1", "1"),
    )
    assert last[-1][1] == "excused"
    assert flags_of(excused) == "excused"
    assert "Excused" not in tables(render_overview(BOOK, {}))[0][0]


# --- failures -------------------------------------------------------------------------------------


def test_cases_of_correctness_count_once_for_a_submission():
    """A submission with three wrong cases counts as failed once, and a check that did not run does not count as a
    failure.
    """
    correctness, build, performance = families(BOOK.of(NAMES[0]))
    assert (correctness.name, correctness.failed, correctness.not_run) == ("correctness", 1, 1)
    assert (build.name, build.failed, build.not_run) == ("build", 1, 0)
    assert (performance.name, performance.failed, performance.not_run) == ("performance: cpu", 0, 1)


def test_causes_are_counted_with_examples():
    """Causes are counted by reason and cause, the most frequent first, with examples.

    A submission counts once for each cause that it shows.
    """
    rows = [row(f"s{i}", wrong(2)) for i in range(5)] + [row("t", wrong(1, "", Reason.NOT_WRITTEN))]
    (family,) = families(tuple(rows))
    assert [(each.reason, len(each.students), each.cause) for each in family.failures] == [
        (Reason.WRONG_OUTPUT, 5, EXCHANGED),
        (Reason.NOT_WRITTEN, 1, ""),
    ]
    assert family.failures[0].students == ("s0", "s1", "s2", "s3", "s4")
    assert causes_of(rows) == family.failures
    assert to_decide(rows) == ()
    text = text_of(gradebook(*rows), {})
    assert f"5 \N{MULTIPLICATION SIGN} WRONG_OUTPUT {EXCHANGED} (s0, s1, s2, …)" in text
    assert "NOT_WRITTEN for example: C[0] is wrong. (t)" in text


def test_the_reason_of_a_row_is_the_first_to_read():
    """A row shows the reason that should be read first.

    A race comes before the wrong results that it causes, and a check that did not run does not count as a reason.
    """
    racing = missed("sanitizer (n 1)", Kind.SANITIZER, Reason.DATA_RACE)
    assert grade(missed(), racing).first_cause.reason is Reason.DATA_RACE
    assert UNBUILT.first_cause.reason is Reason.BUILD_ERROR
    assert PERFECT.first_cause is None


def test_a_partial_pass_is_a_failure_with_its_reason():
    """A speed goal that is only partly reached counts as a failure, with a reason."""
    slow = missed("performance: cpu (n 1)", Kind.PERFORMANCE, Reason.TOO_SLOW, verdict=Verdict.PARTIAL, points=2.0)
    (family,) = families((row("ada", grade(slow)),))
    assert (family.failed, family.failures[0].reason) == (1, Reason.TOO_SLOW)


def test_each_case_is_counted():
    """The numbers of submissions that passed, failed or did not reach each case are counted, with the most frequent
    reason.
    """
    rows = (
        row("a", wrong(2)),
        row("b", wrong(1, reason=Reason.NOT_WRITTEN)),
        row("c", wrong(1)),
        row("d", UNBUILT),
        row("e"),
    )
    counted = {each.name: each for each in cases(rows)}
    first = counted["correctness: case 0 (n 0)"]
    assert (first.passed, first.failed, first.not_run, first.reason) == (0, 3, 0, "WRONG_OUTPUT")
    assert (counted["x"].passed, counted["x"].failed) == (3, 0)
    assert counted["correctness: one (n 1)"].not_run == 1
    assert "Case by case" in text_of(gradebook(*rows), {})
    assert "Case by case" not in text_of(gradebook(row("a", PERFECT)), {})


# --- outliers, suites and copies ------------------------------------------------------------------


def test_outliers_are_faster_than_the_model_or_than_the_device():
    """Outliers are submissions that are faster than the model solution by more than noise, or whose speed was
    implausible.
    """
    for least, on_gpu in ((FASTER, False), (FASTER_ON_GPU, True)):
        near = [replace(speed(least + d), on_gpu=on_gpu) for d in (-0.01, 0.01)]
        rows = tuple(row(f"a{each.fraction_of_reference}", grade(timed=each)) for each in near)
        assert [each.row for each in faster(rows)] == [rows[1]]
    assert impossible((row("a", grade(missed(reason=Reason.IMPLAUSIBLE))),))
    assert not faster((row("a"),))
    assert not impossible((row("a", fault="no device"),))
    assert not impossible((row("a", grade(mark(), timed=speed(of_copy=1.2))),))  # the copy on a CPU uses only one core
    unbelieved = grade(missed(reason=Reason.IMPLAUSIBLE), timed=speed(1.5, of_copy=1.2))
    fast = gradebook(row("ada", unbelieved), row("ben", grade(mark(), timed=speed())))
    text = text_of(fast, {})
    for words in ("Faster than the device allows", "Faster than the model solution"):
        assert "ada 150 %" in text.partition(words)[2][:400]
    assert "ben 100 %" not in text
    assert "Worth a look" not in text_of(gradebook(row("ben", PERFECT)), {})


LADDER = {
    "first": (
        mark("first: correctness: one (n 1)", part="first"),
        mark("first: build", Kind.BUILD, 0.0, 0.0, part="first"),
    ),
    "last": (
        missed("last: correctness: one (n 1)", part="last", message="the last is wrong.", cause=EXCHANGED),
        missed("last: practice: two (n 2)", Kind.PRACTICE, points=0.0, max_points=0.0, part="last"),
    ),
}
"""Marks of a suite of two kernels, of which the second is wrong."""

RUNG = grade(*LADDER["first"], *LADDER["last"], timed={"first": speed(1.5, 3.0), "last": speed(0.4)})
SUITE = gradebook(
    row("ada", RUNG),
    row("ben", grade(*LADDER["first"], timed={"first": speed(0.9)})),
    row("cem", grade(*LADDER["last"])),
    parts={NAMES[0]: ("first", "last")},
)


def test_the_kernels_of_a_suite_are_told_apart():
    """A table shows the mean points, the number of timings and the medians for each kernel of a suite. Each kernel also
    has figures.
    """
    page = render_overview(SUITE, {})
    (kernels,) = [table for table in tables(page) if table[0][0] == "Kernel"]
    assert kernels[1:] == [
        ["first", "3.33 of 5", "2", "15 GB/s", "120 %", "2.5 x"],
        ["last", "0 of 5", "1", "15 GB/s", "40 %", "2 x"],
    ]
    text = text_of(SUITE, {})
    for kernel in ("first", "last"):
        assert f"{kernel}: speed-up." in text
        assert f"{kernel}: against the model solution." in text


def test_failures_of_a_suite_are_by_kernel_and_practice_is_apart():
    """A failure counts for the kernel in which it occurs. A failed practice case does not make a submission fail."""
    found = {family.name: family.failed for family in families(SUITE.rows)}
    assert found == {"last: correctness": 2, "last: practice, for no points": 2}
    practising = grade(mark(), LADDER["last"][1])
    assert practising.passed
    assert practising.first_cause is None
    assert sums_of((row("ada", practising),)).passed == 1


def test_speeds_of_a_suite_are_a_range_and_outliers_name_their_kernel():
    """The speeds of a suite share one column as a range, and an outlier is listed with its kernel."""
    assert [of_model(each) for each in SUITE.rows] == ["40 to 150 %", "90 %", ""]
    assert [(each.row.student.label, each.part) for each in faster(SUITE.rows)] == [("ada", "first")]
    assert "ada first 150 %" in text_of(SUITE, {}).partition("Faster than the model solution")[2]
    unbelieved = grade(missed(reason=Reason.IMPLAUSIBLE, part="last"), timed={"first": speed(), "last": speed(1.5)})
    (found,) = impossible((row("ada", unbelieved),))
    assert (found.part, found.speed.fraction_of_reference) == ("last", 1.5)


def test_copies_are_named_as_hints():
    """Identical and nearly identical files are in two lists. They are called hints, and the page does not speak of
    guilt.
    """
    tiled = (
        (SKELETONS[NAMES[1]].rpartition("}")[0]) + "for (int i = 0; i < 9; i++) { C[i] = A[i] * B[i] + i; } " * 5 + "}"
    )
    other = tiled.replace("int i", "int j").replace("[i]", "[j]").replace("+ i", "+ j").replace("i <", "j <")
    first = grade(mark(), source=tiled)
    text = text_of(
        gradebook(
            row("ada", first, NAMES[1], same_as=("ben",)),
            row("ben", first, NAMES[1], same_as=("ada",)),
            row("cem", grade(mark(), source=other.replace("i++", "j++")), NAMES[1]),
        ),
        {},
    )
    assert "2: ada, ben" in text.partition("Identical files")[2]
    assert "2, linked by 100 %: ada, cem" in text.partition("Similar sources")[2]
    assert "These are hints, not proof" in text
    assert not re.search(r"cheat|plagiar|fraud|guilt", text, re.IGNORECASE)


def test_members_of_a_group_are_not_copies_of_each_other():
    """An identical file has one line, in which a team counts once."""
    people = {"ada": ("fay",), "ben": ("fay",), "fay": ("ada", "ben")}
    page = render_overview(gradebook(*(row(label, PERFECT, same_as=others) for label, others in people.items())), {})
    listed = page.partition("<h4>Identical files</h4>")[2].partition("<ul>")[2].partition("</ul>")[0]
    assert listed == "<li>2: ada with ben, fay</li>"


def test_shares_are_rounded_down():
    """Shares are rounded down, so that sources that differ never show 100 %."""
    assert [whole(share) for share in (1.0, 0.9999, 0.95, 0.29)] == ["100", "99", "95", "29"]


# --- the page -------------------------------------------------------------------------------------


def test_what_needs_the_instructor_comes_first():
    """The page starts with ungraded submissions and their faults.

    The numbers of submissions and the files that could not be used follow.
    """
    text = text_of(BOOK)
    assert "5 submissions graded, 3 passed every check" in text
    places = [
        text.index(words)
        for words in (
            "1 submission not graded yet",
            "there is no OpenCL device. ( dee coalsTransp)",
            "Hand-ins",
            "1 item could not be used",
            "moodle.zip/notes.docx : no kernel.",
            "Title of coalsTransp",
            "Title of blockMMM",
            "All submissions",
        )
    ]
    assert places == sorted(places)


def test_every_row_leads_to_its_report():
    """Each row links to its report with a percent-encoded address. A row without an address is not a link."""
    page = render_overview(BOOK, LINKS)
    addresses = Reader(page).values("href")
    for path in LINKS.values():
        assert f"./{path}" in addresses
    assert [each for each in Reader(render_overview(BOOK, {})).values("href") if each[0] != "#"] == []


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("a/b c.html", "./a/b%20c.html"),
        ("javascript:alert(1)", "./javascript%3Aalert%281%29"),
        ("//evil.example/x", ".///evil.example/x"),
        ("a#b?c%20.html", "./a%23b%3Fc%2520.html"),
        ("Ελένη.html", "./%CE%95%CE%BB%CE%AD%CE%BD%CE%B7.html"),
    ],
)
def test_an_address_stays_beside_the_page(path, link):
    """An address stays below the page's folder for any name of a student."""
    assert address(path) == link


def test_figures_have_words_and_tables_have_heads():
    """Each figure repeats its counts in words, and each table has a caption and heads with a scope."""
    page = render_overview(BOOK, LINKS)
    reader = Reader(page)
    labels = [dict(attrs)["aria-label"] for tag, attrs in reader.elements if tag == "svg"]
    assert labels[0].startswith("Per cent of the points, of 4 submissions: 0 to 10 %: 1, ")
    assert len(labels) == 4
    tags = [tag for tag, _ in reader.elements]
    assert tags.count("table") == tags.count("caption") == tags.count("thead") > 2
    assert all(dict(attrs).get("scope") in {"row", "col"} for tag, attrs in reader.elements if tag == "th")
    ids = reader.values("id")
    assert sorted(ids) == sorted(set(ids))


def test_an_empty_batch_is_a_page():
    """A page can be made for a batch in which nothing was graded."""
    assert "No submission has been graded." in text_of(gradebook(row("ada"), row("ben", fault="no device")), {})
    assert "0 submissions graded" in text_of(gradebook(), {})


@pytest.mark.whole
def test_a_course_of_a_thousand_is_a_light_page():
    """The page for 1,000 students stays below a megabyte, so that it opens at once, and does not have a picture in each
    row.
    """
    page = render_overview(large(1000), {(f"student-{i:04}", NAMES[0]): f"{i}.html" for i in range(1000)})
    assert len(page.encode()) < 1_000_000
    assert page.count("<svg") == 3
    assert len(tables(page)[-1]) == 1001


def hostile(words):
    """Return a gradebook in which these words replace all texts that come from strangers."""
    marks = {"cause": words, "message": words}
    spoilt = grade(
        *(missed(name, Kind.CORRECTNESS, **marks) for name in ("correctness: a", "correctness: b")), source=words
    )
    named = [row("ada", spoilt, name=words), row("ben", spoilt, name=words), row("cem", fault=words, name=words)]
    labelled = [
        replace(each, where=words, student=replace(each.student, label=f"{words}{i}")) for i, each in enumerate(named)
    ]
    return gradebook(*labelled, shape=words, unplaced=(Remark(where=words, why=words),))


def links_of(book):
    return {(each.student.label, each.assignment): each.student.label for each in book.rows}


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_text_becomes_markup(payload):
    """A hostile text is shown completely on the page, but does not change any element or attribute."""
    pages = [Reader(render_overview(book, links_of(book))) for book in (hostile(payload), hostile("word"))]
    assert pages[0].structure == pages[1].structure
    assert pages[0].text.count(payload) == pages[1].text.count("word") > 8
    assert all(each.startswith(("#", "./")) for each in pages[0].values("href"))


def test_control_and_bidi_characters_do_not_reach_the_page():
    """Control and direction characters are removed, because a reversed name would look like that of another student."""
    odd = "\x00\x1b\x7f\u202e\u2066"
    book = hostile(odd)
    assert not set(render_overview(book, links_of(book))) & set(odd)


def test_the_page_asks_for_nothing_from_elsewhere():
    """The page has the same policy as the other pages, and no script."""
    page = render_overview(large(30), {})
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page
    assert not {tag for tag, _ in Reader(page).elements} & {
        "script",
        "link",
        "iframe",
        "object",
        "embed",
        "img",
        "form",
    }


# --- sorting and filtering ------------------------------------------------------------------------


def test_each_row_can_be_picked_out():
    """Each row has flags for its outcome and its notes, by which rows can be filtered."""
    corrected = replace(PERFECT, correction=Correction(points=-1, comment="late"))
    flags = {each.student.label: flags_of(each) for each in (*BOOK.of(NAMES[0]), row("gus", corrected))}
    assert flags == {
        "ada": "passed same-file",
        "ben": "failed late",
        "cem": "failed",
        "dee": "ungraded",
        "eve": "absent",
        "fay": "passed same-file",
        "gus": "passed corrected",
    }


@pytest.mark.whole
def test_the_table_can_be_sorted(browser):
    """The table can be sorted by points in both orders, by speed and by reason, and it can be filtered.

    This must work without scripts, because the policy does not allow any.
    """
    grades = {"a": grade(mark(points=3.0), timed=speed(0.5)), "b": wrong(1), "c": PERFECT, "d": None}
    page = render_overview(gradebook(*(row(label, each) for label, each in grades.items())), {})
    rows = "[...document.querySelectorAll('.all tbody tr')].filter(each => each.offsetHeight)"
    shown = (
        f"{rows}.sort((a, b) => a.offsetTop - b.offsetTop).map(each => each.querySelector('th').innerText.trim()[0])"
    )
    for choice, expected in {
        "sort-0": "abcd",
        "sort-1": "dbac",
        "sort-2": "cabd",
        "sort-3": "cabd",
        "sort-4": "bacd",
        "show-passed": "ac",
        "show-failed": "b",
        "show-absent": "d",
    }.items():
        chosen = page.replace(f'id="{choice}"', f'id="{choice}" checked')
        (found,) = browser.measure(chosen, [1200], f"{shown}.join('')")
        assert found == expected, choice


# --- in a browser ---------------------------------------------------------------------------------


def test_nothing_of_a_hostile_batch_runs_in_a_browser(browser):
    """With all hostile texts in one batch, a browser does not run any of them, with or without the policy."""
    book = hostile(" ".join(PAYLOADS))
    page = render_overview(book, links_of(book))
    (shown,) = browser.measure(page, [1200], "document.body.innerText")
    assert all(payload in shown for payload in PAYLOADS)
    for each in (page, without_policy(page)):
        assert browser.title(each).startswith("2 of 3 graded")


@pytest.mark.sampled
@pytest.mark.parametrize("book", [BOOK, large(60), hostile("a_name_without_an_end_" * 20)], ids=["two", "one", "long"])
def test_no_page_scrolls_sideways(book, browser):
    """No page scrolls sideways on screens from a small phone to a desktop, even with very long words."""
    widths = [320, 390, 800, 1030, 1200]
    page = render_overview(book, links_of(book))
    assert browser.measure(page, widths, "document.documentElement.scrollWidth") == widths


@pytest.mark.whole
def test_a_printed_page_holds_every_row(browser):
    """A printed page contains all rows, for an archive on paper."""
    printed = browser.printed(render_overview(large(120), {}))
    assert [i for i in range(120) if f"student-{i:04}" not in printed] == []
    assert "per cent of the points" in printed


# --- unchecked points -------------------------------------------------------------------------------

ABSENT = "the simulator is not installed: install it."
LACKING = mark(
    *("sanitizer", Kind.SANITIZER, 0.0, 12.0),
    verdict=Verdict.SKIPPED,
    reason=Reason.NO_SIMULATOR,
    message=ABSENT,
)


def test_what_was_not_checked_is_said_first_and_has_not_passed():
    """Unchecked points are reported at the top, in the counts, in the assignment's section and in student rows."""
    book = gradebook(row("ada", grade(mark(), LACKING)), row("ben", PERFECT))
    sums = sums_of(book.rows)
    assert (sums.graded, sums.passed, sums.unchecked, sums.max_points) == (2, 1, 1, 62)
    text = Reader(render_overview(book, {})).text
    assert "2 submissions graded, 1 passed every check" in text
    head = text.partition("Hand-ins")[0]
    assert "1 submission with open checks" in head
    assert "up to 12 points each: the simulator is missing. Do not publish these points yet." in head
    assert "The simulator is not installed: install it. The same command then grades them again." in head
    assert "No check failed. Some checks are open." in text
    row_of_ada = text.partition("All submissions")[2].partition("ada")[2].partition("ben")[0]
    assert row_of_ada.split()[:5] == ["Ada", "5/17", "?/12", "5/5", "NO_SIMULATOR"]


def test_where_all_was_checked_nothing_is_said_of_it():
    """If all checks were made, the page does not mention the simulator."""
    text = Reader(render_overview(gradebook(row("ben", PERFECT)), {})).text
    assert "the simulator" not in text
    assert "No check failed." in text


def test_what_a_batch_lacks_is_counted_by_reason():
    """Incomplete submissions are counted by reason, with the students' keys or labels, the most points that are missing
    and the message.
    """
    there = replace(LACKING, reason=Reason.DECIDED_ELSEWHERE, max_points=40.0, message="it is timed there.")
    disturbed = replace(LACKING, reason=Reason.INTERFERENCE, max_points=20.0, message="it worked.")
    found = (
        row("ada", grade(mark(), LACKING)),
        row("ben", grade(LACKING, replace(LACKING, max_points=20.0))),
        row("cleo", grade(there)),
        row("dora", grade(disturbed), key="4711"),
        row("emil", PERFECT),
        row("fay"),
    )
    assert [(each.reason, each.students, each.points, each.message) for each in incomplete(found)] == [
        (Reason.NO_SIMULATOR, ("ada", "ben"), 32.0, ABSENT),
        (Reason.INTERFERENCE, ("4711",), 20.0, "it worked."),
        (Reason.DECIDED_ELSEWHERE, ("cleo",), 40.0, "it is timed there."),
    ]
