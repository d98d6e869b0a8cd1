"""Keys and mouse events by X's own test extension: a hundred times as many in a second as with a program for each."""
import ctypes

from driver import expect


class Hands:
    """A keyboard and a mouse at a display."""

    def __init__(self, display_name):
        self.x = ctypes.CDLL("libX11.so.6")
        self.xtst = ctypes.CDLL("libXtst.so.6")  # xdotool brings it
        pointer, number, whole = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int
        self.x.XOpenDisplay.restype, self.x.XOpenDisplay.argtypes = pointer, [ctypes.c_char_p]
        self.x.XCloseDisplay.argtypes = [pointer]
        self.x.XSync.argtypes = [pointer, whole]
        self.x.XStringToKeysym.restype, self.x.XStringToKeysym.argtypes = number, [ctypes.c_char_p]
        self.x.XKeysymToKeycode.restype, self.x.XKeysymToKeycode.argtypes = ctypes.c_ubyte, [pointer, number]
        self.xtst.XTestFakeKeyEvent.argtypes = [pointer, ctypes.c_uint, whole, number]
        self.xtst.XTestFakeButtonEvent.argtypes = [pointer, ctypes.c_uint, whole, number]
        self.xtst.XTestFakeMotionEvent.argtypes = [pointer, whole, whole, whole, number]
        self.display = self.x.XOpenDisplay(display_name.encode())
        expect(self.display, f"no connection to the display {display_name}")

    def close(self):
        self.x.XCloseDisplay(self.display)

    def sync(self):
        """Waits until the display has taken everything."""
        self.x.XSync(self.display, 0)

    def move(self, x, y):
        self.xtst.XTestFakeMotionEvent(self.display, -1, x, y, 0)

    def button(self, button, down):
        self.xtst.XTestFakeButtonEvent(self.display, button, int(down), 0)

    def click(self, button, times=1):
        for _ in range(times):
            self.button(button, True)
            self.button(button, False)

    def key(self, name, down):
        """A key by the name of what it types: "a", "Return", "Control_L". One that the keyboard has not is left out."""
        code = self.x.XKeysymToKeycode(self.display, self.x.XStringToKeysym(name.encode()))
        if code:
            self.xtst.XTestFakeKeyEvent(self.display, code, int(down), 0)

    def press(self, *names):
        """Keys that are held together, as Control_L and z; then they are let go."""
        for name in names:
            self.key(name, True)
        for name in reversed(names):
            self.key(name, False)
