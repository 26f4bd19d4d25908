// Shows a dry run below the editor, so that the text stays visible. Without this script, the button Try opens the page
// of the dry run.
"use strict";

const NO_ANSWER = "The service does not answer. Try again in a moment.";

function tries(button) {
  const place = document.getElementById("dry-run");
  let events = null;

  function say(words) {
    const message = document.createElement("p");
    message.className = "note";
    message.textContent = words;
    place.replaceChildren(message);
  }

  async function show(asked) {
    events?.close();
    try {
      const answer = await asked;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const part = page.getElementById("dry-run");
      if (!part) {
        say(page.querySelector(".message")?.textContent ?? NO_ANSWER);
        return;
      }
      place.replaceChildren(...part.childNodes);
      for (const link of place.querySelectorAll("a")) link.target = "_blank"; // keeps the text in this tab
      const live = document.getElementById("live");
      if (live) events = watch(live, () => show(fetch(button.formAction)));
    } catch {
      say(NO_ANSWER);
    }
  }

  button.form.addEventListener("submit", (event) => {
    if (event.submitter !== button) return;
    event.preventDefault();
    const body = new FormData(button.form); // by now, the editor has copied its text into the field
    show(fetch(button.formAction, { method: "POST", body }));
  });
}

const tryButton = document.getElementById("try");
if (tryButton) tries(tryButton);
