#!/usr/bin/env python3
"""A DICOM peer that does what real ones do on a bad day; nothing but Python's standard library.

    peer.py send PORT END FILE...      sends files to a watch (as ARCHIVE, to HEMOTILE) and prints the
                                       answer to each; END: release, abort, close, or half (closes the
                                       connection within the object after the last file)
    peer.py silent PORT N FILE         N connections that say nothing, until FILE is there
    peer.py archive PORTFILE FOLDER    an archive with the DICOM files of the folder, whatever is asked
                                       for; it reads FOLDER/says, lines "count N" (of each series, in
                                       a search), "has N" (in total, in a transfer) and "endless" (the
                                       answers to a search)
"""
import os
import socket
import struct
import sys
import time

EXPLICIT = b"1.2.840.10008.1.2.1"
CONTEXT = b"1.2.840.10008.3.1.1.1"
TEXT = {0x00000002, 0x00000003, 0x00000600, 0x00001000, 0x00001001}  # of a command set


class Gone(Exception):
    pass


def even(value):
    return value + b"\0" * (len(value) % 2)


# ---- PDUs ----


def take(peer, size):
    data = b""
    while len(data) < size:
        more = peer.recv(size - len(data))
        if not more:
            raise Gone
        data += more
    return data


def read_pdu(peer):
    kind, length = struct.unpack(">BxI", take(peer, 6))
    return kind, take(peer, length)


def write_pdu(peer, kind, data):
    peer.sendall(struct.pack(">BxI", kind, len(data)) + data)


def item(kind, data):
    return struct.pack(">BxH", kind, len(data)) + data


def items(data):
    while data:
        kind, length = struct.unpack(">BxH", data[:4])
        yield kind, data[4:4 + length]
        data = data[4 + length:]


def head(called, calling):
    return struct.pack(">HH16s16s32x", 1, 0, called.ljust(16), calling.ljust(16))


USER = item(0x51, struct.pack(">I", 16384)) + item(0x52, b"1.2.3.4") + item(0x55, b"PEER")


def command(elements):
    body = b""
    for tag, value in sorted(elements.items()):
        value = even(value) if tag in TEXT else struct.pack("<H", value)
        body += struct.pack("<HHI", tag >> 16, tag & 0xFFFF, len(value)) + value
    return struct.pack("<HHII", 0, 0, 4, len(body)) + body


def read_command(data):
    elements = {}
    while data:
        group, element, length = struct.unpack("<HHI", data[:8])
        value = data[8:8 + length]
        tag = group << 16 | element
        elements[tag] = value.rstrip(b"\0") if tag in TEXT or length != 2 else struct.unpack("<H", value)[0]
        data = data[8 + length:]
    return elements


def write_message(peer, context, elements, dataset=None, half=False):
    for flag, data in ((1, command(elements)), (0, dataset)):
        for at in range(0, len(data or b""), 16000):
            last = 2 if at + 16000 >= len(data) else 0
            part = data[at:at + 16000]
            if half and flag == 0:
                raise Gone
            write_pdu(peer, 4, struct.pack(">IBB", len(part) + 2, context, flag | last) + part)


def read_message(peer):
    """The context, the command and its data set; (0, None, None) after a release."""
    command_set, dataset, context, wanted = b"", b"", 0, None
    while True:
        kind, data = read_pdu(peer)
        if kind == 5:
            write_pdu(peer, 6, bytes(4))
            return 0, None, None
        if kind != 4:
            raise Gone
        while data:
            length, context, flags = struct.unpack(">IBB", data[:6])
            part, data = data[6:4 + length], data[4 + length:]
            if flags & 1:
                command_set += part
            else:
                dataset += part
            if flags == 3:
                wanted = read_command(command_set)
            if wanted and (wanted[0x00000800] == 0x0101 or flags == 2):
                return context, wanted, dataset


# ---- files ----


def element_of(data, tag, at=0):
    """The value of an element of the outermost level, explicit VR, little endian."""
    while at + 8 <= len(data):
        group, element, vr, length = struct.unpack("<HH2sH", data[at:at + 8])
        at += 8
        if vr in (b"OB", b"OW", b"SQ", b"UN", b"UT", b"OF"):
            length = struct.unpack("<I", data[at:at + 4])[0]
            at += 4
        if (group << 16 | element) == tag:
            return data[at:at + length].rstrip(b"\0 ")
        if length == 0xFFFFFFFF:
            return b""
        at += length
    return b""


class File:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        start = 144 + struct.unpack("<I", data[140:144])[0]
        meta, self.dataset = data[132:start], data[start:]
        self.sop_class, self.instance = element_of(meta, 0x00020002), element_of(meta, 0x00020003)
        assert element_of(meta, 0x00020010) == EXPLICIT, path
        self.study, self.series = element_of(self.dataset, 0x0020000D), element_of(self.dataset, 0x0020000E)


def explicit(values):
    data = b""
    for tag, (vr, value) in sorted(values.items()):
        value = value + (b" " if vr != b"UI" else b"\0") * (len(value) % 2)
        data += struct.pack("<HH2sH", tag >> 16, tag & 0xFFFF, vr, len(value)) + value
    return data


