"""The page in headless Chromium.

    page_test.py PAGE_FOLDER ONE_FILE.html LINUX_CLI [NAME...]

types, clicks, reads numbers and holds them against the program of Linux. Skipped (77) where there is no browser.
"""
import base64
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

import browser as chromium
import serve
from browser import Page, expect

SKIPPED = 77
PHRASE = "Hola mi nombre es Alex"
NEAR = 2e-6
EVENTS = 1000
MOST_HEAP_MB = 400


def link_of(session):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(json.dumps(session).encode()) + packer.flush()
    return "#s=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


DRAWN = link_of({"headscope": "0.1.0", "phrase": PHRASE, "mask": "causal"})


def numbers_of_cli(cli, session, stage):
    """The stage's float32 numbers, row by row, computed by the program of Linux."""
    with tempfile.TemporaryDirectory() as folder:
        request = pathlib.Path(folder, "request.json")
        request.write_text(json.dumps(session))
        subprocess.run([cli, "run", "--session", str(request), "--export", stage, "--format", "npy", "--out", folder], check=True,
                       stdout=subprocess.DEVNULL)
        data = next(pathlib.Path(folder).glob(f"*{stage}*.npy")).read_bytes()
        start = 10 + int.from_bytes(data[8:10], "little")
        return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def typed_numbers_are_those_of_the_program(browser, address, cli):
    page = Page(browser, address, DRAWN)
    page.shows("the session of the link", phrase=PHRASE)
    page.click("phrase")
    page.key("End")
    page.type(" ok")
    p = page.shows("what was typed", phrase=PHRASE + " ok")
    page.click("inspector/picture", at=(0.2, 0.63))
    page.key("ctrl+c")
    copied = float(browser.js("return Module.pasted"))
    p = page.probe()
    view = p["session"]["window"]
    expected = numbers_of_cli(cli, {k: v for k, v in p["session"].items() if k != "window"}, "weights")
    _, heads, rows, columns = p["shapes"]["weights"]
    query, key = view["cell"]
    at = (view.get("head", 0) * rows + query) * columns + key
    expect(abs(copied - expected[at]) <= NEAR, f"cell {view['cell']}: {copied} in the page, {expected[at]} by the program")
    expect(copied != 0, "the cell that was clicked holds a number")


def nothing_is_asked_for_after_the_start(browser, address, cli):
    browser.requests()
    page = Page(browser, address)
    asked = {url.split("?")[0].split("#")[0] for url in browser.requests() if url.startswith("http")}
    names = {url.rsplit("/", 1)[1] for url in asked}
    expect(names <= {"", "index.js", "index.wasm", "index.data"}, f"at the start it asks for {sorted(names)}")
    page.key("Escape", "F4", "F1", "Escape")
    page.click("phrase")
    page.type("the cat")
    page.key("ctrl+s", "Escape")
    later = [url for url in browser.requests() if not url.startswith(("data:", "blob:"))]
    expect(not later, f"after the start it asks for {later}")


