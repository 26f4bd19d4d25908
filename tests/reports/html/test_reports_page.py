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
from grader.course.submissions.submission import LINES, read_submission
from grader.course.submissions.task import Task
from grader.grading.grade import grade_submission
from grader.reports import REPORTS
from grader.reports.html.page import COSTLY, lines_of, picture_of
from grader.results.check import Reason, Verdict
from grader.results.metrics import Samples, Usage

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
"""Fields with a fixed set of words. A part is an assignment's name for a kernel."""


def page_of(outcome):
    return REPORTS["html"](outcome)


def text_of(outcome):
    return Reader(page_of(outcome)).text


def with_words(value, words, key=""):
    """Return a record as JSON with these words in place of every free text."""
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


def test_the_page_begins_with_the_first_cause():
    """The page starts with the score and the first cause.

    The first cause is the race with both lines, not the wrong results that follow from the race.
    """
    text = text_of(PAGES["race"])
    start = text.partition("Start here")[2].partition("Checks")[0]
    assert "5 of 32 points" in text.partition("Start here")[0]
    for words in (RACING.message, RACE.message, RACE.help, "Seen 4,096 times."):
        assert words in start
    for place in RACE.places:
        assert f"{place.line} {place.text.strip()} {place.words}" in start
    assert "it is wrong" not in start


def test_a_sentence_about_a_line_shows_that_line():
    """A build error at the top of the page shows its source line and marks the line in the listing."""
    outcome = PAGES["build error"]
    start = text_of(outcome).partition("Start here")[2].partition("Checks")[0]
    assert "line 2, column 5: what? 2 }" in start
    assert [line.mark for line in lines_of(outcome)] == ["", "wrong"]


def test_the_longest_text_that_is_graded_makes_a_page_that_a_browser_shows():
    """The longest source that is graded makes a page below 2 MB that lists all lines.

    With a million lines, the page had 75 MB and took 28 s and 0.8 GB.
    """
    page = page_of(result(check("correctness: one"), source="\n" * LINES))
    assert f'id="L{LINES}"' in page or str(LINES) in page
    assert len(page) < 2_000_000


def test_a_line_that_is_not_there_is_no_link_and_no_fault():
    """A line number 0 or beyond the end, which a driver may report, is not a link and causes no error."""
    for line in ("0", "99999999"):
        broken = failed("build", kind=Kind.BUILD, message=f"line {line}: what?")
        place = RACE.places[0].model_copy(update={"line": int(line)})
        racing = RACING.model_copy(update={"findings": (RACE.model_copy(update={"places": (place,)}),)})
        page = page_of(result(broken, racing))
        assert f"line {line}: what?" in page
        assert f'href="#L{line}"' not in page


def test_every_check_stands_with_its_verdict_reason_message_detail_and_points():
    """Each check has its verdict, reason, message, detail and points, in the order of the result."""
    outcome = PAGES["race"]
    text = text_of(outcome).partition("Checks")[2]
    for each in outcome.checks:
        assert text.index(each.name) >= 0
        for words in filter(None, (each.message, each.reason and str(each.reason), " ".join(each.detail.split()))):
            assert words in text.partition(each.name)[2]
    assert re.search(r"✗ failed correctness: one more than a tile \(n 17\) 0 / 5 WRONG_OUTPUT it is wrong\.", text)
    assert [text.index(each.name) for each in outcome.checks] == sorted(
        text.index(each.name) for each in outcome.checks
    )


@pytest.mark.parametrize(
    ("verdict", "shown"),
    list(zip(Verdict, ("✓ passed", "◐ partly", "✗ failed", "- skipped", "? hidden"), strict=True)),
    ids=list(Verdict),
)
def test_a_verdict_is_a_sign_and_a_word(verdict, shown):
    """A verdict is a sign and a word, so that it can be read without colours."""
    reason = {Verdict.SKIPPED: Reason.NO_SIMULATOR, Verdict.HIDDEN: Reason.HIDDEN}.get(verdict)
    decided = Verdict.SKIPPED if verdict is Verdict.HIDDEN else verdict
    one = check("correctness: one", verdict=decided, reason=reason, message="so it is.")
    assert f"{shown} correctness: one" in text_of(result(one))


