"""What is done in the real window comes back to Python: window_test.py BIN_FOLDER [JOURNEY...]"""
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "window"), str(ROOT / "assets" / "python")]
try:
    import numpy as np
except ImportError:
    print("numpy was not found: sudo apt-get install python3-numpy (./dev test installs it)")
    sys.exit(77)
import headscope  # noqa: E402
from driver import PATIENCE, Window, expect, main  # noqa: E402

PHRASE = "the animal didn't cross the street because it was too tired"


class Driven(Window):
    """The window of a handle, driven like any other."""

    def __init__(self, shown, probe, home):
        self.home, self.probe_path, self.process = home, probe, shown._process
        (home / "log.txt").touch()
        self.environment = dict(os.environ)
        self.wait(lambda p: p["frame"] >= 1, "the first frame")
        self.id = self.run("xdotool", "search", "--sync", "--onlyvisible", "--pid", str(self.process.pid)).split()[0]
        self.run("xdotool", "windowfocus", "--sync", self.id)
        self.pointer = (800, 2)
        self.settle()


def opened(headscope_program, display, home, name, **what):
    os.environ.update(HEADSCOPE=headscope_program, DISPLAY=display.name, HOME=str(home), XDG_STATE_HOME=str(home / "state"),
                      XDG_CONFIG_HOME=str(home / "config"), XDG_CACHE_HOME=str(home / "cache"))
    os.environ.pop("WAYLAND_DISPLAY", None)
    probe = home / f"{name}.json"
    shown = headscope.show(**what, arguments=["--probe", probe, "--size", "1600x1000"])
    return shown, Driven(shown, probe, home)


def soon(ask, wanted):
    """Asks until the answer is what is wanted: the window saves itself within two seconds."""
    end = time.monotonic() + PATIENCE
    while ask() != wanted:
        expect(time.monotonic() < end, f"{ask()} is not {wanted}")
        time.sleep(0.05)


def what_is_changed_by_hand_comes_back(program, cli, display, home):
    shown, window = opened(program, display, home, "model", model="demo:pronouns", phrase=PHRASE)
    with shown:
        expect(shown.request() == {"model": "demo:pronouns", "phrase": PHRASE}, f"as it was opened: {shown.request()}")
        expect(shown.interventions() == {}, "nothing is changed yet")
        window.click("heads/2/label")
        tokens = window.wait(lambda p: p["session"]["view"].get("head") == 2, "head 2")["tokens"]
        window.click("inspector/picture", at=(0.5 / tokens, 7.5 / tokens))
        soon(lambda: {name: shown.selection()[name] for name in ("stage", "head", "cell")},
             {"stage": "weights", "head": 2, "cell": (7, 0)})
        window.click("heads/2/label", button=3)
        window.click("head_menu/Switch off")
        off = window.wait(lambda p: p["session"].get("ablate"), "a head that is off")["session"]["ablate"]
        soon(shown.interventions, {"ablate": off})
        expect(shown.request()["phrase"] == PHRASE, "the rest of the request")
        changed = headscope.run(export=["output"], **shown.request())["output"]
        plain = headscope.run(export=["output"], model="demo:pronouns", phrase=PHRASE)["output"]
        expect(np.abs(changed - plain).max() > 1e-3, "what comes back is computed with the head off")
        expect(shown.png(view="head", head=2) == headscope.render(view="head", head=2, **shown.request()),
               "a picture is of what the window shows")
    expect(shown.interventions() == {"ablate": off}, "the answer of a window that was closed")
    expect(shown.selection()["cell"] == (7, 0), f"its selection: {shown.selection()}")


def two_windows_answer_for_themselves(program, cli, display, home):
    state = home / "state" / "headscope"
    state.mkdir(parents=True)
    kept = '{"headscope": "0.1.0", "phrase": "what another window was left at"}'
    (state / "last-session.json").write_text(kept)
    one, first = opened(program, display, home, "one", attn=np.full((3, 4, 4), 0.25), tokens="abcd")
    two, second = opened(program, display, home, "two", attn=np.full((3, 4, 4), 0.25), tokens="abcd")
    with one, two:
        for window, head in ((first, 1), (second, 2)):
            window.run("xdotool", "windowraise", window.id)
            window.run("xdotool", "windowfocus", "--sync", window.id)
            window.click(f"heads/{head}/label")
        soon(lambda: one.selection()["head"], 1)
        soon(lambda: two.selection()["head"], 2)
        two.update(attn=np.full((3, 5, 5), 0.2), tokens="abcde")
        second.wait(lambda p: p["tokens"] == 5, "what took its place")
        expect(two.selection()["head"] == 2, "the selection stays")
    expect((state / "last-session.json").read_text() == kept, "the last session of other windows is touched")
    expect((one.selection()["head"], two.selection()["head"]) == (1, 2), "both say how they ended")


def later_handles_are_shown_in_the_window_that_is_open(program, cli, display, home):
    os.environ.update(HEADSCOPE=program, DISPLAY=display.name, HOME=str(home), XDG_STATE_HOME=str(home / "state"),
                      XDG_CONFIG_HOME=str(home / "config"), XDG_CACHE_HOME=str(home / "cache"),
                      XDG_RUNTIME_DIR=str(home / "runtime"))
    os.environ.pop("WAYLAND_DISPLAY", None)
    (home / "runtime").mkdir(mode=0o700)
    socket = home / "runtime" / "headscope.sock"
    first = headscope.show(model="demo:pronouns", phrase=PHRASE)
    with first:
        soon(socket.exists, True)
        expect(socket.stat().st_mode & 0o777 == 0o600, "of this user alone")
        second = headscope.show(attn=np.full((3, 4, 4), 0.25), tokens="abcd")
        third = headscope.show(model="demo:pronouns", phrase="the dog was tired")
        expect(second._process is None and third._process is None, "one window")
        expect(first.request() == {"model": "demo:pronouns", "phrase": PHRASE}, f"as it was left: {first.request()}")
        expect(third.request()["phrase"] == "the dog was tired", f"what is shown: {third.request()}")
        try:
            second.update(attn=np.full((3, 5, 5), 0.2), tokens="abcde")
            expect(False, "an update of what is not shown")
        except headscope.HeadscopeError as error:
            expect("something else" in str(error), str(error))
        fourth = headscope.show(attn=np.full((2, 3, 3), 1 / 3), tokens="abc")
        for step in range(200):
            fourth.update(attn=np.full((2, 3, 3), 1 / 3 + step / 1000))
        expect(fourth.selection()["stage"] == "weights", f"its selection: {fourth.selection()}")
        kept = np.frombuffer(fourth.png(view="head", head=1)[:8], np.uint8)
        expect(bytes(kept) == b"\x89PNG\r\n\x1a\n", "a picture")
        expect(len(list((home / "runtime").glob("headscope.sock.*/shown-*"))) == 3, "files of what was handed over")
        second.close()
        third.close()
        expect(first.running and fourth.running, "the window stays for the others")
        process = first._process
    expect(process.poll() is None, "the window stays when the handle that opened it is closed")
    fourth.close()
    process.wait(PATIENCE)
    expect(not list((home / "runtime").iterdir()), "nothing is left")
    expect(fourth.request()["model"].endswith("shown.safetensors"), "the answer of what was closed")


if __name__ == "__main__":
    main([what_is_changed_by_hand_comes_back, two_windows_answer_for_themselves,
          later_handles_are_shown_in_the_window_that_is_open])
