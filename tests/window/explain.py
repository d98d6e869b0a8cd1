"""Where a number comes from: an operand leads to its cell, Alt+Left returns, one follows a token, numbers are copied."""
import json

from driver import Window, expect, main

PHRASE = "The animal didn't cross the street because it was too tired ."


def stage_of(p):
    return p["session"]["view"].get("stage", "weights")  # which a session leaves out


def an_operand_leads_on_and_back(headscope, cli, display, home):
    request = home / "twelve.json"
    request.write_text(json.dumps({"headscope": "0.1.0", "phrase": PHRASE, "model": "seeded", "d_model": 64}))
    window = Window(headscope, display, home, [request])
    window.click("pipeline/context")
    window.click("inspector/picture", at=(0.2, 0.63))
    p = window.wait(lambda q: "inspector/where/cell" in q["rects"], "the explanation of a context cell")
    terms = [name for name in p["rects"] if name.startswith("inspector/where/term/") and name.count("/") == 3]
    expect(len(terms) >= 2, f"rows of the largest terms, found {terms}")
    window.click(terms[0] + "/left")
    window.wait(lambda q: stage_of(q) == "weights", "the weight of the row")
    window.key("alt+Left")
    window.wait(lambda q: stage_of(q) == "context", "the context cell again")
    window.key("alt+Right")
    window.wait(lambda q: stage_of(q) == "weights", "forward to the weight")
    window.key("alt+Left")
    # The number under the mouse, every digit.
    window.move(terms[0] + "/right")
    window.key("ctrl+c")
    value = float(window.clipboard())
    key = int(terms[0].rsplit("/", 1)[1])
    window.click(terms[0] + "/right")
    window.wait(lambda q: stage_of(q) == "value", "the value of the row")
    window.move("menu/File")
    window.key("ctrl+c")
    expect(float(window.clipboard()) == value, f"value of key {key}: {window.clipboard()} and {value}")
    window.quit()


def one_follows_a_token(headscope, cli, display, home):
    request = home / "twelve.json"
    request.write_text(json.dumps({"headscope": "0.1.0", "phrase": PHRASE, "model": "seeded", "d_model": 64}))
    window = Window(headscope, display, home, [request])
    window.click("pipeline/weights")
    window.key("ctrl+j")
    p = window.wait(lambda q: "follow/tensors" in q["rects"], "the view that follows")
    expect("heads/0" not in p["rects"], "it takes the place of the heads")
    window.key("Right")
    window.wait(lambda q: stage_of(q) == "context", "one step on")
    window.key("Right")
    p = window.wait(lambda q: stage_of(q) == "concat", "two steps on")
    expect("follow/concat" in p["rects"] and "linked/weights" in p["rects"], "concat and what feeds it")
    window.key("Left", "Left", "Left")
    window.wait(lambda q: stage_of(q) in ("masked_scores", "scores"), "three steps back")
    window.key("End")
    window.wait(lambda q: stage_of(q) == "output", "the last step")
    window.key("Home")
    window.wait(lambda q: stage_of(q) == "input", "the first step")
    window.key("Up")
    window.settle()
    window.key("ctrl+j")
    window.wait(lambda q: "heads/0" in q["rects"], "heads again")
    window.quit()


if __name__ == "__main__":
    main([an_operand_leads_on_and_back, one_follows_a_token])
