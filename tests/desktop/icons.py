#!/usr/bin/env python3
"""The icons in assets/icons are the drawing: icons.py ASSETS"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

assets = pathlib.Path(sys.argv[1]).resolve()
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def chunks(data):
    place = 8
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        yield kind, data[place + 8:place + 8 + length]
        place += 12 + length


def parts(file):
    """The chunks of a PNG by their names, its pixels unpacked."""
    found = {}
    for kind, data in chunks(file.read_bytes()):
        found[kind] = found.get(kind, b"") + data
    found[b"IDAT"] = zlib.decompress(found[b"IDAT"])
    return found


def pixels(file):
    """Rows of (red, green, blue, alpha) of a PNG of 4 bits with a palette, or of 8 bits RGBA."""
    found = parts(file)
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", found[b"IHDR"])
    if (depth, kind, interlaced) not in ((4, 3, 0), (8, 6, 0)):
        sys.exit(f"{file}: depth {depth}, kind {kind}: this test reads palettes of 4 bits and RGBA of 8")
    whole = found[b"IDAT"]
    length = (width * (depth if kind == 3 else 4 * depth) + 7) // 8
    step = 4 if kind == 6 else 1
    rows, above = [], bytearray(length)
    for y in range(height):
        how, row = whole[y * (length + 1)], bytearray(whole[y * (length + 1) + 1:(y + 1) * (length + 1)])
        for i in range(length):
            left, up, corner = (row[i - step] if i >= step else 0, above[i], above[i - step] if i >= step else 0)
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda value: abs(guess - value))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[how]) % 256
        above = row
        if kind == 6:
            rows.append([tuple(row[i:i + 4]) for i in range(0, length, 4)])
            continue
        palette, alpha = found[b"PLTE"], found.get(b"tRNS", b"")
        indices = [byte >> shift & 15 for byte in row for shift in (4, 0)][:width]
        rows.append([(*palette[3 * n:3 * n + 3], alpha[n] if n < len(alpha) else 255) for n in indices])
    return rows


def check(good, sentence):
    if not good:
        sys.exit(sentence)


def seen(rows):
    """Clear pixels have no color."""
    return [[pixel if pixel[3] else None for pixel in row] for row in rows]


cells = re.findall(r'<rect x="(\d+)" y="(\d+)" width="64" height="64" fill="#(\w{6})"', (assets / "headscope.svg").read_text())
check(len(cells) == 9, f"{len(cells)} cells in the drawing")
folder = assets / "icons" / "hicolor"
files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.png"))
check(files == sorted(f"{n}x{n}/apps/headscope.png" for n in SIZES), f"the icons are {files}")
with tempfile.TemporaryDirectory() as name:
    subprocess.run([sys.executable, str(assets / "icons" / "make.py"), name], check=True)
    compared = 0
    for size in SIZES:
        file = folder / f"{size}x{size}" / "apps" / "headscope.png"
        rows = seen(pixels(file))
        check(len(rows) == size and {len(row) for row in rows} == {size}, f"{file} is not {size} x {size}")
        for x, y, color in cells:
            column, row = ((int(place) + 32) * size // 256 for place in (x, y))
            check(rows[row][column] == (*bytes.fromhex(color), 255), f"{file}: cell ({x}, {y}) is {rows[row][column]}, drawn {color}")
        check(all(pixel is None or pixel[3] == 255 for row in rows for pixel in row), f"{file} is blurred")
        check(sum(pixel is not None for row in rows for pixel in row) >= size * size // 2, f"{file}: half of it is empty")
        again = pathlib.Path(name, f"{size}x{size}", "apps", "headscope.png")
        check(parts(file) == parts(again), f"{file} is not what assets/icons/make.py draws now: run it again")
        if size in (16, 32, 48, 64, 128) and shutil.which("rsvg-convert"):  # there each edge of the drawing is a whole pixel
            other = pathlib.Path(name, f"{size}.png")
            subprocess.run(["rsvg-convert", "-w", str(size), "-h", str(size), "-o", str(other), str(assets / "headscope.svg")], check=True)
            check(seen(pixels(other)) == rows, f"{file} is not what rsvg-convert draws")
            compared += 1
print(f"{len(SIZES)} icons, {compared} of them also as rsvg-convert draws them")
