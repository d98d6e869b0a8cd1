"""A driver of OpenGL 4.1, which has no compute shaders, as a Mac's: everything is shown, and the CPU computes."""
import json
import os
import pathlib
import subprocess

from driver import Window, expect, main
from export import choose, export, rows_of
from gpu_maps import picture_of

PHRASE = "Hola mi nombre es Alex"
MESA = "/usr/share/glvnd/egl_vendor.d/50_mesa.json"
DRIVER = {"MESA_GL_VERSION_OVERRIDE": "4.1", "MESA_GLSL_VERSION_OVERRIDE": "410", "LIBGL_ALWAYS_SOFTWARE": "1"}
REASON = "The CPU computes, since the GPU cannot: "


def opened(headscope, display, home, name, driver):
    """A window on a session that asks for the GPU, with a driver such as `driver` says."""
    own = home / name
    own.mkdir()
    request = own / "drawn.json"
    request.write_text(json.dumps({"headscope": "0.1.0", "phrase": PHRASE, "mask": "causal", "backend": "gpu"}))
    before = dict(os.environ)
    os.environ.update(driver)
    try:
        return Window(headscope, display, own, [request], size=(1280, 800))
    finally:
        os.environ.clear()
        os.environ.update(before)


def opengl_4_1_shows_everything_and_the_cpu_computes(headscope, cli, display, home):
    driver = dict(DRIVER)
    if pathlib.Path(MESA).is_file():  # Mesa's, also where another driver comes first
        driver["__EGL_VENDOR_LIBRARY_FILENAMES"] = MESA
    # The command line says in one sentence why, and gives the numbers of the CPU.
    folders = {}
    for backend in ("gpu", "cpu"):
        folders[backend] = home / f"cli-{backend}"
        done = subprocess.run([cli, "run", "--model", "seeded", "--phrase", PHRASE, "--mask", "causal", "--backend", backend, "--export",
                               "weights", "--format", "csv", "--out", str(folders[backend])],
                              env=dict(os.environ, **driver, HOME=str(home)), capture_output=True, text=True)
        expect(done.returncode == 0, f"{backend}: exit code {done.returncode}: {done.stderr}")
        said = done.stderr.splitlines()
        if backend == "gpu":
            expect(len(said) == 1 and REASON in said[0] and "no OpenGL 4.3" in said[0], f"it said {said}")
        else:
            expect(not said, f"it said {said}")
    expected = (folders["cpu"] / "weights.b0.h2.csv").read_bytes()
    expect((folders["gpu"] / "weights.b0.h2.csv").read_bytes() == expected, "the command line has other numbers")

    pictures = {}
    for name, own in (("4.1", driver), ("as it is", {"LIBGL_ALWAYS_SOFTWARE": "1"})):
        window = opened(headscope, display, home, name, own)
        p = window.wait(lambda q: q["tokens"] == 5 and not q["computing"] and "heads/7" in q["rects"], "the heads")
        if name == "4.1":
            expect("notice/backend" in p["rects"], f"no bar says that another backend computes: {sorted(p['rects'])}")
            expect(p["backend"].startswith("CPU") and p["shapes"]["weights"] == [1, 8, 5, 5], f"{p['backend']} {p['shapes']}")
            window.click("notice/backend/close")  # the bar takes room of the picture
            window.wait(lambda q: "notice/backend" not in q["rects"], "the bar to go")
        window.click("heads/2")
        window.wait(lambda q: q["session"]["view"].get("head") == 2, "head 2")
        window.move("inspector", at=(0.5, 0.02))
        pictures[name] = picture_of(window, "shown.png")
        if name == "4.1":
            numbers = export(window, "two.csv", lambda w: w.click("export/what/head"), choose("export/format", "Right", 4))
            expect(numbers.read_bytes() == expected, f"the window wrote\n{numbers.read_text()}\nheadscope-cli\n{expected.decode()}")
            expect(all(abs(sum(map(float, row[1:])) - 1) < 1e-5 for row in rows_of(numbers)[1:]), "a row that does not sum to 1")
        # It goes on as a user types.
        window.click("phrase", at=(0.9, 0.5))
        window.key("ctrl+a")
        window.type("one two")
        p = window.shows("the phrase", phrase="one two")
        expect(p["tokens"] == 2 and not p["failure"], f"{p['tokens']} {p['failure']}")
        expect(window.quit() == 0, f"{name}: exit code")
        log = (window.home / "log.txt").read_text()
        expect(log == "", f"{name}: it said {log}")
    ours, theirs = ([pixel for row in rows for pixel in row] for rows in (pictures["4.1"], pictures["as it is"]))
    expect(len(set(theirs)) > 10, "the picture shows nothing")
    expect(len(ours) == len(theirs), f"{len(ours)} pixels, {len(theirs)} with a newer OpenGL")
    apart = [max(abs(a - b) for a, b in zip(one, other)) for one, other in zip(ours, theirs)]
    # Numbers of the GPU differ in their last bits, and a colour may then be the next one of its map.
    share = sum(each > 6 for each in apart) / len(apart)
    expect(share < 0.001, f"{share:.4f} of the pixels differ from those of a newer OpenGL, by up to {max(apart)}")


if __name__ == "__main__":
    main([opengl_4_1_shows_everything_and_the_cpu_computes])
