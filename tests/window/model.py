"""A checkpoint folder in the real window: its layers, its heads switched off, what it then predicts."""
import pathlib
import subprocess

from driver import Window, expect, main
from export import choose, export, rows_of

DEMO = pathlib.Path(__file__).resolve().parents[2] / "assets" / "demos" / "pronouns"
PHRASE = "The animal didn't cross the street because it was too tired"


def changes(probe):
    """What the panel says that the interventions have changed."""
    return [name.removeprefix("layers/change: ") for name in probe["rects"] if name.startswith("layers/change: ")]


def switch_off(window, head):
    window.click(head, button=3)
    window.click("head_menu/Switch off")


def opened(headscope, display, home):
    window = Window(headscope, display, home, [DEMO])
    p = window.shows("the folder's model", model=str(DEMO))
    expect(p["session"]["view"].get("head") is None, "it begins at the head that the first start points at")
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type(PHRASE)
    window.shows("the phrase", phrase=PHRASE)
    return window


def a_layer_is_picked(headscope, cli, display, home):
    window = opened(headscope, display, home)
    window.click("request/layer/0")
    window.shows("the first layer", layer=0)
    window.key("F3")
    window.rect("layers/1.7")
    window.click("layers/1.2", times=2)
    p = window.shows("the second layer again", layer=1)
    expect("heads/2" in p["rects"] and p["session"]["view"]["head"] == 2, "head 2 is not in the main view")
    window.quit()


def a_head_that_is_off_changes_what_is_predicted(headscope, cli, display, home):
    window = opened(headscope, display, home)
    window.key("F3")
    window.rect("layers/1.0")
    p = window.wait(lambda q: "layers/loss" in q["rects"] or "layers/1.7" in q["rects"], "the view over all layers")
    expect(not changes(p), "something changed before a head was switched off")
    for head in range(8):
        switch_off(window, f"layers/1.{head}")
    off = ",".join(f"1.{head}" for head in range(8))
    p = window.shows("all heads of the last layer off", ablate=off)
    p = window.wait(changes, "what that changes")
    sentence = changes(p)[0]
    expect("animal" in sentence and "from" in sentence and "%" in sentence, sentence)
    window.click("layers/interventions/clear")
    window.shows("all heads on again", ablate=None)
    window.key("F3")
    window.quit()


def what_is_exported_is_the_command_lines(headscope, cli, display, home):
    window = opened(headscope, display, home)
    window.key("F3")
    switch_off(window, "layers/0.1")
    window.shows("head 1 of layer 0 off", ablate="0.1")
    window.click("layers/1.2", times=2)
    window.shows("its layer in the main view", layer=1, ablate="0.1")
    window.wait(lambda p: p["session"]["view"].get("head") == 2, "head 2")
    exported = export(window, "two.csv", choose("export/format", "Right", 4))
    subprocess.run([cli, "run", "--model", str(DEMO), "--phrase", PHRASE, "--layer", "1", "--ablate", "0.1", "--export",
                    "weights", "--format", "csv", "--out", str(home / "cli")], check=True, capture_output=True,
                   env=window.environment)
    expect(rows_of(exported) == rows_of(home / "cli" / "weights.b0.h2.csv"), "window and command line differ")
    window.quit()


if __name__ == "__main__":
    main([a_layer_is_picked, a_head_that_is_off_changes_what_is_predicted, what_is_exported_is_the_command_lines])
