"""Reads the undefined symbols of each library: headers compile without a link line, so includes alone prove little."""
import re
import subprocess
import sys

GL = re.compile(r"^(epoxy_|egl[A-Z]|gl[A-Z])")
IMGUI = re.compile(r"ImGui|ImDraw|ImFont")
GLFW = re.compile(r"^glfw")
X11 = re.compile(r"^X(Open|Create|Get|Next|Map)[A-Za-z]*$")
FORBIDDEN = {
    "core": [("OpenGL", GL), ("Dear ImGui", IMGUI), ("GLFW", GLFW), ("X11", X11)],
    "session": [("OpenGL", GL), ("Dear ImGui", IMGUI), ("GLFW", GLFW), ("X11", X11)],
    # OpenGL by libepoxy, which opens the libraries when they are first used.
    "cli": [("OpenGL", re.compile(r"^(egl|gl)[A-Z]")), ("Dear ImGui", IMGUI), ("GLFW", GLFW), ("X11", X11)],
    "ui": [("OpenGL", GL), ("GLFW", GLFW), ("X11", X11), ("threads", re.compile(r"pthread_create"))],
    "gl": [("Dear ImGui", IMGUI), ("GLFW", GLFW), ("X11", X11)],
}

bad = []
for argument in sys.argv[1:]:
    part, path = argument.split("=", 1)
    flags = ["-D", "--undefined-only"] if part == "cli" else ["-u"]
    out = subprocess.run(["nm", *flags, path], capture_output=True, text=True, check=True).stdout
    symbols = {line.split()[-1].split("@")[0] for line in out.splitlines() if " U " in line}
    if len(symbols) < 20:
        sys.exit(f"{path}: only {len(symbols)} undefined symbols read; did nm change its output?")
    for name, pattern in FORBIDDEN[part]:
        bad += [f"{part} uses {name}: {s}" for s in sorted(symbols) if pattern.search(s)][:5]
    if part == "cli":
        needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
        bad += [f"cli is linked to {m}" for m in re.findall(r"\[(lib(?:GL|EGL|OpenGL|glfw|X11|wayland)[^\]]*)\]", needed)]
print("\n".join(bad) or "no forbidden symbol")
sys.exit(1 if bad else 0)
