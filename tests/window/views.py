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


def the_first_start_is_folded_and_f12_unfolds_it(headscope, cli, display, home):
    window = Window(headscope, display, home, (), folded=True)
    p = window.wait(lambda q: not q["stale"] and "heads/0" in q["rects"] and "start" in q["rects"], "the demo below the cards")
    for name in ("request/weights", "views/bug_lab", "concat/picture"):
        expect(name not in p["rects"], f"{name} is folded at the first start")
    # The cards of the start stand above the window; a tutorial is one click away, and one closes them.
    window.click("start/tutorial/5")
    window.wait(lambda q: q["session"].get("mask_order") == "before-scale", "tutorial 004")
    window.click("start/model/1")
    window.wait(lambda q: q["session"].get("model") == "demo:stories" and not q["stale"], "the small model again")
    window.click("start/close")
    window.wait(lambda q: "start" not in q["rects"], "the cards closed")
    # One head is large; the row above it picks others, a fact of the request opens its controls, a word leads to its cell.
    window.wait(lambda q: {"heads/looks", "heads/goes_on", "view_head/without"} <= set(q["rects"]), "what the head does")
    window.click("heads/4")
    window.wait(lambda q: q["session"]["view"].get("head") == 4 and q["session"]["view"]["view"] == "head", "head 4 large")
    window.click("request/fact/mask")
    window.wait(lambda q: {"request/fact_row", "request/mask_order"} <= set(q["rects"]), "the mask's controls in a row")
    window.key("Escape")
    window.wait(lambda q: "request/fact_row" not in q["rects"], "the row closed")
    window.click("pipeline/context")
    window.wait(lambda q: q["session"]["view"].get("stage") == "context", "the contexts")
    window.click("view_head/share")
    window.wait(lambda q: q["session"]["view"]["view"] == "head", "the cell that the headline names")
    # Every group opens a view of it, and leads back.
    for group, view in (("Change", "mask"), ("Why", "lens"), ("Beyond", "generate")):
        window.click(f"views/group/{group}")
        window.wait(lambda q: f"views/{view}" in q["rects"] and "heads/0" not in q["rects"], group)
    window.click("views/group/Look")
    window.wait(lambda q: "heads/0" in q["rects"], "one layer again")
    window.key("F12")
    window.wait(lambda q: "request/weights" in q["rects"] and "views/bug_lab" in q["rects"], "everything unfolded")
    window.click("views/unfold")
    window.wait(lambda q: "request/weights" not in q["rects"] and "views/bug_lab" not in q["rects"], "folded again")
    window.key("F12")
    expect(window.quit() == 0, "it ends well")
    # It is kept, per user.
    window = Window(headscope, display, home, (), folded=True)
    window.wait(lambda q: "request/weights" in q["rects"] and "views/bug_lab" in q["rects"], "as it was left")
    window.quit()


if __name__ == "__main__":
    main([views_are_entered_and_left_by_the_mouse, the_first_start_is_folded_and_f12_unfolds_it])
