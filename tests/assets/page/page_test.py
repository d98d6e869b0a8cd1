"""The exported page in real browsers: the numbers under the mouse and at the keyboard's cell are those of the CSV files.

Usage: page_test.py HEADSCOPE_CLI [--pictures FOLDER]      needs chromium and chromium-driver, or firefox-esr
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

from browsers import BROWSERS

PHRASE = "The animal didn't cross the street because it was too tired"
TAB, LEFT, UP, RIGHT, DOWN, END = "\ue004", "\ue012", "\ue013", "\ue014", "\ue015", "\ue010"


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
    said = browser.script("return document.getElementById('readout').textContent")
    value = said.rsplit(" · ", 1)[-1]
    wanted = "hidden by the mask" if j > i else tables[layer][head][i][j]
    place = f"layer {layer} · head {head} · query {i} · key {j}"
    assert place in said, f"{place}: the page says {said!r}"
    assert value == wanted, f"{place}: the page says {value}, the CSV file {wanted}"


def walk(browser, tables, pictures):
    last = max(tables)  # the page opens on it
    size = len(tables[last][0])
    for head, i, j in ((0, 0, 0), (3, 9, 4), (7, 7, 1), (7, 10, 10), (5, 2, 9)):
        browser.point(f"#grid figure:nth-child({head + 1}) canvas", (j + 0.5) / size, (i + 0.5) / size)
        expect(browser, tables, last, head, i, j)
    browser.picture(pictures + "-dark.png")
    # The keyboard alone: Tab to the first head's map, then cell by cell.
    browser.script("document.activeElement.blur(); window.focus()")
    for _ in range(20):
        browser.keys(TAB)
        if browser.script("return document.activeElement === document.querySelector('#grid canvas')"):
            break
    expect(browser, tables, last, 0, 0, 0)
    browser.keys(DOWN * 4 + RIGHT * 2 + UP)
    expect(browser, tables, last, 0, 3, 2)
    browser.keys(END)
    expect(browser, tables, last, 0, 3, size - 1)
    browser.keys(LEFT * (size - 2) + TAB)
    expect(browser, tables, last, 1, 3, 1)
    # The other layer, arcs, a range for each row, the other theme.
    browser.click("#layer option:nth-child(1)")
    expect(browser, tables, 0, 1, 3, 1)
    for button in ("#per-row", "#as-arcs", "#theme"):
        browser.click(button)
    browser.picture(pictures + "-light-arcs.png")
    assert browser.script("return document.documentElement.dataset.theme") == "light"
    browser.click("#as-map")
    browser.picture(pictures + "-light.png")
    complaints = browser.complaints()
    assert not complaints, f"the browser complains: {complaints}"


WORDS = "Look at <b>this</b> & say why."


def lesson_in(folder, last):
    """A session with a lesson of three stops, and what each shows: layer, head, query, key."""
    stops = [(last, 3, 9, 4), (last, 7, 7, 1), (0, 2, 5, 5)]
    views = [{"head": head, "cell": [i, j]} for _, head, i, j in stops]
    views[2].update(main_view="layers", layers={"layer": 0})
    path = os.path.join(folder, "lesson.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"headscope": "1.1.0", "model": "demo:stories", "phrase": PHRASE, "mask": "causal", "window": {
            "lesson": [{"words": WORDS, "view": view} for view in views]}}, file)
    return path, stops


def walk_lesson(browser, tables, stops, pictures):
    """Each stop of a handout sets the live maps to what it shows; then they are the reader's."""
    expect(browser, tables, *stops[0])
    for k, stop in reversed(list(enumerate(stops))):
        browser.click(f"#stops li:nth-child({k + 1}) button")
        expect(browser, tables, *stop)
        said = browser.script("return [...document.querySelectorAll('#stops li')].map((each) => "
                              "[each.querySelector('.words').textContent, each.getAttribute('aria-current')])")
        assert said == [[WORDS, str(n == k).lower()] for n in range(len(stops))], said
        browser.picture(f"{pictures}-stop{k + 1}.png")
    last, size = stops[0][0], len(tables[stops[0][0]][0])
    browser.point("#grid figure:nth-child(6) canvas", 2.5 / size, 8.5 / size)
    expect(browser, tables, last, 5, 8, 2)
    browser.click("#layer option:nth-child(1)")
    expect(browser, tables, 0, stops[0][1], stops[0][2], stops[0][3])
    complaints = browser.complaints()
    assert not complaints, f"the browser complains: {complaints}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    here = [browser for browser in BROWSERS if browser.is_here()]
    if not here:
        print("skipped: no browser to open the page in: sudo apt-get install " +
              ", or ".join(browser.packages for browser in BROWSERS))
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="headscope-page-") as folder:
        pictures = options.pictures or folder
        os.makedirs(pictures, exist_ok=True)
        page = os.path.join(folder, "page.html")
        subprocess.run([options.cli, "render", "--phrase", PHRASE, "--mask", "causal", "--out", page], check=True,
                       capture_output=True)
        for kind in here:
            name = kind.__name__
            browser = kind(os.path.join(folder, name))
            try:
                browser.open(page)
                last = browser.script("return document.querySelectorAll('#layer option').length") - 1
                tables = {layer: rows_of(options.cli, folder, layer) for layer in (0, last)}
                walk(browser, tables, os.path.join(pictures, f"page-{name.lower()}"))
                lesson, stops = lesson_in(folder, last)
                handout = os.path.join(folder, "handout.html")
                subprocess.run([options.cli, "handout", "--session", lesson, "--out", handout], check=True,
                               capture_output=True)
                browser.open(handout)
                walk_lesson(browser, tables, stops, os.path.join(pictures, f"handout-{name.lower()}"))
            finally:
                browser.close()
    print("the page's numbers are those of the CSV files, by mouse and by keyboard, in " +
          " and ".join(kind.__name__ for kind in here))


if __name__ == "__main__":
    main()
