"""Which part of the tree may know which: the arrows of the design, and no others."""
import re

# What a file is part of: its folder. app/ui has two parts on its ground: headers, which every room sees, and the shell,
# which sees every room.
FOLDERS = {
    "app": "main",
    "app/cli": "cli",
    "app/frame": "frame",
    "app/gl": "gl",
    "app/memory": "memory",
    "app/platform": "platform",
    "app/session": "session",
    "app/session/background": "session/background",
    "app/session/background/maps": "session/background/maps",
    "app/session/background/models": "session/background/models",
    "app/session/background/work": "session/background/work",
    "app/session/export": "session/export",
    "core/base/system": "core/base",
    "core/backend/kernels": "core/backend",
}
# Folders of what differs between systems, side by side in files of the same names: parts of the folder above them. A page of
# a browser ("web") has what POSIX has, as far as emscripten goes.
SYSTEMS = ("posix", "windows", "web")
# Rooms of the engine, ground first: a room and those below that it may know. Down only, and not every floor at once.
_inputs = {"core/base", "core/tensor", "core/request", "core/io", "core/backend", "core/text", "core/model"}
_results = _inputs | {"core/attention"}
_below_pictures = _results | {"core/explain", "core/heads", "core/compare", "core/corpus", "core/sweep",
                             "core/circuits", "core/diagnose"}
CORE = {
    "core/base": set(),
    "core/tensor": {"core/base"},
    "core/request": {"core/base", "core/tensor"},
    "core/io": {"core/base", "core/tensor"},
    "core/backend": {"core/base", "core/tensor", "core/request"},
    "core/text": {"core/base", "core/tensor", "core/io"},
    "core/model": _inputs - {"core/model"},
    "core/circuits": _inputs,
    "core/attention": _inputs,
    "core/explain": _results | {"core/circuits"},
    "core/heads": _results,
    "core/compare": _results | {"core/explain", "core/circuits"},
    "core/diagnose": _results | {"core/compare"},
    "core/cost": _results,
    "core/corpus": _results | {"core/heads"},
    "core/headvis": _results | {"core/heads", "core/corpus"},
    "core/picture": _below_pictures,
    "core/picture/text": {"core/picture"} | _below_pictures,
    "core/picture/figure": {"core/picture", "core/picture/text"} | _below_pictures,
    "core/export": {"core/picture", "core/picture/figure", "core/picture/text", "core/cost"} | _below_pictures,
    "core/worksheet": {"core/base", "core/tensor", "core/io", "core/picture", "core/picture/figure", "core/picture/text"},
    "core/handout": {"core/worksheet", "core/export", "core/picture", "core/picture/figure", "core/picture/text",
                     "core/cost"} | _below_pictures,
    "core/script": _results,
    "core/generate": _results,
    "core/gradient": _results,
    "core/sweep": _results | {"core/gradient"},
}
# Rooms of the window, below the shell.
UI = {
    "ui/widgets": set(),
    "ui/map": {"ui/widgets"},
    "ui/request": {"ui/widgets", "ui/map"},
    "ui/phrase": {"ui/widgets", "ui/map", "ui/request"},
    "ui/weights": {"ui/widgets", "ui/map", "ui/request"},
    "ui/explain": {"ui/widgets", "ui/map", "ui/phrase", "ui/weights"},
    "ui/inspector": {"ui/widgets", "ui/map", "ui/request", "ui/explain"},
    "ui/text": {"ui/widgets", "ui/map", "ui/explain"},
    "ui/heads": {"ui/widgets", "ui/map", "ui/request", "ui/inspector"},
    "ui/layers": {"ui/widgets", "ui/map", "ui/request", "ui/phrase", "ui/heads"},
    "ui/lens": {"ui/widgets", "ui/map", "ui/phrase"},
    "ui/sweep": {"ui/widgets", "ui/map", "ui/phrase"},
    "ui/gradients": {"ui/widgets", "ui/map", "ui/phrase", "ui/sweep"},
    "ui/score": {"ui/widgets", "ui/map", "ui/phrase"},
    "ui/circuits": {"ui/widgets", "ui/map", "ui/phrase"},
    "ui/scatter": {"ui/widgets", "ui/map", "ui/phrase"},
    "ui/generate": {"ui/widgets", "ui/map", "ui/phrase"},
    "ui/corpus": {"ui/widgets", "ui/map", "ui/phrase"},
    "ui/bug_lab": {"ui/widgets", "ui/map"},
    "ui/compare": {"ui/widgets", "ui/map", "ui/phrase"},
    "ui/mask": {"ui/widgets", "ui/map"},
    "ui/script": {"ui/widgets"},
    "ui/guide": {"ui/widgets"},
    "ui/updates": {"ui/widgets"},
    "ui/aloud": {"ui/map"},
    "ui/dialogs": {"ui/widgets", "ui/map", "ui/phrase", "ui/bug_lab", "ui/corpus", "ui/script", "ui/sweep",
                   "ui/gradients", "ui/guide"},
}
# Answers of the background, ground first: the shared threads, the services on them, and all of them as one struct.
_background = {"session/background", "session/background/maps", "session/background/models", "session/background/work"}
_session = {"session", "session/export"} | _background
_below_ui = _session | set(CORE)