def test_nothing_to_mend_is_said():
    """If all checks passed and none is hidden, the page says that every check passed."""
    assert "Every check passed." in text_of(PAGES["perfect"])


def test_hidden_points_are_said_in_the_head_and_grey_in_the_bar():
    """Hidden points are named in the head and grey in the bar, which is full only if all points are earned.

    A hidden check shows only the points that it is worth.
    """
    one = unchecked(points=8, reason=Reason.HIDDEN, message="its outcome is shown after release.")
    outcome = result(BUILD, one, check("correctness: one"))
    text = text_of(outcome)
    assert "5 points so far; 8 more are decided after release" in text.partition("Checks")[0]
    assert "Every visible check passed. The others are hidden until release." in text
    assert "? hidden sanitizer (height 1) ? / 8 its outcome is shown after release." in text
    assert "HIDDEN" not in text
    strip = re.search(r'<div class="strip".*?</div>', REPORTS["html"](outcome), re.DOTALL)[0]
    assert re.findall(r'class="(\w+)" style="flex-grow: ([0-9.]+)', strip) == [("passed", "5.0"), ("hidden", "8.0")]


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
    """If some checks were not made and the others passed, the head and the first section say so, with the remedy."""
    outcome = result(BUILD, check("correctness: one"), unchecked(reason=reason), unchecked(points=0, reason=reason))
    text = text_of(outcome)
    head, _, below = text.partition("Some checks are open")
    assert f"5 of 17; {words}" in head
    assert below.strip().startswith("The simulator is not installed: install it. Checks")
    assert f"skipped sanitizer (height 1) 0 / 12 {reason} the simulator is not installed" in below
    assert "Nothing" not in text
    assert "Every check" not in text
    strip = re.search(r'<div class="strip".*?</div>', REPORTS["html"](outcome), re.DOTALL)[0]
    assert re.findall(r'class="(\w+)" style', strip) == ["passed", "skipped"]


def test_the_build_failed_is_said_once():
    """Twelve checks that did not run are listed as skipped and share one sentence."""
    unrun = [failed(f"correctness: {i}", reason=Reason.NOT_RUN, message="the build failed.") for i in range(12)]
    text = text_of(result(*unrun)).partition("Checks")[2].partition("Speed")[0]
    assert text.count("the build failed.") == 1
    assert text.count("skipped correctness: ") == 12


def test_what_was_not_run_stands_apart_from_what_failed():
    """Skipped checks are separate from failed ones in the counts, the bar and the list, with the lost points."""
    page = REPORTS["html"](result(BUILD, failed("correctness: one"), UNTIMED))
    text = text_of(result(BUILD, failed("correctness: one"), UNTIMED))
    assert "3 checks: 1 passed, 1 failed, 1 skipped" in text
    assert "skipped performance: cpu (n 1) 0 / 5 NOT_RUN the build failed." in text
    assert re.findall(r'<li class="(\w+)" id', page) == ["passed", "failed", "skipped"]
    strip = re.search(r'<div class="strip".*?</div>', page, re.DOTALL)[0]
    assert re.findall(r'class="(\w+)" style', strip)[-2:] == ["failed", "skipped"]


