"""The offer of the tour, the tour in two languages, left and gone on with; the script; an example and its mistakes."""
import json
import os
import subprocess

from driver import Window, expect, main


def titles(home, code):
    """The titles of the tour in the language that the program was built with."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "assets", "languages", code + ".json"), encoding="utf-8") as file:
        return json.load(file)


def picture(window, name):
    folder = os.environ.get("HEADSCOPE_PICTURES")
    if folder:
        window.settle()
        window.run("import", "-window", "root", os.path.join(folder, name + ".png"))


def step_of(p):
    return p["tour"]["step"]


def the_tour_is_offered_left_and_gone_on_with(headscope, cli, display, home):
    window = Window(headscope, display, home, ())
    expect("notice/tour-offer/button" in window.probe()["rects"], "who has opened nothing yet is offered the tour")
    expect("heads/0" in window.probe()["rects"] or "heads" in window.probe()["rects"], "and shows the demo at once")
    picture(window, "offer")
    window.click("notice/tour-offer/button")
    p = window.wait(lambda q: "tour/next" in q["rects"], "the first step")
    expect("tour/back" not in p["rects"], "nothing lies before the first step")
    last = len(titles(home, "en")["tour"]) - 1
    for step in range(1, last + 1):
        picture(window, f"tour-{step:02}")
        window.key("Return")
        p = window.wait(lambda q, s=step: step_of(q) == s, f"step {step + 1}")
        box = p["rects"]["tour"]
        expect(0 <= box[0] and 0 <= box[1] and box[2] <= p["size"][0] and box[3] <= p["size"][1], "the box is on screen")
    picture(window, f"tour-{last + 1}")
    window.key("Left")
    window.wait(lambda q: step_of(q) == last - 1, "back by key")
    # The panels go on working under it.
    window.click("heads/1", at=(0.5, 0.5)) if "heads/1" in window.probe()["rects"] else None
    window.settle()
    window.click("tour/leave")
    window.wait(lambda q: step_of(q) < 0 and "tour" not in q["rects"], "the tour left")
    window.quit()
    window = Window(headscope, display, home, ())
    expect("notice/tour-offer/button" in window.probe()["rects"], "a tour that was left is offered again")
    window.key("ctrl+p")
    window.wait(lambda q: "palette/query" in q["rects"], "the palette")
    window.type("tour")
    window.settle()
    window.key("Return")
    window.wait(lambda q: step_of(q) == last - 1, "the tour goes on where it was left")
    window.key("Right")
    window.wait(lambda q: step_of(q) == last, "the last step")
    window.key("Return")
    window.wait(lambda q: step_of(q) < 0, "the end")
    window.quit()


def the_tour_speaks_the_users_language(headscope, cli, display, home):
    os.environ["LC_ALL"] = "es_MX.UTF-8"
    try:
        window = Window(headscope, display, home)
        window.key("ctrl+p")
        window.type("tour")
        window.settle()
        window.key("Return")
        p = window.wait(lambda q: q["tour"]["title"] == titles(home, "es")["tour"]["phrase"]["title"], "Spanish words")
        expect("Hola, mi, nombre, es, Alex" in p["tour"]["text"], f"the phrase's own tokens: {p['tour']['text']}")
        for step in range(1, len(titles(home, "es")["tour"])):
            picture(window, f"visita-{step:02}")
            window.key("Right")
            p = window.wait(lambda q, s=step: step_of(q) == s, f"step {step + 1}")
            expect("{" not in p["tour"]["text"], f"every place is filled in: {p['tour']['text']}")
        picture(window, "visita-last")
        window.quit()
    finally:
        del os.environ["LC_ALL"]


def the_script_runs(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.key("ctrl+shift+p")
    window.wait(lambda q: "script/code" in q["rects"], "the script")
    picture(window, "script-dark")
    window.click("pipeline/concat")
    window.wait(lambda q: "script/marked" in q["rects"], "the lines of concat")
    window.click("script/as/NumPy")
    window.settle()
    picture(window, "script-numpy")
    window.key("ctrl+t")
    window.click("script/as/LaTeX")
    window.settle()
    picture(window, "script-latex-light")
    window.click("script/as/PyTorch")
    window.settle()
    picture(window, "script-light")
    window.click("script/copy")
    text = window.clipboard()
    expect("import torch" in text and text.count("stage(\"") > 10, "the text on the clipboard")
    window.click("script/as/NumPy")
    window.click("script/save")
    window.wait(lambda q: "save/primary" in q["rects"], "the dialog that asks for name and place")
    picture(window, "script-save")
    window.key("ctrl+a")
    window.type("mine.py")
    window.key("Return")
    p = window.wait(lambda q: q["job"]["result"] and not q["job"]["running"], "the files")
    expect(not p["job"]["failed"], p["job"]["result"])
    found = list(window.home.rglob("mine.py"))
    expect(len(found) == 1 and found[0].with_suffix(".safetensors").exists(), f"script and data, found {found}")
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
        out = subprocess.run([python, str(found[0])], capture_output=True, text=True)
        expect(out.returncode == 0 and "output           [1, 5, 512]" in out.stdout, out.stdout + out.stderr)
    window.key("ctrl+shift+p")
    window.wait(lambda q: "script" not in q["rects"] and "heads" in q["rects"], "the panels again")
    window.quit()


def an_example_shows_its_mistakes(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("menu/File")
    window.move("menu/File/Examples")
    picture(window, "examples-menu")
    window.click("menu/File/Examples/What each shows...")
    window.wait(lambda q: "examples/001-causal-phrase" in q["rects"], "the list of examples")
    picture(window, "examples")
    window.click("examples/001-causal-phrase")
    p = window.wait(lambda q: "mistake/next" in q["rects"], "the first mistake")
    expect(p["session"].get("merge") == "direct", "the tutorial's own merge")
    picture(window, "mistake-1")
    window.key("Return")
    window.settle()
    picture(window, "mistake-2")
    window.click("pipeline/weights")
    window.click("mistake/go")
    p = window.wait(lambda q: "request/embedding" in q["rects"], "back at the place")
    expect(p["session"].get("view", {}).get("stage") in (None, "input"), f"its stage again: {p['session']}")
    window.click("mistake/next")
    window.settle()
    window.click("mistake/next")
    window.wait(lambda q: "mistake" not in q["rects"], "the last mistake")
    window.quit()


def the_settings_hold_the_language(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.key("ctrl+comma")
    window.wait(lambda q: "settings/language" in q["rects"], "the settings")
    picture(window, "settings")
    window.click("settings/language")
    window.click("settings/language/Español")
    window.settle()
    window.key("Escape")
    window.wait(lambda q: "settings" not in q["rects"], "the window again")
    window.quit()
    window = Window(headscope, display, home)
    window.key("ctrl+p")
    window.type("tour")
    window.settle()
    window.key("Return")
    window.wait(lambda q: q["tour"]["title"] == titles(home, "es")["tour"]["phrase"]["title"], "Spanish after a restart")
    window.quit()


the_list = [the_tour_is_offered_left_and_gone_on_with, the_tour_speaks_the_users_language, the_script_runs,
            an_example_shows_its_mistakes, the_settings_hold_the_language]

if __name__ == "__main__":
    main(the_list)
