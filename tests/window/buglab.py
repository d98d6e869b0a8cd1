"""The bug lab: mistakes switched on by key and mouse, the user's own tensors named, number formats."""
import subprocess

from driver import Window, expect, main


def verdicts(p):
    return [name.removeprefix("bug_lab/verdict/") for name in p["rects"] if name.startswith("bug_lab/verdict/")]


def mistakes_are_seen_and_named(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.wait(lambda p: "heads/0" in p["rects"], "the heads")
    window.key("ctrl+b")
    window.wait(lambda p: any(v.startswith("Each concat row mixes") for v in verdicts(p)), "what the direct merge does")
    window.key("Down")
    window.key("space")
    window.wait(lambda p: any("do not sum to 1" in v for v in verdicts(p)), "softmax over queries switched on, too")
    window.key("space")
    window.wait(lambda p: not any("do not sum to 1" in v for v in verdicts(p)), "and off")
    window.key("d")
    window.wait(lambda p: any("Largest difference" in v and " output[" in v for v in verdicts(p)),
                "the next stage that differs")

    # What the user's code gives: the same request with the mistake, written by the command line.
    folder = window.home / "theirs"
    subprocess.run([cli, "run", "--session", str(window.home / "drawn.json"), "--merge", "direct", "--export", "output",
                    "--format", "npy", "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    window.click("bug_lab/choose")
    window.wait(lambda p: "open/path" in p["rects"], "the file dialog")
    window.key("ctrl+a")
    window.type(str(folder / "output.npy"))
    window.key("Return")
    window.wait(lambda p: "bug_lab/answer/It is merge-direct." in p["rects"], "the mistake named")

    window.click("bug_lab/mode/precision")
    window.wait(lambda p: "bug_lab/precision" in p["rects"], "number formats")
    window.click("bug_lab/format/bfloat16")
    window.wait(lambda p: any(name.startswith("bug_lab/fact/") and "bfloat16" in name for name in p["rects"]),
                "the worst cell in bfloat16")
    window.click("bug_lab/mode/mistakes")
    window.wait(lambda p: "bug_lab/use" in p["rects"], "the mistakes again")
    window.key("ctrl+b")
    window.wait(lambda p: "heads/0" in p["rects"], "one layer again")
    window.quit()


if __name__ == "__main__":
    main([mistakes_are_seen_and_named])
