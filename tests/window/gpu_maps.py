"""A map too large to keep, computed by the GPU backend: it is drawn from where it was computed, and looks the same."""
import json
import zlib

from driver import Window, expect, main
from export import export

TOKENS = 1100


def pixels_of(path):
    """An 8-bit RGB or RGBA picture: rows of bytes, and how many of them are a pixel."""
    data = path.read_bytes()
    at, compressed = 8, b""
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
            channels = {2: 3, 6: 4}[body[9]]
        if kind == b"IDAT":
            compressed += body
        at += 12 + length
    raw = zlib.decompress(compressed)
    stride = width * channels
    before = bytearray(stride)
    rows = []
    for y in range(height):
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        kind = raw[y * (stride + 1)]
        if kind == 2:
            line = bytearray((value + up) & 255 for value, up in zip(line, before))
        elif kind != 0:
            for i in range(stride):
                left = line[i - channels] if i >= channels else 0
                up = before[i]
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + up) // 2
                else:
                    corner = before[i - channels] if i >= channels else 0
                    ways = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
                    guess = left if ways[0] <= ways[1] and ways[0] <= ways[2] else up if ways[1] <= ways[2] else corner
                line[i] = (line[i] + guess) & 255
        rows.append(bytes(line))
        before = line
    return rows, channels


def opened(headscope, display, home, backend):
    """A window with a home of its own that keeps 16 MiB of stages, on a phrase whose weights need more."""
    own = home / backend
    settings = own / "config" / "headscope" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"stage_memory_mib": 16}))
    request = own / "long.json"
    request.write_text(json.dumps({"headscope": "0.1.0", "phrase": " ".join(f"t{i % 97}" for i in range(TOKENS)),
                                   "mask": "causal", "heads": 4, "d_model": 64, "input_dim": 64, "backend": backend, "scale": 3}))
    window = Window(headscope, display, own, [request])
    p = window.wait(lambda q: q["tokens"] == TOKENS and not q["computing"], "the long phrase")
    expect(not p["notices"] and not p["failure"], f"{p['notices']} {p['failure']}")
    return window


def picture_of(window, name):
    """What the inspector shows: rows of pixels, each (red, green, blue)."""
    window.settle()
    x0, y0, x1, y1 = (int(edge) for edge in window.rect("inspector/picture"))

    def the_window(w):
        w.click("export/what/window")

    def as_on_screen(w):
        w.click("export/scale", at=(0.15, 0.5))
    rows, channels = pixels_of(export(window, name, the_window, as_on_screen))
    return [[tuple(row[x * channels:x * channels + 3]) for x in range(x0, x1)] for row in rows[y0:y1]]


def a_large_map_is_drawn_from_where_it_is_computed(headscope, cli, display, home):
    shown = {}
    for backend in ("gpu", "cpu"):
        window = opened(headscope, display, home, backend)
        p = window.wait(lambda q: q["resting"] and q["maps"]["on_device"] + q["maps"]["read"] > 0, "the whole map")
        whole = picture_of(window, "whole.png")
        p = window.probe()
        pictures, maps = p["shared_pictures"], p["maps"]
        if backend == "gpu":
            expect("shared with the window" in p["backend"], p["backend"])
            expect(maps["read"] == 0 and maps["on_device"] > 0, f"cells came back to be pooled: {maps}")
            expect(pictures["drawn"] > 0, f"{pictures}")
            # The strip of a card reads twelve rows, again where it is asked for again; all pixels would be hundreds for every head.
            expect(pictures["brought_back"] <= 48 * TOKENS, f"pictures came back: {pictures}")
        else:
            expect(maps["on_device"] == 0 and maps["read"] > 0 and pictures["made"] == 0, f"{maps} {pictures}")
        window.click("inspector/picture", at=(0.3, 0.6))
        for _ in range(14):
            window.key("plus")
        zoomed = picture_of(window, "zoomed.png")
        shown[backend] = whole, zoomed
        expect(window.probe()["maps"]["read"] == maps["read"] or backend == "cpu", "zooming in read cells")
        expect(window.quit() == 0, window.log_text())
    for what, ours, theirs in zip(("whole", "zoomed"), shown["gpu"], shown["cpu"]):
        ours, theirs = ([pixel for row in rows for pixel in row] for rows in (ours, theirs))
        expect(len(ours) == len(theirs), f"{what}: {len(ours)} pixels, {len(theirs)}")
        expect(len(set(ours)) > 50, f"{what} shows nothing")
        apart = [max(abs(a - b) for a, b in zip(one, other)) for one, other in zip(ours, theirs)]
        # Numbers differ in their last bits, and a colour may then be the next one of its map.
        share = sum(each > 6 for each in apart) / len(apart)
        expect(share < 0.001, f"{what}: {share:.4f} of the pixels differ, by up to {max(apart)}")


def it_shares_again_whenever_the_gpu_is_chosen(headscope, cli, display, home):
    requests = {}
    for backend in ("cpu", "gpu"):
        requests[backend] = home / f"{backend}.json"
        requests[backend].write_text(json.dumps({"headscope": "0.1.0", "phrase": "one two three", "heads": 4,
                                                 "d_model": 64, "input_dim": 64, "backend": backend}))
    window = Window(headscope, display, home, [requests["cpu"]])
    for backend in ("gpu", "cpu", "gpu"):
        window.key("ctrl+o")
        window.wait(lambda p: any(name.startswith("open/") for name in p["rects"]), "the dialog")
        window.key("ctrl+a")
        window.paste(str(requests[backend]))
        window.key("Return")
        p = window.wait(lambda q, name=backend: q["backend"].startswith(name.upper()) and not q["computing"], backend)
        expect(("shared with the window" in p["backend"]) == (backend == "gpu"), p["backend"])
    # A second one beside it: both share.
    window.click("status/compare")
    p = window.wait(lambda q: q["job"]["result"] and not q["job"]["running"], "both backends' times")
    expect(not p["job"]["failed"] and "shared with the window" in p["job"]["result"], p["job"]["result"])
    expect(window.quit() == 0, window.log_text())


if __name__ == "__main__":
    main([a_large_map_is_drawn_from_where_it_is_computed, it_shares_again_whenever_the_gpu_is_chosen])
