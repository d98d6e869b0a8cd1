"""What the window costs, measured on the real one under Xvfb:

    python3 tests/bench/measure_window.py build/release/bin

Start to the first frame and picture, keystroke to the picture of its result (12 and 256 tokens, d_model 512, 8 heads,
causal), processor time at rest, resident memory. Medians; quiet machine, please. Not a test: nothing fails here.
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
KEYSTROKES = 30
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


def keystrokes(binary, display, home, tokens):
    window = Window(binary, display, home, [session(home, tokens)])
    window.click("phrase", at=(0.02, 0.5))
    window.key("ctrl+End")
    times = []
    for i in range(KEYSTROKES):
        frame = window.probe()["frame"]
        window.run("xdotool", "key", "abcdefghij"[i % 10])
        window.wait(lambda p: p["frame"] > frame and not p["stale"] and not p["computing"], "the picture of a keystroke")
        window.settle()
        times.append(window.probe()["timing"]["keystroke_ms"])
    timing, memory = window.probe()["timing"], window.resident_mb()
    expected = tokens
    assert window.probe()["tokens"] == expected, window.probe()["tokens"]
    window.quit()
    return statistics.median(times), max(times), timing, memory


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
        for tokens in (12, 256):
            median, worst, timing, memory = keystrokes(binary, display, home, tokens)
            print(f"keystroke to picture, {tokens:3} tokens {median:6.1f} ms (median of {KEYSTROKES}, worst {worst:.1f}; "
                  f"panels {timing['ui_ms']:.2f}, frame {timing['frame_ms']:.1f}; resident {memory:.0f} MB)")
        spent, drawn, memory = rest(binary, display, home)
        print(f"rest, {REST_SECONDS} s                     {spent * 10} ms of processor time, {drawn} frames; "
              f"resident {memory:.0f} MB")
    print(subprocess.run(["nproc"], capture_output=True, text=True).stdout.strip(), "processors")


if __name__ == "__main__":
    main()
