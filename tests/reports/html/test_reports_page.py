"""page.py: the page that a student opens in a browser."""

import json
import os
import re
import subprocess
import sys

import pytest
from browser import add_script, without_policy
from pages import OWNED, PAYLOADS, Reader
from project import importable
from samples import (
    BARS,
    BUILD,
    ERROR_MAP,
    PROFILE,
    RACE,
    ROOFLINE,
    SLOW,
    SOURCE,
    SPEED,
    SPILLED,
    SPILLING,
    UNGRADED,
    check,
    failed,
    performance,
    result,
    unchecked,
)

from grader.course.rubric import Kind
from grader.course.submissions.submission import LINES, Task, read_submission
from grader.grading.grade import grade_submission
from grader.reports import REPORTS
from grader.reports.html.listing import CONTEXT, blocks_of
from grader.reports.html.map_picture import picture_of
from grader.reports.html.workspace import COSTLY, counts_of
from grader.reports.issues import issues_of, lines_of
from grader.results.metrics import Samples, Usage
from grader.results.verdicts import Reason, Verdict

LOG = "kernels.cl:2:5: error: use of undeclared identifier 'Asub'\n" + "a line of the log\n" * 100 + "its last line"

RACING = failed(
    "sanitizer: two tiles (n 32)",
    kind=Kind.SANITIZER,
    reason=Reason.DATA_RACE,
    message="work-items disturb each other.",
    findings=(RACE,),
)
WRONG = failed("correctness: one more than a tile (n 17)", detail="C[0][0]  1  2", error_map=ERROR_MAP)
UNTIMED = failed("performance: cpu (n 1)", kind=Kind.PERFORMANCE, reason=Reason.NOT_RUN, message="the build failed.")
SKIPPED = unchecked("memory: banks", Kind.MEMORY, message="not here.")

PAGES = {
    "perfect": result(BUILD, check("correctness: one"), SPEED, source=SOURCE),
    "race": result(
        BUILD, RACING, check("correctness: one"), WRONG, SKIPPED, UNTIMED, source=SOURCE, profiles={"": PROFILE}
    ),
    "build error": result(
        failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 2, column 5: what?", detail=LOG),
        UNTIMED,
    ),
    "slow": result(BUILD, SLOW.model_copy(update={"performance": BARS}), source=SOURCE, profiles={"": PROFILE}),
    "roofline": result(
        BUILD, SPEED.model_copy(update={"performance": ROOFLINE}), source=SOURCE, profiles={"": PROFILE}
    ),
    "ungraded": UNGRADED,
}


CHOSEN = {
    *(
        "schema_version",
        "status",
        "kind",
        "verdict",
        "reason",
        "device_class",
        "unit",
        "space",
        "does",
        "type",
        "cells",
        "part",
    ),
}
"""Fields whose words come from a fixed set. A part is an assignment's name for a kernel."""


def page_of(outcome):
    return REPORTS["html"](outcome)


def text_of(outcome):
    return Reader(page_of(outcome)).text


def listed(outcome):
    """Return the lines of the source listing, in blocks."""
    return blocks_of(issues_of(outcome), lines_of(outcome))


def marked(outcome):
    """Return the numbers of the lines that are marked."""
    return [line.number for block in listed(outcome) for line in block.lines if line.issues]


def causes_of(outcome):
    """Return the text of the cards with the causes."""
    return re.split(r" (?:Cause|\d+ causes) ", text_of(outcome))[1].partition(" Source ")[0]


def checks_in(outcome):
    """Return the text of the rows with the checks."""
    return text_of(outcome).partition(" Checks ")[2].partition("Grading details")[0]


def with_words(value, words, key=""):
    """Return a record as JSON in which these words replace every free text."""
    match value:
        case dict():
            return {name: with_words(each, words, name) for name, each in value.items()}
        case list():
            return [with_words(each, words, key) for each in value]
        case str() if key not in CHOSEN:
            return words
        case _:
            return value


def rewritten(outcome, words):
    return type(outcome).model_validate(with_words(outcome.model_dump(mode="json"), words))


# --- content --------------------------------------------------------------------------------------


