"""Style sheets in a real browser: words in tables stay whole, and selected text stays readable."""

from grader.service.web.pages import STATIC_FOLDER

CELLS = (
    "<tr>" + "".join(f"<td>{word}</td>" for word in ("correctness", "sanitizer", "performance", "coalesced")) + "</tr>"
)
TABLE = f'<article class="handout"><div class="wide" tabindex="0"><table>{CELLS}</table></div></article>'
LINE = '<pre class="CodeMirror-line"><span>x</span></pre>'
SHEETS = ("vendor/codemirror.css", "style.css", "editor.css")


def shown(browser, look):
    """Return the browser with a page that has a handout's table and a line of the editor."""
    styles = "".join(f"<style>{(STATIC_FOLDER / name).read_text(encoding='utf-8')}</style>" for name in SHEETS)
    path = browser.folder / "page.html"
    path.write_text(f"<!doctype html>{styles}<main>{TABLE}{LINE}</main>", encoding="utf-8")
    driven = browser.shared()
    driven.open_until_still(path.as_uri())
    driven.looks(*look)
    return driven


def test_words_in_a_table_of_a_handout_stay_whole_on_a_phone(browser):
    """A table that is wider than a phone scrolls, and does not break its words or widen the page."""
    driven = shown(browser, (360, "light"))
    heights = driven.say("[...document.querySelectorAll('td')].map(each => each.offsetHeight)")
    assert max(heights) < 45  # one line
    assert driven.say("document.documentElement.scrollWidth") == 360


def test_selected_text_is_readable_in_the_dark_editor(browser):
    """The editor's library selects with a light colour, which would hide the light text of the dark theme."""
    driven = shown(browser, (1280, "dark"))
    selected = "getComputedStyle(document.querySelector('.CodeMirror-line span'), '::selection').backgroundColor"
    assert driven.say(selected) == "rgb(52, 59, 68)"
