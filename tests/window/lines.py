"""Lines from queries to keys: the view, its heads, what is under the mouse, and the drawing that it leaves."""
import xml.etree.ElementTree as xml

from driver import Window, expect, main

SVG = "{http://www.w3.org/2000/svg}"


def lines_are_shown_chosen_and_saved(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("heads/show/arcs")
    window.wait(lambda p: "heads/lines" in p["rects"], "the lines")
    expect("neurons" in window.probe()["rects"], "the features of the pair beside the lines")
    window.click("heads/arcs/all")
    window.click("heads/arcs/2")
    window.wait(lambda p: p["session"]["view"].get("heads_shown") == "0,1,3,4,5,6,7", "head 2 switched off")
    window.key("1")
    window.wait(lambda p: p["session"]["view"].get("heads_shown") == "0,3,4,5,6,7", "head 1 switched off by its key")
    window.move("heads/query/3")
    window.settle()
    window.click("heads/query/3")
    window.wait(lambda p: p["session"]["view"].get("token") == 3, "query 3 pinned")
    window.key("s")
    p = window.wait(lambda q: q["job"]["result"] and not q["job"]["running"], "the drawing to be written")
    expect(not p["job"]["failed"], p["job"]["result"])
    found = [path for path in window.home.rglob("*.lines.svg")]
    expect(len(found) == 1, f"one drawing, found {found}")
    root = xml.parse(found[0]).getroot()
    curves = [path for path in root.iter(SVG + "path") if path.get("stroke-width") and "C" in path.get("d")]
    expect(len(curves) > 20, f"{len(curves)} curves")
    expect(any(text.text == "Alex" for text in root.iter(SVG + "text")), "the tokens as words")
    window.click("heads/show/grid")
    window.wait(lambda q: "heads/0" in q["rects"], "the grid again")
    window.quit()


if __name__ == "__main__":
    main([lines_are_shown_chosen_and_saved])
