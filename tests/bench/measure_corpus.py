"""What a corpus of 36,000 heads costs in the window, measured on the real one under Xvfb:

    python3 tests/bench/measure_corpus.py build/release/bin

A model of 300 layers of 120 heads, of one number each, is scanned over two phrases, and its .hsagg opened. Start to the
first frame that shows its heads, without what a start costs anyway; processor time of the panels, outside of the driver,
of frames while the mouse moves over the plane, over the grid, and while arrow keys pick heads. Medians and the worst; quiet
machine, please. Goals: 1 s, 4 ms.
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "window"))
from driver import Window, desk  # noqa: E402

import measure_scan  # noqa: E402

LAYERS, HEADS_EACH, TURNS, FRAMES = 300, 120, 5, 60


def corpus(binaries, folder):
    """The .hsagg of 36,000 heads."""
    machine = measure_scan.Machine(str(binaries / "headscope-cli"), folder)
    out = folder / "large.hsagg"
    machine.call("scan", "--model", machine.model(f"{LAYERS}x{HEADS_EACH}"), "--phrases",
                 machine.phrases(f"{LAYERS}x{HEADS_EACH}", 12, 2), "--out", out)
    return out


class Hasty(Window):
    """A window that one looks at before it comes to rest."""

    patient = False

    def settle(self):
        return super().settle() if self.patient else self.probe()


def opening(binary, display, home, files):
    """Seconds from the start to the first frame that has the rectangle, or with no file to the first one."""
    window = Hasty(binary, display, home, files)
    wanted = "corpus/grid" if files else None
    while wanted is not None and wanted not in window.probe()["rects"]:
        time.sleep(0.005)
    seconds = time.monotonic() - window.started
    window.patient = True
    window.settle()
    window.quit()
    return seconds


def panels(window, move):
    times = []
    for k in range(FRAMES):
        move(k)
        times.append(window.settle()["timing"]["ui_ms"])
    return times


def main():
    binaries = pathlib.Path(sys.argv[1]).resolve()
    binary = str(binaries / "headscope")
    with tempfile.TemporaryDirectory() as made, desk() as (display, home):
        file = corpus(binaries, pathlib.Path(made))
        print(f"{LAYERS * HEADS_EACH:,} heads, {file.stat().st_size / 1e6:.0f} MB")
        empty = statistics.median(opening(binary, display, home, ()) for _ in range(TURNS))
        shown = statistics.median(opening(binary, display, home, [file]) for _ in range(TURNS))
        print(f"opened in {shown - empty:.2f} s more than a start of {empty:.2f} s (median of {TURNS})")
        window = Window(binary, display, home, [file])
        window.wait(lambda p: "corpus/grid" in p["rects"], "the grid")

        def over(name):
            return lambda k: window.move(name, at=(0.1 + 0.8 * k / FRAMES, 0.2 + 0.6 * (k * 7 % FRAMES) / FRAMES))

        moves = {"mouse over the plane": over("corpus/scatter"), "mouse over the grid": over("corpus/grid"),
                 "arrow keys": lambda k: window.key("Right" if k % 3 else "Down")}
        for name, move in moves.items():
            if name == "arrow keys":
                window.click("corpus/grid", at=(0.3, 0.3))
            times = panels(window, move)
            print(f"{name:22} panels {statistics.median(times):5.2f} ms (worst of {FRAMES} {max(times):.2f})", flush=True)
        print(f"resident {window.resident_mb():.0f} MB")
        window.quit()


if __name__ == "__main__":
    main()
