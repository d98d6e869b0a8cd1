#!/usr/bin/env python3
"""The recipes in assets/packaging name what the build needs, as far as it can be judged without their programs:
recipes.py SOURCE"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

source = pathlib.Path(sys.argv[1]).resolve()
packaging = source / "assets" / "packaging"
RUNTIME = "org.freedesktop.Sdk has it"
# What CMakeLists.txt looks for: the port of vcpkg, the formula of Homebrew, the module of the Flatpak.
DEPENDENCIES = {
    "Eigen3": ("eigen3", "eigen", "eigen"),
    "PNG": ("libpng", "libpng", RUNTIME),
    "JPEG": ("libjpeg-turbo", "jpeg-turbo", RUNTIME),
    "ZLIB": ("zlib", "zlib", RUNTIME),
    "nlohmann_json": ("nlohmann-json", "nlohmann-json", "nlohmann-json"),
    "fmt": ("fmt", "fmt", "fmt"),
    "Freetype": ("freetype", "freetype", RUNTIME),
    "Fontconfig": ("fontconfig", "fontconfig", RUNTIME),
    "OpenSSL": ("openssl", "openssl@3", RUNTIME),
    "CLI11": ("cli11", "cli11", "cli11"),
    "hwy": ("highway", "highway", "highway"),
    "UTF8PROC": ("utf8proc", "utf8proc", "utf8proc"),
    "PCRE2": ("pcre2", "pcre2", RUNTIME),
    "FRIBIDI": ("fribidi", "fribidi", RUNTIME),
    "HARFBUZZ": ("harfbuzz", "harfbuzz", RUNTIME),
    "CAIRO": ("cairo", "cairo", RUNTIME),
    "glfw3": ("glfw3", "glfw", "glfw"),
    "ImGui": ("imgui", "resource imgui", "source imgui"),
    "EPOXY": ("libepoxy", "libepoxy", "libepoxy"),
}
TOOLS = {"cmake", "ninja", "pkgconf"}
WINDOW = {"glfw3", "imgui", "libepoxy"}
done = []


def check(good, sentence):
    if not good:
        sys.exit(sentence)


def is_archive(archive, what):
    check(re.fullmatch(r"https://\S+\.(tar\.gz|tar\.xz)", archive.get("url", "")), f"{what}: {archive.get('url')}")
    check(re.fullmatch(r"[0-9a-f]{64}", archive.get("sha256", "")), f"{what}: no SHA-256: {archive.get('sha256')}")


needed = set(re.findall(r"^\s*headscope_need(?:_pc)?\((\w+)", (source / "CMakeLists.txt").read_text(), re.M))
check(needed == set(DEPENDENCIES), f"only in CMakeLists.txt or only here: {sorted(needed ^ set(DEPENDENCIES))}")
version = re.search(r'kVersion = "([^"]+)"', (source / "core/base/version.h").read_text()).group(1)
root = xml.etree.ElementTree.parse(source / "assets/headscope.metainfo.xml").getroot()
home = root.find("url[@type='homepage']").text

# vcpkg: the rules of its manifests that concern this one.
port = json.loads((packaging / "vcpkg/vcpkg.json").read_text())
keys = {"name", "version", "description", "homepage", "license", "supports", "dependencies", "default-features", "features"}
check({key for key in port if not key.startswith("$")} == keys, f"vcpkg.json has {sorted(port)}")
check(port["version"] == version and port["homepage"] == home, f"vcpkg.json is of {port['version']}, {port['homepage']}")


def ports(listed, what):
    names = []
    for each in listed:
        entry = {"name": each} if isinstance(each, str) else each
        check(set(entry) <= {"name", "features", "host"}, f"vcpkg.json, {what}: {entry}")
        check(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry["name"]), f"vcpkg.json, {what}: {entry['name']} is no name")
        check(all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", feature) for feature in entry.get("features", [])), f"{what}: {entry}")
        names.append(entry["name"])
    check(names == sorted(set(names)), f"vcpkg.json, {what}: {names}: expected each once, sorted")
    return set(names)


features = {name: ports(each["dependencies"], name) for name, each in port["features"].items()}
check(all(set(each) == {"description", "dependencies"} for each in port["features"].values()), "vcpkg.json: a feature has other keys")
check(set(port["default-features"]) <= set(features), f"vcpkg.json: {port['default-features']}")
check(features["window"] == WINDOW and features["tests"] == {"gtest"} and features["bench"] == {"benchmark"}, f"{features}")
wanted = {vcpkg for vcpkg, _, _ in DEPENDENCIES.values()} - WINDOW | {"pkgconf"}
check(ports(port["dependencies"], "dependencies") == wanted, f"vcpkg.json differs in {wanted ^ ports(port['dependencies'], '')}")
done.append("vcpkg.json")

# Flatpak.
manifest_file = packaging / "flatpak/org.example.headscope.json"
manifest = json.loads(manifest_file.read_text())
check(manifest["id"] == root.find("id").text == manifest_file.stem, f"the Flatpak is {manifest['id']}")
modules = {module["name"]: module for module in manifest["modules"]}
own = modules.pop("headscope")
check(list(manifest["modules"])[-1] is own, "headscope is not built last")
imgui = [each for each in own["sources"] if each.get("dest") == "imgui"]
check(len(imgui) == 1 and any(each.endswith("/headscope/imgui") for each in own["config-opts"]), "Dear ImGui is not built in")
folder = [each for each in own["sources"] if each["type"] == "dir"]
check(len(folder) == 1 and (manifest_file.parent / folder[0]["path"]).resolve() == source, f"the source is {folder}")
for name, module in modules.items():
    check(len(module["sources"]) == 1 and module["sources"][0]["type"] == "archive", f"Flatpak, {name}: {module['sources']}")
for archive in [module["sources"][0] for module in modules.values()] + imgui:
    is_archive(archive, "Flatpak")
wanted = {flatpak for _, _, flatpak in DEPENDENCIES.values()} - {RUNTIME, "source imgui"}
check(set(modules) == wanted, f"the Flatpak's modules differ in {set(modules) ^ wanted}")
check(not any("network" in each for each in manifest["finish-args"]), "the Flatpak may use the network; the program does not")
for key, file in (("rename-desktop-file", "headscope.desktop"), ("rename-appdata-file", "headscope.metainfo.xml")):
    check(manifest[key] == file and (source / "assets" / file).is_file(), f"{key} is {manifest[key]}")
check(manifest["rename-icon"] == re.search(r"^Icon=(.*)$", (source / "assets/headscope.desktop").read_text(), re.M).group(1), "the icon")
if shutil.which("flatpak-builder"):
    with tempfile.TemporaryDirectory() as state:  # else it leaves a folder where it is run
        told = subprocess.run(["flatpak-builder", "--show-manifest", str(manifest_file)], cwd=state,
                              capture_output=True, text=True)
    check(told.returncode == 0 and not told.stderr, f"flatpak-builder: {told.stderr}")
    read = json.loads(told.stdout)
    check(read["id"] == manifest["id"] and len(read["modules"]) == len(manifest["modules"]), "flatpak-builder read another manifest")
    done.append("the Flatpak's manifest, also by flatpak-builder")
else:
    done.append("the Flatpak's manifest (flatpak-builder is not installed)")

# Homebrew.
formula = packaging / "homebrew/headscope.rb"
if shutil.which("ruby"):
    told = subprocess.run(["ruby", "-wc", str(formula)], capture_output=True, text=True)
    check(told.returncode == 0 and told.stderr == "", f"ruby: {told.stdout}{told.stderr}")
    reader = pathlib.Path(__file__).with_name("formula.rb")
    told = subprocess.run(["ruby", str(reader), str(formula)], capture_output=True, text=True)
    check(told.returncode == 0, f"the formula: {told.stderr}")
    brew = json.loads(told.stdout)
    check(brew["class"] == "Headscope" and brew["install"] and brew["test"], f"the formula: {brew}")
    check(brew["homepage"][0] == home and brew["head"][0].startswith(home), f"the formula is of {brew['homepage']}, {brew['head']}")
    words = brew["desc"][0]
    check(len(words) < 80 and not words.endswith(".") and not re.match("(A|An|The) ", words), f"Homebrew wants no such words: {words}")
    for kind in ("build", "run"):
        check(brew[kind] == sorted(set(brew[kind])), f"the formula lists {brew[kind]}: expected each once, sorted")
    listed = set(brew["build"]) | set(brew["run"]) | set(brew["macos"])
    wanted = {each for _, each, _ in DEPENDENCIES.values()} - {"resource imgui"} | TOOLS
    check(listed == wanted, f"the formula's dependencies differ in {listed ^ wanted}")
    check(list(brew["resources"]) == ["imgui"], f"{brew['resources']}")
    is_archive(brew["resources"]["imgui"], "the formula")
    check(brew["resources"]["imgui"]["url"] == imgui[0]["url"] and brew["resources"]["imgui"]["sha256"] == imgui[0]["sha256"],
          "Homebrew and Flatpak have another Dear ImGui each")
    done.append("the formula, by ruby")
else:
    done.append("not the formula (ruby is not installed)")
print("Read: " + "; ".join(done))