def test_the_page_begins_with_the_points_and_the_first_cause():
    """The page starts with the points and a word for the state. The first cause is the race, with its lines, help and
    cost, and not the wrong results that it causes.
    """
    text = text_of(PAGES["race"])
    assert "5 / 32 points ◐ partly" in text.partition(" causes ")[0]
    cause = causes_of(PAGES["race"])
    assert cause.startswith("1 error DATA_RACE +15 points if fixed work-items disturb each other. Seen in sanitizer")
    assert f"Help: {RACE.help} Line 13 , 17 . Seen in sanitizer: two tiles. Evidence seen 4,096 times." in cause
    for place in RACE.places:
        assert f"{place.line} {place.text.strip()} {place.words}" in cause


def test_an_issue_says_what_its_correction_gains():
    """A card shows the points that its cause costs, unless it does not cost any."""
    assert "+5 points if fixed" in causes_of(result(BUILD, failed("correctness: one")))
    assert "if fixed" not in causes_of(result(BUILD, failed("practice: one", kind=Kind.PRACTICE, max_points=0)))


def test_only_lines_that_are_blamed_are_marked():
    """The line of a build error is marked and linked to its cause. No other line is marked."""
    outcome = PAGES["build error"]
    assert marked(outcome) == [2]
    assert "line 2, column 5: what?" in causes_of(outcome)
    page = Reader(page_of(outcome))
    assert page.values("href").count("#issue-1") >= 1
    assert "#L2" in page.values("href")


def test_the_access_is_underlined_and_its_event_is_below_the_line():
    """In a marked line, only the access is underlined. The event is below the line, and the text of the line is
    unchanged.
    """
    source = "__kernel void f(__global int *a)\n{\n\ta[0] = a[1] + 1;\n}\n"
    place = RACE.places[0].model_copy(update={"line": 3, "words": "work-item 1 reads a"})
    racing = RACING.model_copy(update={"findings": (RACE.model_copy(update={"places": (place,)}),)})
    lines = [line for block in listed(result(racing, source=source)) for line in block.lines]
    assert [each.text for each in lines[2].segments if each.marked] == ["a[1]"]
    assert lines[2].text == "    a[0] = a[1] + 1;"
    assert [event.words for event in lines[2].events] == ["work-item 1 reads a"]


def test_lines_far_from_a_mark_are_folded():
    """Lines far from a marked line are folded, so that the marked line is near the top. The listing still contains
    every line.
    """
    broken = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 100: what?")
    outcome = result(broken, source="".join(f"// {number}\n" for number in range(1, 201)))
    blocks = listed(outcome)
    assert [block.folded for block in blocks] == [True, False, True]
    assert [line.number for line in blocks[1].lines] == list(range(100 - CONTEXT, 100 + CONTEXT + 1))
    assert [line.number for block in blocks for line in block.lines] == list(range(1, 201))
    assert "Lines 1 to 96" in text_of(outcome)


def test_many_causes_are_told_in_short():
    """Five causes are shown in full, and the others are folded."""
    many = [failed(f"memory: {number}", kind=Kind.MEMORY, reason=Reason.EXTRA_TRAFFIC) for number in range(8)]
    text = text_of(result(BUILD, *many))
    assert "8 causes" in text
    assert "3 more causes" in text


def test_the_longest_text_that_is_graded_makes_a_page_that_a_browser_shows():
    """The longest source that is graded makes a page of less than 2 MB that lists all lines.

    With a million lines, the page had 75 MB, and a browser needed 28 s and 0.8 GB for it.
    """
    page = page_of(result(check("correctness: one"), source="\n" * LINES))
    assert f'id="L{LINES}"' in page or str(LINES) in page
    assert len(page) < 2_000_000


def test_a_line_that_is_not_there_is_no_link_and_no_fault():
    """A driver may report line 0 or a line beyond the end. Such a number is not linked, and does not cause an error."""
    for line in ("0", "99999999"):
        broken = failed("build", kind=Kind.BUILD, message=f"line {line}: what?")
        place = RACE.places[0].model_copy(update={"line": int(line)})
        racing = RACING.model_copy(update={"findings": (RACE.model_copy(update={"places": (place,)}),)})
        page = page_of(result(broken, racing))
        assert f"line {line}: what?" in page
        assert f'href="#L{line}"' not in page


