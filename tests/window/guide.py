"""Help > Guide by mouse and keyboard: opened from the menu, searched, its links followed, left."""
import os

from driver import Window, expect, main


def picture(window, name):
    folder = os.environ.get("HEADSCOPE_PICTURES")
    if folder:
        window.settle()
        window.run("import", "-window", "root", os.path.join(folder, name + ".png"))


def the_guide_is_searched_and_followed(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("menu/Help")
    window.click("menu/Help/Guide")
    window.wait(lambda p: "guide/page/01-first-look" in p["rects"], "the pages of the guide")
    window.type("residual stream")  # the field has the focus
    window.wait(lambda p: "guide/page/01-first-look" not in p["rects"], "what was found instead of the pages")
    window.click("guide/query", times=3)
    window.type("bug lab")
    window.wait(lambda p: "guide/hit/0" in p["rects"], "a place with these words")
    window.click("guide/query", times=3)
    window.key("BackSpace")
    window.click("guide/page/04-find-my-bug")
    window.wait(lambda p: "guide/link/1" in p["rects"] and p["rects"]["guide/link/1"][1] > 0, "the page")
    window.click("guide/link/1")  # Ctrl+B
    p = window.wait(lambda q: "guide" not in q["rects"] and any(name.startswith("buglab") or name.startswith("bug_lab")
                                                              for name in q["rects"]), "the bug lab")
    window.key("shift+F1")
    window.wait(lambda q: "guide/link/1" in q["rects"], "the page that was read last")
    for _ in range(30):  # the mouse still points at the page; the first lines to copy stand further down
        if "guide/copy/1" in window.probe()["rects"]:
            break
        window.run("xdotool", "click", "5")
        window.settle()
    window.click("guide/copy/1")
    copied = window.run("xclip", "-selection", "clipboard", "-o")
    expect("headscope-cli diagnose" in copied, f"the lines were copied: {copied!r}")
    window.key("Escape")
    window.wait(lambda q: "guide" not in q["rects"], "the guide to be left")
    expect(p["dialog"] == 0, "no dialog was open over the bug lab")


def a_term_is_explained(headscope, cli, display, home):
    window = Window(headscope, display, home, (), folded=True)
    for term, heading in (("request/fact/scale", "scale"), ("inspector/entropy", "entropy"), ("tokens_fact", "tokenizer")):
        window.move(term)
        window.settle()
        picture(window, f"term-{heading}")
        window.key("F1")
        window.wait(lambda q: "guide/page/12-glossary" in q["rects"], "the glossary")
        picture(window, f"glossary-{heading}")
        window.key("Escape")
        window.wait(lambda q: "guide/page/12-glossary" not in q["rects"], "the window again")
    window.key("shift+F1")
    window.wait(lambda q: "guide/page/13-rope" in q["rects"], "the pages")
    window.click("guide/page/13-rope")
    picture(window, "rope")
    window.key("Escape")


if __name__ == "__main__":
    main([the_guide_is_searched_and_followed, a_term_is_explained])
