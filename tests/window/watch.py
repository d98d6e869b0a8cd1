"""--watch: the window follows a file that another program writes."""
import json
import os
import struct
import time

from driver import Window, expect, main


def capture(tokens, heads=2, share=0.5):
    """A capture of `tokens` positions: each looks at itself with `share`, and at the first one with the rest."""
    numbers = []
    for _ in range(heads):
        for i in range(tokens):
            row = [0.0] * tokens
            row[i] += share
            row[0] += 1 - share
            numbers += row
    words = json.dumps([f"w{i}" for i in range(tokens)])
    header = json.dumps({"__metadata__": {"tokens": words},
                         "layers.0.weights": {"dtype": "F32", "shape": [1, heads, tokens, tokens],
                                              "data_offsets": [0, 4 * len(numbers)]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(numbers)}f", *numbers)


def put(path, content):
    """As a careful program writes: beside it, then renamed into its place."""
    part = path.with_suffix(".part")
    part.write_bytes(content)
    os.rename(part, path)


def a_watched_file_is_followed(headscope, cli, display, home):
    file = home / "training.safetensors"
    window = Window(headscope, display, home, ["--watch", file])
    window.wait(lambda p: p["notices"], "a sentence that the file is not there")
    put(file, capture(3))
    window.shows("the file, once it is there", model=str(file))
    window.wait(lambda p: p["tokens"] == 3 and not p["notices"], "its three tokens, and no complaint any more")
    put(file, capture(5))
    window.wait(lambda p: p["tokens"] == 5, "the file that took its place")
    file.write_bytes(capture(4)[:90])
    p = window.wait(lambda p: p["failure"], "a sentence about half a file")
    expect(p["tokens"] == 5, "the last picture stays")
    put(file, capture(6))
    p = window.wait(lambda p: p["tokens"] == 6, "the next whole file")
    expect(p["failure"] == "", f"nothing is wrong any more: {p['failure']}")
    window.settle()
    window.quit()


def what_the_user_opens_instead_stays(headscope, cli, display, home):
    file, other = home / "training.safetensors", home / "other.json"
    put(file, capture(3))
    other.write_text(json.dumps({"headscope": "0.1.0", "phrase": "one two three four", "model": "seeded"}))
    window = Window(headscope, display, home, ["--watch", file])
    window.shows("the watched file", model=str(file))
    window.key("ctrl+n")
    window.wait(lambda p: p["session"].get("model") != str(file), "a new session")
    put(file, capture(5))
    time.sleep(1.5)
    p = window.settle()
    expect(p["session"].get("model") != str(file), "a file that is not open any more changes nothing")
    window.quit()


def its_updates_are_gone_through_and_written(headscope, cli, display, home):
    file = home / "training.safetensors"
    put(file, capture(3))
    window = Window(headscope, display, home, ["--watch", file])
    window.wait(lambda p: p["tokens"] == 3, "the file")
    for tokens in (4, 5, 6, 7):
        put(file, capture(tokens))
        window.wait(lambda p: p["tokens"] == tokens, f"the update of {tokens} tokens")
    window.settle()
    window.click("updates/slider", (0.01, 0.5))
    window.wait(lambda p: p["tokens"] == 3, "the first result again")
    put(file, capture(8))
    time.sleep(1)
    expect(window.settle()["tokens"] == 3, "an update that comes meanwhile changes nothing")
    window.key("Right")
    window.wait(lambda p: p["tokens"] == 4, "the next one, by a key")
    window.click("updates/play")
    window.wait(lambda p: p["tokens"] == 8, "the newest, after the ones between were played")
    window.settle()
    window.click("updates/back")
    window.wait(lambda p: p["tokens"] == 7, "the one before")
    window.click("updates/newest")
    window.wait(lambda p: p["tokens"] == 8, "the newest")
    window.click("updates/frames")
    folder = home / "headscope-updates"
    names = [f"update-{number:04}.png" for number in range(1, 7)]
    window.wait(lambda p: folder.exists() and sorted(os.listdir(folder)) == names, "a picture of each")
    put(file, capture(5))
    window.wait(lambda p: p["tokens"] == 5, "the file is followed")
    # Written over: older results may read it, and are forgotten.
    file.write_bytes(capture(4))
    window.wait(lambda p: p["tokens"] == 4 and "updates" not in p["rects"], "the file as it is, and no slider")
    window.quit()


def sixty_a_second_are_followed_without_growing(headscope, cli, display, home):
    file = home / "training.safetensors"
    # Two lengths in turns, so that each is seen to arrive.
    contents = [capture(64, heads=8, share=0.1 + 0.008 * k) for k in range(100)]
    put(file, contents[0])
    window = Window(headscope, display, home, ["--watch", file])
    window.shows("the file", model=str(file))
    sizes = []
    for second in range(8):
        for k in range(60):
            began = time.monotonic()
            put(file, contents[(60 * second + k) % len(contents)])
            time.sleep(max(0.0, 1 / 60 - (time.monotonic() - began)))
        sizes.append(window.resident_mb())
    put(file, capture(7, heads=8))
    began = time.monotonic()
    window.wait(lambda p: p["tokens"] == 7, "the last update")
    late = time.monotonic() - began
    expect(late < 2, f"the last of 480 updates was shown {late:.1f} s after it was written")
    expect(sizes[-1] - sizes[2] < 20 + 32, f"with the 32 MB of updates that are kept, resident MB over the seconds: {sizes}")
    window.quit()


if __name__ == "__main__":
    main([a_watched_file_is_followed, what_the_user_opens_instead_stays, its_updates_are_gone_through_and_written,
          sixty_a_second_are_followed_without_growing])
