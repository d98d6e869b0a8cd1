"""Which part of the tree may know which: the arrows of the design, and no others."""
import re

# Parts, longest prefix first.
PARTS = {
    "core/": "core",
    "app/session/": "session",
    "app/cli/": "cli",
    "app/ui/": "ui",
    "app/gl/": "gl",
    "app/platform/": "platform",
    "app/main.cpp": "main",
    "app/frame/": "main",
}

# part -> parts whose headers it may include
MAY_INCLUDE = {
    "core": {"core"},
    "session": {"session", "core"},
    "cli": {"cli", "session", "core"},
    "ui": {"ui", "session", "core"},
    "gl": {"gl", "core"},
    "platform": {"platform", "core"},
    "main": {"main", "ui", "session", "gl", "platform", "core"},
}
# Single headers that a part may see beyond that, each with its reason.
EXCEPTIONS = {
    ("platform", "app/platform/key_event.h"): "plain names of keys; knows no window and no session",
    ("cli", "app/gl/compute_factory.h"): "makes the GPU backend; names no OpenGL and loads none before it is wanted",
}

# Foreign headers that only the named parts may include.
FOREIGN = [
    (re.compile(r"^(imgui|imstb|backends/)"), {"ui", "main"}, "Dear ImGui"),
    (re.compile(r"^(GLFW/)"), {"platform"}, "GLFW"),
    (re.compile(r"^(epoxy/|GL/|EGL/|KHR/|GLES)"), {"gl", "platform"}, "OpenGL"),
    (re.compile(r"^(Eigen/|unsupported/Eigen)"), {"core"}, "Eigen"),
    (re.compile(r"^hwy/"), {"core"}, "Highway"),
    (re.compile(r"^(X11/|wayland)"), set(), "a window system"),
    (re.compile(r"^(CLI/|CLI11)"), {"cli"}, "CLI11"),
    # gl: a context that computes belongs to a thread of its own
    (re.compile(r"^(thread|mutex|condition_variable|future)$"), {"core", "session", "platform", "gl"}, "threads"),
]

# Words that only the named file may write.
WORDS = [
    (re.compile(r"\bIMGUI_VERSION"), "app/ui/imgui_compat.h", "the version of Dear ImGui"),
    (re.compile(r"\bGLFW_VERSION"), "app/platform/glfw_display.cpp", "the version of GLFW"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def part_of(path):
    for prefix, part in PARTS.items():
        if path.startswith(prefix):
            return part
    return None


def violations(path, text):
    """Sentences, one for every include of `text` (the file at `path`) that the rules forbid."""
    part = part_of(path)
    if part is None:
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, home, name in WORDS:
            if pattern.search(line) and path != home:
                found.append(f"{path}:{number}: only {home} asks for {name}")
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        target = part_of(header)
        if target is not None:
            if target not in MAY_INCLUDE[part] and (part, header) not in EXCEPTIONS:
                found.append(f"{path}:{number}: {part} must not know {target} ({header})")
            continue
        if match.group(1) == '"' and not FOREIGN_PATTERN(header):
            found.append(f"{path}:{number}: include by the path from the top of the tree: {header}")
        for pattern, parts, name in FOREIGN:
            if pattern.match(header) and part not in parts:
                found.append(f"{path}:{number}: {part} must not know {name} ({header})")
        if part == "core" and header.startswith("Eigen/") and not path.endswith(".cpp"):
            found.append(f"{path}:{number}: Eigen stays in .cpp files")
    return found


def FOREIGN_PATTERN(header):
    return any(pattern.match(header) for pattern, _, _ in FOREIGN)
