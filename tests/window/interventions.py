"""Numbers changed by hand in the real window, and a mask painted with the mouse."""
import json
import subprocess

from driver import Window, expect, main


def cell(row, column, of=5):
    return ((column + 0.5) / of, (row + 0.5) / of)


def a_number_is_edited_listed_switched_and_taken_back(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("inspector/picture", at=cell(3, 1), times=2)
    window.wait(lambda p: "number_edit/value" in p["rects"], "the field over the cell")
    window.key("ctrl+a")
    window.type("0.25")
    window.key("Return")
    window.shows("the edit", edit="weights:0,0,3,1=0.25")
    window.key("ctrl+i")
    window.wait(lambda p: p["focus"] == "request/interventions/0", "the list of interventions")
    window.key("space")
    window.shows("the edit switched off", edit="off:weights:0,0,3,1=0.25")
    window.key("space")
    shown = window.shows("the edit on again", edit="weights:0,0,3,1=0.25")
    out = home / "cli"
    subprocess.run([cli, "run", "--phrase", shown["session"]["phrase"], "--model", "seeded", "--mask", "causal", "--edit",
                    shown["session"]["edit"], "--export", "weights", "--format", "csv", "--out", str(out)], check=True,
                   capture_output=True, env=window.environment)
    row = (out / "weights.b0.h0.csv").read_text().splitlines()[4].split(",")
    expect(row[2] == "0.25", f"the command line's row is {row}")
    # Esc leaves the number as it is.
    window.click("inspector/picture", at=cell(2, 0), times=2)
    window.wait(lambda p: "number_edit/value" in p["rects"], "the field again")
    window.type("9")
    window.key("Escape")
    window.wait(lambda p: "number_edit/value" not in p["rects"], "the field to leave")
    window.shows("one edit", edit="weights:0,0,3,1=0.25")
    for _ in range(4):
        window.key("ctrl+z")
    window.shows("nothing edited", edit=None)
    window.quit()


def a_mask_is_painted_and_comes_back_from_its_file(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.key("ctrl+m")
    window.wait(lambda p: "mask/grid" in p["rects"], "the mask editor")
    x0, y0, x1, y1 = window.rect("mask/grid")
    expect(x1 - x0 >= 500 and y1 - y0 >= 500, f"the matrix is {x1 - x0} x {y1 - y0}")
    window.click("mask/grid", at=cell(3, 1))
    window.shows("a painted cell", paint="hide@3:4,1:2")
    window.click("mask/columns", at=(cell(0, 0)[0], 0.5))
    window.shows("a painted column", paint="hide@3:4,1:2;hide@:,0:1")
    window.click("mask/path")
    window.type(str(home / "mask.npy"))
    window.click("mask/export")
    window.wait(lambda p: (home / "mask.npy").exists(), "the file")
    window.click("mask/clear")
    window.shows("nothing painted", paint=None)
    window.click("mask/import")
    window.wait(lambda p: p["session"].get("paint"), "the file's cells")
    painted = window.probe()["session"]["paint"]
    hidden = json.loads(subprocess.run(
        [cli, "run", "--phrase", "Hola mi nombre es Alex", "--model", "seeded", "--mask", "causal", "--paint", painted,
         "--json"], check=True, capture_output=True, text=True, env=window.environment).stdout)
    expect(hidden["fully_masked_rows"] == 8, f"row 0 is hidden in 8 heads: {hidden['fully_masked_rows']}")
    window.key("ctrl+m")
    window.wait(lambda p: "heads/0" in p["rects"], "the heads again")
    window.quit()


def a_weight_is_edited_where_it_lies(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.rect("heads/0")
    window.key("ctrl+shift+w")
    window.wait(lambda p: "weights/tensor/linear_layer.bias" in p["rects"], "the tensors of the layer's weights")
    window.click("weights/tensor/linear_layer.bias")
    window.wait(lambda p: "weights/picture" in p["rects"], "its picture")
    window.click("weights/picture", at=(0.5, 0.5), times=2)
    window.wait(lambda p: "number_edit/value" in p["rects"], "the field over the number")
    window.key("ctrl+a")
    window.type("0.75")
    window.key("Return")
    p = window.wait(lambda p: p["session"].get("edit"), "the edit")
    expect(p["session"]["edit"].startswith("linear_layer.bias:") and p["session"]["edit"].endswith("=0.75"),
           p["session"]["edit"])
    window.wait(lambda p: "weights/tensor/linear_layer.bias/1 edited" in p["rects"], "the mark in the list")
    window.key("ctrl+z")
    window.shows("no edit", edit=None)
    window.quit()


def a_head_is_held_from_its_menu(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("heads/3", button=3)
    window.click("head_menu/Hold weights uniform")
    window.shows("head 3 held", freeze="0.3=uniform")
    window.click("heads/3")
    window.key("ctrl+h")
    window.wait(lambda p: "head_menu/As computed" in p["rects"], "its menu by key")
    window.key("End")
    window.key("Return")
    window.shows("head 3 as computed", freeze=None)
    window.quit()


if __name__ == "__main__":
    main([a_number_is_edited_listed_switched_and_taken_back, a_mask_is_painted_and_comes_back_from_its_file,
          a_weight_is_edited_where_it_lies, a_head_is_held_from_its_menu])
