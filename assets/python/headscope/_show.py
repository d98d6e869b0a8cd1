"""Windows on arrays."""

import atexit
import html
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import weakref

from headscope._arrays import capture_bytes, write_atomically
from headscope._interventions import interventions_of
from headscope._program import HeadscopeError, program, version, warn
from headscope._run import render
from headscope._wire import MOST_BYTES, Wire, socket_path, window_that_listens


def show(attn=None, *, q=None, k=None, v=None, mask=None, scale=None, causal=None, tokens=None, key_tokens=None,
         grid=None, model=None, phrase=None, window=True, arguments=()):
    """Opens a window on arrays, or on a model, and returns a Shown. In a notebook the Shown is a page with every number, and
    where there is no display, as on a server, it is that page alone.

    attn: weights after the softmax, [heads, q, k], [layers, heads, q, k] or [layers, batch, heads, q, k].
    q, k, v: queries, keys, values, [heads, len, head_dim], with layers and batch before as above; Headscope computes
        scores and weights from them, and mask, scale and causal take part. attn may stand beside them.
    mask: booleans (True: may attend) or numbers that are added, of a shape that broadcasts to [batch, heads, q, k].
    tokens, key_tokens: the names of the positions. grid: (rows, columns) of the image whose patches the tokens are.
    model, phrase: instead of arrays a checkpoint folder, a GGUF file or demo:NAME, and a text for it.
    window: False opens none: pictures and the page alone. arguments: more words for the program.
    Arrays may be NumPy's, PyTorch's, JAX's or nested lists. Raises TypeError, ValueError and HeadscopeError.
    """
    arrays = {"attn": attn, "q": q, "k": k, "v": v, "mask": mask}
    facts = {"tokens": tokens, "key_tokens": key_tokens, "scale": scale, "causal": causal, "grid": grid}
    if model is not None:
        given = [name for name, value in {**arrays, **facts}.items() if value is not None]
        if given:
            raise ValueError(f"{given[0]} together with model; expected arrays or a model")
        return Shown(request={"model": model, "phrase": phrase}, window=window, arguments=arguments)
    if phrase is not None:
        raise ValueError("phrase names the text of a model; the names of positions are tokens")
    return Shown(arrays=arrays, facts=facts, window=window, arguments=arguments)


# Windows whose handle was closed while others were shown in them: (process, its folder).
_left = []


@atexit.register
def _end_left():
    for process, folder in _left:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _let_go(wire, number):
    """Of a handle that nobody holds any more."""
    try:
        wire.ask("close", id=number)
    except (HeadscopeError, OSError):
        pass
    wire.close()


