// Shows a dry run below the editor, with its remarks at their lines, so that the text stays. Without this script, Try
// opens the page of the dry run.
"use strict";

const NO_ANSWER = "The service does not answer. Try again in a moment.";

async function pageOf(asked) {
  const answer = await asked;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

function tries(button) {
  const said = document.getElementById("tried");
  const place = document.getElementById("dry-run");
  const remarks = document.getElementById("remarks");
  let events = null;

  function say(words) {
    const message = document.createElement("p");
    message.className = "note";
    message.textContent = words;
    said.replaceChildren(message);
    place.replaceChildren();
  }

  // `lines` are those of the text that was tried.
  async function show(asked, lines) {
    events?.close();
    try {
      const page = await pageOf(asked);
      const part = page.getElementById("dry-run");
      const refused = page.querySelector(".error, .message");
      if (refused || !part) {
        say(refused?.textContent ?? NO_ANSWER);
        return;
      }
      const score = part.querySelector(".score");
      said.textContent = score ? `${score.textContent}. The report is below.` : "";
      place.replaceChildren(...part.childNodes);
      for (const link of place.querySelectorAll('a:not([href^="#"])')) link.target = "_blank"; // keeps the text in this tab
      const live = document.getElementById("live");
      if (live) {
        events = watch(live, () => show(fetch(button.formAction), lines));
        return;
      }
      if (!score) return;
      const tried = await pageOf(fetch(`${button.formAction}/edit`));
      remarks.replaceChildren(...tried.getElementById("remarks").childNodes);
      mark(editor, lines);
    } catch {
      say(NO_ANSWER);
    }
  }

  button.form.addEventListener("submit", (event) => {
    if (event.submitter !== button) return;
    event.preventDefault();
    const body = new FormData(button.form); // by now, the editor has copied its text into the field
    show(fetch(button.formAction, { method: "POST", body }), linesOf(editor));
  });
}

const tryButton = document.getElementById("try");
if (tryButton) tries(tryButton);
