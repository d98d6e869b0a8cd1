"""A pinned result beside the current one, and what a number depends on, in the real window."""
import json
import subprocess

from driver import Window, expect, main


def starts_at(probe):
    """The stage at which the panel says that A and B begin to differ."""
    names = [name.removeprefix("compare/first/") for name in probe["rects"] if name.startswith("compare/first/")]
    return names[0] if names else None


def a_pinned_result_is_compared_with_what_one_edits(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.shows("the first result", phrase="Hola mi nombre es Alex")
    window.key("ctrl+d")
    expect("compare/pin" in window.wait(lambda p: "compare" in p["rects"], "the view")["rects"], "nothing to press")
    window.key("ctrl+shift+d")
    window.wait(lambda p: "status/pinned" in p["rects"], "the pin in the status bar")
    p = window.wait(lambda q: starts_at(q) == "nowhere", "two equal results")
    expect("compare/current" in p["rects"], "it is not of these two")

    window.key("ctrl+d")
    window.click("request/merge/direct reshape")
    window.shows("heads merged directly", merge="direct")
    window.key("ctrl+d")
    p = window.wait(lambda q: starts_at(q) == "concat" and "compare/current" in q["rects"], "a difference from concat on")
    expect("compare/option/merge" in p["rects"], "the changed option is not listed")
    window.click("compare/stages/scores")
    p = window.wait(lambda q: "compare/current" in q["rects"] and q["resting"], "scores")
    expect(all(name in p["rects"] for name in ("compare/A/picture", "compare/B/picture", "compare/difference/picture")),
           "one of the three maps is missing")

    # A survives what one does elsewhere, and is let go by hand.
    window.key("ctrl+d")
    window.wait(lambda q: "compare" not in q["rects"] and "status/pinned" in q["rects"], "one layer again, A pinned")
    window.key("ctrl+d")
    window.click("compare/unpin")
    window.wait(lambda q: "status/pinned" not in q["rects"], "A to be let go")
    window.quit()


def what_a_number_depends_on_is_the_command_lines(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.shows("the first result", phrase="Hola mi nombre es Alex")
    window.click("phrase/tokens/3")
    window.click("phrase/tokens/1", button=3)
    window.key("ctrl+shift+g")
    window.rect("sensitivity/picture")
    p = window.rect("sensitivity/token/input/4") and window.probe()
    expect(all(f"sensitivity/token/input/{k}" in p["rects"] for k in range(5)), "a bar for every token")
    found = subprocess.run([cli, "sensitivity", "--session", str(home / "drawn.json"), "--stage", "weights", "--at",
                            "0,0,3,1", "--json"], capture_output=True, text=True, check=True)
    tokens = json.loads(found.stdout)["tokens"]
    expect(len(tokens) == 5 and tokens[3]["norm"] > 0 and tokens[4]["norm"] == 0, "the future does not count")
    window.key("ctrl+shift+g")
    window.wait(lambda q: "sensitivity" not in q["rects"], "one layer again")
    window.quit()


if __name__ == "__main__":
    main([a_pinned_result_is_compared_with_what_one_edits, what_a_number_depends_on_is_the_command_lines])
