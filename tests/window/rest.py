"""An idle window waits for events; it does not spin."""
import time

from driver import Window, expect, main


def wait_for_rest(window):
    """Until nothing was drawn for 7 seconds: the caret stops blinking and the session is saved before that."""
    frame, since, end = -1, time.monotonic(), time.monotonic() + 60
    while time.monotonic() - since < 7:
        expect(time.monotonic() < end, "frames are drawn for a minute while nobody does anything")
        if window.probe()["frame"] != frame:
            frame, since = window.probe()["frame"], time.monotonic()
        time.sleep(0.05)


def uses_no_processor_at_rest(headscope, cli, display, home):
    window = Window(headscope, display, home)
    wait_for_rest(window)
    before = window.cpu_ticks()
    time.sleep(5)
    ticks = window.cpu_ticks() - before
    expect(ticks <= 2, f"{ticks} ticks of processor time in 5 seconds of rest")
    window.quit()


def draws_nothing_at_rest(headscope, cli, display, home):
    window = Window(headscope, display, home)
    wait_for_rest(window)
    before = window.probe()["frame"]
    time.sleep(3)
    expect(window.probe()["frame"] == before, "frames were drawn while nothing happened")
    window.run("xdotool", "mousemove", "--window", window.id, "700", "400")
    window.wait(lambda p: p["frame"] > before, "a frame after the mouse moved")
    window.quit()


if __name__ == "__main__":
    main([uses_no_processor_at_rest, draws_nothing_at_rest])
