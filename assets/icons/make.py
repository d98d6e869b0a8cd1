#!/usr/bin/env python3
"""Draws the icons of desktops from headscope.svg: make.py [FOLDER] (without one: the hicolor beside this file)

One PNG for each size, FOLDER/SIZExSIZE/apps/headscope.png. The drawing is squares of one colour each. Their edges are moved
to whole pixels, so that the icon is sharp at 22 and 24 too, where a renderer of SVG would blur them. A drawing with anything
else in it is refused.
"""
import pathlib
import re
import struct
import sys
import xml.etree.ElementTree
import zlib

HERE = pathlib.Path(__file__).resolve().parent
DRAWING = HERE.parent / "headscope.svg"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
SVG = "{http://www.w3.org/2000/svg}"


def squares_of(drawing):
    """The drawing's width, and (x, y, side, color) of each square."""
    root = xml.etree.ElementTree.parse(drawing).getroot()
    squares = []
    for element in root:
        if element.tag == SVG + "title":
            continue
        rest = set(element.attrib) - {"x", "y", "width", "height", "fill"}
        color = element.get("fill", "")
        if element.tag != SVG + "rect" or rest or not re.fullmatch("#[0-9a-f]{6}", color):
            sys.exit(f"{drawing}: {element.tag} {element.attrib}: only rect with x, y, width, height and fill=\"#rrggbb\" is drawn")
        x, y, width, height = (int(element.get(name)) for name in ("x", "y", "width", "height"))
        if width != height:
            sys.exit(f"{drawing}: a rect of {width} x {height}: only squares are drawn")
        squares.append((x, y, width, bytes.fromhex(color[1:])))
    return int(root.get("width")), squares


def pixels_of(width, squares, size):
    """Rows of indices: 0 is clear, n is the color of the square n - 1.

    Squares of one side in the drawing have one side in the icon, and gaps of one width too: what does not go up in whole
    pixels becomes the margin."""
    places = sorted({x for x, _, _, _ in squares})
    side = max(1, round(squares[0][2] * size / width))
    gap = max(1, int((places[1] - places[0] - squares[0][2]) * size / width))
    margin = (size - side * len(places) - gap * (len(places) - 1)) // 2
    if margin < 0:
        sys.exit(f"{size} pixels are too few for {len(places)} squares of {side} with {gap} between them")
    start = {place: margin + number * (side + gap) for number, place in enumerate(places)}
    rows = [[0] * size for _ in range(size)]
    for number, (x, y, _, _) in enumerate(squares, 1):
        for row in rows[start[y]:start[y] + side]:
            row[start[x]:start[x] + side] = [number] * side
    return rows


def png(rows, colors):
    """A PNG of 4 bits a pixel, whose color 0 is clear."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packed = b""
    for row in rows:
        even = row + [0] * (len(row) % 2)
        packed += b"\0" + bytes(even[i] << 4 | even[i + 1] for i in range(0, len(even), 2))
    size = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 4, 3, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"PLTE", b"\0\0\0" + b"".join(colors)) +
            chunk(b"tRNS", b"\0") + chunk(b"IDAT", zlib.compress(packed, 9)) + chunk(b"IEND", b""))


def main(folder):
    width, squares = squares_of(DRAWING)
    colors = [color for _, _, _, color in squares]
    if len(colors) > 15:
        sys.exit(f"{DRAWING}: {len(colors)} squares: 15 colors are all that 4 bits hold beside the clear one")
    for size in SIZES:
        file = folder / f"{size}x{size}" / "apps" / "headscope.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(png(pixels_of(width, squares, size), colors))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "hicolor")
