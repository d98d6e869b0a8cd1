"""What the window costs, measured on the real one under Xvfb:

    python3 tests/bench/measure_window.py build/release/bin

Start to the first frame and picture; keystroke to the picture of its result, typed at 30 a second (12 to 512 tokens,
d_model 512, 8 heads, causal), and with every other view open; a text of 32,768 words; processor time at rest; resident memory. Medians; quiet machine,
please. Not a test: nothing fails here but a keystroke that is lost.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "window"))
from driver import Window, desk  # noqa: E402

STARTS = 7
KEYSTROKES = 200
KEYS_A_SECOND = 30
REST_SECONDS = 30


def session(home, tokens):
    path = home / f"{tokens}.json"
    words = " ".join(f"w{i}" for i in range(tokens))
    path.write_text(json.dumps({"headscope": "0.1.0", "phrase": words, "heads": 8, "d_model": 512, "mask": "causal"}))
    return path


def first_frames(binary, display, home):
    frames, pictures = [], []
    for _ in range(STARTS + 1):
        window = Window(binary, display, home, ())
        timing = window.probe()["timing"]
        frames.append(timing["first_frame_ms"])
        pictures.append(timing["first_picture_ms"])
        window.quit()
    return statistics.median(frames[1:]), statistics.median(pictures[1:])  # the first fills the disk's caches


VIEWS = {  # keys that open a view for the picked number
    "an explanation": (),
    "Follow": ("ctrl+j",),
    "bug lab": ("ctrl+b",),
    "A and B": ("ctrl+shift+d", "ctrl+d"),
    "sensitivity": ("ctrl+shift+g",),
    "mask editor": ("ctrl+m",),
    "script": ("ctrl+shift+p",),
}


def keystrokes(binary, display, home, tokens, view=None):
    """Typed at 30 a second, as a fast typist's held key does it: times of every edit, the phrase that must come out."""
    home = home / f"{tokens} {view}"  # of its own: the view of the session before would come back
    home.mkdir()
    window = Window(binary, display, home, [session(home, tokens)])
    if view is not None:
        window.click("inspector/picture", at=(0.3, 0.7))
        for keys in VIEWS[view]:
            window.key(keys)
        window.settle()
    window.click("phrase", at=(0.02, 0.5))
    window.key("ctrl+End")
    letters = ("abcdefghij" * KEYSTROKES)[:KEYSTROKES]
    window.run("xdotool", "type", "--delay", str(1000 // KEYS_A_SECOND), letters)
    window.settle()
    shown = window.probe()
    times, timing, memory = shown["timing"]["keystrokes_ms"], shown["timing"], window.resident_mb()
    assert shown["session"]["phrase"].endswith(f"w{tokens - 1}{letters}"), "a keystroke was lost or came out of order"
    assert shown["tokens"] == tokens, shown["tokens"]
    window.quit()
    return times, timing, memory


class AtWork(Window):
    """A window that one looks at before it comes to rest."""

    patient = False

    def settle(self):
        return super().settle() if self.patient else self.probe()


def overview(binary, display, home, words):
    """A text of so many words: seconds from the start to a coarse and to the exact picture of the picked head."""
    path = home / "long.json"
    path.write_text(json.dumps({"headscope": "0.1.0", "phrase": " ".join(f"w{i % 5000}" for i in range(words)), "heads": 8,
                                "d_model": 512, "mask": "causal"}))
    window = AtWork(binary, display, home, [path])
    result = window.probe()["timing"]["first_picture_ms"]
    while result < 0:
        time.sleep(0.01)
        result = window.probe()["timing"]["first_picture_ms"]
    window.wait(lambda p: "inspector/exact" in p["rects"], "the exact overview of one head")
    exact = time.monotonic() - window.started
    window.patient = True
    window.move("inspector/picture")
    for _ in range(3):
        window.run("xdotool", "click", "4")
    window.settle()
    frame = window.probe()["timing"]
    memory = window.resident_mb()
    window.quit()
    return result / 1000, exact, frame, memory


def rest(binary, display, home):
    window = Window(binary, display, home, ())
    time.sleep(15)  # the caret stops blinking, the session is saved
    ticks, frame = window.cpu_ticks(), window.probe()["frame"]
    time.sleep(REST_SECONDS)
    spent, drawn, memory = window.cpu_ticks() - ticks, window.probe()["frame"] - frame, window.resident_mb()
    window.quit()
    return spent, drawn, memory


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve() / "headscope")
    with desk() as (display, home):
        frame, picture = first_frames(binary, display, home)
        print(f"start to first frame           {frame:7.1f} ms (median of {STARTS}; to the first picture {picture:.1f})")
        for tokens in (12, 64, 256, 512):
            times, timing, memory = keystrokes(binary, display, home, tokens)
            print(f"keystroke to picture, {tokens:3} tokens {statistics.median(times):6.1f} ms (median of {len(times)}, worst "
                  f"{max(times):.1f}; panels {timing['ui_ms']:.2f}, frame {timing['frame_ms']:.1f}; resident {memory:.0f} MB)",
                  flush=True)
        for view in VIEWS:
            times, timing, _ = keystrokes(binary, display, home, 64, view)
            print(f"  64 tokens, {view:14}       {statistics.median(times):6.1f} ms (worst {max(times):.1f}; panels "
                  f"{timing['ui_ms']:.2f}, frame {timing['frame_ms']:.1f})", flush=True)
        spent, drawn, memory = rest(binary, display, home)
        print(f"rest, {REST_SECONDS} s                     {spent * 10} ms of processor time, {drawn} frames; "
              f"resident {memory:.0f} MB")
        coarse, exact, frame, memory = overview(binary, display, home, 32768)
        print(f"32,768 words: a picture after {coarse:.2f} s, one head exact after {exact:.2f} s from the start; panels "
              f"{frame['ui_ms']:.2f} ms, frame {frame['frame_ms']:.1f}; resident {memory:.0f} MB", flush=True)
    print(subprocess.run(["nproc"], capture_output=True, text=True).stdout.strip(), "processors")


if __name__ == "__main__":
    main()
