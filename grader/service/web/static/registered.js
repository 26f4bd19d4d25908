// Notifies the learning platform that the registration has ended, so that it can close this window.
"use strict";

(window.opener || window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");
