"""Drives the real window on Wayland: sway without a screen, and a keyboard and a mouse of our own.

The keyboard and the mouse speak Wayland's protocol themselves: a tool such as wtype chooses the keymap, and a test of
German keys must choose it itself."""
import contextlib
import ctypes
import functools
import json
import math
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import time

import driver
from driver import PATIENCE, SKIPPED, Failure, expect

CONFIG = """
xwayland disable
default_border none
default_floating_border none
focus_follows_mouse no
for_window [app_id="headscope"] floating enable
"""
# The wire's numbers of the keys (linux/input-event-codes.h), named as a US keyboard prints them.
KEYS = {name: code
        for row, first in [("1234567890-=", 2), ("qwertyuiop[]", 16), ("asdfghjkl;'`", 30), ("\\zxcvbnm,./", 43)]
        for code, name in enumerate(row, first)}
KEYS |= {"Escape": 1, "BackSpace": 14, "Tab": 15, "Return": 28, "ctrl": 29, "shift": 42, "alt": 56, "space": 57,
         "F1": 59, "F3": 61, "altgr": 100, "Home": 102, "Up": 103, "Left": 105, "Right": 106, "End": 107, "Down": 108,
         "Delete": 111}
MODIFIERS = {"shift": 1, "ctrl": 4, "alt": 8, "altgr": 128}  # the bits that every layout of xkeyboard-config gives them
BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}
UNUSED_KEYS = range(200, 247)  # no keyboard has them: GLFW sees no key in them, only what they write
FIRST_KEYS = range(1, 48)  # Escape, digits, BackSpace...: those that wtype writes signs on


def need_tools():
    """Skips the test where there is no compositor, or the GLFW here cannot speak to one."""
    glfw = "not found"
    with contextlib.suppress(OSError):
        library = ctypes.CDLL("libglfw.so.3")
        library.glfwGetVersionString.restype = ctypes.c_char_p
        glfw = library.glfwGetVersionString().decode()
    if "Wayland" not in glfw or glfw.startswith("3.3"):
        print(f"the GLFW here ({glfw}) is older than 3.4, or without Wayland: nothing was tested")
        sys.exit(SKIPPED)
    if shutil.which("sway") is None:
        print("sway is not installed: nothing was tested")
        sys.exit(SKIPPED)
    if shutil.which("wl-copy") is None:
        sys.exit("sway is there, but not wl-clipboard")


def keymap_of_layout(layout):
    """Both ends read the system's files of the layout for themselves."""
    return f"""xkb_keymap {{
  xkb_keycodes {{ include "evdev+aliases(qwerty)" }};
  xkb_types {{ include "complete" }};
  xkb_compat {{ include "complete" }};
  xkb_symbols {{ include "pc+{layout}+inet(evdev)" }};
}};"""


def keymap_of_signs(signs, keys):
    """A keymap in which the n-th of the keys writes the n-th sign: what a tool does that types any text."""
    codes = "".join(f"<K{n}> = {code + 8};" for n, code in zip(range(len(signs)), keys))
    symbols = "".join(f"key <K{n}> {{ [ U{ord(sign):04X} ] }};" for n, sign in enumerate(signs))
    return f"""xkb_keymap {{
  xkb_keycodes {{ minimum = 8; maximum = 255; {codes} }};
  xkb_types {{ include "complete" }};
  xkb_compat {{ include "complete" }};
  xkb_symbols {{ {symbols} }};
}};"""


