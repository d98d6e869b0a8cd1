"""An idle window waits for events; it does not spin."""
import time

from driver import Window, expect, main


def uses_no_processor_at_rest(headscope, cli, display, home):
    window = Window(headscope, display, home)
    time.sleep(7)  # the last session is saved once after five seconds of rest
    before = window.cpu_ticks()
    time.sleep(5)
    ticks = window.cpu_ticks() - before
    expect(ticks <= 2, f"{ticks} ticks of processor time in 5 seconds of rest")
    window.quit()


def draws_nothing_at_rest(headscope, cli, display, home):
    window = Window(headscope, display, home)
    time.sleep(7)
    before = window.probe()["frame"]
    time.sleep(3)
    expect(window.probe()["frame"] == before, "frames were drawn while nothing happened")
    window.run("xdotool", "mousemove", "--window", window.id, "700", "500")
    window.wait(lambda p: p["frame"] > before, "a frame after the mouse moved")
    window.quit()


if __name__ == "__main__":
    main([uses_no_processor_at_rest, draws_nothing_at_rest])