def test_every_check_has_its_state_message_and_points():
    """The folded rows show each check with its state, name, points and message. Details are shown with the cause."""
    outcome = PAGES["race"]
    text = checks_in(outcome)
    for each in outcome.checks:
        assert each.name in text
        assert each.message in text.partition(each.name)[2]
        assert " ".join(each.detail.split()) in causes_of(outcome)
    assert re.search(r"✗ failed correctness: one more than a tile \(n 17\) : see 1 0 / 5 it is wrong\.", text)


def test_the_checks_of_a_kind_are_one_row():
    """The row of a group shows its state, the number of passed checks, the causes of the others, and the points."""
    text = checks_in(result(BUILD, check("correctness: one"), WRONG, SPEED))
    assert "◐ partly correctness: 1 of 2 cases: see 1 5 / 10" in text
    assert "✓ passed build" in text


@pytest.mark.parametrize(
    ("verdict", "shown"),
    list(zip(Verdict, ("✓ passed", "◐ partly", "✗ failed", "○ open", "? hidden"), strict=True)),
    ids=list(Verdict),
)
def test_a_state_is_a_sign_and_a_word(verdict, shown):
    """A state is shown as a sign and a word, so that it can be read without colours."""
    reason = {Verdict.SKIPPED: Reason.NO_SIMULATOR, Verdict.HIDDEN: Reason.HIDDEN}.get(verdict)
    decided = Verdict.SKIPPED if verdict is Verdict.HIDDEN else verdict
    one = check("correctness: one", verdict=decided, reason=reason, message="so it is.")
    assert f"{shown} correctness: one" in text_of(result(one))


def test_nothing_to_mend_is_said():
    """If all checks passed and none is hidden, the page states that every check passed, and looks like success."""
    assert "45 / 45 points ✓ passed Every check passed." in text_of(PAGES["perfect"])
    assert 'class="outcome passed"' in page_of(PAGES["perfect"])
    assert listed(PAGES["perfect"])[0].folded


def test_hidden_points_are_said_in_the_head():
    """If checks are hidden, the top of the page shows the points that they are worth, and does not look like success
    yet. A hidden check shows nothing else.
    """
    one = unchecked(points=8, reason=Reason.HIDDEN, message="its outcome is shown after release.")
    outcome = result(BUILD, one, check("correctness: one"))
    text = text_of(outcome)
    assert "5 points so far; 8 more are decided after release ○ open" in text.partition("Checks")[0]
    assert "Every visible check passed. The others are hidden until release." in text
    assert "? hidden sanitizer (height 1) ? / 8 its outcome is shown after release." in text
    assert "HIDDEN" not in text
    assert 'class="outcome open"' in page_of(outcome)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason.NO_SIMULATOR, "12 not checked here: the simulator is missing"),
        (Reason.NOT_MEASURED, "12 not measured: the machine was too noisy"),
        (Reason.INTERFERENCE, "12 not measured: the operating system disturbed the timing"),
        (Reason.DECIDED_ELSEWHERE, "12 are decided on the course's machine"),
    ],
)
def test_nothing_is_green_by_omission(reason, words):
    """If some checks were not made and all others passed, the top of the page states this, with the remedy."""
    outcome = result(BUILD, check("correctness: one"), unchecked(reason=reason), unchecked(points=0, reason=reason))
    text = text_of(outcome)
    head, _, below = text.partition(" Checks ")
    assert f"5 of 17; {words}" in head
    assert "○ open The simulator is not installed: install it." in head
    assert f"open sanitizer: sanitizer, sanitizer 0 / 12 {reason} the simulator is not installed" in below
    assert "Every check" not in text


def test_the_build_failed_is_said_once():
    """Twelve checks that did not run share one skipped row and one sentence."""
    unrun = [failed(f"correctness: {i}", reason=Reason.NOT_RUN, message="the build failed.") for i in range(12)]
    text = checks_in(result(*unrun))
    assert text.count("the build failed.") == 1
    assert text.count("skipped correctness: ") == 13


