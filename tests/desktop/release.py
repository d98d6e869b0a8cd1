#!/usr/bin/env python3
"""What a desktop is told about the program is so: release.py SOURCE

The version stands in core/base/version.h; the newest release of the metainfo, of Debian's changelog, of CHANGELOG.md and of
CITATION.cff is that one. Screenshots exist and have the size that is said. Metainfo and menu entry open the same kinds of files."""
import pathlib
import re
import struct
import sys
import xml.etree.ElementTree
from email.utils import parsedate_to_datetime

source = pathlib.Path(sys.argv[1]).resolve()
assets = source / "assets"


def check(good, sentence):
    if not good:
        sys.exit(sentence)


version = re.search(r'kVersion = "([^"]+)"', (source / "core/base/version.h").read_text()).group(1)
root = xml.etree.ElementTree.parse(assets / "headscope.metainfo.xml").getroot()
newest = root.find("releases/release")
check(newest.get("version") == version, f"the newest release of the metainfo is {newest.get('version')}, the program's {version}")
changelog = (assets / "packaging/debian/changelog").read_text()
packed = re.match(r"headscope \(([^)]+)\)", changelog).group(1)
check(packed == version, f"the newest of assets/packaging/debian/changelog is {packed}, the program's {version}")
day = parsedate_to_datetime(re.search(r"^ -- .*>  (.*)$", changelog, re.M).group(1))
check(f"{day:%Y-%m-%d}" == newest.get("date"), f"released on {newest.get('date')} or on {day:%Y-%m-%d}?")
check(f"{day:%a}" == re.search(r">  (\w+),", changelog).group(1), "assets/packaging/debian/changelog: that date is another weekday")
citation = dict(re.findall(r"^([\w-]+): *(.+)$", (source / "CITATION.cff").read_text(), re.M))
check(citation["version"] == version, f"CITATION.cff is of {citation['version']}, the program {version}")
check(citation["date-released"] == newest.get("date"), f"CITATION.cff says {citation['date-released']}")
headings = re.findall(r"^## ([0-9][0-9.]*)", (source / "CHANGELOG.md").read_text(), re.M)
check(headings[:1] == [version], f"the newest of CHANGELOG.md is {headings[:1]}, the program's {version}")

home = root.find("url[@type='homepage']").text
python = (source / "assets/python/pyproject.toml").read_text()
check(f'version = "{version}"' in python and f'Homepage = "{home}"' in python, f"pyproject.toml is not of {version} and {home}")
check(citation["url"] == home, f"CITATION.cff leads to {citation['url']}, the metainfo to {home}")
images = root.findall("screenshots/screenshot/image")
check(len(images) >= 3, f"{len(images)} screenshots")
for image in images:
    check(image.text.startswith(home + "/"), f"{image.text} is not below {home}")
    file = source / image.text[len(home) + 1:]
    check(file.is_file(), f"{image.text}: there is no {file}")
    size = struct.unpack(">II", file.read_bytes()[16:24])
    check(size == (int(image.get("width")), int(image.get("height"))), f"{file} is {size}")

entry = dict(re.findall(r"^(\w+)=(.*)$", (assets / "headscope.desktop").read_text(), re.M))
kinds = [each.text for each in root.findall("provides/mediatype")]
check(kinds == entry["MimeType"].strip(";").split(";"), f"the metainfo opens {kinds}, the menu entry {entry['MimeType']}")
categories = [each.text for each in root.findall("categories/category")]
check(categories == entry["Categories"].strip(";").split(";"), f"{categories} and {entry['Categories']}")
check(root.find("name").text == entry["Name"] and root.find("summary").text == entry["Comment"], "name or summary differ")
print(f"{version} everywhere; {len(images)} screenshots, {len(kinds)} kinds of files")
