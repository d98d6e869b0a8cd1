"""The controls of the request, with mouse and keys."""
from driver import Window, expect, main


def heads_and_a_problem(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("request/num_heads/-")
    p = window.shows("four heads", heads=4)
    expect(p["shapes"]["query"] == [1, 4, 5, 128], f"{p['shapes']}")
    window.click("request/num_heads/+")
    p = window.wait(lambda q: not q["stale"] and q["session"].get("heads", 8) == 8, "eight heads again")

    window.click("request/num_heads")
    window.key("ctrl+a")
    window.type("7")
    p = window.wait(lambda q: "7 does not divide 512" in q["problem"], "the problem of 7 heads")
    expect(p["stale"] and p["shapes"]["weights"] == [1, 8, 5, 5], "the last good picture is gone")
    window.key("Escape", "ctrl+z")
    window.wait(lambda q: q["problem"] == "" and not q["stale"], "the problem undone")
    window.quit()


def masks_compose(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.shows("the demo's mask", mask="causal")
    window.click("request/mask/window")
    p = window.wait(lambda q: "causal" in str(q["session"].get("mask")) and "window" in str(q["session"].get("mask")) and
                    not q["stale"], "both masks")
    window.click("request/mask/causal")
    p = window.wait(lambda q: "window" in str(q["session"].get("mask")) and "causal" not in str(q["session"]["mask"]) and
                    not q["stale"], "the window mask alone")
    expect(p["problem"] == "", p["problem"])
    window.key("ctrl+z", "ctrl+z")
    window.shows("both undone", mask="causal")
    window.quit()


def a_small_window_still_works(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.resize(1280, 800)
    window.settle()
    for name in ("phrase", "heads/0", "heads/7"):
        x0, y0, x1, y1 = window.rect(name)
        expect(0 <= x0 < x1 <= 1280 and 0 <= y0 < y1 <= 800, f"{name} lies at {[x0, y0, x1, y1]}")
    window.click("heads/5")
    window.wait(lambda q: q["session"]["view"].get("head") == 5, "head 5")
    window.resize(960, 640)
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("small")
    p = window.shows("the small phrase", phrase="small")
    expect(p["tokens"] == 1, f"{p['tokens']} tokens")
    window.quit()


def the_next_start_shows_what_the_last_showed(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("remember me")
    window.shows("the phrase", phrase="remember me")
    window.click("heads/6")
    before = window.wait(lambda q: q["session"]["view"].get("head") == 6, "head 6")["session"]
    expect(window.quit() == 0, "exit code")
    window = Window(headscope, display, home, ())
    after = window.shows("the same phrase", phrase="remember me")["session"]
    expect(after == before, f"before {before}\nafter {after}")
    window.quit()


if __name__ == "__main__":
    main([heads_and_a_problem, masks_compose, a_small_window_still_works, the_next_start_shows_what_the_last_showed])
