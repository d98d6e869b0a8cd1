"""Nothing leaves the machine: the window and headscope-cli open no socket but those of the desktop on this machine."""
import os
import pathlib
import subprocess

from driver import Window, expect, main, preload_path


def sockets_of(log, program):
    """The kinds of sockets that the program has opened; that it was watched is told by its first line."""
    lines = log.read_text().splitlines()
    expect(f"begin {program}" in lines, f"{program} was watched")
    return {line.split()[1] for line in lines if line.startswith("socket ")}


def nothing_leaves_the_machine(headscope, cli, display, home):
    log = pathlib.Path(home) / "sockets.txt"
    watch = {"LD_PRELOAD": preload_path(os.environ["HEADSCOPE_NOTE_SOCKETS"]), "HEADSCOPE_SOCKETS": str(log)}
    words = ["--phrase", "the cat sat"]
    out = str(home / "out")
    for command in (["run", *words, "--export", "all", "--out", out], ["render", *words, "--out", str(home / "heads.png")],
                    ["render", *words, "--out", str(home / "heads.pdf")], ["info", "demo:pronouns"], ["script", *words, "--as", "numpy"],
                    ["explain", *words, "--stage", "weights", "--at", "0,1,2,1"]):
        done = subprocess.run([cli, *command], env=dict(os.environ, **watch), capture_output=True, text=True)
        expect(done.returncode == 0, f"{command[0]}: {done.stderr}")
    expect(sockets_of(log, "headscope-cli") == set(), f"headscope-cli opens a socket: {log.read_text()}")
    log.unlink()
    os.environ.update(watch)
    try:
        window = Window(headscope, display, home, ())
        window.type("one two")
        window.key("ctrl+b", "Escape", "F3", "Escape", "ctrl+e", "Escape", "F1", "Escape", "ctrl+o", "Escape")
        expect(window.quit() == 0, "it ends well")
    finally:
        for name in watch:
            del os.environ[name]
    found = sockets_of(log, "headscope")
    expect(found <= {"AF_UNIX"}, f"the window opens sockets of the families {sorted(found)}")


if __name__ == "__main__":
    main([nothing_leaves_the_machine])