class Wire:
    """As much of a Wayland client as a keyboard and a mouse need."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(path))
        self.last_id = 1
        self.unread = b""
        self.globals = {}
        self.registry = self.new_id()
        self.send(1, 1, self.registry)
        self.sync()

    def new_id(self):
        self.last_id += 1
        return self.last_id

    def send(self, target, opcode, *arguments, fd=None):
        body = b"".join(self.packed(argument) for argument in arguments)
        message = struct.pack("=II", target, (8 + len(body)) << 16 | opcode) + body
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", fd))] if fd is not None else []
        self.socket.sendmsg([message], rights)

    @staticmethod
    def packed(argument):
        if isinstance(argument, str):
            text = argument.encode() + b"\0"
            return struct.pack("=I", len(text)) + text + b"\0" * (-len(text) % 4)
        if isinstance(argument, float):  # 24.8 bits
            return struct.pack("=i", round(argument * 256))
        return struct.pack("=I", argument)

    def bind(self, interface, version=1):
        expect(interface in self.globals, f"the compositor has no {interface}")
        made = self.new_id()
        self.send(self.registry, 0, self.globals[interface], interface, version, made)
        return made

    def sync(self):
        """Waits until the compositor has done all that was asked of it."""
        callback = self.new_id()
        self.send(1, 0, callback)
        done = False
        while not done:
            received = self.socket.recv(65536)
            expect(received, "the compositor closed the connection")
            self.unread += received
            while len(self.unread) >= 8:
                source, head = struct.unpack("=II", self.unread[:8])
                if len(self.unread) < head >> 16:
                    break
                body, self.unread = self.unread[8:head >> 16], self.unread[head >> 16:]
                event = head & 0xFFFF
                if (source, event) == (1, 0):
                    raise Failure(f"the compositor refuses: {body[12:].decode(errors='replace')}")
                if (source, event) == (self.registry, 0):
                    number, length = struct.unpack("=II", body[:8])
                    self.globals[body[8:7 + length].decode()] = number
                done = done or source == callback


def milliseconds():
    return int(time.monotonic() * 1000) & 0xFFFFFFFF


class Keyboard:
    """A keyboard with any keymap."""

    def __init__(self, wire, seat, manager, keymap):
        self.wire = wire
        self.id = wire.new_id()
        self.held = 0
        wire.send(manager, 0, seat, self.id)
        self.print_on_keys(keymap)

    def print_on_keys(self, keymap):
        text = keymap.encode() + b"\0"
        fd = os.memfd_create("keymap")
        os.write(fd, text)
        self.wire.send(self.id, 0, 1, len(text), fd=fd)
        self.wire.sync()
        os.close(fd)

    def send(self, code, down):
        self.wire.send(self.id, 1, milliseconds(), code, int(down))

    def hold(self, *modifiers):
        """Exactly these are down from now on. The compositor does not work the modifiers out from the keys."""
        wanted = sum(MODIFIERS[m] for m in modifiers)
        for name, bit in MODIFIERS.items():
            if (wanted ^ self.held) & bit:
                self.send(KEYS[name], wanted & bit)
        self.held = wanted
        self.wire.send(self.id, 2, wanted, 0, 0, 0)

    def press(self, code, modifiers=()):
        self.hold(*modifiers)
        self.send(code, True)
        self.send(code, False)
        self.hold()
        self.wire.sync()


class Display:
    """A compositor without a screen: an output of 1600 x 1000 units, a keyboard with a US layout, a mouse.

    X11 is there as well, as on most desktops with Wayland: what can choose must choose Wayland."""

    def __init__(self, home, x11):
        self.home = home
        self.runtime = home / "runtime"
        self.runtime.mkdir(mode=0o700)
        config = home / "sway.conf"
        config.write_text(CONFIG)
        self.ipc_path = self.runtime / "ipc.sock"
        # Dead keys are composed as the locale says.
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(self.runtime), HOME=str(home), DISPLAY=x11.name,
                                XDG_SESSION_TYPE="wayland", LC_ALL="C.UTF-8")
        own = dict(self.environment, WLR_BACKENDS="headless", WLR_LIBINPUT_NO_DEVICES="1", WLR_RENDERER="pixman",
                   SWAYSOCK=str(self.ipc_path))
        own.pop("WAYLAND_DISPLAY", None)
        self.log = open(home / "sway.txt", "ab")
        self.process = subprocess.Popen(["sway", "--config", str(config)], env=own, stdout=self.log, stderr=self.log)
        try:
            self.environment["WAYLAND_DISPLAY"] = self.wait_for(self.socket_name, "sway to start")
            self.connect()
        except Exception:
            self.process.kill()
            raise

    def connect(self):
        self.wire = Wire(self.runtime / self.environment["WAYLAND_DISPLAY"])
        seat = self.wire.bind("wl_seat")
        keyboards = self.wire.bind("zwp_virtual_keyboard_manager_v1")
        pointers = self.wire.bind("zwlr_virtual_pointer_manager_v1")
        self.mouse = self.wire.new_id()
        self.wire.send(pointers, 0, seat, self.mouse)
        self.keyboard, self.speller = (Keyboard(self.wire, seat, keyboards, keymap_of_layout("us")) for _ in range(2))
        self.set_output("HEADLESS-1", 1)

    def socket_name(self):
        names = [path.name for path in self.runtime.glob("wayland-*") if path.suffix != ".lock"]
        return names[0] if names and self.ipc_path.exists() else None

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            expect(self.process.poll() is None,
                   f"sway ended with {self.process.returncode}:\n{(self.home / 'sway.txt').read_text()[-2000:]}")
            with contextlib.suppress(OSError):
                found = condition()
                if found:
                    return found
            time.sleep(0.02)
        raise Failure(f"waited {PATIENCE} s for {what}")

    # ---- what sway is told and says
    def ask(self, kind, text=""):
        with socket.socket(socket.AF_UNIX) as ipc:
            ipc.settimeout(PATIENCE)
            ipc.connect(str(self.ipc_path))
            payload = text.encode()
            ipc.sendall(b"i3-ipc" + struct.pack("=II", len(payload), kind) + payload)
            with ipc.makefile("rb") as answer:
                length = struct.unpack("=II", answer.read(14)[6:])[0]
                return json.loads(answer.read(length))

    def command(self, text):
        for result in self.ask(0, text):
            expect(result["success"], f"sway refuses '{text}': {result.get('error')}")

    def outputs(self):
        return self.ask(3)

    def set_output(self, name, scale):
        """1600 x 1000 units, each of `scale` pixels."""
        self.command(f"output {name} mode --custom {round(1600 * scale)}x{round(1000 * scale)}@60Hz scale {scale}")
        self.wait_for(lambda: any(output["name"] == name and output["scale"] == scale and
                                  output["rect"]["width"] == 1600 for output in self.outputs()), f"scale {scale}")

    def windows(self):
        """Every window with the place of its content in the compositor's units."""
        found, waiting = [], [self.ask(4)]
        while waiting:
            node = waiting.pop()
            waiting += node["nodes"] + node["floating_nodes"]
            if node.get("pid") is not None:
                found.append(node)
        return found

    # ---- the mouse and the keyboards
    def point(self, x, y):
        """In the compositor's units, fractions included."""
        rects = [output["rect"] for output in self.outputs()]
        left, top = min(r["x"] for r in rects), min(r["y"] for r in rects)
        width = max(r["x"] + r["width"] for r in rects) - left
        height = max(r["y"] + r["height"] for r in rects) - top
        part = 1024
        self.wire.send(self.mouse, 1, milliseconds(), math.floor((x - left) * part + 0.5),
                       math.floor((y - top) * part + 0.5), width * part, height * part)
        self.end_of_mouse_event()

    def press_button(self, button, down):
        self.wire.send(self.mouse, 2, milliseconds(), BUTTONS[button], int(down))
        self.end_of_mouse_event()

    def turn_wheel(self, steps):
        """Towards the user is positive."""
        for _ in range(abs(steps)):
            step = 1 if steps > 0 else -1
            self.wire.send(self.mouse, 5, 0)
            self.wire.send(self.mouse, 7, milliseconds(), 0, 15.0 * step, step & 0xFFFFFFFF)
            self.end_of_mouse_event()

    def end_of_mouse_event(self):
        self.wire.send(self.mouse, 4)
        self.wire.sync()

    def lay_out(self, layout):
        """What is printed on the keyboard's keys from now on: de, fr, ru..."""
        self.keyboard.print_on_keys(keymap_of_layout(layout))

    def spell(self, text, keys=UNUSED_KEYS):
        """Types any text with a keyboard that is made for it, as tools do that write emoji."""
        while text:
            end = next(n for n in range(len(text), 0, -1) if len(set(text[:n])) <= len(keys))
            signs = list(dict.fromkeys(text[:end]))
            self.speller.print_on_keys(keymap_of_signs(signs, keys))
            for sign in text[:end]:
                self.speller.press(keys[signs.index(sign)])
            text = text[end:]

    def close(self):
        self.wire.socket.close()
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)
        self.log.close()


