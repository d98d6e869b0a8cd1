"""Chromium without a screen, driven through chromedriver (the WebDriver protocol), and the page that it shows."""
import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = 150  # seconds; only a test that is about to fail waits that long
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--window-size=1600,1000", "--hide-scrollbars",
         # WebGL by the processor, where there is no graphics card.
         "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PROBE = "/tmp/probe.json"  # in the file system of the page
MODIFIERS = {"ctrl": "\ue009", "shift": "\ue008", "alt": "\ue00a"}
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014",
        "Down": "\ue015", "Home": "\ue011", "End": "\ue010", "Backspace": "\ue003", "Delete": "\ue017", "PageUp": "\ue00e",
        "PageDown": "\ue00f", **{f"F{n}": chr(0xE030 + n) for n in range(1, 13)}}


class Failure(AssertionError):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def missing():
    """Why no browser can be started here, or ""."""
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(absent)} not installed" if absent else ""


class Browser:
    """One Chromium with a profile of its own, which close() removes."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="headscope-chromium-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = None
        for line in self.driver.stdout:
            if "successfully on port" in line:
                port = int(line.rstrip(".\n").rsplit(" ", 1)[1])
                break
        expect(port, "chromedriver did not say its port")
        self.base = f"http://127.0.0.1:{port}"
        options = {"args": FLAGS + [f"--user-data-dir={self.profile}"], "binary": shutil.which("chromium")}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL"}}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(f"{path}: {json.load(error)['value'].get('message', '')[:600]}") from error

    def js(self, body, *arguments):
        """What the body of a function returns, which may be a Promise."""
        return self.call("POST", "/execute/sync", {"script": body, "args": list(arguments)})

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def requests(self):
        """The addresses that were asked for since the last call, by whatever part of the page."""
        found = []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(10)
            shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """Headscope in the browser, as tests/window/driver.py's Window is on a desktop."""

    def __init__(self, browser, address, fragment=""):
        self.browser = browser
        browser.open("about:blank")  # else another fragment alone would load nothing
        self.address = f"{address}?argument=--probe&argument={PROBE}{fragment}"
        self.load()

    def load(self):
        self.browser.open(self.address)
        self.wait(lambda p: p["frame"] >= 1, "the first frame")
        return self.settle()

    def probe(self):
        text = self.browser.js("return typeof Module == 'object' && Module.FS && Module.FS.analyzePath(arguments[0]).exists ? "
                               "Module.FS.readFile(arguments[0], {encoding: 'utf8'}) : null", PROBE)
        return json.loads(text) if text else None

    def wait(self, condition, what, patience=PATIENCE):
        end = time.monotonic() + patience
        last = None
        while time.monotonic() < end:
            expect(not self.browser.js("return typeof Module == 'object' && Module.hasStopped === true"), f"the page stopped while waiting for {what}: {self.log()}")
            last = self.probe()
            if last is not None and condition(last):
                return last
            time.sleep(0.03)
        shown = {k: v for k, v in (last or {}).items() if k != "rects"}
        raise Failure(f"waited {patience} s for {what}; on screen is {json.dumps(shown)[:3000]}; said was {self.log()}")

    def log(self):
        return self.browser.js("return typeof Module == 'object' ? Module.log : []")

    def settle(self):
        return self.wait(lambda p: p["resting"], "a page at rest")

    def shows(self, what, **session):
        return self.wait(lambda p: not p["stale"] and not p["computing"] and
                         all(p["session"].get(k) == v for k, v in session.items()), what)

    def rect(self, name):
        return self.wait(lambda q: name in q["rects"], f"'{name}' to be on screen")["rects"][name]

    def act(self, *inputs):
        self.browser.call("POST", "/actions", {"actions": list(inputs)})

    def move(self, name, at=(0.5, 0.5)):
        for _ in range(5):
            x0, y0, x1, y1 = before = self.rect(name)
            place = (int(x0 + (x1 - x0) * at[0]), int(y0 + (y1 - y0) * at[1]))
            self.act(pointer({"type": "pointerMove", "duration": 0, "x": place[0], "y": place[1]}))
            settled = self.wait(lambda p: p["mouse"] == list(place) and p["resting"], f"the pointer at {place}")
            if settled["rects"].get(name, before) == before:
                break
        return settled

    def click(self, name, at=(0.5, 0.5)):
        self.move(name, at)
        self.act(pointer({"type": "pointerDown", "button": 0}, {"type": "pause", "duration": 30},
                         {"type": "pointerUp", "button": 0}))
        time.sleep(0.1)
        return self.settle()

    def key(self, *names):
        for name in names:
            *held, last = name.split("+")
            codes = [MODIFIERS[word] for word in held] + [KEYS.get(last, last)]
            self.act({"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": code} for code in codes] +
                      [{"type": "keyUp", "value": code} for code in reversed(codes)]})
        time.sleep(0.1)
        return self.settle()

    def type(self, text):
        return self.key(*text)

    def drop(self, name, data):
        """A file of this name and these bytes, dropped into the middle."""
        self.browser.js("""
          const bytes = Uint8Array.from(atob(arguments[1]), c => c.charCodeAt(0)), moved = new DataTransfer();
          moved.items.add(new File([bytes], arguments[0]));
          Module.canvas.dispatchEvent(new DragEvent("drop", {dataTransfer: moved, bubbles: true, cancelable: true}));
        """, name, base64.b64encode(data).decode())


def pointer(*actions):
    return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}
