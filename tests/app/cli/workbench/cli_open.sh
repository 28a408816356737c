# hemotile open: the page's calls. What is not the page of this server is refused; what the page starts
# is what the same command does in a terminal, bit for bit.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.8
repeats=yes # the commands in a terminal; with the sanitizers they would find nothing new
! sanitized || repeats=no
PYTHONPATH=$here/workbench "$PYTHON" - "$HEMOTILE" $repeats <<'PY' || fail "the workbench: see above"
import hashlib, json, os, re, shutil, struct, subprocess, sys, threading
from workbench_client import Workbench

program, repeats = sys.argv[1], sys.argv[2] == "yes"
bench = Workbench(program, "sample/scan.nii.gz", "-o", "case")

# The link opens the page, and leaves no key in its address; every answer forbids other sites.
code, headers, _ = bench.ask("GET", "/?key=" + bench.key, Cookie=None)
assert code == 200, code
cookie = headers["Set-Cookie"]
assert "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie
code, headers, page = bench.ask("GET", "/")
assert code == 200 and b"hemotile workbench" in page
assert "default-src 'none'" in headers["Content-Security-Policy"], headers
for path in ("/workbench.js", "/open.js", "/viewer.js", "/api.js", "/workbench.css", "/niivue.js"):
    assert bench.ask("GET", path)[0] == 200, path

# Whoever has no key, another name of the host, another origin, is refused: nothing was started.
for why, method, path, headers in (
        ("no key", "GET", "/api/state", {"Cookie": None}),
        ("a wrong key", "GET", "/api/state", {"Cookie": f"hemotile_{bench.port}={'0' * 64}"}),
        ("a part of the key", "GET", "/api/state", {"Cookie": f"hemotile_{bench.port}={bench.key[:63]}"}),
        ("a longer key", "GET", "/api/state", {"Cookie": f"hemotile_{bench.port}={bench.key}0"}),
        ("a wrong key in the link", "GET", "/?key=" + "0" * 64, {"Cookie": None}),
        ("another name", "GET", "/api/state", {"Host": f"evil.example:{bench.port}"}),
        ("another port", "GET", "/api/state", {"Host": bench.host.split(":")[0] + ":1"}),
        ("the address of this machine", "GET", "/api/state", {"Host": f"127.0.0.1:{bench.port}"}),
        ("no host", "GET", "/api/state", {"Host": None}),
        ("another origin", "POST", "/api/segment", {"Origin": "http://evil.example"}),
        ("another program of this machine", "POST", "/api/segment", {"Origin": "http://127.0.0.1:1"}),
        ("no origin", "POST", "/api/segment", {"Origin": None}),
        ("a sandboxed page", "POST", "/api/segment", {"Origin": "null"}),
        ("a link of another site", "GET", "/api/state", {"Sec-Fetch-Site": "cross-site"})):
    code, _, text = bench.ask(method, path, {} if method == "POST" else None, **headers)
    assert code in (400, 403), (why, code, text)
for method, path in (("GET", "/etc/passwd"), ("GET", "/../etc/passwd"), ("GET", "/api/file?number=99"),
                     ("GET", "/api/file?number=-1"), ("GET", "/api/file?number=../case.yaml"), ("GET", "/api/file")):
    code, _, text = bench.ask(method, path)
    assert code in (400, 404), (path, code)
assert bench.ask("POST", "/api/state", {})[0] == 405
assert bench.ask("DELETE", "/api/state")[0] in (403, 405, 501)

assert bench.wait()["exit_code"] == 0 # the import
names = [f["name"] for f in bench.state()["files"]]
assert "scan.nii.gz" in names and "mask.nii.gz" not in names, names
assert bench.read("scan.nii.gz")[1] == open("case/scan.nii.gz", "rb").read()

# Nothing can be measured before there are results.
code, answer = bench.start("measure", {"plane": [0, 0, 0]})
assert code == 400 and "no results to measure in (flow.bin is missing)" in answer["error"]["message"], answer
assert bench.ask("GET", "/api/measure-wall")[0] == 400

