#!/usr/bin/env python3
"""Sends damaged requests to every address of a running `hemotile open`, over a socket.

    fuzz_workbench.py PROGRAM SECONDS [SEED]

PROGRAM is best built with -fsanitize=address,undefined. It fails if the server ends, is silent for 20 s, or
answers a request without the key with anything but a refusal. The addresses are those of the tables in
app/workbench. Runs in a new folder below TMPDIR, with two small cases and a scan."""
import json, os, random, re, shutil, socket, subprocess, sys, tempfile, time
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests/app/cli/workbench"))
from workbench_client import Workbench

program, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
rng = random.Random(seed)
os.environ.setdefault("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1")

routes = sorted({match for file in (root / "app/workbench").rglob("*.c")
                 for match in re.findall(r'\{"(GET|POST)", "(/[^"]*)"', file.read_text())})
assert len(routes) > 20, routes
bodies = [b"{}", b'{"entry": 1, "series": 2, "name": "p1"}', b'{"first": 0, "second": 1}', b'{"study": 1}',
          b'{"from": [0, 0, -11], "to": [[0, 0, 11]], "nodes_across": 8}', b'{"flow": 1, "dry_run": true}', b'{"first_look": "auto"}', b'{"again": 1}',
          b'{"revision": 1, "step": {"step": "paint", "places_mm": [[0, 0, 1], [0, 0, 2]], "radius_mm": 1}}', b'{"revision": 1, "position": 0}',
          b'{"set": [["flow.cycles", "5"], ["openings.outlet-1.flow_fraction", "0.4"]]}', b"time_s,flow_ml_s\n0,1\n0.5,2\n1,1\n",
          b'{"plane": [0, 0, 1, 0, 0, 1], "name": "a"}', b'{"balls": [0, 0, 1, 2]}', b'{"station": 5}', b'{"region": "wall"}', b'{"name": "a"}',
          b'{"description": "*TOF*", "date": "20260101-"}', b"[1, 2", b"\xff\xfe\x00", b"- a\n- b: &x [*x]\n", b"x" * 4000]
queries = ["case=0", "case=1", "case=99999", "entry=0", "entry=1", "look=1", "series=1", "number=3", "stamp=1", "drop=0",
           "ending=0", "key=" + "0" * 64, "case=-1", "case=%00", "entry=0x1", "case=0&case=1", "a" * 300, "%", "="]
words = [b"\r\n", b"\0", b"../", b"%2e%2e/", b"%00", b"A" * 200, b"HTTP/9.9", b"Content-Length: 99999999999999999999\r\n",
         b"Content-Length: -1\r\n", b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n", b"Connection: keep-alive\r\n",
         b"Upgrade: websocket\r\nSec-WebSocket-Key: x\r\n", b"Range: bytes=0-1,5-\r\n", b"Cookie: a=b; c\r\n", b"\xc3\x28", b";", b"?"]


def damage(text, times):
    text = bytearray(text)
    for _ in range(times):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(5)
        if kind == 0 and text:
            text[at % len(text)] = rng.randrange(256)
        elif kind == 1:
            text[at:at] = rng.choice(words)
        elif kind == 2:
            del text[at:at + rng.randrange(1, 20)]
        elif kind == 3:
            text[at:at] = text[at:at + rng.randrange(1, 100)]
        else:
            text[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 8)))
    return bytes(text)


def request(bench, has_key):
    method, path = rng.choice(routes)
    if rng.random() < 0.1:
        method = rng.choice(["GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PROPFIND", "X"])
    query = "&".join(rng.sample(queries, rng.randrange(4)))
    body = rng.choice(bodies)
    body = damage(body, rng.choice([0, 0, 1, 3])) if method == "POST" else b""
    length = len(body) if rng.random() < 0.95 else rng.choice([0, 1, len(body) + 1, 65536, 65537, 1 << 40])
    lines = [f"{method} {path}{'?' + query if query else ''} HTTP/1.1", f"Host: {bench.host}"]
    if has_key:
        lines.append(f"Cookie: hemotile_{bench.port}={bench.key}")
    if method == "POST":
        lines += [f"Origin: http://{bench.host}", f"Content-Length: {length}"]
    text = ("\r\n".join(lines) + "\r\n\r\n").encode() + body
    return damage(text, rng.choice([0, 0, 0, 1, 1, 4])), path


def ask(bench, text, path):
    """Sends it, and reads the beginning of the answer."""
    with socket.create_connection(("127.0.0.1", bench.port), timeout=20) as connection:
        try:
            connection.sendall(text)
            connection.shutdown(socket.SHUT_WR)
            if path == "/api/events":  # has no end
                return connection.recv(512)
            answer = b""
            while part := connection.recv(1 << 16):
                answer = answer or part
            return answer
        except (ConnectionResetError, BrokenPipeError):
            return b""


def check_alive(bench):
    assert bench.process.poll() is None, f"seed {seed}: the server has ended with {bench.process.poll()}"
    code, _, _ = bench.ask("GET", "/api/cases")
    assert code == 200, f"seed {seed}: /api/cases answers {code}"


folder = tempfile.mkdtemp(prefix="hemotile-fuzz-")
os.chdir(folder)
subprocess.run([program, "phantom", "pipe", "-o", "start/scan", "--format", "nifti", "--spacing", "0.8"], check=True, capture_output=True)
for name in ("a", "b"):
    subprocess.run([program, "import", "start/scan/scan.nii.gz", "-o", f"start/{name}"], check=True, capture_output=True)
(Path("start") / "pacs.yaml").write_text("host: 127.0.0.1\nport: 1\ntimeout_s: 1\n")
bench = Workbench(program, "start", "--pacs", "start/pacs.yaml")
check_alive(bench)
bench.start("look", {"entry": 0})
end, count, refused = time.time() + seconds, 0, 0
while time.time() < end:
    has_key = rng.random() < 0.85
    text, path = request(bench, has_key)
    answer = ask(bench, text, path)
    count += 1
    if not has_key:
        refused += 1
        line = answer.split(b"\r\n")[0]
        assert not answer or not line.startswith(b"HTTP/1.1 2"), (seed, text, answer[:200])
    if count % 500 == 0:
        check_alive(bench)
        for number in (0, 1):  # what was started by chance ends
            bench.start(f"stop?case={number}", {})
        for made in Path("start").glob("case-*"):
            shutil.rmtree(made, ignore_errors=True)
check_alive(bench)
code = bench.end()
assert code == 0, f"seed {seed}: ended with {code}"
print(f"workbench: {count} requests to {len(routes)} addresses ({refused} without the key), {seconds:.0f} s, seed {seed}: nothing found")
os.chdir("/")
shutil.rmtree(folder)
