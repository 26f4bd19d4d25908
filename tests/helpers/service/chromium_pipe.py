"""Control of Chromium through a pipe, to open pages and evaluate expressions in them."""

import base64
import json
import os
import subprocess
import sys
import time

EXEC = """
import os, sys
orders, answers = (os.dup(int(each)) for each in sys.argv[1:3])
spare = [os.dup(0) for _ in range(8)]  # so that neither is 3 or 4 itself
orders, answers = os.dup(orders), os.dup(answers)
os.dup2(orders, 3); os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Launcher of the browser, which reads its commands from descriptor 3 and writes its answers to descriptor 4."""

MOMENT_MS = 200
"""Milliseconds that a page has for its actions after it has loaded. A missing image is reported within this time."""


class Driven:
    """A browser with one page that the test controls, and further options for its command line."""

    def __init__(self, program, folder, *more):
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,1000")
        options += (*more, f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank")
        self._process = subprocess.Popen(
            [sys.executable, "-c", EXEC, str(theirs_in), str(theirs_out), program, *options],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out, self._number, self._session = os.fdopen(ours_in, "rb"), os.fdopen(ours_out, "wb"), 0, None
        self._rest, self.complaints = b"", []
        self._known = []
        self.attach_to_new_page()

    def attach_to_new_page(self, seconds=30):
        """Control the page that has opened in a new window from now on."""
        self._session, end = None, time.monotonic() + seconds
        while not (new := [each for each in self._pages() if each not in self._known]):
            assert time.monotonic() < end, "no window has opened"
            time.sleep(0.1)
        self._known += new
        self._session = self.ask("Target.attachToTarget", targetId=new[0], flatten=True)["sessionId"]
        for domain in ("Page", "Log", "Runtime"):
            self.ask(f"{domain}.enable")

    def _pages(self):
        return [each["targetId"] for each in self.ask("Target.getTargets")["targetInfos"] if each["type"] == "page"]

    def say_in_frame(self, expression):
        """Return the value of a JavaScript expression in the first frame of the page, as if a person had clicked."""
        frame = self.ask("Page.getFrameTree")["frameTree"]["childFrames"][0]
        world = self.ask("Page.createIsolatedWorld", frameId=frame["frame"]["id"])
        where = {"contextId": world["executionContextId"], "userGesture": True, "returnByValue": True}
        return self.ask("Runtime.evaluate", expression=expression, **where).get("result", {}).get("value")

    def wait_in_frame(self, expression, seconds=30):
        """Wait until an expression is true in the first frame of the page."""
        end = time.monotonic() + seconds
        while not self.say_in_frame(expression):
            assert time.monotonic() < end, (expression, self.say_in_frame("document.documentElement.innerText"))
            time.sleep(0.1)

    def ask(self, method, **params):
        self._number += 1
        order = {"id": self._number, "method": method, "params": params}
        order |= {"sessionId": self._session} if self._session else {}
        self._out.write(json.dumps(order).encode() + b"\0")
        self._out.flush()
        while True:
            answer = self._message()
            if answer.get("method") == "Log.entryAdded":
                self.complaints.append(answer["params"]["entry"])
            if answer.get("id") == self._number:
                return answer.get("result", {})

    def _message(self):
        while b"\0" not in self._rest:
            read = self._in.read1(1 << 16)
            assert read, "the browser is gone"
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open(self, address):
        self.ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def open_until_still(self, address):
        """Open a page, and wait until it has loaded everything and its scripts have had a moment to run."""
        self.ask("Page.navigate", url=address)
        self.wait(f"location.href === {address!r} && document.readyState === 'complete'")
        self.awaited(f"new Promise(done => setTimeout(done, {MOMENT_MS}, true))")

    def printed(self):
        """Return the page as a PDF."""
        return base64.b64decode(self.ask("Page.printToPDF")["data"])

    def say(self, expression):
        """Return the value of a JavaScript expression in the page."""
        said = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        return said.get("result", {}).get("value")

    def awaited(self, expression):
        """Return the value of a promise in the page, once it is resolved."""
        said = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in said, said
        return said["result"]["value"]

    def wait(self, expression, seconds=120):
        """Wait until an expression is true in the current page."""
        end = time.monotonic() + seconds
        while not self.say(expression):
            assert time.monotonic() < end, (expression, self.say("document.body.innerText"))
            time.sleep(0.1)

    def type(self, text):
        """Type text into the element that has the focus."""
        self.ask("Input.insertText", text=text)

    def press(self, key, modifiers=0):
        """Press a key as a person would. The modifier 8 is Shift."""
        code = {"Tab": 9, "Enter": 13}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        named = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **named, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **named)

    def looks(self, width, scheme="light", height=900):
        """Show this page and later ones in a window of this width, with this colour scheme."""
        phone = {"deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, **phone)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, path):
        """Save a picture of the whole page as a PNG, for people to look at."""
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        self.ask("Browser.close")
        self._process.wait(30)
        self._in.close()
        self._out.close()
