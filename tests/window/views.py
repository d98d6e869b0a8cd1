"""The strip of views in a small real window: in by one click, out by the x, Esc and 'One layer'."""
from driver import Window, expect, main

VIEWS = ("follow", "compare", "sensitivity", "bug_lab", "mask", "weights", "script")


def views_are_entered_and_left_by_the_mouse(headscope, cli, display, home):
    window = Window(headscope, display, home, size=(1280, 800))
    window.shows("the first result", phrase="Hola mi nombre es Alex")
    leave = (lambda: window.click("views/leave"), lambda: window.key("Escape"), lambda: window.click("views/layer"))
    for k, view in enumerate(VIEWS):
        window.click(f"views/{view}")
        window.wait(lambda p: "views/leave" in p["rects"] and "heads/0" not in p["rects"], view)
        leave[k % 3]()
        window.wait(lambda p: "views/leave" not in p["rects"] and "heads/0" in p["rects"], f"one layer after {view}")
    # The Request lies over the panels here; a click beside it closes it.
    window.key("F9")
    window.rect("request/close")
    window.click("inspector", at=(0.5, 0.05))
    window.wait(lambda p: "request/close" not in p["rects"], "the Request to close")
    # The desktop's title has the document, the model and the mark of a change.
    expect(window.run("xdotool", "getwindowname", window.id).strip() == "drawn.json \u00b7 seeded - Headscope", "the title")
    window.click("phrase")
    window.type(" a")
    p = window.wait(lambda q: q["title"] == "drawn.json* \u00b7 seeded", "the mark")
    expect(window.run("xdotool", "getwindowname", window.id).strip() == p["title"] + " - Headscope", "the title changed")
    window.quit()


if __name__ == "__main__":
    main([views_are_entered_and_left_by_the_mouse])
