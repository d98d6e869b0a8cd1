"""What windows and this package say to each other over a socket; README.md, "The wire"."""

import json
import os
import socket

from headscope._program import HeadscopeError

_PREFIX = 4 + 8
MOST_JSON, MOST_BYTES = 1 << 20, 1 << 30  # of one message


def socket_path():
    """Where a window of this user listens for this package: in XDG_RUNTIME_DIR; None without a folder that is the user's
    own."""
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not folder:
        return None
    try:
        facts = os.stat(folder)
    except OSError:
        return None
    own = facts.st_uid == os.geteuid() and facts.st_mode & 0o022 == 0
    path = os.path.join(folder, "headscope.sock")
    return path if own and len(os.fsencode(path)) < 108 else None


class Wire:
    """One connection to a window that listens. Raises OSError when nobody does."""

    def __init__(self, path, patience=30):
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(patience)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise

    def ask(self, verb, content=b"", **facts):
        """The window's answer, a dict. Raises HeadscopeError with its own sentence when it refuses, and when it is gone."""
        text = json.dumps({"verb": verb, **facts}).encode()
        if len(content) > MOST_BYTES:
            raise HeadscopeError(f"{len(content)} bytes are too many for one message; at most {MOST_BYTES} are taken")
        try:
            self._socket.sendall(len(text).to_bytes(4, "little") + len(content).to_bytes(8, "little") + text + content)
            prefix = self._receive(_PREFIX)
            sizes = int.from_bytes(prefix[:4], "little"), int.from_bytes(prefix[4:], "little")
            if sizes[0] > MOST_JSON or sizes[1] > MOST_BYTES:
                raise ConnectionError("what answers is no window")
            answer = json.loads(self._receive(sizes[0]))
            self._receive(sizes[1])
        except (OSError, ValueError) as error:
            self.close()  # an answer that comes late would be taken for that of the next message
            raise HeadscopeError(f"the window does not answer: {error}") from error
        if not answer.get("ok"):
            raise HeadscopeError(answer.get("error", "the window refused"))
        return answer

    def _receive(self, size):
        parts = []
        while size > 0:
            part = self._socket.recv(min(size, 1 << 20))
            if not part:
                raise ConnectionError("it was closed")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def wait(self, timeout=None):
        """Until the window is closed. False when `timeout` seconds pass before."""
        if self._socket.fileno() < 0:  # it did not answer
            return True
        before = self._socket.gettimeout()
        self._socket.settimeout(timeout)
        try:
            while self._socket.recv(1024):
                pass
        except socket.timeout:
            return False
        except OSError:
            pass
        finally:
            self._socket.settimeout(before)
        return True

    def close(self):
        self._socket.close()


def window_that_listens():
    """A Wire to the window of this user that is open for this package, or None."""
    path = socket_path()
    if path is None:
        return None
    try:
        wire = Wire(path)
    except OSError:
        return None
    try:
        wire.ask("hello")
    except HeadscopeError:
        wire.close()
        return None
    return wire
