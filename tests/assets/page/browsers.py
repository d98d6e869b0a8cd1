"""Real browsers without a screen, driven by the WebDriver standard's commands: Chromium by chromedriver, Firefox by itself."""

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the standard's name of a reference to an element
PATIENCE = 60  # seconds


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Browser:
    """What the page's tests do. A browser has `command(name, parameters)`, which returns the standard's value."""

    def open(self, path):
        self.command("Navigate", {"url": "file://" + path})

    def script(self, text, *arguments):
        return self.command("ExecuteScript", {"script": text, "args": list(arguments)})

    def find(self, selector):
        return self.command("FindElement", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.command("ElementClick", {"id": self.find(selector)})

    def keys(self, text):
        presses = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.command("PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

    def point(self, selector, across, down):
        """Moves the mouse into an element: shares of its width and height."""
        element = self.find(selector)
        box = self.command("GetElementRect", {"id": element})
        move = {"type": "pointerMove", "duration": 0, "origin": {ELEMENT: element},
                "x": round((across - 0.5) * box["width"]), "y": round((down - 0.5) * box["height"])}
        self.command("PerformActions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("TakeScreenshot", {"full": False})))

    def close(self):
        with contextlib.suppress(Exception):
            self.quit()
        self.process.terminate()
        self.process.wait(timeout=30)


class Chromium(Browser):
    packages = "chromium chromium-driver"
    # name -> method and path below the session; {id}: of the element.
    PATHS = {"Navigate": ("POST", "/url"), "ExecuteScript": ("POST", "/execute/sync"), "FindElement": ("POST", "/element"),
             "ElementClick": ("POST", "/element/{id}/click"), "GetElementRect": ("GET", "/element/{id}/rect"),
             "PerformActions": ("POST", "/actions"), "TakeScreenshot": ("GET", "/screenshot")}

    @staticmethod
    def is_here():
        return shutil.which("chromium") and shutil.which("chromedriver")

    def __init__(self, profile):
        self.port = free_port()
        self.process = subprocess.Popen([shutil.which("chromedriver"), f"--port={self.port}"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", f"--user-data-dir={profile}"]
        wanted = {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
            "goog:loggingPrefs": {"browser": "ALL"}}}}
        self.session = ""
        end = time.monotonic() + PATIENCE
        while not self.session:
            try:
                self.session = "/session/" + self.call("POST", "/session", wanted)["sessionId"]
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > end:
                    self.close()
                    raise
                time.sleep(0.2)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def command(self, name, parameters):
        method, path = self.PATHS[name]
        return self.call(method, self.session + path.format(**parameters), parameters if method == "POST" else None)

    def complaints(self):
        return [entry for entry in self.call("POST", self.session + "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def quit(self):
        if self.session:
            self.call("DELETE", self.session)


class Firefox(Browser):
    """By Marionette, which Firefox speaks itself: LENGTH:[0, number, command, parameters] and LENGTH:[1, number, error, result]."""

    packages = "firefox-esr"
    PREFERENCES = {"browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
                   "browser.aboutwelcome.enabled": False, "app.update.enabled": False}

    @staticmethod
    def is_here():
        return shutil.which("firefox-esr") or shutil.which("firefox")

    def __init__(self, profile):
        os.makedirs(profile)
        port = free_port()
        with open(os.path.join(profile, "user.js"), "w", encoding="utf-8") as file:
            for name, value in {**self.PREFERENCES, "marionette.port": port}.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            [self.is_here(), "--marionette", "--remote-allow-system-access", "--headless", "--no-remote", "--profile", profile, "--width", "1280",
             "--height", "900"], env=dict(os.environ, HOME=profile), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.count, self.wire = 0, None
        end = time.monotonic() + PATIENCE
        while self.wire is None:
            try:
                self.wire = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    self.close()
                    raise
                time.sleep(0.2)
        self.receive()  # its greeting
        self.send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.wire.recv(1)
            if not byte:
                raise ConnectionError("firefox has gone")
            length += byte
        body, size = b"", int(length[:-1])
        while len(body) < size:
            part = self.wire.recv(size - len(body))
            if not part:
                raise ConnectionError("firefox has gone")
            body += part
        return json.loads(body)

    def send(self, name, parameters):
        self.count += 1
        message = json.dumps([0, self.count, name, parameters]).encode()
        self.wire.sendall(str(len(message)).encode() + b":" + message)
        _, number, error, result = self.receive()
        assert number == self.count, f"an answer to {number}, expected {self.count}"
        assert error is None, f"{name}: {error}"
        return result

    def command(self, name, parameters):
        result = self.send("WebDriver:" + name, parameters)
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    def complaints(self):
        """What its console holds of the page: errors of scripts, and what the page's own policy refused."""
        self.send("Marionette:SetContext", {"value": "chrome"})
        said = self.script("return Services.console.getMessageArray()"
                           ".filter(m => m instanceof Ci.nsIScriptError && String(m.sourceName).startsWith('file://'))"
                           ".map(m => m.errorMessage)")
        self.send("Marionette:SetContext", {"value": "content"})
        return said

    def quit(self):
        if self.wire is not None:
            self.send("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.wire.close()


BROWSERS = (Chromium, Firefox)
