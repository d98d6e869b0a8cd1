"""Memory is missing while the window is open: it says so, goes on, and loses nothing that was typed."""
import json
import os
import pathlib

from driver import Window, expect, main

TYPED = "Hola mi nombre es Alex and more"


def limited(headscope, display, home, smallest):
    """A window in which every allocation of `smallest` bytes or more fails as long as the returned file is there."""
    missing = pathlib.Path(home) / "missing"
    limits = {"LD_PRELOAD": os.environ["HEADSCOPE_FAIL_ALLOCATIONS"], "HEADSCOPE_FAIL_SIZE": str(smallest),
              "HEADSCOPE_FAIL_WHILE": str(missing)}
    os.environ.update(limits)
    try:
        return Window(headscope, display, home), missing
    finally:
        for name in limits:
            del os.environ[name]


def told(p):
    return any("memory" in json.dumps(notice) for notice in p["notices"])


def a_large_paste_without_memory_is_told(headscope, cli, display, home):
    window, missing = limited(headscope, display, home, 1 << 20)
    window.key("End")
    window.type(" and more")
    window.shows("the typed words", phrase=TYPED)
    missing.touch()
    window.paste("word " * 600_000)
    window.wait(told, "a notice about memory")
    missing.unlink()
    window.type("!")
    window.shows("what is typed afterwards", phrase=TYPED + "!")
    expect(window.quit() == 0, "it ends well")
    kept = (home / "state" / "headscope" / "last-session.json").read_text()
    expect(TYPED + "!" in kept, "the session is saved")


if __name__ == "__main__":
    main([a_large_paste_without_memory_is_told])
