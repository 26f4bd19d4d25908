// Shows the progress of an attempt or a dry run while it is graded. Pages also work without this script.
"use strict";

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

// The parts of a sentence, with an element for the code between backticks. They are text, never markup.
function withCode(text) {
  return text.split(/`([^`\n]+)`/).map((part, place) => (place % 2 ? element("code", "", part) : part));
}

function rowOf(note, states) {
  const verdict = note.reason === "NOT_RUN" ? "skipped" : note.verdict; // as in reports
  const row = element("li", verdict, "");
  const name = element("span", "name", note.check);
  if (note.reason) name.append(" ", element("code", "reason", note.reason));
  if (note.words) {
    const words = element("span", "words", "");
    words.append(...withCode(note.words));
    name.append(words);
  }
  const [picture, word] = states[verdict] || ["", ""];
  const sign = element("span", "sign", picture);
  sign.setAttribute("aria-hidden", "true");
  row.append(sign, element("span", "verdict", word), name);
  return row;
}

function watch(live, over = () => location.reload()) {
  const doing = document.getElementById("doing");
  const decided = document.getElementById("decided");
  const states = JSON.parse(decided.dataset.states);
  const heading = document.getElementById("now");
  let turn = Number(live.dataset.turn);
  let shown = Number(live.dataset.after);
  const events = new EventSource(`${live.dataset.events}?after=${shown}`);
  events.addEventListener("note", (event) => {
    const number = Number(event.lastEventId);
    const note = JSON.parse(event.data);
    if (number <= shown) return;
    shown = number;
    if (note.turn !== turn) { decided.replaceChildren(); turn = note.turn; }
    if (heading.textContent.startsWith("Waiting")) heading.textContent = "Running";
    if (note.check) decided.append(rowOf(note, states)); else doing.textContent = note.words;
  });
  events.addEventListener("place", (event) => {
    const { ahead, wait } = JSON.parse(event.data);
    const place = ahead ? `${ahead} grading${ahead === 1 ? "" : "s"} before this one` : "Next in the queue";
    doing.textContent = wait ? `${place}; it starts in ${wait}.` : `${place}.`;
  });
  events.addEventListener("over", () => { events.close(); over(); });
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(over, 5000);
  });
  return events;
}

const live = document.getElementById("live");
if (live) watch(live);