def test_checks_that_were_not_run_are_apart_from_failed_ones():
    """Skipped checks are counted and listed separately from failed ones, with the points that are lost."""
    text = text_of(result(BUILD, failed("correctness: one"), UNTIMED))
    assert "3 checks: 1 passed, 1 failed, 1 skipped" in text
    assert "skipped performance: cpu (n 1) 0 / 5 NOT_RUN the build failed." in text


def test_what_follows_from_a_failed_build_is_one_line():
    """All checks that a failed build prevents share one row, with the lost points and the reason."""
    unbuilt = failed("build", kind=Kind.BUILD, max_points=0, reason=Reason.BUILD_ERROR, message="line 2: what?")
    unrun = [failed(f"correctness: {i}", reason=Reason.NOT_RUN, message="fix the build.") for i in range(12)]
    text = text_of(result(unbuilt, *unrun))
    assert "13 checks: 1 failed, 12 skipped" in text
    assert "skipped 12 checks: correctness 0 / 60 NOT_RUN fix the build." in text
    assert text.count("fix the build.") == 1


def test_a_check_that_passed_says_how_far_it_is_from_its_limit():
    """The list of checks shows the message of a passed check, which compares its value with the limit. The line in this
    message is not marked as wrong.
    """
    reads = check("memory: words", Kind.MEMORY, message="line 1 reads A; the limit is 4.")
    assert "line 1 reads A; the limit is 4." in text_of(result(BUILD, reads))
    assert marked(result(BUILD, reads)) == []


def test_the_source_is_whole_and_the_counts_are_folded_below():
    """The listing contains every line with its number. Memory counts are folded below it, with links to their lines."""
    outcome = PAGES["race"]
    lines = [line for block in listed(outcome) for line in block.lines]
    assert [line.text for line in lines] == [
        line.expandtabs(4) if number in marked(outcome) else line for number, line in enumerate(SOURCE.splitlines(), 1)
    ]
    assert set(marked(outcome)) == {13, 17}
    counts = counts_of(PROFILE)
    costly = next(each for each in counts if each.costly)
    assert costly.line == 13
    assert costly.words.startswith("reads A: 16,384 sectors where 2,048 would do (8 x, up to 8 x in one request)")
    text = text_of(outcome).partition("Memory counts")[2]
    assert f"line 13 costly {costly.words}" in text
    assert "line 21 condition: warps diverge 12 times, and reach it 128 times" in text


def test_an_access_is_costly_from_twice_the_fewest_sectors():
    """An access counts as costly from twice the minimum of sectors, because partial tiles always cost a little more."""
    access = PROFILE.accesses[0]
    for sectors, costly in ((access.fewest * COSTLY, True), (access.fewest * COSTLY - 1, False)):
        one = access.model_copy(update={"sectors": int(sectors)})
        profile = PROFILE.model_copy(update={"accesses": (one,), "branches": ()})
        assert [each.costly for each in counts_of(profile)] == [costly]


def test_the_error_map_is_a_picture_with_a_legend():
    """The error map has a cell for each block, a sign for each kind of cell, and counts in words."""
    picture = picture_of(ERROR_MAP)
    assert (picture.rows, picture.columns) == (5, 6)
    assert picture.label == "2 blocks all wrong, 4 blocks some wrong, 6 blocks never written, 18 blocks right"
    assert picture.layers[0].path == "M3 1h1v1h-1zM3 2h1v1h-1z"
    page = page_of(PAGES["race"])
    assert f'aria-label="{picture.label}"' in page
    assert "70 rows and 90 columns. Each cell is a block of 16 \N{MULTIPLICATION SIGN} 16 elements." in text_of(
        PAGES["race"]
    )
    for words in ("all wrong: 2 blocks", "some wrong: 4 blocks", "never written: 6 blocks", "right: 18 blocks"):
        assert words in Reader(page).text


def test_a_map_whose_cells_are_all_alike_is_left_out():
    """A map whose cells are all equal does not tell more than the message, so it is left out."""
    alike = ERROR_MAP.model_copy(update={"cells": ("##", "##")})
    assert "Error map" not in page_of(result(WRONG.model_copy(update={"error_map": alike}), SPEED))


