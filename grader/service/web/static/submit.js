// Submits the form of a page that only forwards data. Without this script, the button of the page does the same.
"use strict";

document.querySelector("form[data-submit]").submit();
