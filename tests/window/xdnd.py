"""The source's side of X's drag and drop (XDND, version 5), by Xlib alone: gives files to a window as a file manager does.

    drop(display_name, window_id, (x, y), ["/path/of/a/file"])

https://freedesktop.org/wiki/Specifications/XDND
"""
import ctypes
import pathlib
import time

CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31
VERSION = 5
PATIENCE = 30  # seconds
LONGS = ctypes.c_long * 5


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", LONGS)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("owner", ctypes.c_ulong), ("requestor", ctypes.c_ulong),
                ("selection", ctypes.c_ulong), ("target", ctypes.c_ulong), ("property", ctypes.c_ulong),
                ("time", ctypes.c_ulong)]


class SelectionNotify(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong),
                ("target", ctypes.c_ulong), ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("client", ClientMessage), ("request", SelectionRequest),
                ("notify", SelectionNotify), ("room", ctypes.c_long * 24)]


def _library():
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XOpenDisplay.argtypes = [ctypes.c_char_p]
    x.XInternAtom.restype = ctypes.c_ulong
    x.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    x.XDefaultRootWindow.restype = ctypes.c_ulong
    x.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
    x.XCreateSimpleWindow.restype = ctypes.c_ulong
    x.XCreateSimpleWindow.argtypes = [ctypes.c_void_p, ctypes.c_ulong] + [ctypes.c_int] * 2 + [ctypes.c_uint] * 3 + [
        ctypes.c_ulong] * 2
    x.XSetSelectionOwner.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong]
    x.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.POINTER(Event)]
    x.XChangeProperty.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_int,
                                  ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
    for name in ("XFlush", "XPending", "XCloseDisplay"):
        getattr(x, name).argtypes = [ctypes.c_void_p]
    x.XNextEvent.argtypes = [ctypes.c_void_p, ctypes.POINTER(Event)]
    return x


class Source:
    def __init__(self, display_name, target):
        self.x = _library()
        self.display = self.x.XOpenDisplay(display_name.encode())
        if not self.display:
            raise RuntimeError(f"no display {display_name}")
        root = self.x.XDefaultRootWindow(self.display)
        self.window = self.x.XCreateSimpleWindow(self.display, root, 0, 0, 1, 1, 0, 0, 0)
        self.target = target

    def atom(self, name):
        return self.x.XInternAtom(self.display, name.encode(), 0)

    def send(self, name, *data):
        event = Event()
        event.client = ClientMessage(CLIENT_MESSAGE, 0, 1, self.display, self.target, self.atom(name), 32,
                                     LONGS(self.window, *data, *[0] * (4 - len(data))))
        self.x.XSendEvent(self.display, self.target, 0, 0, ctypes.byref(event))
        self.x.XFlush(self.display)

    def answer(self, request, text):
        """The target asks for what is dropped."""
        self.x.XChangeProperty(self.display, request.requestor, request.property, request.target, 8, 0, text, len(text))
        event = Event()
        event.notify = SelectionNotify(SELECTION_NOTIFY, 0, 1, self.display, request.requestor, request.selection,
                                       request.target, request.property, request.time)
        self.x.XSendEvent(self.display, request.requestor, 0, 0, ctypes.byref(event))
        self.x.XFlush(self.display)

    def wait(self, name, text=b""):
        """The data of the target's message of that name; what is dropped is given meanwhile when it is asked for."""
        wanted, end = self.atom(name), time.monotonic() + PATIENCE
        event = Event()
        while time.monotonic() < end:
            if self.x.XPending(self.display) == 0:
                time.sleep(0.01)
                continue
            self.x.XNextEvent(self.display, ctypes.byref(event))
            if event.type == SELECTION_REQUEST:
                self.answer(event.request, text)
            elif event.type == CLIENT_MESSAGE and event.client.message_type == wanted:
                return list(event.client.data)
        raise RuntimeError(f"the window sent no {name}")


def drop(display_name, target, place, paths):
    source = Source(display_name, target)
    text = "".join(pathlib.Path(path).absolute().as_uri() + "\r\n" for path in paths).encode()
    source.x.XSetSelectionOwner(source.display, source.atom("XdndSelection"), source.window, 0)
    source.send("XdndEnter", VERSION << 24, source.atom("text/uri-list"))
    source.send("XdndPosition", 0, place[0] << 16 | place[1], 0, source.atom("XdndActionCopy"))
    status = source.wait("XdndStatus")
    if not status[1] & 1:
        raise RuntimeError("the window does not take the drop")
    source.send("XdndDrop", 0, 0)
    finished = source.wait("XdndFinished", text)
    if not finished[1]:  # GLFW answers with a number of bytes, where the specification has one bit
        raise RuntimeError("the window did not take what was dropped")
    source.x.XCloseDisplay(source.display)
