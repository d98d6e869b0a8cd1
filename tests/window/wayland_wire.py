"""Wayland's protocol as far as a keyboard and a mouse of our own need it."""
import socket
import struct
import time

from driver import PATIENCE, Failure, expect


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
