"""A random user of the real window.

    monkey.py BIN_FOLDER [NAME...]                              the journey, as ctest runs it
    monkey.py BIN_FOLDER --seed N --events N [DOCUMENT...]      longer: says every 1,000 events how much memory is resident

The same seed does the same as long as the window shows the same at the same time, which depends on the machine: to find
again what broke, tests/monkey does it in process. Here lies what that leaves out: GLFW, OpenGL, threads.
"""
import argparse
import os
import random
import sys
import time

import driver
from driver import Window, expect, main
from xtest import Hands

SIZE = (1280, 800)
MODIFIERS = [(), (), (), ("Control_L",), ("Shift_L",), ("Alt_L",), ("Control_L", "Shift_L")]
KEYS = (["Tab", "Escape", "Return", "space", "Up", "Down", "Left", "Right", "Home", "End", "Prior", "Next", "Delete",
         "BackSpace", "plus", "minus", "comma", "period", "bracketleft", "bracketright"]
        + [f"F{number}" for number in range(1, 13)] + list("abcdefghijklmnopqrstuvwxyz0123456789"))
# No slash: nothing is to be written outside of the home folder.
WORDS = ["the cat", "1999", "nan", "inf", "hola mundo", "a b c d e f g h", "0", "-1", "0.5", "999999999999"]
EVENTS_A_LOOK = 5
# What ends the window.
ENDS = {("Control_L", "q")}
# Of a window that was used for a minute: a leak of a texture or a result a frame is far more.
MOST_MB = int(os.environ.get("HEADSCOPE_MOST_MB", "400"))


