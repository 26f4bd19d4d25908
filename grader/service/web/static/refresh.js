// Fetches the page again from time to time, and replaces the parts that are marked with data-refresh. A filter is kept
// because it is part of the address. A part with an open list is not replaced. Pages also work without this script.
"use strict";

const BETWEEN = 5000;
const parts = document.querySelectorAll("[data-refresh]");
const shown = new Map(Array.from(parts, (part) => [part.id, part.innerHTML]));

function replace(part, now) {
  const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  part.innerHTML = now;
  const again = focused && Array.from(part.querySelectorAll("a")).find((link) => link.getAttribute("href") === focused);
  if (again) again.focus({ preventScroll: true });
}

async function refresh() {
  if (!document.hidden) {
    const answer = await fetch(location.href);
    if (!answer.ok || answer.redirected) return;  // signed out, which the next click shows
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of parts) {
      const now = fresh.getElementById(part.id)?.innerHTML;
      if (now === undefined || now === shown.get(part.id) || part.querySelector("details[open]")) continue;
      shown.set(part.id, now);
      replace(part, now);
    }
  }
  later();
}

function later() {
  setTimeout(() => refresh().catch(later), BETWEEN);
}

if (parts.length) later();
