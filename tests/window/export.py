"""What is shown can be taken away, and comes back."""
import csv
import json
import pathlib
import subprocess

from driver import Window, expect, main


def focus(window, name):
    """Walks there with Tab, as somebody without a mouse does."""
    for _ in range(80):
        if window.probe()["focus"] == name:
            return
        window.key("Tab")
    expect(False, f"Tab never reaches {name}")


def export(window, name, *keys):
    """Ctrl+E, the keys given, the file's name, Enter; returns the path written."""
    window.key("ctrl+e")
    window.wait(lambda p: "export/file" in p["rects"], "the export dialog")
    for step in keys:
        step(window)
    focus(window, "export/file")
    window.key("ctrl+a")
    window.type(name)
    window.key("Return")
    p = window.wait(lambda q: q["job"]["result"] and not q["job"]["running"], "the export to end")
    expect(not p["job"]["failed"], p["job"]["result"])
    found = [path for path in window.home.rglob(name) if path.is_file()]
    expect(len(found) == 1, f"{name} is at {found}; {p['job']['result']}")
    return found[0]


def choose(name, key, times=1):
    def step(window):
        focus(window, name)
        for _ in range(times):
            window.key(key)
    return step


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def exported_numbers_are_the_command_lines(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("the animal was too tired")
    window.shows("the phrase", phrase="the animal was too tired")
    window.click("heads/3")
    window.wait(lambda p: p["session"]["view"].get("head") == 3, "head 3")
    exported = export(window, "three.csv", choose("export/format", "Right", 4))
    out = home / "cli"
    subprocess.run([cli, "run", "--model", "seeded", "--phrase", "the animal was too tired", "--mask", "causal", "--export", "weights",
                    "--format", "csv", "--out", str(out)], check=True, capture_output=True, env=window.environment)
    expected = (out / "weights.b0.h3.csv").read_bytes()
    expect(exported.read_bytes() == expected, f"the window wrote\n{exported.read_text()}\nheadscope-cli\n{expected.decode()}")
    rows = rows_of(exported)
    expect(rows[0] == ["query\\key", "the", "animal", "was", "too", "tired"], f"{rows[0]}")
    for i, row in enumerate(rows[1:]):
        weights = [float(cell) for cell in row[1:]]
        expect(abs(sum(weights) - 1) < 1e-5, f"row {i} sums to {sum(weights)}")
        expect(all(w == 0 for w in weights[i + 1:]) and weights[i] > 0, f"row {i} is not causal: {weights}")
    window.quit()


def a_picture_opens_again_as_what_it_shows(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("one two three four")
    window.click("request/num_heads/-")
    window.shows("the request", phrase="one two three four", heads=4)
    window.click("heads/2")
    saved = window.wait(lambda p: p["session"]["view"].get("head") == 2, "head 2")["session"]
    picture = export(window, "shown.png")
    window.quit()
    info = json.loads(subprocess.run([cli, "info", str(picture), "--json"], check=True, capture_output=True).stdout)
    expect("one two three four" in json.dumps(info), f"the recipe is not in the picture: {info}")

    other = home / "elsewhere"
    other.mkdir()
    window = Window(headscope, display, other, [picture])  # by argument
    again = window.shows("the picture's request", phrase=saved["phrase"], heads=4, mask=saved["mask"])["session"]
    expect(again["view"].get("head") == 2, f"{again['view']}")

    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.type("something else")
    window.shows("another phrase", phrase="something else")
    window.key("ctrl+o")  # by the dialog
    window.wait(lambda p: any(name.startswith("open/") for name in p["rects"]), "the dialog")
    window.key("ctrl+a")
    window.paste(str(picture))
    window.key("Return")
    window.shows("the picture's request", phrase=saved["phrase"], heads=4, mask=saved["mask"])
    window.quit()


def the_window_itself_is_a_picture(headscope, cli, display, home):
    window = Window(headscope, display, home)

    def size_of(picture):
        header = pathlib.Path(picture).read_bytes()[16:24]
        return int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")

    def the_window(w):
        w.click("export/what/window")
    picture = export(window, "all.png", the_window)
    info = json.loads(subprocess.run([cli, "info", str(picture), "--json"], check=True, capture_output=True).stdout)
    expect("Hola mi nombre es Alex" in json.dumps(info), f"{info}")
    expect(size_of(picture) == (3200, 2000), f"its size at 2x: {size_of(picture)}")

    def as_on_screen(w):
        w.click("export/scale", at=(0.15, 0.5))
    picture = export(window, "once.png", the_window, as_on_screen)
    expect(size_of(picture) == (1600, 1000), f"its size at 1x: {size_of(picture)}")
    window.quit()


def a_picture_of_the_window_does_not_lose_the_pointer(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.key("ctrl+e")
    window.click("export/what/window")
    focus(window, "export/file")
    window.key("ctrl+a")
    window.type("twice.png")  # at 2x, where the pointer's place is another
    window.pointer = (700, 500)
    window.settle()
    window.run("xdotool", "key", "Return")  # and no move after it
    window.wait(lambda p: "twice.png" in p["job"]["result"] and p["resting"], "the picture")
    expect(window.probe()["mouse"] == [700, 500], f"the pointer is at {window.probe()['mouse']}")
    window.quit()


def a_teacher_makes_a_worksheet(headscope, cli, display, home):
    config = pathlib.Path(home) / "config" / "headscope"
    config.mkdir(parents=True)
    (config / "settings.json").write_text(json.dumps({"export_folder": str(home)}))
    window = Window(headscope, display, home)
    window.key("ctrl+p")
    window.type("worksheet")
    window.key("Return")
    window.wait(lambda p: "worksheet/preview" in p["rects"], "the dialog with its first page")
    window.click("worksheet/sheets/+")
    window.click("worksheet/sheets/+")
    focus(window, "worksheet/file")
    window.key("ctrl+a")
    window.type("class.pdf")
    window.key("Return")
    p = window.wait(lambda q: q["job"]["result"] and not q["job"]["running"], "the sheets to be written")
    expect(not p["job"]["failed"], p["job"]["result"])
    subprocess.run([cli, "worksheet", "--sheets", "3", "--out", "again.pdf", "--solutions", "again.csv"], check=True,
                   capture_output=True, cwd=home, env=window.environment)
    for ending in ("pdf", "csv"):
        expect((home / f"class.{ending}").read_bytes() == (home / f"again.{ending}").read_bytes(), f"{ending} of the command line")
    expect(len(rows_of(home / "class.csv")) == 1 + 3 * 8, "eight blanks a sheet")
    expect(window.quit() == 0, "it ends well")


if __name__ == "__main__":
    main([exported_numbers_are_the_command_lines, a_picture_opens_again_as_what_it_shows, the_window_itself_is_a_picture,
          a_picture_of_the_window_does_not_lose_the_pointer, a_teacher_makes_a_worksheet])