class Window(driver.Window):
    """One run of headscope on sway. Places are pixels of the window, as in the probe."""

    def __init__(self, binary, display, home, arguments=None, size=(1600, 1000), **environment):
        self.home = pathlib.Path(home)
        self.display = display
        if arguments is None:
            arguments = [self.drawn()]
        self.probe_path = self.home / "probe.json"
        self.probe_path.unlink(missing_ok=True)
        self.environment = dict(display.environment, XDG_CONFIG_HOME=str(self.home / "config"),
                                XDG_STATE_HOME=str(self.home / "state"), XDG_CACHE_HOME=str(self.home / "cache"),
                                **environment)
        self.started = time.monotonic()
        self.log = open(self.home / "log.txt", "ab")
        sized = ["--size", f"{size[0]}x{size[1]}"] if size is not None else []  # None: as large as the last one
        self.process = subprocess.Popen([binary, "--probe", str(self.probe_path), *sized, *map(str, arguments)],
                                        env=self.environment, stdout=self.log, stderr=self.log, cwd=self.home)
        self.wait(lambda p: p["frame"] >= 1, "the first frame")
        self.pointer = (500, 2)
        self.settle()

    def drawn(self):
        """Drawn weights and a causal mask, as in the journeys on X11."""
        path = self.home / "drawn.json"
        path.write_text(json.dumps({"headscope": "0.1.0", "phrase": "Hola mi nombre es Alex", "mask": "causal"}))
        return path

    def node(self):
        found = [node for node in self.display.windows() if node["pid"] == self.process.pid]
        return found[0] if found else None

    def place(self):
        """Where its content lies: x, y, width, height in the compositor's units."""
        node = self.display.wait_for(self.node, "the window on sway")
        rect, inner = node["rect"], node["window_rect"]
        return rect["x"] + inner["x"], rect["y"] + inner["y"], inner["width"], inner["height"]

    def point(self, x, y):
        left, top, width, height = self.place()
        size = self.probe()["size"]
        # The middle of the pixel: at a scale of 1.5 its corner is no number of 1/256 units.
        self.display.point(left + (x + 0.5) * width / size[0], top + (y + 0.5) * height / size[1])

    def settle(self):
        x, y = self.pointer
        for place in ((x + 1, y), (x, y)):
            asked = 0

            def there(p):
                nonlocal asked
                # GLFW 3.4 says that the pointer has entered the window, but not where: it learns that from the next
                # move. A window that has just come or moved must be pointed at again.
                if time.monotonic() - asked > 2:
                    if asked:
                        self.point(place[0] + 3, place[1])
                    self.point(*place)
                    asked = time.monotonic()
                return all(abs(p["mouse"][i] - place[i] - 0.5) <= 0.51 for i in (0, 1))
            self.wait(there, f"the pointer at {place}")
        return self.wait(lambda p: p["resting"], "a window at rest")

    def click(self, name, at=(0.5, 0.5), button=1, times=1):
        self.move(name, at)
        for _ in range(times):
            self.display.press_button(button, True)
            self.display.press_button(button, False)
        return self.settle()

    def wheel(self, steps):
        self.display.turn_wheel(steps)
        return self.settle()

    def key(self, *names):
        """By place: "ctrl+z" is the key that a US keyboard prints z on."""
        for name in names:
            *modifiers, last = name.split("+")
            self.display.keyboard.press(KEYS[last], modifiers)
        return self.settle()

    def type(self, text):
        self.display.spell(text)
        return self.settle()

    def copy_elsewhere(self, text):
        """Another program has this in its clipboard from now on."""
        # wl-copy stays and holds it; with the pipes of ours, run() would wait for its end.
        subprocess.run(["wl-copy", "--type", "text/plain;charset=utf-8"], env=self.environment, input=text.encode(),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)
        expect(self.clipboard() == text, "wl-copy did not take the text")

    def paste(self, text):
        self.copy_elsewhere(text)
        return self.key("ctrl+v")

    def clipboard(self):
        return self.run("wl-paste", "--no-newline", "--type", "text/plain;charset=utf-8")

    def command(self, text):
        """What a user does with the window itself."""
        self.display.command(f"[pid={self.process.pid}] {text}")

    def resize(self, width, height):
        """In the compositor's units."""
        self.command(f"resize set {width} px {height} px")

    def picture(self, name):
        """What is on the screen, for people to look at; only where HEADSCOPE_PICTURES names a folder."""
        folder = os.environ.get("HEADSCOPE_PICTURES")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.run("grim", str(pathlib.Path(folder) / f"wayland-{name}.png"))


def on_sway(journey):
    """A journey whose display is sway instead of Xvfb. It is skipped where there is no sway."""
    @functools.wraps(journey)
    def journey_on_sway(headscope, cli, x11, home):
        need_tools()
        display = Display(home, x11)
        try:
            journey(headscope, cli, display, home)
        finally:
            display.close()
    return journey_on_sway