def test_two_error_maps_have_tiles_of_their_own():
    """Each id occurs only once on a page, even if there are two error maps."""
    page = page_of(result(WRONG, WRONG.model_copy(update={"name": "correctness: two"}), SPEED))
    ids = Reader(page).values("id")
    assert len(ids) > 10
    assert sorted(ids) == sorted(set(ids))
    assert {target.strip("#") for target in Reader(page).values("href")} <= set(ids)


def test_where_nothing_was_timed_it_says_why():
    """If nothing was timed, the page shows the reason of the performance check."""
    assert "performance: cpu (n 1) 0 / 5 NOT_RUN the build failed." in text_of(PAGES["race"])
    crashed = failed("performance: cpu (n 1)", kind=Kind.PERFORMANCE, reason=Reason.CRASH, message="it crashed.")
    assert "it crashed." in causes_of(result(BUILD, crashed))


@pytest.mark.whole
def test_speeds_are_words_and_two_figures():
    """Speeds are shown in words and in two figures: bars for copies or a roofline for arithmetic, and the times of
    launches.
    """
    for name, words in (
        ("slow", "the dashed line: a copy, 35.4 GB/s"),
        ("roofline", "arithmetic's roof: 4,100 GFLOPS"),
    ):
        text = text_of(PAGES[name])
        assert words in text
        assert "time of a launch" in text
        assert "of the model solution's speed (99 to 102)" in text


def test_what_the_kernels_take_stands_with_the_speed():
    """The registers and local memory that kernels use are shown with the speed. A sentence explains spilling."""
    text = text_of(result(BUILD, SPEED.model_copy(update={"usage": (SPILLING,)})))
    assert "rgblkMMM takes 255 registers per work-item, 8.25 KiB of local memory per work-group" in text
    assert SPILLED in text
    assert " takes " not in text_of(result(BUILD, SPEED.model_copy(update={"usage": (Usage(kernel="k"),)})))


def test_times_that_a_clock_has_not_seen_leave_a_page():
    """If times are zero, the page has no figures, because a logarithmic axis does not have a zero."""
    none = Samples(submission=(0.0,), reference=(0.0,), control=(), baseline=(), device_copy=())
    text = text_of(result(BUILD, SPEED.model_copy(update={"performance": performance(samples=none)})))
    assert "7.21 GB/s" in text
    assert "time of a launch" not in text


def test_a_fault_of_ours_is_a_page_without_a_score():
    """After a fault of grader, the page does not show a score. It gives the fault, and states that the student is not
    to blame.
    """
    text = text_of(UNGRADED)
    assert "Not graded" in text
    assert "Not the student's fault" in text
    assert UNGRADED.fault in text
    assert "points" not in text


def test_what_the_result_rests_on_stands_at_the_end():
    """Device, seed, sandbox, versions and limits are at the end of the page."""
    end = text_of(PAGES["perfect"]).partition("Grading details")[2]
    for words in ("Test Device", "seed 7", "sandbox process", "Python 3.11", "memory_bytes 1024, root read-only"):
        assert words in end


# --- markup and policy ----------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("name", PAGES)
def test_no_text_becomes_markup(name, payload):
    """Hostile text in all free fields of a result does not change the elements of the page."""
    harmless = Reader(page_of(rewritten(PAGES[name], "word")))
    hostile = Reader(page_of(rewritten(PAGES[name], payload)))
    assert hostile.structure == harmless.structure
    assert hostile.text.count(payload) == harmless.text.count("word") - harmless.text.count("passwords") > 0