class Monkey:
    def __init__(self, window, hands, seed):
        self.window, self.hands, self.random = window, hands, random.Random(seed)
        self.rects = {}
        self.done = 0
        # Two rows a kind: how often, and what it does.
        self.kinds = [(30, self.click_control), (10, self.click_anywhere), (8, self.hover), (8, self.wheel),
                      (8, self.drag), (20, self.key), (6, self.type), (6, self.leave), (1, self.resize)]

    def place(self):
        """Mostly in a control, sometimes anywhere."""
        if not self.rects or self.random.random() < 0.2:
            return self.random.randrange(SIZE[0]), self.random.randrange(SIZE[1])
        rooms = sorted({name.split("/")[0] for name in self.rects})
        room = self.random.choice(rooms)
        x0, y0, x1, y1 = self.rects[self.random.choice([n for n in sorted(self.rects) if n.split("/")[0] == room])]
        return (int(x0 + (x1 - x0) * self.random.random()), int(y0 + (y1 - y0) * self.random.random()))

    def click_control(self):
        self.hands.move(*self.place())
        self.hands.click(self.random.choice([1, 1, 1, 1, 3, 2]), self.random.choice([1, 1, 1, 2, 3]))

    def click_anywhere(self):
        self.hands.move(self.random.randrange(SIZE[0]), self.random.randrange(SIZE[1]))
        self.hands.click(1)

    def hover(self):
        self.hands.move(*self.place())

    def wheel(self):
        self.hands.move(*self.place())
        self.hands.click(self.random.choice([4, 5, 6, 7]), self.random.randrange(1, 6))

    def drag(self):
        (x0, y0), (x1, y1) = self.place(), self.place()
        self.hands.move(x0, y0)
        self.hands.button(1, True)
        self.hands.move((x0 + x1) // 2, (y0 + y1) // 2)
        self.hands.move(x1, y1)
        self.hands.button(1, False)

    def key(self):
        held, name = self.random.choice(MODIFIERS), self.random.choice(KEYS)
        if (*held, name) not in ENDS:
            self.hands.press(*held, name)

    def type(self):
        for letter in self.random.choice(WORDS):
            self.hands.press({" ": "space", "-": "minus", ".": "period"}.get(letter, letter))

    def leave(self):
        self.hands.press("Escape")

    def resize(self):
        width, height = self.random.choice([SIZE, SIZE, (960, 640), (700, 500), (300, 200)])
        self.window.run("xdotool", "windowsize", self.window.id, str(width), str(height))

    def act(self):
        self.random.choices([do for _, do in self.kinds], [often for often, _ in self.kinds])[0]()
        self.done += 1

    def look(self):
        """Waits until the window has seen what was done, a press a frame, so that nothing piles up where frames are slow;
        it must live. Leaves a browser of folders, so that nothing is written outside of the home folder."""
        self.hands.sync()
        seen = (self.window.probe() or {"frame": 0})["frame"]
        end = time.monotonic() + driver.PATIENCE
        while time.monotonic() < end:
            p = self.window.probe()
            if p is not None and (p["resting"] or p["frame"] > seen + EVENTS_A_LOOK):
                break
            time.sleep(0.005)
        expect(self.window.process.poll() is None,
               f"after {self.done} events headscope ended with {self.window.process.returncode}:\n"
               f"{self.window.log_text()[-2000:]}")
        self.rects = (self.window.probe() or {"rects": {}})["rects"]
        if any(name.startswith("open/") for name in self.rects):
            self.hands.press("Escape")
            self.hands.press("Escape")


def play(window, display, seed, events, say=lambda done: None):
    """Does `events` events; afterwards the window lives, answers, and has written no error."""
    hands = Hands(display.name)
    try:
        monkey = Monkey(window, hands, seed)
        while monkey.done < events:
            for _ in range(EVENTS_A_LOOK):
                monkey.act()
            monkey.look()
            if monkey.done % 1000 == 0:
                say(monkey.done)
        for _ in range(12):
            hands.press("Escape")
        hands.sync()
    finally:
        hands.close()
    window.resize(*SIZE)
    window.settle()
    for line in window.log_text().splitlines():
        expect(not any(word in line.lower() for word in ("error", "assert", "gl_", "terminate")), f"the log says: {line}")


def open_window(headscope, display, home, documents=()):
    """One that finds no program of the desktop: none is started."""
    nothing = home / "programs"
    nothing.mkdir()
    return Window(headscope, display, home, documents or None, size=SIZE, path=str(nothing))


def a_random_user_breaks_nothing(headscope, cli, display, home):
    window = open_window(headscope, display, home)
    seed = int(os.environ.get("HEADSCOPE_MONKEY_SEED", "1"))
    play(window, display, seed, 400)
    expect(window.resident_mb() < MOST_MB, f"{window.resident_mb():.0f} MB are resident")
    expect(window.quit() == 0, f"it did not end well: {window.process.returncode}")


def slope(samples):
    """MB per 1,000 events of the line that fits (events, MB) best."""
    count = len(samples)
    x, y = sum(e for e, _ in samples) / count, sum(mb for _, mb in samples) / count
    below = sum((e - x) ** 2 for e, _ in samples)
    return 1000 * sum((e - x) * (mb - y) for e, mb in samples) / below if below else 0


def long_run(folder, given):
    samples = []

    def say(done):
        samples.append((done, window.resident_mb()))
        print(f"{done} events: {samples[-1][1]:.1f} MB resident", flush=True)

    with driver.desk(*SIZE) as (display, home):
        window = open_window(f"{folder}/headscope", display, home, given.documents)
        play(window, display, given.seed, given.events, say)
        code = window.quit()
        settled = samples[len(samples) // 4:]
        if settled:
            print(f"seed {given.seed}: {slope(settled):.3f} MB per 1,000 events, {max(mb for _, mb in samples):.0f} MB at most")
        expect(code == 0, f"it ended with {code}")


if __name__ == "__main__":
    if "--events" not in sys.argv:
        main([a_random_user_breaks_nothing])
    words = argparse.ArgumentParser()
    words.add_argument("folder")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--events", type=int, default=1000)
    words.add_argument("documents", nargs="*")
    chosen = words.parse_args()
    long_run(os.path.abspath(chosen.folder), chosen)