def capture(tokens):
    """A .safetensors of attention weights that another program has seen: two heads, rows that add up to 1."""
    weights = [[[1, 0, 0], [0.25, 0.75, 0], [0.5, 0.25, 0.25]], [[1, 0, 0], [0.5, 0.5, 0], [0, 0.125, 0.875]]]
    numbers = [number for head in weights for row in head for number in row]
    header = json.dumps({"__metadata__": {"tokens": json.dumps(tokens)},
                         "layers.0.weights": {"dtype": "F32", "shape": [1, 2, 3, 3], "data_offsets": [0, 4 * len(numbers)]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(numbers)}f", *numbers)


def a_dropped_capture_is_shown(browser, address, cli):
    page = Page(browser, address, DRAWN)
    page.drop("seen elsewhere.safetensors", capture(["the", "cat", "sat"]))
    p = page.wait(lambda q: q["session"].get("model", "").endswith("seen elsewhere.safetensors"), "the capture")
    p = page.wait(lambda q: q["tokens"] == 3 and not q["computing"], "its three tokens")
    expect(p["shapes"]["weights"] == [1, 2, 3, 3], f"it shows {p['shapes']}")


def what_one_did_is_kept(browser, address, cli):
    page = Page(browser, address, DRAWN)
    page.click("phrase")
    page.key("End")
    page.type(" again")
    page.shows("what was typed", phrase=PHRASE + " again")
    kept = browser.js("return Module.keptTimes || 0")
    browser.js("""return new Promise(done => { const look = () => (Module.keptTimes || 0) > arguments[0] &&
      location.hash.startsWith("#s=") ? done() : setTimeout(look, 50); look(); })""", kept)
    link = browser.js("return location.hash")
    page.address = page.address.split("#")[0]
    browser.open("about:blank")
    page.load()
    page.shows("the session of the time before", phrase=PHRASE + " again")
    other = Page(browser, address, link)
    other.shows("the session of the address", phrase=PHRASE + " again")


def a_dropped_file_is_there_again(browser, address, cli):
    page = Page(browser, address)
    kept = browser.js("return Module.keptTimes || 0")
    page.drop("again.safetensors", capture(["the", "cat", "sat"]))
    page.wait(lambda q: q["tokens"] == 3 and not q["computing"], "its three tokens")
    browser.js("""return new Promise(done => { const look = () => (Module.keptTimes || 0) > arguments[0] + 1 ? done() :
      setTimeout(look, 50); setTimeout(done, 6000); look(); })""", kept)
    expect(browser.js("return location.hash") == "", "the address links to a file that nobody else has")
    browser.open("about:blank")
    page.load()
    p = page.wait(lambda q: q["tokens"] == 3 and not q["computing"], "the file of the time before")
    expect(p["session"]["model"].endswith("again.safetensors"), f"it shows {p['session']}")
    browser.js("return Module.FS.unlink(arguments[0])", p["session"]["model"])
    page = Page(browser, address, DRAWN)
    page.shows("a link after it", phrase=PHRASE)


def a_link_holds_the_view(browser, address, cli):
    page = Page(browser, address, DRAWN)
    before = browser.js("return location.hash")
    page.key("ctrl+b")
    browser.js("""return new Promise(done => { const look = () => location.hash !== arguments[0] ? done() : setTimeout(look, 50);
      look(); })""", before)
    time.sleep(3)  # the view is kept once more after the layout has come to rest
    link = browser.js("return location.hash")
    other = chromium.Browser()
    try:
        p = Page(other, address, link).shows("the session of the link", phrase=PHRASE)
        expect(any(name.startswith("bug_lab") for name in p["rects"]), "another browser opens another view than the link's")
    finally:
        other.close()


def what_cannot_be_opened_is_said(browser, address, cli):
    for wrong in ("#s=@@@", DRAWN[:-9]):
        page = Page(browser, address, wrong)
        log = page.log()
        expect(any("damaged or cut short" in line for line in log), f"of {wrong} it says {log}")
    page.address = f"{address}?argument=--probe&argument={chromium.PROBE}&lesson=none.json"
    page.load()
    expect(any("none.json" in line for line in page.log()), f"of a lesson that is missing it says {page.log()}")
    page.browser.js("location.hash = arguments[0]", DRAWN)  # as a link within the page
    page.shows("the link that was followed", phrase=PHRASE)


def an_export_is_a_download(browser, address, cli):
    page = Page(browser, address, DRAWN)
    page.key("ctrl+e")
    page.key("Enter")
    browser.js("""return new Promise(done => { const look = () => Module.downloads ? done() : setTimeout(look, 50);
      look(); })""")
    names = browser.js("return Module.downloads")
    expect(len(names) == 1 and names[0].endswith(".png"), f"it hands over {names}")


def the_mirror_of_the_state_is_right(browser, address, cli):
    page = Page(browser, address, DRAWN)
    page.key("F4", "F9")
    wrong = browser.js("return Module.GL.currentContext.GLctx.wrongAnswers()")
    expect(wrong == [], f"WebGL answers otherwise for {wrong}")


def a_thousand_events_leave_it_alive(browser, address, cli):
    page = Page(browser, address, DRAWN)
    chance = random.Random(7)
    width, height = page.probe()["size"]
    keys = ["Tab", "Escape", "Enter", "Up", "Down", "Left", "Right", "Home", "End", "Delete", "Backspace", "ctrl+z", "ctrl+t"]
    done = 0
    while done < EVENTS:
        actions = []
        for _ in range(25):
            x, y = chance.randrange(width), chance.randrange(height)
            actions.append({"type": "pointerMove", "duration": 0, "x": x, "y": y})
            if chance.random() < 0.5:
                actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        page.act(chromium.pointer(*actions))
        for _ in range(5):
            name = chance.choice(keys + list("abcdefgh 0123456789"))
            *held, last = name.split("+")
            codes = [chromium.MODIFIERS[word] for word in held] + [chromium.KEYS.get(last, last)]
            page.act({"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": code} for code in codes] +
                      [{"type": "keyUp", "value": code} for code in reversed(codes)]})
        done += len(actions) + 5
    turns = browser.js("return Module.turns")
    page.key("Escape")
    expect(browser.js("return Module.turns") > turns, "it draws no more")
    errors = [line for line in page.log() if line.startswith(("error", "rejected"))]
    expect(not errors, f"it says {errors}")
    heap = browser.js("return Module.HEAPU8 ? Module.HEAPU8.length : HEAPU8.length") / 1e6
    expect(heap <= MOST_HEAP_MB, f"its heap has grown to {heap:.0f} MB")


def one_file_opens_from_a_folder(browser, one_file, cli):
    page = Page(browser, pathlib.Path(one_file).resolve().as_uri(), DRAWN)
    page.shows("the session of the link", phrase=PHRASE)
    size = pathlib.Path(one_file).stat().st_size / 1e6
    expect(size <= 10, f"the one file has {size:.1f} MB")


SERVED = [typed_numbers_are_those_of_the_program, nothing_is_asked_for_after_the_start, a_dropped_capture_is_shown,
          what_one_did_is_kept, a_dropped_file_is_there_again, a_link_holds_the_view, what_cannot_be_opened_is_said,
          an_export_is_a_download, the_mirror_of_the_state_is_right, a_thousand_events_leave_it_alive]


def main(folder, one_file, cli, *names):
    if reason := chromium.missing() or ("" if pathlib.Path(folder, "index.wasm").exists() else f"{folder} is not built"):
        print(f"skipped: {reason}")
        return SKIPPED
    server = serve.server_of(folder, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    failed = 0
    for test in SERVED + [one_file_opens_from_a_folder]:
        if names and test.__name__ not in names:
            continue
        one = chromium.Browser()
        try:
            test(one, one_file if test is one_file_opens_from_a_folder else address, cli)
            print(f"ok      {test.__name__}", flush=True)
        except Exception as failure:  # the next one has a browser of its own
            failed += 1
            print(f"FAILED  {test.__name__}: {type(failure).__name__}: {failure}", flush=True)
        finally:
            one.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