def test_what_follows_from_a_failed_build_is_one_line():
    """The checks that a failed build prevents are one line with the lost points.

    In links, the other checks keep their numbers.
    """
    unbuilt = failed("build", kind=Kind.BUILD, max_points=0, reason=Reason.BUILD_ERROR, message="line 2: what?")
    unrun = [failed(f"correctness: {i}", reason=Reason.NOT_RUN, message="fix the build.") for i in range(12)]
    page = REPORTS["html"](result(unbuilt, *unrun))
    text = text_of(result(unbuilt, *unrun))
    assert "13 checks: 1 failed, 12 skipped" in text
    assert "skipped 12 checks: correctness 0 / 60 NOT_RUN fix the build." in text
    assert "correctness: 0" not in text
    assert 'href="#check-1"' in page
    assert page.count("<li class=") == 2


def test_a_check_that_passed_says_how_far_it_is_from_its_limit():
    """A passed check has its message about the limit in the list, and does not mark its line as wrong."""
    reads = check("memory: words", Kind.MEMORY, message="line 1 reads A; the limit is 4.")
    assert "line 1 reads A; the limit is 4." in text_of(result(BUILD, reads))
    assert not any(line.mark for line in lines_of(result(BUILD, reads)))


def test_the_source_is_whole_with_what_was_seen_beside_it():
    """The listing has every line with its number, with findings and memory counts at their lines."""
    lines = lines_of(PAGES["race"])
    assert [line.text for line in lines] == SOURCE.splitlines()
    assert [line.number for line in lines if line.mark] == [13, 17]
    seen = lines[12]
    assert seen.findings == (f"DATA_RACE: {RACE.places[1].words}",)
    assert seen.costly[0].startswith("reads A: 16,384 sectors where 2,048 would do (8 x, up to 8 x in one request)")
    assert seen.counts[0].startswith("writes As in local memory: 512 turns, as few as can be")
    assert lines[20].counts == ("condition: warps diverge 12 times, and reach it 128 times",)
    assert f"13 {SOURCE.splitlines()[12].strip()} DATA_RACE" in text_of(PAGES["race"])


def test_an_access_is_costly_from_twice_the_fewest_sectors():
    """An access is costly from twice the minimum of sectors, because partial tiles cost a little more.

    Costly lines have another mark than wrong ones.
    """
    access = PROFILE.accesses[0]
    for sectors, mark in ((access.fewest * COSTLY, "costly"), (access.fewest * COSTLY - 1, "")):
        profile = PROFILE.model_copy(update={"accesses": (access.model_copy(update={"sectors": int(sectors)}),)})
        assert lines_of(result(BUILD, source=SOURCE, profiles={"": profile}))[12].mark == mark


def test_many_equal_findings_are_a_few_notes():
    """Equal findings of twelve cases are a few notes at their line and a count of the others."""
    racing = [
        failed(f"sanitizer: {i}", kind=Kind.SANITIZER, findings=(RACE.model_copy(update={"places": (place,)}),))
        for i in range(12)
        for place in [RACE.places[0].model_copy(update={"words": f"work-item {i % 6} reads"})]
    ]
    assert lines_of(result(*racing, source=SOURCE))[16].findings == (
        *(f"DATA_RACE: work-item {i} reads" for i in range(3)),
        "and 3 more of them",
    )


def test_the_error_map_is_a_picture_with_a_legend():
    """The error map has a cell for each block, a sign for each kind, and counts in words."""
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


def test_the_map_of_one_element_is_spoken_of_in_the_singular():
    """The legend of a map with one element is in the singular."""
    one = ERROR_MAP.model_copy(update={"shape": (1, 1), "block": (1, 1), "cells": ("#",)})
    page = text_of(result(WRONG.model_copy(update={"error_map": one}), SPEED))
    assert "1 row and 1 column. Each cell is an element." in page


def test_two_error_maps_have_tiles_of_their_own():
    """No id is on the page twice, also with two error maps."""
    page = page_of(result(WRONG, WRONG.model_copy(update={"name": "correctness: two"}), SPEED))
    ids = Reader(page).values("id")
    assert len(ids) > 10
    assert sorted(ids) == sorted(set(ids))
    assert {target.strip("#") for target in Reader(page).values("href")} <= set(ids)