# part -> parts whose headers it may include, besides its own
MAY_INCLUDE = {
    **CORE,
    "session/background/work": set(CORE),
    "session/background/maps": {"session/background/work"} | set(CORE),
    "session/background/models": {"session/background/work"} | set(CORE),
    "session/background": _background | set(CORE),
    "session": _background | set(CORE),
    "session/export": {"session"} | _background | set(CORE),
    "cli": {"memory"} | _below_ui,
    "memory": {"core/base"},
    "gl": set(CORE),
    "platform": set(CORE),
    "ui": _below_ui,
    "shell": {"ui"} | set(UI) | _below_ui,
    **{room: {"ui"} | below | _below_ui for room, below in UI.items()},
    "frame": {"ui", "gl", "platform", "memory"} | _below_ui,
    "main": {"frame", "platform", "memory"} | set(CORE),
}
# Single headers that a part may see beyond that, each with its reason.
EXCEPTIONS = {
    ("ui", "app/platform/key_event.h"): "plain names of keys; knows no window",
    ("ui", "app/ui/widgets/text_edit.h"): "the model of a text that one types: the state holds some, it knows no widget",
    ("cli", "app/gl/device_facts.h"): "asks the driver its name in a process of its own; names no OpenGL",
    ("cli", "app/gl/compute_factory.h"): "makes the GPU backend; names no OpenGL and loads none before it is wanted",
}

# Foreign headers that only the named parts may include.
FOREIGN = [
    (re.compile(r"^(imgui|imstb|backends/)"), {"ui", "frame"}, "Dear ImGui"),
    (re.compile(r"^(GLFW/)"), {"platform"}, "GLFW"),
    (re.compile(r"^(epoxy/|GL/|EGL/|KHR/|GLES)"), {"gl", "platform"}, "OpenGL"),
    (re.compile(r"^(Eigen/|unsupported/Eigen)"), {"core"}, "Eigen"),
    (re.compile(r"^hwy/"), {"core"}, "Highway"),
    (re.compile(r"^(X11/|wayland)"), set(), "a window system"),
    (re.compile(r"^(CLI/|CLI11)"), {"cli"}, "CLI11"),
    # gl: a context that computes belongs to a thread of its own
    (re.compile(r"^(thread|mutex|condition_variable|future)$"), {"core", "session", "platform", "gl"}, "threads"),
]

# Headers of a system, which only the folder of that system may include; the C++ library's <csignal> is one of signals.
_POSIX = (r"(sys|net|netinet|arpa|linux)/|(unistd|fcntl|poll|pthread|dlfcn|csignal|signal|spawn|pwd|grp|dirent|"
          r"strings|termios|execinfo|malloc|sched|semaphore|glob|ftw|netdb|libgen|langinfo)(\.h)?$")
