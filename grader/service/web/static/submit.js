// Sends the form of a page that only passes something on. Without this script, its button does the same.
"use strict";

document.querySelector("form[data-submit]").submit();
