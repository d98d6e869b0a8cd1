"""The real window on sway: the journeys' Window, whose mouse, keys and clipboard are those of a Wayland display."""
import json
import os
import pathlib
import subprocess
import time

import driver
from driver import PATIENCE, expect
from wayland_keyboard import KEYS


class Window(driver.Window):
    """One run of headscope on sway. Places are pixels of the window, as in the probe."""

    def __init__(self, binary, display, home, arguments=None, size=(1600, 1000), **environment):
        self.home = pathlib.Path(home)
        self.display = display
        if arguments is None:
            arguments = [self.drawn()]
        self.probe_path = self.home / "probe.json"
        self.probe_path.unlink(missing_ok=True)
        self.environment = dict(display.environment, XDG_CONFIG_HOME=str(self.home / "config"),
                                XDG_STATE_HOME=str(self.home / "state"), XDG_CACHE_HOME=str(self.home / "cache"),
                                **environment)
        # Every panel is unfolded, as in the journeys on X11, where the home has no settings yet.
        settings = self.home / "config" / "headscope" / "settings.json"
        if not settings.exists():
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(json.dumps({"panels": {}}))
        self.started = time.monotonic()
        self.log = open(self.home / "log.txt", "ab")
        sized = ["--size", f"{size[0]}x{size[1]}"] if size is not None else []  # None: as large as the last one
        self.process = subprocess.Popen([binary, "--probe", str(self.probe_path), *sized, *map(str, arguments)],
                                        env=self.environment, stdout=self.log, stderr=self.log, cwd=self.home)
        self.wait(lambda p: p["frame"] >= 1, "the first frame")
        self.pointer = (500, 2)
        self.settle()

    def drawn(self):
        """Drawn weights and a causal mask, as in the journeys on X11."""
        path = self.home / "drawn.json"
        path.write_text(json.dumps({"headscope": "0.1.0", "phrase": "Hola mi nombre es Alex", "mask": "causal"}))
        return path

    def node(self):
        found = [node for node in self.display.windows() if node["pid"] == self.process.pid]
        return found[0] if found else None

    def place(self):
        """Where its content lies: x, y, width, height in the compositor's units."""
        node = self.display.wait_for(self.node, "the window on sway")
        rect, inner = node["rect"], node["window_rect"]
        return rect["x"] + inner["x"], rect["y"] + inner["y"], inner["width"], inner["height"]

    def point(self, x, y):
        left, top, width, height = self.place()
        size = self.probe()["size"]
        # The middle of the pixel: at a scale of 1.5 its corner is no number of 1/256 units.
        self.display.point(left + (x + 0.5) * width / size[0], top + (y + 0.5) * height / size[1])

    def settle(self):
        x, y = self.pointer
        for place in ((x + 1, y), (x, y)):
            asked = 0

            def there(p):
                nonlocal asked
                # GLFW 3.4 says that the pointer has entered the window, but not where: it learns that from the next
                # move. A window that has just come or moved must be pointed at again.
                if time.monotonic() - asked > 2:
                    if asked:
                        self.point(place[0] + 3, place[1])
                    self.point(*place)
                    asked = time.monotonic()
                return all(abs(p["mouse"][i] - place[i] - 0.5) <= 0.51 for i in (0, 1))
            self.wait(there, f"the pointer at {place}")
        return self.wait(lambda p: p["resting"], "a window at rest")

    def click(self, name, at=(0.5, 0.5), button=1, times=1):
        self.move(name, at)
        for _ in range(times):
            self.display.press_button(button, True)
            self.display.press_button(button, False)
        return self.settle()

    def wheel(self, steps):
        self.display.turn_wheel(steps)
        return self.settle()

    def key(self, *names):
        """By place: "ctrl+z" is the key that a US keyboard prints z on."""
        for name in names:
            *modifiers, last = name.split("+")
            self.display.keyboard.press(KEYS[last], modifiers)
        return self.settle()

    def type(self, text):
        self.display.spell(text)
        return self.settle()

    def copy_elsewhere(self, text):
        """Another program has this in its clipboard from now on."""
        # wl-copy stays and holds it; with the pipes of ours, run() would wait for its end.
        subprocess.run(["wl-copy", "--type", "text/plain;charset=utf-8"], env=self.environment, input=text.encode(),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)
        expect(self.clipboard() == text, "wl-copy did not take the text")

    def paste(self, text):
        self.copy_elsewhere(text)
        return self.key("ctrl+v")

    def clipboard(self):
        return self.run("wl-paste", "--no-newline", "--type", "text/plain;charset=utf-8")

    def command(self, text):
        """What a user does with the window itself."""
        self.display.command(f"[pid={self.process.pid}] {text}")

    def resize(self, width, height):
        """In the compositor's units."""
        self.command(f"resize set {width} px {height} px")

    def picture(self, name):
        """What is on the screen, for people to look at; only where HEADSCOPE_PICTURES names a folder."""
        folder = os.environ.get("HEADSCOPE_PICTURES")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.run("grim", str(pathlib.Path(folder) / f"wayland-{name}.png"))
