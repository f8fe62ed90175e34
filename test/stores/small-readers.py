"""
Clients with small receive buffers, which Node cannot make: they ask and then read nothing.

Arguments: port, number of clients, bytes of each receive buffer, paths (one after the other, again and again).
Prints a line when all have asked. Then reads commands, a line each: `read N` has the first N clients read what they were
promised and prints what each got, as JSON; the end of the input ends it.
"""

import hashlib
import json
import re
import selectors
import socket
import sys

port, count, buffer_bytes = (int(argument) for argument in sys.argv[1:4])
paths = sys.argv[4:]


def ask(path):
    client = socket.socket()
    # before connecting: the window is agreed upon then
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    client.connect(("127.0.0.1", port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: small\r\n\r\n".encode())
    return client


class Reader:
    """What one client gets."""

    def __init__(self, path):
        self.path = path
        self.head = b""
        self.hash = hashlib.sha256()
        self.bytes = 0
        self.promised = None
        self.status = None
        self.is_cut = False

    def take(self, chunk):
        """True when that was the last of it."""
        if not chunk:
            self.is_cut = True
            return True
        if self.promised is None:
            self.head += chunk
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return False
            self.status = int(self.head[9:12])
            length = re.search(rb"content-length: (\d+)", self.head[:end], re.I)
            self.promised = int(length.group(1)) if length else 0
            chunk = self.head[end + 4 :]
        self.hash.update(chunk)
        self.bytes += len(chunk)
        return self.bytes >= self.promised

    def told(self):
        return {
            "path": self.path,
            "status": self.status,
            "promised": self.promised,
            "bytes": self.bytes,
            "isCut": self.is_cut,
            "sha256": self.hash.hexdigest(),
        }


def read(wanted):
    selector = selectors.DefaultSelector()
    readers = []
    for client, path in clients[:wanted]:
        reader = Reader(path)
        readers.append(reader)
        client.setblocking(False)
        selector.register(client, selectors.EVENT_READ, reader)
    while selector.get_map():
        ready = selector.select(30)
        if not ready:
            break
        for key, _ in ready:
            try:
                chunk = key.fileobj.recv(65536)
            except ConnectionError:
                chunk = b""
            if key.data.take(chunk):
                selector.unregister(key.fileobj)
    return [reader.told() for reader in readers]


clients = [(ask(paths[index % len(paths)]), paths[index % len(paths)]) for index in range(count)]
print("asked", flush=True)
for line in sys.stdin:
    print(json.dumps(read(int(line.split()[1]))), flush=True)
