"""How the window begins and ends when things are not as they should be."""
import os
import subprocess

from driver import Window, expect, main


def run(binary, *arguments, **environment):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=60,
                          env={**{k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")},
                               **environment})


def says_what_cannot_be(headscope, cli, display, home):
    help_page = run(headscope, "--help")
    expect(help_page.returncode == 0 and "Usage: headscope [PATH]" in help_page.stdout, "--help")
    expect("--probe" not in help_page.stdout, "--help shows the options of tests")
    version = run(headscope, "--version")
    expect(version.returncode == 0 and version.stdout.startswith("headscope "), "--version")
    for arguments, word in [(["--bogus"], "--bogus"), (["a", "b"], "one file"), (["--size", "wide"], "--size"),
                            (["--theme", "blue"], "dark, light or contrast"), (["--screenshot"], "missing"),
                            (["--scale", "nan"], "--scale"), (["--frames", "0"], "--frames"), ([""], "empty")]:
        done = run(headscope, *arguments)
        expect(done.returncode == 2, f"{arguments}: exit code {done.returncode}")
        expect(done.stderr.startswith("error: ") and word in done.stderr, f"{arguments}: {done.stderr}")
        expect(done.stdout == "", f"{arguments}: {done.stdout}")
    nowhere = run(headscope)
    expect(nowhere.returncode == 3, f"without a display: exit code {nowhere.returncode}")
    expect("headscope-cli" in nowhere.stderr and nowhere.stderr.count("\n") == 1, f"without a display: {nowhere.stderr}")
    unwritable = run(headscope, "--screenshot", "/nonexistent/folder/a.png", "--frames", "1")
    expect(unwritable.returncode == 3 and "/nonexistent/folder" in unwritable.stderr, f"unwritable: {unwritable.stderr}")
    picture, broken = home / "a.png", home / "broken.json"
    broken.write_text('{"phrase": 3')
    for given in [home / "nowhere.json", broken]:
        unopened = run(headscope, "--screenshot", str(picture), "--frames", "1", str(given))
        expect(unopened.returncode == 3 and given.name in unopened.stderr and not picture.exists(),
               f"a picture of {given.name}: exit code {unopened.returncode}: {unopened.stderr}")


def ends_politely(headscope, cli, display, home):
    window = Window(headscope, display, home)
    expect(window.quit() == 0, "SIGTERM is an end like any other")
    expect((home / "state" / "headscope").is_dir(), "the last session was not saved")
    expect((home / "config" / "headscope" / "settings.json").is_file(), "the settings were not saved")
    expect(window.log_text() == "", f"it complained: {window.log_text()}")


if __name__ == "__main__":
    main([says_what_cannot_be, ends_politely])