# What is no request of the page is refused with its reason.
for settings, words in ((b"", "request"), (b"[1", "request"), ({"form": 1}, "unknown key 'form'"),
                        ({"from": [1, 2]}, "'from'"), ({"from": ["1;rm", 2, 3]}, "'from'"),
                        ({"to": [[1, 2, "--force"]]}, "'to'"), ({"lower": "1 --force"}, "'lower'"),
                        ({"preset": "--help"}, "'preset'"), ({"vessel": 1.5}, "'vessel' of the request needs a whole"),
                        ({"force": "yes"}, "'force'"), ({"from": [1e9, 0, 0]}, "'from'"),
                        (b"{" + b" " * 70000 + b"}", "bytes")):
    code, answer = bench.start("segment", settings)
    assert code == 400 and words in answer["error"]["message"], (settings, answer)
assert bench.state()["job"]["number"] == 1

# Two clicks: the vessel; then the flow. The case is that of the commands that the page shows.
settings = {"from": [0, 0, -11], "to": [[0, 0, 11]], "nodes_across": 8}
code, state = bench.start("segment", settings)
assert code == 200 and state["job"]["name"] == "segment", state
assert "a command works" in bench.start("settings", {"set": []})[1]["error"]["message"]
code, answer = bench.start("segment", settings)
assert code == 400 and "still running" in answer["error"]["message"], answer
job = bench.wait()
assert job["exit_code"] == 0 and "inlet" in job["output"], job
assert not os.path.exists("case/vessel_found.stl")  # there while the command works
typed = [job["typed"]]
assert typed[0].startswith("hemotile segment case --from 0.000,0.000,-11.000 --to "), typed
assert len(json.loads(bench.read("openings.json")[1])["openings"]) == 2

# Settings: what the page writes is what --set of a command writes; what is refused has its words. The order
# of the openings, a reload and a second page change nothing.
def settings(*pairs):
    code, _, text = bench.ask("POST", "/api/settings", {"set": list(pairs)})
    return code, json.loads(text)
before = open("case/case.yaml").read()
assert settings()[0] == 200 and open("case/case.yaml").read() == before
for pair in (["flow.cycles", "5.5"], ["flow.device", "gpu"], ["openings.inlet.flow_ml_s", "2,5"], ["openings.nobody.role", "wall"],
             ["openings.inlet.pressure_pa", "5"]):
    code, answer = settings(pair)
    shell = subprocess.run([program, "run", "case", "--dry-run", "--set", "=".join(pair)], capture_output=True, text=True)
    assert code == 400 and "error: " + answer["error"]["message"] in shell.stderr, (pair, answer, shell.stderr)
for pair in (["scan", "x"], ["flow.waveform", "/etc/passwd"], ["openings", "x"]):
    assert settings(pair)[0] == 400, pair
assert bench.ask("POST", "/api/settings", {"set": [], "more": 1})[0] == 400
assert open("case/case.yaml").read() == before
pages = [threading.Thread(target=lambda k=k: [settings([k, str(n)]) for n in range(3, 9)]) for k in ("flow.cycles", "flow.samples")]
for page in pages:
    page.start()
for page in pages:
    page.join()
values = {k["name"]: k for k in settings()[1]["keys"]}
assert [values[k]["value"] for k in ("flow.cycles", "flow.samples")] == ["8", "8"], values["flow.cycles"]
assert "steady" in values["flow.cycles"]["idle"]
beat = b"time_s;flow_ml_s\n0;1,25\n0,2;3\n0,5;2\n0,8;1\n1;1,25\n" # a patient's own
code, _, text = bench.ask("POST", "/api/waveform", beat)
assert code == 200 and json.loads(text)["inflow"]["period_s"] == 1, text
code, _, text = bench.ask("POST", "/api/waveform", b"time_s,flow_ml_s\n0,1\n0.2,x\n")
assert code == 400 and json.loads(text)["error"]["message"] == "the file:3: expected a number, not 'x'", text
outlet = [o["name"] for o in json.loads(bench.read("openings.json")[1])["openings"] if o["role"] == "outlet"][0]
assert settings([f"openings.{outlet}.name", "end"], ["outlets.model", "fractions"], ["openings.end.flow_fraction", "1"])[0] == 200
if repeats:
    open("beat.csv", "wb").write(beat)
    shutil.copytree("case", "typed")
    open("typed/case.yaml", "w").write(before)
    os.remove("typed/waveform.csv")
    assert bench.start("run", {"dry_run": True})[0] == 200
    subprocess.run([program, "run", "typed", "--dry-run", "--set", "flow.cycles=8", "--set", "flow.samples=8", "--set", "flow.waveform=beat.csv",
                    "--set", f"openings.{outlet}.name=end", "--set", "outlets.model=fractions", "--set", "openings.end.flow_fraction=1"],
                   check=True, capture_output=True)
    assert bench.wait()["exit_code"] == 0, bench.state()
    for name in ("case.yaml", "waveform.csv", "openings.json"):
        assert open("typed/" + name).read() == open("case/" + name).read(), name