def _has_display():
    """Whether a window could be opened: where windows are not X11's or Wayland's, it is tried."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


# What a session says besides its request.
_NO_OPTIONS = ("headscope", "view", "window", "lesson")


class Shown:
    """What show() returns: a window that follows update(), pictures of the same, and what was done in the window.

    The first show() opens a window; while it is open, later ones, of other programs of this user too, hand over what they
    show to it by a socket (README.md, "The wire"), and undo leads back. Words in `arguments` open a window of its own. The
    windows keep their session in a folder of the first handle, so that another window's last session stays what it was.
    request(), interventions(), selection() and pictures are of this moment where the window listens, else at most two
    seconds old.
    """

    def __init__(self, arrays=None, facts=None, request=None, window=True, arguments=()):
        self._folder = tempfile.mkdtemp(prefix="headscope-")
        self._forget = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._facts = facts
        self._process = None
        self._listens = None  # the socket of a window of our own
        self._wire = None     # the connection to a window
        self._let_go = None
        self._number = 1      # of what is shown, over the wire; what a window was opened on is 1
        self._state = os.path.join(self._folder, "state")  # what the window keeps is in headscope/ below it
        self._seen = None  # (request, view) that the window said last
        self._last = None  # (request, selection) of a window that was closed
        try:
            if request is None:
                self._path = os.path.join(self._folder, "shown.safetensors")
                self._request = {"model": self._path}
                self.update(**arrays)
            else:
                self._path = None
                self._request = {name: value for name, value in request.items() if value is not None}
            if window and not (not arguments and self._hand_over()):
                if _has_display():
                    self._open(arguments)
                elif "ipykernel" not in sys.modules:  # a notebook shows the page
                    warn(["there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window was opened; html(), png() "
                          "and svg() give the same"])
        except BaseException:
            self._forget()
            raise

    def _hand_over(self):
        """Whether a window that is open took it."""
        self._wire = window_that_listens()
        if self._wire is None:
            return False
        if self._path is not None:
            kind, path = "capture", self._path
        else:
            kind, path = "session", self._session()
        if os.path.getsize(path) > MOST_BYTES:
            self._wire.close()
            self._wire = None
            return False
        with open(path, "rb") as file:
            self._number = self._wire.ask("show", file.read(), kind=kind)["id"]
        self._let_go = weakref.finalize(self, _let_go, self._wire, self._number)
        self._let_go.atexit = False  # a script that has ended leaves its picture on screen
        return True

    def _open(self, arguments):
        if self._path is not None:
            opened = ["--watch", self._path]
        else:  # without a phrase the window brings one
            opened = [self._session() if "phrase" in self._request else str(self._request["model"])]
        if not arguments and socket_path() is not None:
            self._listens = socket_path()
            opened = ["--listen", self._listens, *opened]
        self._process = subprocess.Popen([program("headscope"), *map(str, arguments), *opened], stdin=subprocess.DEVNULL,
                                         env=dict(os.environ, XDG_STATE_HOME=self._state))

    def _ask_state(self):
        """(request, view) that the window says, or None where it does not listen or is gone."""
        if self._wire is None and self._listens is not None and self.running:
            try:
                self._wire = Wire(self._listens)
            except OSError:
                return None
            if self._wire.ask("hello")["process"] != self._process.pid:  # another one was first
                self._wire.close()
                self._wire = self._listens = None
        if self._wire is None:
            return None
        try:
            answer = self._wire.ask("state", id=self._number)
        except HeadscopeError:
            return None
        request = answer["request"]
        if self._path is not None and "model" in request and os.path.dirname(request["model"]) != self._folder:
            request["model"] = self._path  # the window's own copy goes with the window
        self._seen = request, answer["view"]
        return self._seen

    def _session(self):
        request = {name: str(value) if isinstance(value, pathlib.PurePath) else value
                   for name, value in self._request.items()}
        path = os.path.join(self._folder, "shown.json")
        write_atomically(path, json.dumps({"headscope": version(), **request}).encode())
        return path

    def update(self, attn=None, *, q=None, k=None, v=None, mask=None, **facts):
        """Other numbers in place of those shown: the window follows. tokens, scale and the like stay unless given."""
        if self._path is None:
            raise HeadscopeError("a model is shown; only arrays can be updated")
        unknown = sorted(set(facts) - set(self._facts))
        if unknown:
            raise TypeError(f"update() has no {unknown[0]}; expected {', '.join(self._facts)}")
        facts = {**self._facts, **facts}
        content = capture_bytes(attn=attn, q=q, k=k, v=v, mask=mask, **facts)
        write_atomically(self._path, content)
        self._facts = facts
        if self._wire is not None and self._process is None:
            self._wire.ask("update", content, id=self._number)

    def _kept(self, name):
        """(a file that the window keeps, what it says), or (path, None) while the window has nothing to keep."""
        path = os.path.join(self._state, "headscope", name)
        try:
            with open(path, encoding="utf-8") as file:
                return path, json.load(file)
        except FileNotFoundError:
            return path, None

    def request(self):
        """The request of the window, as the user left it: options by name, as run() and intervene() take them."""
        if self._last is not None:
            return dict(self._last[0])
        said = self._ask_state() or self._seen
        session = said[0] if said else self._kept("last-session.json")[1]
        return {name: value for name, value in (session or self._request).items() if name not in _NO_OPTIONS}

    def interventions(self):
        """What was changed by hand in the window: of request() the options ablate, freeze, scale_query, scale_key, edit,
        paint and patch (with patch_from), where there are any. Those that are switched off begin with off:."""
        return interventions_of(self.request())

    def selection(self):
        """What is picked in the window: {"stage", "batch", "head", "cell", "layer"}.

        cell: (query, key) of a stage of scores or weights, else (position, feature); None: none is picked. layer: None
        where the last one is shown because none was chosen.
        """
        if self._last is not None:
            return dict(self._last[1])
        said = self._ask_state() or self._seen
        view = said[1] if said else self._kept("last-view.json")[1] or {}
        cell = view.get("cell")
        return {"stage": view.get("stage", "weights"), "batch": view.get("batch", 0), "head": view.get("head", 0),
                "cell": tuple(cell) if cell else None, "layer": self.request().get("layer")}

    def _picture(self, format, view):
        if self._ask_state() or self._seen:
            return render(format, **self.request(), **view)
        path, session = self._kept("last-session.json")
        return render(format, **(self._request if session is None else {"session": path}), **view)

    def png(self, **view):
        """A picture of what is shown as bytes; options of VIEW by name: view="head", head=3, stage="scores" ..."""
        return self._picture("png", view)

    def svg(self, **view):
        """The same as SVG, text."""
        return self._picture("svg", view).decode()

    def html(self, **view):
        """One page for any browser with every number, text."""
        return self._picture("html", view).decode()

    @property
    def running(self):
        """Whether its window is open."""
        if self._process is not None:
            return self._process.poll() is None
        if self._wire is None:
            return False
        try:
            self._wire.ask("hello")
            return True
        except HeadscopeError:
            return False

    def wait(self, timeout=None):
        """Until the window is closed; then its exit code. None without a window of its own."""
        if self._process is not None:
            return self._process.wait(timeout)
        if self._wire is not None and not self._wire.wait(timeout):
            raise subprocess.TimeoutExpired("headscope", timeout)
        return None

    def close(self):
        """The window is not needed any more for this: it ends when nothing else is shown in it. Removes the files.
        request(), interventions() and selection() still say how it ended."""
        if self._last is None and os.path.isdir(self._folder):
            if self._ask_state() is None and self.running:  # its last words are in its files
                self._end()
            self._last = self.request(), self.selection()
            if self._wire is not None and self.running:
                ends = self._say_closed()
                if self._process is not None and not ends:  # others are shown in it: it keeps its folder
                    _left.append((self._process, self._forget.detach()[2][0]))
                    self._process = None
            self._end()
            if self._wire is not None:
                if self._let_go is not None:
                    self._let_go.detach()
                self._wire.close()
                self._wire = None
            self._hand_on_crash()
        self._forget()

    def _say_closed(self):
        try:
            return self._wire.ask("close", id=self._number)["ends"]
        except HeadscopeError:
            return True

    def _end(self):
        """Ends the process of its own window, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _hand_on_crash(self):
        """What a window that crashed has left, to where `headscope-cli doctor` and Help > Report a problem look for it."""
        left = os.path.join(self._state, "headscope", "last-crash.txt")
        if os.path.exists(left):
            state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
            os.makedirs(os.path.join(state, "headscope"), exist_ok=True)
            shutil.move(left, os.path.join(state, "headscope", "last-crash.txt"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _repr_png_(self):
        return self.png()

    def _repr_html_(self):
        """The page in a frame of its own: it brings its own style and script."""
        page = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0" title="Headscope"></iframe>'