def test_names_of_sizes_limits_and_packages_are_escaped_too():
    """The keys of a result, such as the names of sizes, limits and packages, are escaped as well."""
    names = dict.fromkeys(PAYLOADS, 1)
    outcome = result(BUILD, profiles={"": PROFILE.model_copy(update={"sizes": names})})
    provenance = outcome.provenance.model_copy(update={"limits": names, "packages": dict.fromkeys(names, "1")})
    page = Reader(page_of(outcome.model_copy(update={"provenance": provenance})))
    for payload in PAYLOADS:
        assert page.text.count(payload) == 3
    assert "script" not in {tag for tag, _ in page.elements}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_asks_for_nothing_from_elsewhere(name):
    """The page has no scripts, links only to places in itself, and has a policy that forbids all other content."""
    page = Reader(page_of(PAGES[name]))
    assert not {tag for tag, _ in page.elements} & {
        "script",
        "link",
        "iframe",
        "object",
        "embed",
        "img",
        "form",
        "base",
    }
    assert [value for value in page.values("href", "src", "action", "data", "xlink:href") if value[0] != "#"] == []
    written = " ".join([*page.styles, *(value for _, attrs in page.elements for _, value in attrs if value)])
    assert re.findall(r"https?:|@import|url\((?!#)", written) == []
    assert [name for _, attrs in page.elements for name, _ in attrs if name.startswith("on")] == []
    (policy,) = (
        dict(attrs)["content"] for tag, attrs in page.elements if tag == "meta" and "http-equiv" in dict(attrs)
    )
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_control_and_bidi_characters_do_not_reach_the_page():
    """Control and direction characters are removed, because a reversed source line would look like other code."""
    odd = "\x00\x1b\x7f\u202e\u2066\ud800"
    outcome = rewritten(PAGES["race"], "word").model_copy(update={"source": odd, "title": odd, "submission": odd})
    assert not set(page_of(outcome)) & set(odd)


@pytest.mark.whole
def test_the_same_result_is_the_same_page():
    """Equal results make byte-identical pages, even in another process with other hash seeds, because a page contains
    no dates or random names.
    """
    code = "from test_reports_page import PAGES, page_of; import sys; sys.stdout.write(page_of(PAGES['roofline']))"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": importable(__file__), "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == page_of(PAGES["roofline"])


@pytest.mark.whole
def test_only_a_page_loads_what_draws_it():
    """Only the HTML format loads Matplotlib and Jinja, so that the other formats start faster."""
    code = (
        "import sys; from samples import UNGRADED; import grader.cli.app; from grader.reports import REPORTS\n"
        "for name in ('json', 'junit'): REPORTS[name](UNGRADED)\n"
        "assert not {'matplotlib', 'jinja2'} & set(sys.modules)\n"
        "REPORTS['html'](UNGRADED); assert {'matplotlib', 'jinja2'} <= set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": importable(__file__)}, check=True)


