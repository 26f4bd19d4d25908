"""Checks of a page in a real browser: accessibility by axe, elements wider than the window, and the order of the Tab
key.
"""

import hashlib
import json

from project import HELPERS

AXE = HELPERS / "service" / "vendor" / "axe" / "axe.min.js"

NARROW, WIDE = 360, 1280
LOOKS = ((NARROW, "dark"), (WIDE, "light"))
"""Windows that cover each width and each colour scheme once."""

OTHER_LOOKS = ((NARROW, "light"), (WIDE, "dark"))

FOUND = """axe.run(document).then((found) => JSON.stringify(found.violations.flatMap((each) => each.nodes.map((node) =>
  `${each.id}: ${node.target.join(' ')}: ${node.failureSummary}`))))"""

WIDER = """Array.from(document.querySelectorAll('body *'))
  .filter((each) => document.documentElement.scrollWidth > innerWidth)
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.outerHTML.slice(0, 80)).slice(0, 3)"""

REACHABLE = """Array.from(document.querySelectorAll(
    `a[href], button, input, select, textarea, summary, [tabindex="0"]`
  )).filter((each) => !each.disabled && each.tabIndex >= 0 && each.checkVisibility())
  .filter((each) => each.type !== 'radio' || each.checked)"""

PARTS_OF_ITS_OWN = "datetime-local"
"""Type of an input field that the browser divides into several parts, each with its own focus mark."""

FOCUSED = f"""(() => {{
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const shown = [at, at.closest('.CodeMirror')].some((each) => each && getComputedStyle(each).outlineStyle !== 'none'
    && parseFloat(getComputedStyle(each).outlineWidth) >= 1) || at.type === '{PARTS_OF_ITS_OWN}';
  const box = at.getBoundingClientRect();
  const place = {REACHABLE}.indexOf(at);
  return {{ place, shown, left: box.left, words: at.outerHTML.slice(0, 80) }};
}})()"""


def problems(driven, looks):
    """Return the problems of the open page with each width and scheme. Tests expect none."""
    said = []
    for width, scheme in looks:
        driven.looks(width, scheme)
        found = [*judged(driven), *(f"wider than the window: {each}" for each in driven.say(WIDER))]
        said += [f"{width} px, {scheme}: {each}" for each in found]
    return said


def judged(driven):
    """Return the violations that axe finds, one line for each element."""
    if not driven.say("'axe' in window"):
        driven.say(AXE.read_text(encoding="utf-8"))
    return json.loads(driven.awaited(FOUND))


def stumbles(driven):
    """Return problems with the Tab key: elements that it does not reach, reaches out of order, or does not mark."""
    driven.looks(WIDE, "light")
    driven.say("document.activeElement.blur()")
    wanted, places, said = driven.say(f"{REACHABLE}.length"), [], []
    for _ in range(3 * wanted + 5):
        driven.press("Tab")
        at = driven.say(FOCUSED)
        if at is None or (len(places) > 1 and at["place"] == places[0]):  # all elements were visited
            break
        said += [] if at["shown"] else [f"no mark of the focus: {at['words']}"]
        if at["place"] >= 0 and at["place"] not in places[-1:]:
            places.append(at["place"])
    said += [] if places == sorted(places) else [f"out of order: {places}"]
    missing = set(range(wanted)) - set(places)
    return said + [f"not reached: {driven.say(f'{REACHABLE}[{each}].outerHTML.slice(0, 80)')}" for each in missing]


def short(address):
    """Return an address in a form that can be a file name."""
    return (
        f"{address.strip('/').split('?')[0].replace('/', '-')[:60]}-{hashlib.sha256(address.encode()).hexdigest()[:6]}"
    )
