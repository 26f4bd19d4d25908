// Keeps the secret of a sign-in in the storage of a learning platform, or reads it there, and continues. Messages go only
// to the platform's origin, and only messages from its frame and origin are accepted. Without an answer, the sign-in
// continues with the cookie, if the browser has one. Without this script, the button does the same.
"use strict";

const WAIT_MS = 3000;

const place = document.querySelector("[data-target]");
const { target, key, value } = place.dataset;
const origin = new URL(place.dataset.origin).origin;

function storageFrame() {
  if (window.parent === window) return null;
  try {
    const found = target === "_parent" ? window.parent : window.parent.frames[target];
    return typeof found.postMessage === "function" ? found : null;
  } catch {
    return null; // the parent has no such frame
  }
}

function ask(subject, more) {
  const storage = storageFrame();
  const id = Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-");
  return new Promise((answer) => {
    setTimeout(answer, WAIT_MS, {});
    window.addEventListener("message", ({ data, origin: from, source }) => {
      const isOurs = from === origin && source === storage && data !== null && typeof data === "object";
      if (isOurs && data.subject === `${subject}.response` && data.message_id === id) answer(data);
    });
    if (storage) storage.postMessage({ subject, message_id: id, key, ...more }, origin);
    else answer({});
  });
}

if (value === undefined) {
  ask("lti.get_data", {}).then((found) => {
    if (found.key === key && typeof found.value === "string") place.elements.kept.value = found.value;
    place.submit();
  });
} else {
  ask("lti.put_data", { value }).then(() => location.replace(place.href));
}
