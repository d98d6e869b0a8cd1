"""Drives the real window: Xvfb, xdotool, xclip, and the file that `headscope --probe` writes after every frame."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
from preload_path import preload_path  # noqa: E402  (for the tests that inject faults)

SKIPPED = 77
PATIENCE = 150  # seconds; only a test that is about to fail waits that long


def need_tools():
    """Skips the test where there is no virtual display; the other tools come with it (dev: test_packages)."""
    if shutil.which("Xvfb") is None:
        print("Xvfb is not installed: nothing was tested")
        sys.exit(SKIPPED)
    missing = [tool for tool in ("xdotool", "xclip") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"Xvfb is there, but not {' and '.join(missing)}")


class Failure(AssertionError):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Display:
    """A virtual screen of its own."""

    def __init__(self, width=1600, height=1000):
        read_end, write_end = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24", "-noreset", "-r", "-nolisten", "tcp"],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        expect(number, "Xvfb did not start")
        self.name = f":{number}"

    def close(self):
        self.process.terminate()
        self.process.wait()


class Window:
    """One run of headscope with settings and state of its own in `home`."""

    def __init__(self, binary, display, home, arguments=None, size=(1600, 1000), path=None, folded=False):
        """Without arguments: drawn weights and a causal mask, the same for every journey. (): as a user starts it.
        `path`: where the window finds programs of the desktop; None: where the tests find theirs. `folded`: as at the
        very first start; else every panel is unfolded, where the home has no settings yet."""
        self.home = pathlib.Path(home)
        settings = self.home / "config" / "headscope" / "settings.json"
        if not folded and not settings.exists():
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(json.dumps({"panels": {}}))
        if arguments is None:
            drawn = self.home / "drawn.json"
            drawn.write_text(json.dumps({"headscope": "0.1.0", "phrase": "Hola mi nombre es Alex", "mask": "causal"}))
            arguments = [drawn]
        self.probe_path = self.home / "probe.json"
        self.probe_path.unlink(missing_ok=True)
        self.environment = dict(os.environ, DISPLAY=display.name, HOME=str(self.home),
                                XDG_CONFIG_HOME=str(self.home / "config"), XDG_STATE_HOME=str(self.home / "state"),
                                XDG_CACHE_HOME=str(self.home / "cache"))
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.started = time.monotonic()
        self.log = open(self.home / "log.txt", "ab")
        self.process = subprocess.Popen(
            [binary, "--probe", str(self.probe_path), "--size", f"{size[0]}x{size[1]}", *map(str, arguments)],
            env=self.environment if path is None else dict(self.environment, PATH=path), stdout=self.log, stderr=self.log,
            cwd=self.home)
        self.wait(lambda p: p["frame"] >= 1, "the first frame")
        self.id = self.run("xdotool", "search", "--sync", "--onlyvisible", "--pid", str(self.process.pid)).split()[0]
        self.run("xdotool", "windowfocus", "--sync", self.id)  # there is no window manager to do it
        self.pointer = (size[0] // 2, 2)
        self.settle()

    def run(self, *command, text=None):
        done = subprocess.run(command, env=self.environment, input=text, capture_output=True, text=True, timeout=PATIENCE)
        expect(done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    # ---- what is on screen
    def probe(self):
        with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
            return json.loads(self.probe_path.read_text())
        return None

    def wait(self, condition, what, patience=PATIENCE):
        """The first probe for which condition holds; a slow machine only makes it late, never wrong."""
        end = time.monotonic() + patience
        last = None
        while time.monotonic() < end:
            expect(self.process.poll() is None, f"headscope ended with {self.process.returncode} while waiting for {what}:"
                                                f"\n{(self.home / 'log.txt').read_text()[-2000:]}")
            last = self.probe()
            if last is not None and condition(last):
                return last
            time.sleep(0.01)
        shown = {k: v for k, v in (last or {}).items() if k != "rects"}
        raise Failure(f"waited {patience} s for {what}; on screen is {json.dumps(shown)[:3000]}")

    def shows(self, what, **session):
        """Waits until the draft has these values (None: not in it, its default) and its result is on screen."""
        def agrees(p):
            return not p["stale"] and not p["computing"] and all(p["session"].get(k) == v for k, v in session.items())
        return self.wait(agrees, what)

    def settle(self):
        """Waits until the window has answered to everything that was done to it and draws no more.

        The pointer moves by a pixel and back: when the window knows its last place, it knows all that came before."""
        x, y = self.pointer
        for place in ((x + 1, y), (x, y)):
            self.run("xdotool", "mousemove", "--window", self.id, str(place[0]), str(place[1]))
            self.wait(lambda p, at=place: p["mouse"] == list(at), f"the pointer at {place}")
        return self.wait(lambda p: p["resting"], "a window at rest")

    def rect(self, name):
        p = self.wait(lambda q: name in q["rects"], f"'{name}' to be on screen")
        return p["rects"][name]

    # ---- what a user does
    def move(self, name, at=(0.5, 0.5)):
        """The pointer to a part of what has this name, and after it where the layout still moves, as a hand does."""
        for _ in range(5):
            x0, y0, x1, y1 = before = self.rect(name)
            self.pointer = (int(x0 + (x1 - x0) * at[0]), int(y0 + (y1 - y0) * at[1]))
            settled = self.settle()
            if settled["rects"].get(name, before) == before:
                break
        return settled

    def click(self, name, at=(0.5, 0.5), button=1, times=1):
        self.move(name, at)
        for _ in range(times):
            self.run("xdotool", "click", str(button))
        return self.settle()

    def key(self, *names):
        for name in names:
            self.run("xdotool", "key", "--clearmodifiers", name)
        return self.settle()

    def type(self, text):
        self.run("xdotool", "type", "--delay", "15", text)
        return self.settle()

    def paste(self, text):
        """By the clipboard: xdotool cannot type every character."""
        holder = subprocess.Popen(["xclip", "-selection", "clipboard", "-quiet"], env=self.environment,
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        holder.stdin.write(text.encode())
        holder.stdin.close()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            held = subprocess.run(["xclip", "-selection", "clipboard", "-o"], env=self.environment, capture_output=True)
            if held.stdout == text.encode():
                break
            time.sleep(0.02)
        settled = self.key("ctrl+v")
        holder.terminate()
        holder.wait()
        return settled

    def clipboard(self):
        return self.run("xclip", "-selection", "clipboard", "-o", "-target", "UTF8_STRING")

    def resize(self, width, height):
        self.run("xdotool", "windowsize", self.id, str(width), str(height))
        return self.wait(lambda p: p["size"] == [width, height], f"{width} x {height} pixels")

    # ---- what the system sees
    def cpu_ticks(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])  # utime + stime of all threads

    def resident_mb(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0

    def quit(self):
        """Asks it to end, as a desktop does; returns the exit code."""
        self.process.terminate()
        code = self.process.wait(timeout=PATIENCE)
        self.log.close()
        return code

    def log_text(self):
        return (self.home / "log.txt").read_text()


@contextlib.contextmanager
def desk(width=1600, height=1000):
    """A display and a home folder that are gone afterwards."""
    need_tools()
    display = Display(width, height)
    home = tempfile.mkdtemp(prefix="headscope-window-")
    try:
        yield display, pathlib.Path(home)
    finally:
        display.close()
        shutil.rmtree(home, ignore_errors=True)


def main(journeys):
    """Runs the journeys named on the command line (all of them without names): FILE BIN_FOLDER [NAME...]."""
    folder = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:] or [journey.__name__ for journey in journeys]
    failed = 0
    for journey in journeys:
        if journey.__name__ not in wanted:
            continue
        try:
            with desk(*getattr(journey, "desk_size", (1600, 1000))) as (display, home):
                journey(str(folder / "headscope"), str(folder / "headscope-cli"), display, home)
            print(f"ok      {journey.__name__}")
        except Exception as failure:  # the next journey has a display and a home of its own
            failed += 1
            print(f"FAILED  {journey.__name__}: {type(failure).__name__}: {failure}")
    sys.exit(1 if failed else 0)