def test_where_nothing_was_timed_it_says_why():
    """Without a timing, the page has the reason of the speed check."""
    assert "performance: cpu (n 1) : the build failed." in text_of(PAGES["race"])
    crashed = failed("performance: cpu (n 1)", kind=Kind.PERFORMANCE, reason=Reason.CRASH, message="it crashed.")
    assert "performance: cpu (n 1) : not timed: it crashed." in text_of(result(BUILD, crashed))


def test_speeds_are_words_and_two_figures():
    """Speeds have words and two figures: bars for copies or a roofline for arithmetic, and times of launches."""
    for name, words in (
        ("slow", "the dashed line: a copy, 35.4 GB/s"),
        ("roofline", "arithmetic's roof: 4,100 GFLOPS"),
    ):
        text = text_of(PAGES[name])
        assert words in text
        assert "time of a launch" in text
        assert "of the model solution's speed (99 to 102)" in text


def test_what_the_kernels_take_stands_with_the_speed():
    """Registers and local memory of the kernels are shown with the speed, and spilling has a sentence."""
    text = text_of(result(BUILD, SPEED.model_copy(update={"usage": (SPILLING,)})))
    assert "rgblkMMM takes 255 registers per work-item, 8.25 KiB of local memory per work-group" in text
    assert SPILLED in text
    assert " takes " not in text_of(result(BUILD, SPEED.model_copy(update={"usage": (Usage(kernel="k"),)})))


def test_times_that_a_clock_has_not_seen_leave_a_page():
    """Times of zero give a page without figures, because a logarithmic axis has no zero."""
    none = Samples(submission=(0.0,), reference=(0.0,), control=(), baseline=(), device_copy=())
    text = text_of(result(BUILD, SPEED.model_copy(update={"performance": performance(samples=none)})))
    assert "7.21 GB/s" in text
    assert "time of a launch" not in text


def test_a_fault_of_ours_is_a_page_without_a_score():
    """A fault of the grader gives a page without a score that says why, and that the student is not at fault."""
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


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("name", PAGES)
def test_no_text_becomes_markup(name, payload):
    """A hostile text in all free fields of a result leaves the page's elements unchanged."""
    harmless = Reader(page_of(rewritten(PAGES[name], "word")))
    hostile = Reader(page_of(rewritten(PAGES[name], payload)))
    assert hostile.structure == harmless.structure
    assert hostile.text.count(payload) == harmless.text.count("word") - harmless.text.count("passwords") > 0


def test_names_of_sizes_limits_and_packages_are_escaped_too():
    """Keys of a result, such as names of sizes, limits and packages, are escaped, too."""
    names = dict.fromkeys(PAYLOADS, 1)
    outcome = result(BUILD, profiles={"": PROFILE.model_copy(update={"sizes": names})})
    provenance = outcome.provenance.model_copy(update={"limits": names, "packages": dict.fromkeys(names, "1")})
    page = Reader(page_of(outcome.model_copy(update={"provenance": provenance})))
    for payload in PAYLOADS:
        assert page.text.count(payload) == 3
    assert "script" not in {tag for tag, _ in page.elements}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_asks_for_nothing_from_elsewhere(name):
    """The page has no script, links only to places in itself, and a policy that forbids other content."""
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
    """Control and direction characters are removed, because a reversed source line would show other code."""
    odd = "\x00\x1b\x7f\u202e\u2066\ud800"
    outcome = rewritten(PAGES["race"], "word").model_copy(update={"source": odd, "title": odd, "submission": odd})
    assert not set(page_of(outcome)) & set(odd)


@pytest.mark.whole
def test_the_same_result_is_the_same_page():
    """Equal results give equal bytes in another process with other hashes, without dates or random names."""
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
    """Only the HTML format loads Matplotlib and Jinja, so the other formats start faster."""
    code = (
        "import sys; from samples import UNGRADED; import grader.cli.app; from grader.reports import REPORTS\n"
        "for name in ('json', 'junit'): REPORTS[name](UNGRADED)\n"
        "assert not {'matplotlib', 'jinja2'} & set(sys.modules)\n"
        "REPORTS['html'](UNGRADED); assert {'matplotlib', 'jinja2'} <= set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": importable(__file__)}, check=True)


