"""The window's own icon is the one in assets/."""
import pathlib
import re

from driver import Window, expect, main

ROOT = pathlib.Path(__file__).resolve().parents[2]


def has_the_icon_of_the_assets(headscope, cli, display, home):
    window = Window(headscope, display, home)
    words = window.run("xprop", "-id", window.id, "-notype", "32c", "_NET_WM_ICON")
    pixels = [int(word) & 0xFFFFFFFF for word in re.findall(r"-?\d+", words.split("=", 1)[1])]
    sizes = {}
    while len(pixels) > 2:
        width, height = pixels[:2]
        sizes[width] = pixels[2:2 + width * height]
        pixels = pixels[2 + width * height:]
    expect(sorted(sizes) == [16, 32, 64], f"sizes {sorted(sizes)}")
    drawing = (ROOT / "assets" / "headscope.svg").read_text()
    cells = re.findall(r'<rect x="(\d+)" y="(\d+)" width="64" height="64" fill="#(\w{6})"', drawing)
    expect(len(cells) == 9, f"{len(cells)} cells in the drawing")
    for x, y, color in cells:
        for size, icon in sizes.items():
            column, row = ((int(v) + 32) * size // 256 for v in (x, y))
            pixel = icon[row * size + column]
            expect(pixel == 0xFF000000 | int(color, 16), f"{size} px, cell ({x}, {y}): {pixel:08x}, drawn {color}")
    window.quit()


if __name__ == "__main__":
    main([has_the_icon_of_the_assets])