# ---- a sender ----


def connect(port):
    peer = socket.create_connection(("127.0.0.1", int(port)), 60)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def associate(peer, sop_classes):
    contexts = b"".join(
        item(0x20, struct.pack(">B3x", 2 * n + 1) + item(0x30, sop_class) + item(0x40, EXPLICIT))
        for n, sop_class in enumerate(sop_classes))
    write_pdu(peer, 1, head(b"HEMOTILE", b"ARCHIVE") + item(0x10, CONTEXT) + contexts + item(0x50, USER))
    kind, _ = read_pdu(peer)
    assert kind == 2, "no association"


def store(peer, context, number, file, half=False):
    write_message(peer, context, {0x00000002: file.sop_class, 0x00000100: 0x0001, 0x00000110: number,
                                  0x00000700: 0, 0x00000800: 1, 0x00001000: file.instance}, file.dataset, half)
    return read_message(peer)[1][0x00000900]


def send(port, end, *paths):
    files = [File(path) for path in paths]
    classes = sorted({file.sop_class for file in files})
    peer = connect(port)
    associate(peer, classes)
    for n, file in enumerate(files):
        half = end == "half" and n == len(files) - 1
        try:
            print(f"{store(peer, 2 * classes.index(file.sop_class) + 1, n + 1, file, half):04x}", flush=True)
        except Gone:
            assert half
    if end == "release":
        write_pdu(peer, 5, bytes(4))
        assert read_pdu(peer)[0] == 6
    elif end == "abort":
        write_pdu(peer, 7, bytes(4))
    peer.close()


def silent(port, count, until):
    peers = [connect(port) for _ in range(int(count))]
    print("silent", flush=True)
    while not os.path.exists(until):
        time.sleep(0.05)
    del peers


# ---- an archive ----


def accept(peer):
    """The contexts: number to class."""
    kind, data = read_pdu(peer)
    assert kind == 1
    answers, roles, contexts = b"", b"", {}
    for kind, value in items(data[68:]):
        if kind == 0x20:
            parts = list(items(value[4:]))
            good = any(part == (0x40, EXPLICIT) for part in parts)
            answers += item(0x21, struct.pack(">BxBx", value[0], 0 if good else 4) + item(0x40, EXPLICIT))
            if good:
                contexts[value[0]] = next(uid for part, uid in parts if part == 0x30)
        elif kind == 0x50:
            roles = b"".join(item(part, role) for part, role in items(value) if part == 0x54)
    write_pdu(peer, 2, data[:68] + item(0x10, CONTEXT) + answers + item(0x50, USER + roles))
    return contexts


def answer_of(request, status, **more):
    elements = {0x00000002: request[0x00000002], 0x00000100: request[0x00000100] | 0x8000,
                0x00000120: request[0x00000110], 0x00000800: 0x0101, 0x00000900: status}
    return {**elements, **more.get("elements", {})}


def find(peer, context, request, files, says):
    def tell(values):
        elements = {**answer_of(request, 0xFF00), 0x00000800: 1}
        write_message(peer, context, elements, explicit(values))
    if "endless" in says:
        for n in range(100000):
            tell({0x0020000D: (b"UI", b"1.2.3.%d" % n), 0x00080020: (b"DA", b"20260101")})
    for series in sorted({file.series for file in files}):
        of = [file for file in files if file.series == series]
        count = says.get("count", len(of))
        tell({0x00080060: (b"CS", b"CT"), 0x0020000D: (b"UI", of[0].study), 0x0020000E: (b"UI", series),
              0x00201209: (b"IS", b"%d" % count)})
    write_message(peer, context, answer_of(request, 0))


def transfer(peer, context, request, files, says, contexts):
    for n, file in enumerate(files):
        number = next(number for number, uid in contexts.items() if uid == file.sop_class)
        if store(peer, number, n + 1, file) != 0:
            return
    has = says.get("has", len(files))
    write_message(peer, context, answer_of(request, 0, elements={0x00001021: has, 0x00001022: 0, 0x00001023: 0}))


def serve(peer, folder):
    contexts = accept(peer)
    while True:
        context, request, _ = read_message(peer)
        if not request:
            return
        names = sorted(os.listdir(folder))
        files = [File(os.path.join(folder, name)) for name in names if name.endswith(".dcm")]
        says = {}
        if "says" in names:
            with open(os.path.join(folder, "says")) as lines:
                says = {words[0]: int((words + [0])[1]) for words in map(str.split, lines)}
        if request[0x00000100] == 0x0020:
            find(peer, context, request, files, says)
        else:
            transfer(peer, context, request, files, says, contexts)


def archive(port_file, folder):
    port = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".part", "w") as file:
        file.write(str(port.getsockname()[1]))
    os.rename(port_file + ".part", port_file)
    while True:
        peer, _ = port.accept()
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            serve(peer, folder)
        except (Gone, OSError):
            pass
        peer.close()


if __name__ == "__main__":
    {"send": send, "silent": silent, "archive": archive}[sys.argv[1]](*sys.argv[2:])
