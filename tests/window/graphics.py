"""The graphics driver loses the window's context: tests/faults/preload/lose_context.cpp."""
import contextlib
import json
import os

from driver import SKIPPED, Window, expect, main, preload_path


@contextlib.contextmanager
def losing_window(headscope, display, home):
    """A window, and how its context is lost."""
    injector = os.environ.get("HEADSCOPE_LOSE_CONTEXT_BY", "")
    if not injector:
        print("HEADSCOPE_LOSE_CONTEXT_BY names no injector: nothing was tested")
        raise SystemExit(SKIPPED)
    order = home / "lose"
    os.environ.update(LD_PRELOAD=preload_path(injector), HEADSCOPE_LOSE_CONTEXT=str(order))
    try:
        window = Window(headscope, display, home, ())
    finally:
        del os.environ["LD_PRELOAD"], os.environ["HEADSCOPE_LOSE_CONTEXT"]

    def lose(how):
        order.write_text(how)
        window.run("xdotool", "mousemove", "700", "300")  # a frame

    yield window, lose


def visible(window):
    """The window that is on the screen, where another one was before."""
    found = window.run("xdotool", "search", "--sync", "--onlyvisible", "--pid", str(window.process.pid)).split()
    return found[-1]


def a_lost_context_costs_a_notice(headscope, cli, display, home):
    for how in ("status", "error"):
        with losing_window(headscope, display, home) as (window, lose):
            window.click("phrase", at=(0.9, 0.5))
            window.key("ctrl+a")
            window.type("before it")
            window.shows("the phrase", phrase="before it")
            lose(how)
            p = window.wait(lambda q: any("lost the window's pictures" in each for each in q["notices"]),
                            f"the notice of a context that is lost ({how})")
            expect(p["session"]["phrase"] == "before it", f"{how}: {p['session']['phrase']}")
            before, window.id = window.id, visible(window)
            expect(window.id != before, "it is the same window")
            window.run("xdotool", "windowfocus", "--sync", window.id)
            window.click("phrase", at=(0.9, 0.5))
            window.key("ctrl+a")
            window.type("after it")
            window.shows("the phrase", phrase="after it")
            window.key("ctrl+z")
            window.wait(lambda q: q["session"]["phrase"] != "after it", "undo to go on")
            expect(window.quit() == 0, f"{how}: exit code")
            expect(window.log_text() == "", f"{how}: it said {window.log_text()}")


def contexts_that_are_all_lost_end_it_with_a_sentence(headscope, cli, display, home):
    with losing_window(headscope, display, home) as (window, lose):
        window.click("phrase", at=(0.9, 0.5))
        window.key("ctrl+a")
        window.type("kept")
        window.shows("the phrase", phrase="kept")
        lose("always")
        code = window.process.wait(timeout=60)
        said = window.log_text()
        expect(code == 3, f"exit code {code}: {said}")
        expect(said.count("\n") == 1 and "again and again" in said and "LIBGL_ALWAYS_SOFTWARE" in said, said)
        kept = json.loads((home / "state" / "headscope" / "last-session.json").read_text())
        expect(kept["phrase"] == "kept", f"{kept}")


if __name__ == "__main__":
    main([a_lost_context_costs_a_notice, contexts_that_are_all_lost_end_it_with_a_sentence])