lattices = json.loads(bench.ask("GET", "/api/lattices")[2])
assert [l["nodes_across"] for l in lattices["lattices"]] == list(range(8, 97)) and lattices["reynolds"] > 0, lattices
assert lattices["lattices"][0]["verdict"] == "coarse" and lattices["lattices"][30]["why"] == "", lattices["lattices"][0]
assert settings(["lattice.within", "15min"], ["lattice.within_choice", "[900, 12, 0]"])[0] == 200
assert json.loads(bench.ask("GET", "/api/lattices")[2])["chosen_across"] == 12
assert json.loads(bench.ask("GET", "/api/progress")[2]) == {} # nothing works
stations = json.loads(bench.ask("GET", "/api/path?opening=0")[2])["stations"]
assert len(stations) > 5 and stations[0][0] == 0 and bench.ask("GET", "/api/path?opening=9")[0] == 400
# As before the changes, but for the names. A first look is one of the settings before, and goes.
os.mkdir("case/first_look")
open("case/first_look/first_look.json", "w").write("{}")
assert settings(["flow.waveform", "constant"], ["flow.cycles", "5"], ["flow.samples", "50"], ["openings.end.flow_fraction", "auto"],
                ["outlets.model", "auto"], ["openings.end.name", outlet], ["lattice.within", "auto"])[0] == 200
assert not os.path.exists("case/first_look")

code, _ = bench.start("run", {"flow": 1, "dry_run": True})
dry = bench.wait()
assert code == 200 and dry["exit_code"] == 0
# The page's plan is the run's: collision, fluid nodes, steps, memory.
plan = json.loads(bench.ask("GET", "/api/lattices")[2])
assert plan["chosen_across"] == 0 # another time for the flow, another choice
own = [l for l in plan["lattices"] if l["nodes_across"] == round(plan["mask_nodes_across"])][0]
foretold = lambda pattern: float(re.search(pattern, dry["output"]).group(1))
assert own["collision"] == json.load(open("case/manifest.json"))["plan"]["collision"], own
for key, pattern, within in [("fluid_nodes", r"; (\d+) fluid nodes", 1e-5), ("steps", r"steps +some (\S+) to", 0.05), ("memory_mb", r"memory +about ([\d.]+) MB", 0.05)]:
    assert abs(own[key] - foretold(pattern)) <= within * own[key], (key, own, dry["output"])
assert not os.path.exists("case/flow.bin")
code, _ = bench.start("run", {"flow": 1, "device": "cpu"})
job = bench.wait()
assert code == 200 and job["exit_code"] == 0, job
typed.append(job["typed"])
headers, report = bench.read("report.html")
assert headers["Content-Security-Policy"].startswith("sandbox allow-scripts;"), headers

# What is measured in the page is what the command that it shows measures, number by number.
for request in ({"plane": [0.4, 0.3, 2.123]}, {"plane": [0, 0, 0, 0, 1, -1]}, {"station": 4.5}, {"region": "wall"},
                {"balls": [0, 2, 0, 1.5, 0, 2, 1, 1.5]}, {"region": "branch:inlet", "name": "a branch"}):
    code, answer = bench.start("measure", request)
    assert code == 200 and answer["command"].startswith("hemotile measure case --"), answer
    subprocess.run(answer["command"].replace("hemotile", program, 1) + " --json measured.json", shell=True, check=True, capture_output=True)
    assert json.load(open("measured.json"))["measurements"][0] == answer["measurement"], answer
    assert len(answer["contour_mm"]) % 3 == 0 and bool(answer["contour_mm"]) == ("rows" in answer["measurement"])
