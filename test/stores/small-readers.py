"""
Clients with small receive buffers, which Node cannot make: they ask and then read nothing.

Arguments: port, number of clients, bytes of each receive buffer, then objects (one after the other, again and again), each as
`PATH:OBJECT`: its number, which its words of eight bytes name, and the version that its entity tag names, see
`test/support/self-describing.ts`.
Prints a line when all have asked. Then reads commands, a line each: `read N BYTES` has the first N clients read what they were
promised, or the first BYTES of it, checks each word, and prints what each got, as JSON; the end of the input ends it.
"""

import json
import re
import selectors
import socket
import sys
from array import array

port, count, buffer_bytes = (int(argument) for argument in sys.argv[1:4])
objects = [(path, int(number)) for path, number in (one.rsplit(":", 1) for one in sys.argv[4:])]


def ask(path):
    client = socket.socket()
    # before connecting: the window is agreed upon then
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    client.connect(("127.0.0.1", port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: small\r\n\r\n".encode())
    return client


def words(number, version, start, end):
    """The bytes from `start` up to `end`, both of them multiples of eight."""
    first = (number << 56) + (version << 40) + start // 8
    values = array("Q", range(first, first + (end - start) // 8))
    if sys.byteorder == "little":
        values.byteswap()
    return values.tobytes()


class Reader:
    """What one client gets."""

    def __init__(self, client, path, number):
        self.client = client
        self.path = path
        self.number = number
        self.version = None
        self.head = b""
        self.bytes = 0
        self.promised = None
        self.status = None
        self.is_cut = False
        self.wrong = None

    def take(self, chunk, limit):
        """True when that was enough of it."""
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
            tag = re.search(rb'etag: "described-(\d+)-(\d+)-', self.head[:end], re.I)
            if tag and int(tag.group(1)) == self.number:
                self.version = int(tag.group(2))
            elif self.status == 200:
                self.wrong = "its entity tag is not that of the object"
            chunk = self.head[end + 4 :]
        if self.version is not None:
            self.check(chunk)
        self.bytes += len(chunk)
        return self.bytes >= min(self.promised, limit)

    def check(self, chunk):
        start, end = self.bytes, self.bytes + len(chunk)
        first = start - start % 8
        expected = words(self.number, self.version, first, end + -end % 8)[start - first : end - first]
        if self.wrong is not None or chunk == expected:
            return
        at = next(index for index, byte in enumerate(chunk) if byte != expected[index])
        word = at - (start + at) % 8
        self.wrong = f"byte {start + at}: its word is {chunk[max(0, word) : word + 8].hex()}"

    def told(self):
        return {
            "path": self.path,
            "status": self.status,
            "promised": self.promised,
            "bytes": self.bytes,
            "isCut": self.is_cut,
            "wrong": self.wrong,
        }


def read(wanted, limit):
    selector = selectors.DefaultSelector()
    for reader in readers[:wanted]:
        if reader.is_cut or reader.promised is not None and reader.bytes >= min(reader.promised, limit):
            continue
        reader.client.setblocking(False)
        selector.register(reader.client, selectors.EVENT_READ, reader)
    while selector.get_map():
        ready = selector.select(30)
        if not ready:
            break
        for key, _ in ready:
            try:
                chunk = key.fileobj.recv(65536)
            except ConnectionError:
                chunk = b""
            if key.data.take(chunk, limit):
                selector.unregister(key.fileobj)
    return [reader.told() for reader in readers[:wanted]]


readers = []
for index in range(count):
    one = objects[index % len(objects)]
    readers.append(Reader(ask(one[0]), *one))
print("asked", flush=True)
for line in sys.stdin:
    _, wanted, limit = line.split()
    print(json.dumps(read(int(wanted), int(limit))), flush=True)
