"""Memory is missing while the window is open: it says so, goes on, and loses nothing that was typed."""
import contextlib
import json
import os
import pathlib
import time

from driver import PATIENCE, Failure, Window, expect, main, preload_path

TYPED = "Hola mi nombre es Alex and more"


def limited(headscope, display, home, smallest):
    """A window in which every allocation of `smallest` bytes or more fails as long as the returned file is there."""
    missing = pathlib.Path(home) / "missing"
    limits = {"LD_PRELOAD": preload_path(os.environ["HEADSCOPE_FAIL_ALLOCATIONS"]), "HEADSCOPE_FAIL_SIZE": str(smallest),
              "HEADSCOPE_FAIL_WHILE": str(missing)}
    return opened(headscope, display, home, limits), missing


def opened(headscope, display, home, limits):
    """A window with these variables in its environment."""
    os.environ.update(limits)
    try:
        window = Window(headscope, display, home)
    finally:
        for name in limits:
            del os.environ[name]
    window.environment = {name: value for name, value in window.environment.items() if name not in limits}  # for xclip
    return window


def told(p):
    return any("memory" in json.dumps(notice) for notice in p["notices"])


def kept_session(home):
    return (home / "state" / "headscope" / "last-session.json").read_text()


def a_large_paste_without_memory_is_told(headscope, cli, display, home):
    window, missing = limited(headscope, display, home, 4 << 20)
    window.key("End")
    window.type(" and more")
    window.shows("the typed words", phrase=TYPED)
    missing.touch()
    window.paste("word " * 600_000)
    window.wait(told, "a notice about memory")
    missing.unlink()
    window.shows("what was typed before, since the paste is too much", phrase=TYPED)
    window.type("!")
    window.shows("what is typed afterwards", phrase=TYPED + "!")
    expect(window.quit() == 0, "it ends well")
    expect(TYPED + "!" in kept_session(home), "the session is saved")


def where_a_library_gives_up_nothing_typed_is_lost(headscope, cli, display, home):
    """Xlib ends the program when it cannot read what is pasted."""
    window, missing = limited(headscope, display, home, 1 << 20)
    window.key("End")
    window.type(" and more")
    window.shows("the typed words", phrase=TYPED)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not (home / "state" / "headscope" / "last-session.json").exists():
        time.sleep(0.05)
    missing.touch()
    with contextlib.suppress(Failure):  # it ends
        window.paste("word " * 600_000)
    expect(window.process.wait(timeout=PATIENCE) in (0, 3), f"exit {window.process.returncode}: {window.log_text()}")
    expect("error: memory: " in window.log_text(), f"it says {window.log_text()}")
    expect(TYPED in kept_session(home), "the session is saved")


def a_driver_without_memory_is_the_end_and_nothing_is_lost(headscope, cli, display, home):
    """tests/faults/preload/fail_in_driver.cpp: it would hang in the next frame, or while it cleans up."""
    missing = pathlib.Path(home) / "missing"
    window = opened(headscope, display, home, {"LD_PRELOAD": preload_path(os.environ["HEADSCOPE_FAIL_IN_DRIVER_BY"]),
                                               "HEADSCOPE_FAIL_IN_DRIVER": str(missing)})
    window.key("End")
    window.type(" and more")
    window.shows("the typed words", phrase=TYPED)
    missing.touch()
    with contextlib.suppress(Failure):  # it ends
        window.type("!")  # a frame, if none was due
    code = window.process.wait(timeout=PATIENCE)
    expect(code == 3, f"exit {code}: {window.log_text()}")
    expect("error: memory: " in window.log_text(), f"it says {window.log_text()}")
    expect(TYPED in kept_session(home), "what was typed a moment before is saved")


if __name__ == "__main__":
    main([a_large_paste_without_memory_is_told, where_a_library_gives_up_nothing_typed_is_lost,
          a_driver_without_memory_is_the_end_and_nothing_is_lost])