@pytest.mark.whole
def test_a_machine_without_a_home_says_nothing_and_keeps_nothing(tmp_path):
    """On a machine without a home folder, drawing figures does not print a warning or leave a temporary folder."""
    code = (
        "from samples import ROOFLINE, SPEED, result; from grader.reports import REPORTS\n"
        "REPORTS['html'](result(SPEED.model_copy(update={'performance': ROOFLINE})))"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MPL", "XDG"))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**kept, "PYTHONPATH": importable(__file__), "HOME": "/dev/null", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert list(tmp_path.iterdir()) == []


# --- in a browser ---------------------------------------------------------------------------------

UNFOLDED = "(document.querySelectorAll('details').forEach((each) => { each.open = true }), document.body.innerText)"
"""Expression for the whole text of a page, including everything that is folded."""

SIGNATURE = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)"
COMMENTS = "".join(f"// {payload}\n" for payload in PAYLOADS)
STRINGS = "".join(f"printf({json.dumps(payload.replace('%', '%%'))});" for payload in PAYLOADS)
HOSTILE = {
    "wrong": f"{COMMENTS}{SIGNATURE} {{ if (get_global_id(0) == 0) {{ {STRINGS} B[0] = A[0] + 1; }} }}\n",
    "broken": f"{COMMENTS}#error {PAYLOADS[0]} {PAYLOADS[1]}\n{SIGNATURE} {{ <svg/onload={OWNED}>; }}\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_of_a_hostile_submission_runs_in_a_browser(name, browser, environment, transposition, tmp_path):
    """Markup in comments, strings, the compiler's log and the path is shown as text by a browser."""
    path = tmp_path / f"<img src=x onerror={OWNED}>" / f"\"'><svg onload={OWNED}>.cl"
    path.parent.mkdir()
    path.write_text(HOSTILE[name])
    task = Task(assignment=transposition, submission=read_submission(path), seed=1)
    outcome = grade_submission(task, environment, progress=lambda _: None)
    page = page_of(outcome)
    (shown,) = browser.measure(page, [390], UNFOLDED)
    for payload in PAYLOADS:
        assert payload in shown
    assert str(path) in shown.replace("\n", "")
    if name == "broken":
        assert OWNED in next(each for each in outcome.checks if each.kind is Kind.BUILD).detail
    for each in (page, without_policy(page)):
        assert browser.title(each).startswith(f"{outcome.points:g} / 100")


def test_the_policy_keeps_a_script_from_running(browser):
    """The page's policy prevents scripts from running. Without the policy, the script runs."""
    page = add_script(page_of(PAGES["race"]), f"<script>{OWNED}</script><img src=x onerror={OWNED}>")
    assert browser.title(page).startswith("5 / 32")
    assert browser.title(without_policy(page)) == "owned"


LONG = rewritten(PAGES["race"], "a_name_without_an_end_" * 40)


@pytest.mark.sampled
@pytest.mark.parametrize("name", [*PAGES, "long words"])
def test_no_page_scrolls_sideways(name, browser):
    """No page scrolls sideways on phones, a tablet and a desktop, even with very long words."""
    page = page_of(LONG if name == "long words" else PAGES[name])
    widths = [320, 390, 800, 1200]
    assert browser.measure(page, widths, "document.documentElement.scrollWidth") == widths


def test_a_page_that_scrolls_sideways_is_seen(browser):
    """The measurement of scrolling detects a page that is too wide."""
    page = add_script(page_of(UNGRADED), "<p style='width: 2000px'>x</p>")
    assert browser.measure(page, [390], "document.documentElement.scrollWidth > innerWidth") == [True]


@pytest.mark.whole
def test_where_to_start_is_on_a_phones_first_screen(browser):
    """On a phone, the score and the first sentence are visible without scrolling."""
    bottom = "document.querySelector('.issue h3, .start .message').getBoundingClientRect().bottom"
    for name in ("race", "build error", "slow", "ungraded"):
        assert 0 < browser.measure(page_of(PAGES[name]), [390], bottom)[0] < 844


@pytest.mark.whole
def test_the_first_marked_line_is_on_the_first_screen(browser):
    """In a wide window, the first marked line is in the upper half of the first screen."""
    top = "document.querySelector('.code-line.marked').getBoundingClientRect().top"
    for name in ("race", "build error"):
        assert 0 < browser.measure(page_of(PAGES[name]), [1280], top)[0] < 500


@pytest.mark.whole
def test_a_perfect_report_fits_on_one_screen(browser):
    """A report without causes fits on one screen."""
    assert browser.measure(page_of(PAGES["perfect"]), [1280], "document.body.scrollHeight")[0] < 844


@pytest.mark.whole
def test_no_word_is_broken_on_a_phone(browser):
    """On a phone, the words of states and points are not broken across lines."""
    lines = "each.getClientRects().length > 1 || each.offsetHeight > 40"
    broken = f"Array.from(document.querySelectorAll('.state, .points')).filter((each) => {lines}).length"
    for outcome in PAGES.values():
        assert browser.measure(page_of(outcome), [360], broken) == [0]


@pytest.mark.whole
@pytest.mark.parametrize("name", ["race", "build error", "roofline"])
def test_a_printed_page_holds_all_of_it(name, browser):
    """A printed page is complete. It contains the end of a long log, the source and the words of the figures."""
    outcome = PAGES[name]
    printed = browser.printed(page_of(outcome))
    for each in outcome.checks:
        assert each in outcome.unreached or each.name.partition(" (")[0] in printed
        assert " ".join(each.detail.split()[-3:]) in printed
    assert " ".join(outcome.source.split("\n")[-2].split()) in printed
    assert "Grading details" in printed
    assert str(outcome.provenance.device.name) in printed
    if name == "roofline":
        assert "time of a launch" in printed
