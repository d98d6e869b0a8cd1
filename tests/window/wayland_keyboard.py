"""A keyboard on Wayland with any keymap: what is printed on its keys, and how they are pressed.

It speaks the protocol itself: a tool such as wtype chooses the keymap, and a test of German keys must choose it itself."""
import os

from wayland_wire import milliseconds

# The wire's numbers of the keys (linux/input-event-codes.h), named as a US keyboard prints them.
KEYS = {name: code
        for row, first in [("1234567890-=", 2), ("qwertyuiop[]", 16), ("asdfghjkl;'`", 30), ("\\zxcvbnm,./", 43)]
        for code, name in enumerate(row, first)}
KEYS |= {"Escape": 1, "BackSpace": 14, "Tab": 15, "Return": 28, "ctrl": 29, "shift": 42, "alt": 56, "space": 57,
         "F1": 59, "F3": 61, "altgr": 100, "Home": 102, "Up": 103, "Left": 105, "Right": 106, "End": 107, "Down": 108,
         "Delete": 111}
MODIFIERS = {"shift": 1, "ctrl": 4, "alt": 8, "altgr": 128}  # the bits that every layout of xkeyboard-config gives them
UNUSED_KEYS = range(200, 247)  # no keyboard has them: GLFW sees no key in them, only what they write
FIRST_KEYS = range(1, 48)  # Escape, digits, BackSpace...: those that wtype writes signs on


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
