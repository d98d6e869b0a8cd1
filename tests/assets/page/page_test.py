"""The exported page in a real browser: the numbers under the mouse and at the keyboard's cell are those of the CSV files.

Usage: page_test.py HEADSCOPE_CLI [--pictures FOLDER]      needs chromium and chromedriver (package chromium-driver)
"""

import argparse
import base64
import contextlib
import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PHRASE = "The animal didn't cross the street because it was too tired"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the WebDriver standard's name of a reference to an element
TAB, LEFT, UP, RIGHT, DOWN, END = "\ue004", "\ue012", "\ue013", "\ue014", "\ue015", "\ue010"


class Browser:
    """As much of the WebDriver protocol as is needed here."""

    def __init__(self, driver, chromium, profile):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([driver, f"--port={self.port}"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900",
                     f"--user-data-dir={profile}"]
        options = {"args": arguments, "binary": chromium}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options,
                                                   "goog:loggingPrefs": {"browser": "ALL"}}}}
        self.session = ""
        for _ in range(100):
            try:
                self.session = "/session/" + self.post("/session", wanted)["sessionId"]
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        self.close()
        sys.exit("chromedriver did not answer")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def post(self, path, body):
        return self.call("POST", path, body)

    def open(self, path):
        self.post(self.session + "/url", {"url": "file://" + path})

    def script(self, text, *arguments):
        return self.post(self.session + "/execute/sync", {"script": text, "args": list(arguments)})

    def find(self, selector):
        return self.post(self.session + "/element", {"using": "css selector", "value": selector})

    def click(self, selector):
        self.post(f"{self.session}/element/{self.find(selector)[ELEMENT]}/click", {})

    def keys(self, text):
        presses = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.post(self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

    def point(self, selector, across, down):
        """Moves the mouse into an element: shares of its width and height."""
        element = self.find(selector)
        box = self.call("GET", f"{self.session}/element/{element[ELEMENT]}/rect")
        move = {"type": "pointerMove", "duration": 0, "origin": element,
                "x": round((across - 0.5) * box["width"]), "y": round((down - 0.5) * box["height"])}
        self.post(self.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def readout(self):
        return self.script("return document.getElementById('readout').textContent")

    def complaints(self):
        return [entry for entry in self.post(self.session + "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def close(self):
        with contextlib.suppress(Exception):
            if self.session:
                self.call("DELETE", self.session)
        self.process.terminate()
        self.process.wait(timeout=30)


def rows_of(cli, folder, layer):
    """head -> rows of texts, as the CSV files have them."""
    out = os.path.join(folder, f"layer{layer}")
    subprocess.run([cli, "run", "--phrase", PHRASE, "--mask", "causal", "--layer", str(layer), "--export", "weights",
                    "--out", out], check=True, capture_output=True)
    found = {}
    for head in range(8):
        with open(os.path.join(out, f"weights.b0.h{head}.csv"), newline="", encoding="utf-8") as file:
            found[head] = [row[1:] for row in list(csv.reader(file))[1:]]
    return found


def expect(browser, tables, layer, head, i, j):
    said = browser.readout()
    value = said.rsplit(" · ", 1)[-1]
    wanted = "hidden by the mask" if j > i else tables[layer][head][i][j]
    place = f"layer {layer} · head {head} · query {i} · key {j}"
    assert place in said, f"{place}: the page says {said!r}"
    assert value == wanted, f"{place}: the page says {value}, the CSV file {wanted}"


def walk(browser, tables, pictures):
    size = len(tables[1][0])
    for head, i, j in ((0, 0, 0), (3, 9, 4), (7, 7, 1), (7, 10, 10), (5, 2, 9)):
        browser.point(f"#grid figure:nth-child({head + 1}) canvas", (j + 0.5) / size, (i + 0.5) / size)
        expect(browser, tables, 1, head, i, j)
    browser.picture(os.path.join(pictures, "page-dark.png"))
    # The keyboard alone: Tab to the first head's map, then cell by cell.
    browser.script("document.activeElement.blur(); window.focus()")
    for _ in range(20):
        browser.keys(TAB)
        if browser.script("return document.activeElement === document.querySelector('#grid canvas')"):
            break
    expect(browser, tables, 1, 0, 0, 0)
    browser.keys(DOWN * 4 + RIGHT * 2 + UP)
    expect(browser, tables, 1, 0, 3, 2)
    browser.keys(END)
    expect(browser, tables, 1, 0, 3, size - 1)
    browser.keys(LEFT * (size - 2) + TAB)
    expect(browser, tables, 1, 1, 3, 1)
    # The other layer, arcs, a range for each row, the other theme.
    browser.click("#layer option:nth-child(1)")
    expect(browser, tables, 0, 1, 3, 1)
    for button in ("#per-row", "#as-arcs", "#theme"):
        browser.click(button)
    browser.picture(os.path.join(pictures, "page-light-arcs.png"))
    assert browser.script("return document.documentElement.dataset.theme") == "light"
    browser.click("#as-map")
    browser.picture(os.path.join(pictures, "page-light.png"))
    complaints = browser.complaints()
    assert not complaints, f"the browser complains: {complaints}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if not driver or not chromium:
        print("skipped: no browser to open the page in: sudo apt-get install chromium chromium-driver")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="headscope-page-") as folder:
        pictures = options.pictures or folder
        os.makedirs(pictures, exist_ok=True)
        page = os.path.join(folder, "page.html")
        subprocess.run([options.cli, "render", "--phrase", PHRASE, "--mask", "causal", "--out", page], check=True,
                       capture_output=True)
        tables = {layer: rows_of(options.cli, folder, layer) for layer in (0, 1)}
        browser = Browser(driver, chromium, os.path.join(folder, "profile"))
        try:
            browser.open(page)
            walk(browser, tables, pictures)
        finally:
            browser.close()
    print("the page's numbers are those of the CSV files, by mouse and by keyboard")


if __name__ == "__main__":
    main()
