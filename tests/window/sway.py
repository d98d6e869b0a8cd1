"""A display for journeys on Wayland: sway without a screen, and a keyboard and a mouse of our own."""
import contextlib
import ctypes
import functools
import json
import math
import os
import shutil
import socket
import struct
import subprocess
import sys
import time

from driver import PATIENCE, SKIPPED, Failure, expect
from wayland_keyboard import UNUSED_KEYS, Keyboard, keymap_of_layout, keymap_of_signs
from wayland_wire import Wire, milliseconds

CONFIG = """
xwayland disable
default_border none
default_floating_border none
focus_follows_mouse no
for_window [app_id="headscope"] floating enable
"""
BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}


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
