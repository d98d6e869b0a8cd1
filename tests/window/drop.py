"""Files dropped on the real window, by X's own drag and drop."""
import json
import pathlib
import shutil
import struct

from driver import Window, expect, main
from xdnd import drop

DEMO = pathlib.Path(__file__).resolve().parents[2] / "assets" / "demos" / "induction"
TOKENS = ["the", "cat", "sat"]
# [heads, q, k] of one layer: rows that add up to 1.
WEIGHTS = [[[1, 0, 0], [0.25, 0.75, 0], [0.5, 0.25, 0.25]], [[1, 0, 0], [0.5, 0.5, 0], [0, 0.125, 0.875]]]


def capture_in(folder):
    numbers = [number for head in WEIGHTS for row in head for number in row]
    header = json.dumps({"__metadata__": {"tokens": json.dumps(TOKENS)},
                         "layers.0.weights": {"dtype": "F32", "shape": [1, 2, 3, 3],
                                              "data_offsets": [0, 4 * len(numbers)]}}).encode()
    header += b" " * (-len(header) % 8)
    path = folder / "seen elsewhere.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(numbers)}f", *numbers))
    return path


def a_dropped_capture_is_shown(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.shows("the session it was started with", phrase="Hola mi nombre es Alex")
    capture = capture_in(home)
    drop(display.name, int(window.id), (800, 500), [capture])
    p = window.shows("the capture", model=str(capture))
    expect("heads/1" in p["rects"] and "heads/2" not in p["rects"], "two heads are in it")
    expect(p["tokens"] == 3 and p["shapes"]["weights"] == [1, 2, 3, 3], f"it shows {p['shapes']}")
    expect("scores" not in p["shapes"], "nothing else was captured")
    window.quit()


def a_dropped_folder_is_a_model(headscope, cli, display, home):
    window = Window(headscope, display, home)
    folder = home / "my model"
    shutil.copytree(DEMO, folder)
    drop(display.name, int(window.id), (800, 500), [folder])
    p = window.shows("the folder's model", model=str(folder))
    expect("heads/7" in p["rects"], "eight heads are in it")
    window.quit()


def what_cannot_be_read_is_said(headscope, cli, display, home):
    window = Window(headscope, display, home)
    (home / "notes.pdf").write_bytes(b"%PDF-1.4 nothing of ours")
    drop(display.name, int(window.id), (800, 500), [home / "notes.pdf"])
    window.wait(lambda p: any(name.startswith("notice") for name in p["rects"]), "a sentence about it")
    window.shows("what was there before", phrase="Hola mi nombre es Alex")
    window.quit()


if __name__ == "__main__":
    main([a_dropped_capture_is_shown, a_dropped_folder_is_a_model, what_cannot_be_read_is_said])
