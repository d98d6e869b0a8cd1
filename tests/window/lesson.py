"""A lesson is recorded with mouse and keys, kept by the session, played, and written as numbered pictures."""
import json
import os
import pathlib
import subprocess

from driver import Window, expect, main


def lesson_of(p):
    return p["session"].get("window", {}).get("lesson", [])


def words_of(p):
    return [stop["words"] for stop in lesson_of(p)]


def record(window):
    window.key("ctrl+shift+k")
    window.type("Everything at once.")
    window.key("ctrl+b")
    window.click("lesson/add")
    window.type("And what goes wrong.")
    return window.wait(lambda p: words_of(p) == ["Everything at once.", "And what goes wrong."], "two stops")


def a_lesson_is_recorded_kept_and_played(headscope, cli, display, home):
    window = Window(headscope, display, home, ())
    record(window)
    # Undo takes back typing, then the stop, and redo brings both.
    window.key("ctrl+z", "ctrl+z")
    window.wait(lambda p: words_of(p) == ["Everything at once."], "one stop")
    window.key("ctrl+shift+z", "ctrl+shift+z")
    window.wait(lambda p: len(words_of(p)) == 2, "both again")
    window.quit()
    window = Window(headscope, display, home, ())
    expect(words_of(window.probe()) == ["Everything at once.", "And what goes wrong."], "the next start has the lesson")
    window.key("ctrl+p")
    window.type("play the lesson")
    window.settle()
    window.key("Return")
    window.wait(lambda p: "lesson/next" in p["rects"] and "views/bug_lab" in p["rects"] and "heads/0" in p["rects"],
                "the first stop, one layer")
    window.key("Return")
    window.wait(lambda p: "heads/0" not in p["rects"] and "lesson/next" in p["rects"], "the second, the bug lab")
    window.key("Left")
    window.wait(lambda p: "heads/0" in p["rects"], "back at the first")
    window.key("Escape")
    window.wait(lambda p: "lesson" not in p["rects"], "the lesson left")
    expect(window.quit() == 0, "it ends well")


def a_lesson_becomes_numbered_pictures(headscope, cli, display, home):
    config = pathlib.Path(home) / "config" / "headscope"
    config.mkdir(parents=True)
    (config / "settings.json").write_text(json.dumps({"export_folder": str(home), "export_scale": 1}))
    window = Window(headscope, display, home, ())
    record(window)
    window.click("lesson/pictures")
    folder = pathlib.Path(home) / "headscope-lesson"
    window.wait(lambda p: (folder / "2.png").exists(), "the pictures")
    window.wait(lambda p: "lesson/words" in p["rects"] and p["resting"], "the strip as it was")
    expect(sorted(os.listdir(folder)) == ["1.png", "2.png"], f"two files: {os.listdir(folder)}")
    for number in (1, 2):
        done = subprocess.run([cli, "info", str(folder / f"{number}.png"), "--json"], capture_output=True, text=True)
        expect(done.returncode == 0, f"{number}.png opens on the command line: {done.stderr}")
    expect((folder / "1.png").read_bytes() != (folder / "2.png").read_bytes(), "each shows its own stop")
    pictures = os.environ.get("HEADSCOPE_PICTURES")
    if pictures:
        for file in folder.iterdir():
            (pathlib.Path(pictures) / f"lesson-{file.name}").write_bytes(file.read_bytes())
    expect(window.quit() == 0, "it ends well")


def a_lesson_is_handed_out(headscope, cli, display, home):
    config = pathlib.Path(home) / "config" / "headscope"
    config.mkdir(parents=True)
    (config / "settings.json").write_text(json.dumps({"export_folder": str(home)}))
    window = Window(headscope, display, home, ())
    record(window)
    window.key("ctrl+p")
    window.type("handout")
    window.key("Return")
    window.wait(lambda p: "handout/preview" in p["rects"] and p["resting"], "the dialog with the first page")
    pictures = os.environ.get("HEADSCOPE_PICTURES")
    if pictures:
        subprocess.run(["import", "-window", "root", str(pathlib.Path(pictures) / "handout.png")],
                       env=window.environment, check=False)
    session = pathlib.Path(home) / "lesson.json"
    session.write_text(json.dumps(window.probe()["session"]))
    window.key("Return")  # the focus is on the file's name
    window.wait(lambda p: "handout.pdf" in p["job"]["result"] and not p["job"]["running"], "the pages")
    expect(not window.probe()["job"]["failed"], window.probe()["job"]["result"])
    subprocess.run([cli, "handout", "--session", str(session), "--title", "A lesson", "--out", "again.pdf"], check=True,
                   capture_output=True, cwd=home, env=window.environment)
    written, again = (pathlib.Path(home, name).read_bytes() for name in ("handout.pdf", "again.pdf"))
    expect(written[:5] == b"%PDF-" and written == again, "the pages of the command line")
    expect(window.quit() == 0, "it ends well")


if __name__ == "__main__":
    main([a_lesson_is_recorded_kept_and_played, a_lesson_becomes_numbered_pictures, a_lesson_is_handed_out])