assert b"a branch,region,branch:inlet," in bench.read("measurements.csv")[1]
for request, words in (({}, "no place"), ({"plane": [1, 2]}, "3 or 6 numbers"), ({"plane": ["1;rm", 2, 3]}, "'plane'"),
                       ({"region": "/etc/passwd"}, "'region'"), ({"region": "balls.csv"}, "'region'"), ({"form": 1}, "unknown key"),
                       ({"balls": [0, 0, 0]}, "4 numbers for each ball"), ({"plane": [0, 0, 0], "region": "wall"}, "two places"),
                       ({"plane": [0, 0, 0], "name": "=1+1"}, "a name has"), ({"plane": [60, 0, 0]}, "cuts no vessel")):
    code, answer = bench.start("measure", request)
    assert code == 400 and words in answer["error"]["message"], (request, answer)
assert bench.start("measure-forget", {"name": "a branch"})[0] == 200
assert bench.start("measure-forget", {"name": "a branch"})[1]["error"]["code"] == 10
code, value = bench.start("measure-value", {"plane": [0, 0, 0]})
assert code == 200 and value["speed_m_s"] > 0.1 and "wall" not in value, value
points, triangles = struct.unpack_from("<2I", wall := bench.ask("GET", "/api/measure-wall")[2])
assert len(wall) == 8 + 12 * points + 12 * triangles
number = bench.start("measure-list", {})[1]["numbers"].index("wss_magnitude_pa")
assert len(bench.ask("GET", f"/api/measure-wall?number={number}")[2]) == 4 * points
assert bench.ask("GET", "/api/measure-wall?number=63")[0] == 400
assert bench.end() == 0

def sha(folder):
    return json.load(open(folder + "/manifest.json"))["flow_sha256"]
os.rename("case", "clicked")
if repeats:
    subprocess.run([program, "import", "sample/scan.nii.gz", "-o", "case"], check=True, capture_output=True)
    for command in typed:
        subprocess.run(command.replace("hemotile", program, 1), shell=True, check=True, capture_output=True)
    assert sha("case") == sha("clicked"), "other bits than in the terminal"

# A second one of the same case, by another spelling, is refused: its file leads to the first.
bench = Workbench(program, "clicked")
for spelling in ("clicked", "./clicked/", os.path.abspath("clicked")):
    again = subprocess.run([program, "open", "--no-browser", spelling], capture_output=True, text=True)
    assert again.returncode == 2 and "is open in another workbench: open file:///" in again.stderr, again
file = again.stderr.split("file://")[1].split()[0]
assert bench.key in open(file).read() and os.stat(file).st_mode & 0o777 == 0o600
assert bench.end() == 0 and not os.path.exists(file)

# Opened again, from the folder alone: a flow that was stopped goes on, but not with other settings. A stage that is
# stopped ends, and the page goes on.
stopped = subprocess.run([program, "run", "clicked", "--flow", "2", "--device", "cpu", "--no-pictures"], capture_output=True,
                         env={**os.environ, "HEMOTILE_STOP_AT_STEP": "50"})
assert stopped.returncode == 130, stopped
bench = Workbench(program, "clicked")
assert bench.state()["job"]["number"] == 0
assert json.loads(bench.ask("GET", "/api/settings")[2])["checkpoint"]
for flow, goes_on in (("3", False), ("2", True)):
    assert bench.start("settings", {"set": [["flow.inlet_flow_ml_s", flow]]})[1]["checkpoint"] == goes_on, flow
assert bench.start("run", {"flow": 2, "device": "cpu", "force": True})[0] == 200
assert bench.start("stop", {})[0] == 200
job = bench.wait()
assert job["exit_code"] != 0 or "done" in job["output"], job
assert bench.end() == 0
PY
expect 2 open -o case
says stderr "hemotile open SCAN -o DIR"
expect 2 open sample/scan.nii.gz
says stderr "hemotile open sample/scan.nii.gz -o DIR"
expect 2 open clicked -o other
expect 10 open nowhere -o other
no_halves
done_testing
