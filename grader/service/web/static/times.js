// Adds the time in the reader's time zone to each time of the course, if the zones differ. Pages also work without
// this script.
"use strict";

function offsetOf(stated) {
  const found = /([+-])(\d\d):(\d\d)$/.exec(stated);
  return found ? (found[1] === "-" ? -1 : 1) * (60 * Number(found[2]) + Number(found[3])) : 0;
}

const OWN = new Intl.DateTimeFormat("en-GB", {
  weekday: "short", day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit",
});

for (const time of document.querySelectorAll("time[datetime]")) {
  const when = new Date(time.dateTime);
  if (-when.getTimezoneOffset() === offsetOf(time.dateTime)) continue;
  const own = `${OWN.format(when)} your time`;
  if ("own" in time.dataset) {
    const said = document.createElement("span");
    said.className = "quiet own-time";
    said.textContent = ` (${own})`;
    time.after(said);
  } else {
    time.title = own;
  }
}
