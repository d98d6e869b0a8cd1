"""The window on Wayland: sizes, keys and signs, the clipboard, rest. The other files do the same on X11."""
import json
import subprocess
import time

from driver import PATIENCE, expect, main
from rest import wait_for_rest
from sway import on_sway
from sway_window import Window
from wayland_text import (a_held_key_repeats, emoji_are_typed, keys_are_what_is_printed_on_them, select_phrase,
                          text_goes_in_and_out)

STALE = "wayland-none"  # a socket that nobody listens at


def pick_head(window, head):
    """A click that lands where it should."""
    window.click(f"heads/{head}")
    window.wait(lambda p: p["session"]["view"].get("head") == head, f"head {head}")


@on_sway
def opens_on_wayland(headscope, cli, display, home):
    window = Window(headscope, display, home, size=(1000, 650))
    node = window.node()
    expect(node["app_id"] == "headscope", f"the desktop finds its icon by the app id, which is {node['app_id']}")
    expect(node["name"].endswith(" - Headscope"), node["name"])
    on_x11 = subprocess.run(["xdotool", "search", "--pid", str(window.process.pid)], env=window.environment,
                            capture_output=True, text=True)
    expect(on_x11.stdout == "", "it is a window of X11")
    window.command("kill")
    expect(window.process.wait(timeout=PATIENCE) == 0, "the desktop's close is an end like any other")
    expect((home / "state" / "headscope").is_dir(), "the last session was not saved")
    window = Window(headscope, display, home, DISPLAY=":4242")
    expect(window.quit() == 0, "SIGTERM is an end like any other")
    # libdecor, which draws title bars where the compositor does not, says so when it has no plugin.
    lines = [line for line in window.log_text().splitlines() if "plugin" not in line]
    expect(not lines, f"it complained: {lines}")


@on_sway
def it_has_its_size_at_every_scale(headscope, cli, display, home):
    heights = {}
    for scale in (1, 2, 1.5):
        display.set_output("HEADLESS-1", scale)
        window = Window(headscope, display, home, size=(1000, 650))
        p = window.wait(lambda q: q["resting"], "a window at rest")
        expect(p["size"] == [1000 * scale, 650 * scale], f"{p['size']} for 1000 x 650 at scale {scale}")
        expect(window.place()[2:] == (1000, 650), f"{window.place()} at scale {scale}")
        x0, y0, x1, y1 = window.rect("phrase")
        heights[scale] = y1 - y0
        expect(abs(heights[scale] / heights[1] / scale - 1) < 0.05, f"the phrase is {heights} high")
        pick_head(window, 3)
        select_phrase(window)
        window.type("large")
        window.shows("the phrase", phrase="large")
        window.picture(f"scale-{scale}")
        window.quit()
        # The size is remembered in units, and the next window has it.
        window = Window(headscope, display, home, size=None)
        expect(window.place()[2:] == (1000, 650), f"the next window is {window.place()} at scale {scale}")
        window.quit()


@on_sway
def it_follows_its_size_and_its_screen(headscope, cli, display, home):
    window = Window(headscope, display, home, size=(1000, 650))
    x0, y0, x1, small = window.rect("phrase")
    small -= y0
    window.resize(1200, 800)
    window.wait(lambda p: p["size"] == [1200, 800], "the new size")
    window.settle()
    pick_head(window, 3)
    window.resize(300, 200)
    width, height = window.settle()["size"]
    expect(width >= 960 and height >= 600, f"{width} x {height} is smaller than it can be used")
    window.command("floating disable")
    window.wait(lambda p: p["size"] == [1600, 1000], "the whole screen")
    window.command("floating enable")
    window.resize(1000, 650)
    window.wait(lambda p: p["size"] == [1000, 650], "the size of before")

    display.command("create_output")
    display.set_output("HEADLESS-2", 2)
    window.command("move container to output HEADLESS-2")
    window.wait(lambda p: p["size"] == [2000, 1300], "twice the pixels on the other screen")
    window.settle()
    x0, y0, x1, y1 = window.rect("phrase")
    expect(1.9 < (y1 - y0) / small < 2.1, f"the phrase is {(y1 - y0) / small} times as high")
    pick_head(window, 5)
    display.set_output("HEADLESS-2", 1.5)
    window.wait(lambda p: p["size"] == [1500, 975], "the pixels of the screen's new scale")
    window.command("move container to output HEADLESS-1")
    window.wait(lambda p: p["size"] == [1000, 650], "the pixels of before")
    window.quit()


@on_sway
def it_rests_on_wayland(headscope, cli, display, home):
    window = Window(headscope, display, home)
    wait_for_rest(window)
    ticks, frame = window.cpu_ticks(), window.probe()["frame"]
    time.sleep(30)
    ticks, frames = window.cpu_ticks() - ticks, window.probe()["frame"] - frame
    expect(frames == 0, f"{frames} frames were drawn while nothing happened")
    expect(ticks == 0, f"{ticks} ticks of processor time in 30 seconds of rest")
    window.settle()
    window.quit()