@pytest.mark.whole
def test_a_machine_without_a_home_says_nothing_and_keeps_nothing(tmp_path):
    """Without a home folder, drawing figures prints no warning and leaves no temporary folder."""
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

SIGNATURE = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)"
COMMENTS = "".join(f"// {payload}\n" for payload in PAYLOADS)
STRINGS = "".join(f"printf({json.dumps(payload.replace('%', '%%'))});" for payload in PAYLOADS)
HOSTILE = {
    "wrong": f"{COMMENTS}{SIGNATURE} {{ if (get_global_id(0) == 0) {{ {STRINGS} B[0] = A[0] + 1; }} }}\n",
    "broken": f"{COMMENTS}#error {PAYLOADS[0]} {PAYLOADS[1]}\n{SIGNATURE} {{ <svg/onload={OWNED}>; }}\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_of_a_hostile_submission_runs_in_a_browser(name, browser, environment, transposition, tmp_path):
    """A browser shows markup in comments, strings, the compiler's log and the path as text."""
    path = tmp_path / f"<img src=x onerror={OWNED}>" / f"\"'><svg onload={OWNED}>.cl"
    path.parent.mkdir()
    path.write_text(HOSTILE[name])
    task = Task(assignment=transposition, submission=read_submission(path), seed=1)
    outcome = grade_submission(task, environment, progress=lambda _: None)
    page = page_of(outcome)
    (shown,) = browser.measure(page, [390], "document.body.innerText")
    for payload in PAYLOADS:
        assert payload in shown
    assert str(path) in shown.replace("\n", "")
    if name == "broken":
        assert OWNED in next(each for each in outcome.checks if each.kind is Kind.BUILD).detail
    for each in (page, without_policy(page)):
        assert browser.title(each).startswith(f"{outcome.points:g} / 100")


def test_the_policy_keeps_a_script_from_running(browser):
    """The page's policy prevents a script from running, and without the policy the script runs."""
    page = add_script(page_of(PAGES["race"]), f"<script>{OWNED}</script><img src=x onerror={OWNED}>")
    assert browser.title(page).startswith("5 / 32")
    assert browser.title(without_policy(page)) == "owned"


LONG = rewritten(PAGES["race"], "a_name_without_an_end_" * 40)


@pytest.mark.parametrize("name", [*PAGES, "long words"])
def test_no_page_scrolls_sideways(name, browser):
    """No page scrolls sideways on phones, a tablet and a desktop, also with endless words."""
    page = page_of(LONG if name == "long words" else PAGES[name])
    widths = [320, 390, 800, 1200]
    assert browser.measure(page, widths, "document.documentElement.scrollWidth") == widths


def test_a_page_that_scrolls_sideways_is_seen(browser):
    """The measurement of scrolling detects a page that is too wide."""
    page = add_script(page_of(UNGRADED), "<p style='width: 2000px'>x</p>")
    assert browser.measure(page, [390], "document.documentElement.scrollWidth > innerWidth") == [True]


@pytest.mark.whole
def test_where_to_start_is_on_a_phones_first_screen(browser):
    """On a phone, the score and the first sentence are on the first screen."""
    bottom = "document.querySelector('.start .message').getBoundingClientRect().bottom"
    for name in ("race", "build error", "slow", "ungraded"):
        assert 0 < browser.measure(page_of(PAGES[name]), [390], bottom)[0] < 844


@pytest.mark.parametrize("name", ["race", "build error", "roofline"])
def test_a_printed_page_holds_all_of_it(name, browser):
    """A printed page is complete, with the end of a long log, the source and the figures' words."""
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
