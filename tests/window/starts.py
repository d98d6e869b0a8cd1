"""Starts after something went wrong, and on another kind of screen."""
import json
import pathlib
import signal
import subprocess
import time

from driver import Window, expect, main

DEMO = "And Anna had a red ball and Tom had a green book. Tom gave the green"


def what_cannot_be_opened_is_said(headscope, cli, display, home):
    garbage = home / "garbage.png"
    garbage.write_bytes(b"\x89PNG\r\n\x1a\n" + b"nonsense" * 40)
    empty = home / "empty.json"
    empty.write_bytes(b"")
    future = home / "future.json"
    future.write_text('{"headscope": "0.1.0", "phrase": "x", "quantum": true}')
    for path, word in [(home / "missing.json", "missing.json"), (home, str(home)), (garbage, "garbage.png"),
                       (empty, "empty.json"), (future, "quantum")]:
        window = Window(headscope, display, home, [path])
        p = window.shows("the demo", phrase=DEMO)
        expect(any(word in notice for notice in p["notices"]), f"{path.name}: {p['notices']}")
        expect(window.quit() == 0, f"{path.name}: exit code")


def broken_files_of_its_own_are_put_aside(headscope, cli, display, home):
    for folder, name in [("config", "settings.json"), ("state", "last-session.json")]:
        (home / folder / "headscope").mkdir(parents=True)
        (home / folder / "headscope" / name).write_bytes(b'{"theme": "li\xff\x00')
    window = Window(headscope, display, home, ())
    p = window.shows("the demo", phrase=DEMO)
    expect(len(p["notices"]) >= 2, f"{p['notices']}")
    expect(window.quit() == 0, "exit code")
    window = Window(headscope, display, home, ())
    p = window.shows("the demo", phrase=DEMO)
    expect(p["notices"] == [], f"the second start still complains: {p['notices']}")
    expect((home / "config" / "headscope" / "settings.json.broken").is_file(), "the broken settings are gone")
    window.quit()


def a_crash_costs_seconds(headscope, cli, display, home):
    window = Window(headscope, display, home, ())
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("steady ")
    typed = []  # no rest between two of them
    while not typed or typed[-1] < typed[0] + 5:
        window.run("xdotool", "type", "x")
        window.wait(lambda p: p["session"]["phrase"] == "steady " + "x" * (len(typed) + 1), "the key to arrive")
        typed.append(time.monotonic())
    kept = sum(at < time.monotonic() - 2 for at in typed)
    window.process.send_signal(signal.SIGKILL)
    window.process.wait()
    window = Window(headscope, display, home, ())
    phrase = window.settle()["session"]["phrase"]
    expect(phrase.startswith("steady ") and len(phrase) >= len("steady ") + kept, f"'{phrase}', {kept} of {len(typed)} are due")
    window.key("ctrl+z")
    window.wait(lambda p: p["session"]["phrase"] != phrase, "undo to go on where it was")
    window.quit()


def a_crash_leaves_a_report(headscope, cli, display, home):
    window = Window(headscope, display, home, ())
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("a secret phrase")
    window.shows("the phrase", phrase="a secret phrase")
    window.key("F3", "ctrl+b", "Escape")
    window.process.send_signal(signal.SIGSEGV)
    expect(window.process.wait(timeout=60) == -signal.SIGSEGV, "it does not end as the system ends it")
    report = (home / "state" / "headscope" / "last-crash.txt").read_text()
    head, rest = report.split("last commands:\n")
    commands, backtrace = rest.split("backtrace:\n")
    expect(head.startswith("Headscope ") and "by SIGSEGV" in head, head)
    expect(2 <= len(commands.splitlines()) <= 20, f"commands: {commands}")
    expect("headscope(" in backtrace and len(backtrace.splitlines()) >= 5, f"backtrace: {backtrace}")
    expect("secret" not in report, "the phrase is in the report")
    doctor = subprocess.run([cli, "doctor"], env=window.environment, capture_output=True, text=True, timeout=60)
    expect(doctor.returncode == 0, doctor.stderr)
    for line in report.splitlines():
        expect(line.strip() in doctor.stdout, f"doctor does not say: {line}")
    expect("secret" not in doctor.stdout, "the phrase is in what doctor says")


def closed_streams_cost_no_file(headscope, cli, display, home):
    """Whatever the window writes goes where it belongs: a session that is opened has no word of it."""
    wrapper = home / "closed"
    wrapper.write_text(f'#!/bin/sh\nexec "{headscope}" "$@" <&- >&- 2>&-\n')
    wrapper.chmod(0o755)
    window = Window(str(wrapper), display, home, ())
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("kept")
    window.shows("the phrase", phrase="kept")
    streams = [pathlib.Path(f"/proc/{window.process.pid}/fd/{number}").resolve() for number in range(3)]
    expect(streams == [pathlib.Path("/dev/null")] * 3, f"0, 1 and 2 are {streams}")
    # What makes it complain as it ends: a folder where its session should be.
    kept = home / "state" / "headscope" / "last-session.json"
    window.wait(lambda p: kept.is_file(), "the session to be kept")
    expect(json.loads(kept.read_text())["phrase"] == "kept", kept.read_text()[:300])
    kept.unlink()
    kept.mkdir()
    (kept / "in the way").write_text("x")
    expect(window.quit() == 0, "exit code")
    for path in home.rglob("*"):
        if path.is_file() and path.suffix == ".json":
            json.loads(path.read_text())


def it_follows_the_scale_of_the_desktop(headscope, cli, display, home):
    window = Window(headscope, display, home, size=(1000, 650))
    small = window.rect("phrase")
    window.quit()
    window.run("xprop", "-root", "-f", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER", "Xft.dpi:\t192\n")
    window = Window(headscope, display, home, size=(1000, 650))
    p = window.settle()
    expect(p["size"] == [2000, 1300], f"{p['size']} for 1000 x 650 at twice the scale")
    large = window.rect("phrase")
    ratio = (large[3] - large[1]) / (small[3] - small[1])
    expect(1.9 < ratio < 2.1, f"the phrase is {ratio} times as high")
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("large")
    window.shows("the phrase", phrase="large")
    window.quit()


it_follows_the_scale_of_the_desktop.desk_size = (2000, 1300)


if __name__ == "__main__":
    main([what_cannot_be_opened_is_said, broken_files_of_its_own_are_put_aside, a_crash_costs_seconds,
          a_crash_leaves_a_report, closed_streams_cost_no_file, it_follows_the_scale_of_the_desktop])