@on_sway
def the_mouse_points_picks_and_zooms(headscope, cli, display, home):
    session = home / "words.json"
    session.write_text(json.dumps({"headscope": "0.1.0", "phrase": " ".join(f"w{i}" for i in range(40))}))
    for scale in (1, 2):
        display.set_output("HEADLESS-1", scale)
        window = Window(headscope, display, home, [session])
        pick_head(window, 5)
        p = window.move("inspector/picture", at=(0.1, 0.9))
        expect(any(name.startswith("linked/") for name in p["rects"]), "nothing is linked to the cell under the mouse")
        window.click("inspector/picture", at=(0.3, 0.7))
        x0, y0, x1, y1 = window.rect("inspector/cell")
        window.wheel(-3)  # away from the user
        p = window.wait(lambda q: q["rects"]["inspector/cell"][2] - q["rects"]["inspector/cell"][0] > 1.2 * (x1 - x0),
                        "a larger cell")
        x, y = window.pointer
        x0, y0, x1, y1 = p["rects"]["inspector/cell"]
        expect(x0 <= x <= x1 and y0 <= y <= y1, "it zoomed somewhere else")
        window.quit()


@on_sway
def a_hidden_window_still_ends(headscope, cli, display, home):
    # A driver without a card never waits for the screen; by another name it is taken for one with a card.
    for renderer in ({}, {"force_gl_renderer": "Some Card"}):
        window = Window(headscope, display, home, **renderer)
        select_phrase(window)
        window.type("seen")
        window.shows("the phrase", phrase="seen")
        display.command("workspace 1")
        window.command("move container to workspace 2")
        display.wait_for(lambda: not window.node()["visible"], "a hidden window")
        time.sleep(1)  # for the frames that follow; a window that waits for the screen waits by then
        display.command("workspace 2")
        window.type(" again")
        window.shows("what was typed when it was seen again", phrase="seen again")
        display.command("workspace 1")
        display.wait_for(lambda: not window.node()["visible"], "a hidden window")
        time.sleep(1)
        expect(window.quit() == 0, f"{renderer}: a hidden window ends like any other")
        saved = (home / "state" / "headscope" / "last-session.json").read_text()
        expect("seen again" in saved, f"{renderer}: the last session was not saved")
        display.command("workspace 1")


@on_sway
def a_lost_compositor_costs_nothing(headscope, cli, display, home):
    window = Window(headscope, display, home)
    select_phrase(window)
    window.type("hours of work")
    window.shows("the phrase", phrase="hours of work")
    display.process.kill()
    window.process.wait(timeout=PATIENCE)
    saved = (home / "state" / "headscope" / "last-session.json").read_text()
    expect("hours of work" in saved, "the last session was not saved")


@on_sway
def views_are_drawn_on_wayland(headscope, cli, display, home):
    window = Window(headscope, display, home, ())
    window.rect("heads/0")
    window.settle()
    window.picture("main")
    window.key("ctrl+b")
    window.wait(lambda p: any(name.startswith("bug_lab/verdict/") for name in p["rects"]), "what the mistake does")
    window.settle()
    window.picture("bug-lab")
    window.key("ctrl+b", "F3")
    window.rect("layers/0.0")
    window.picture("layers")
    window.quit()


def without_a_display_it_says_so(headscope, cli, display, home):
    def ends(**environment):
        kept = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        done = subprocess.run([headscope], env={**kept, **environment}, capture_output=True, text=True,
                              timeout=PATIENCE)
        lines = [line for line in done.stderr.splitlines() if "plugin" not in line]
        expect(done.returncode == 3, f"{environment}: exit code {done.returncode}, {done.stderr}")
        expect(len(lines) == 1 and "No window" in lines[0] and "headscope-cli" in lines[0],
               f"{environment}: {done.stderr}")
        return lines[0]
    expect("there is no display" in ends(), "it does not say what is missing")
    expect("there is no display" in ends(XDG_RUNTIME_DIR=str(home), XDG_SESSION_TYPE="wayland"), "the session's type")
    ends(WAYLAND_DISPLAY=STALE)
    ends(WAYLAND_DISPLAY=STALE, XDG_RUNTIME_DIR=str(home), XDG_SESSION_TYPE="wayland")
    ends(WAYLAND_DISPLAY=STALE, DISPLAY=":4242")


def x11_does_where_wayland_does_not(headscope, cli, display, home):
    probe = home / "probe.json"
    for session in ({}, {"XDG_SESSION_TYPE": "wayland", "XDG_RUNTIME_DIR": str(home)}):
        probe.unlink(missing_ok=True)
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "DISPLAY": display.name, "WAYLAND_DISPLAY": STALE,
                       **session}
        process = subprocess.Popen([headscope, "--probe", str(probe)], env=environment, stderr=subprocess.PIPE,
                                   text=True)
        end = time.monotonic() + PATIENCE
        while not probe.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        found = probe.exists()
        process.terminate()
        said = process.communicate(timeout=PATIENCE)[1]
        expect(found, f"{environment}: no window on X11: {said}")


if __name__ == "__main__":
    main([opens_on_wayland, it_has_its_size_at_every_scale, it_follows_its_size_and_its_screen, it_rests_on_wayland,
          text_goes_in_and_out, emoji_are_typed, keys_are_what_is_printed_on_them, a_held_key_repeats,
          the_mouse_points_picks_and_zooms, a_hidden_window_still_ends, a_lost_compositor_costs_nothing,
          views_are_drawn_on_wayland, without_a_display_it_says_so, x11_does_where_wayland_does_not])