SYSTEM_HEADERS = {
    "posix": re.compile(f"^({_POSIX})"),
    "windows": re.compile(r"^(windows|winsock2|ws2tcpip|shellapi|shlobj|shlwapi|psapi|bcrypt|io|direct|process|fcntl|conio|csignal|"
                          r"signal)(\.h)?$"),
    "web": re.compile(f"^({_POSIX}|emscripten(/|\\.h$))"),
}
# The window runs on POSIX alone, which these files of it name, each for a reason.
SYSTEM_EXCEPTIONS = {
    "app/cli/main.cpp": "the number of the signal that ended the work",
    "app/frame/crash_handler.cpp": "writes a crash down in a handler of signals",
    "app/frame/memory_recovery.cpp": "asks glibc what the heap holds",
    "app/frame/watched_file.cpp": "tells two files of one name apart by their inodes",
    "app/frame/wire.cpp": "ignores the signals of pipes",
    "app/gl/device_facts.cpp": "asks the driver in a process of its own",
    "app/gl/offscreen.cpp": "opens EGL when it is wanted",
}

# Words that only the named file may write.
WORDS = [
    (re.compile(r"\bIMGUI_VERSION"), "app/ui/imgui_compat.h", "the version of Dear ImGui"),
    (re.compile(r"\bGLFW_VERSION"), "app/platform/glfw_display.cpp", "the version of GLFW"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def part_of(path):
    """The part of the house that a file belongs to; None for files elsewhere, and for folders that nobody has listed."""
    folder = path.rsplit("/", 1)[0] if "/" in path else ""
    if system_of(path):
        folder = folder.rsplit("/", 1)[0]
    if folder in FOLDERS:
        return FOLDERS[folder]
    if folder in CORE:
        return folder
    if folder == "app/ui":
        return "ui" if path.endswith(".h") else "shell"
    return folder[len("app/"):] if folder[len("app/"):] in UI and folder.startswith("app/") else None


def system_of(path):
    """The system whose folder a file lies in, or None."""
    folders = path.split("/")[:-1]
    return folders[-1] if folders and folders[-1] in SYSTEMS else None


def names_system(path, header):
    """Whether a file includes a header of a system that is not its own."""
    own = system_of(path)
    return path not in SYSTEM_EXCEPTIONS and not (own and SYSTEM_HEADERS[own].match(header)) and any(
        headers.match(header) for headers in SYSTEM_HEADERS.values())


def is_of(part, parts):
    """Whether one of `parts` is the part, or what the part is a room of: "core" for "core/io", "ui" for "shell"."""
    return part in parts or part.split("/")[0] in parts or (part == "shell" and "ui" in parts)


def violations(path, text):
    """Sentences, one for every include of `text` (the file at `path`) that the rules forbid."""
    part = part_of(path)
    if part is None:
        return [f"{path}: tests/arch/rules.py does not know this folder"] if path.startswith(("core/", "app/")) else []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, home, name in WORDS:
            if pattern.search(line) and path != home:
                found.append(f"{path}:{number}: only {home} asks for {name}")
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        if names_system(path, header):
            found.append(f"{path}:{number}: only {' and '.join(SYSTEMS)} folders know a system ({header}); "
                         "core/base/system says the same of all")
        if system_of(header) not in (None, system_of(path)):
            found.append(f"{path}:{number}: {header} is of one system")
        target = part_of(header)
        if target is not None:
            if target != part and target not in MAY_INCLUDE[part] and (part, header) not in EXCEPTIONS:
                found.append(f"{path}:{number}: {part} must not know {target} ({header})")
            continue
        if match.group(1) == '"' and not is_foreign(header):
            found.append(f"{path}:{number}: include by the path from the top of the tree: {header}")
        for pattern, parts, name in FOREIGN:
            if pattern.match(header) and not is_of(part, parts):
                found.append(f"{path}:{number}: {part} must not know {name} ({header})")
        if part.startswith("core/") and header.startswith("Eigen/") and not path.endswith(".cpp"):
            found.append(f"{path}:{number}: Eigen stays in .cpp files")
    return found


def is_foreign(header):
    return any(pattern.match(header) for pattern, _, _ in FOREIGN)
