# hemotile open of a folder: its cases, the scans below it, dropped files, the queue, two cases compared. Entries
# are numbers; nothing outside the folder is shown, and no link is followed.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.8
expect 0 phantom pipe -o one --spacing 0.8
expect 0 phantom pipe -o two --spacing 1
mkdir -p study/scans/both study/links
cp -r one/dicom study/scans/both/a
cp -r two/dicom study/scans/both/b
cp sample/scan.nii.gz study/scans/
ln -s /etc study/scans/etc
ln -s ../../scan.nii.gz study/links/link.nii.gz
for name in p1 p2; do expect 0 import sample/scan.nii.gz -o study/$name; done
printf 'id,state,exit_code,message\nq1,refused,11,damaged\n../q2,done,0,\n' >study/batch.csv
# The series of a scan as a file, with pictures.
expect 0 info study/scans/both --list list
there list/series.json list/1.png list/2.png
expect 2 info study/p1 --list list
PYTHONPATH=$here/workbench "$PYTHON" - "$HEMOTILE" <<'PY' || fail "the workbench of a folder: see above"
import json, os, socket, subprocess, sys, time
from workbench_client import Workbench

program = sys.argv[1]
bench = Workbench(program, "study")
def get(path):
    code, _, text = bench.ask("GET", path)
    return json.loads(text)
def until(done):
    end = time.time() + 300
    while not (value := done()):
        assert time.time() < end, "too long"
        time.sleep(0.05)
    return value
def cases():
    return {one["live"]["name"]: one for one in get("/api/cases")["cases"]}
def ended(number):
    return until(lambda: not (job := get(f"/api/state?case={number}")["job"])["running"] and job)

# The page, and the table.
assert b"Open a scan" in bench.ask("GET", "/")[2] and b"Find the vessel" in bench.ask("GET", "/?case=0")[2]
assert get("/api/state?case=99")["error"]["code"] == 10 and get("/api/state")["error"]["code"] == 10
rows = cases()
assert rows["q1"]["live"]["batch_state"] == "refused" and rows["q1"]["live"]["exit_code"] == "11", rows  # has no folder
assert sorted(rows) == ["p1", "p2", "q1"] and rows["p1"]["row"]["stage"] == "imported", rows

# The folder: numbers, no links, nothing above it.
start = get("/api/folder")
assert [e["name"] for e in start["entries"]] == ["links", "p1", "p2", "scans"] and start["parent"] == -1, start
number = {e["name"]: e["number"] for e in start["entries"]}
assert get(f"/api/folder?entry={number['links']}")["entries"] == []
scans = get(f"/api/folder?entry={number['scans']}")
assert scans["links"] == 1 and [e["kind"] for e in scans["entries"]] == ["folder", "scan"], scans
number |= {e["name"]: e["number"] for e in scans["entries"]}
for path in ("/api/folder?entry=..", "/api/folder?entry=/etc", "/api/folder?entry=999"):
    answer = get(path)
    assert "error" in answer or answer["name"] == "", (path, answer)
code, answer = bench.start("look", {"entry": number["scans"]})
assert code == 400 and "link" in answer["error"]["message"], answer

# The series with their pictures; a click imports one. Without the choice the case offers them.
look = bench.start("look", {"entry": number["both"]})[1]["look"]
until(lambda: not get(f"/api/look?look={look}")["running"])
series = get(f"/api/series?look={look}")["series"]
assert sorted(one["voxels"] for one in series) == [[16, 16, 19], [20, 20, 24]] and all(one["has_picture"] for one in series), series
code, headers, picture = bench.ask("GET", f"/api/series-picture?look={look}&series=2")
assert code == 200 and picture[:4] == b"\x89PNG", code
assert bench.ask("GET", f"/api/series-picture?look={look}&series=3")[0] == 404
code, answer = bench.start("import", {"entry": number["both"], "name": "../p3"})
assert code == 400 and "'name'" in answer["error"]["message"], answer
assert bench.start("import", {"entry": number["both"], "name": "p1"})[0] == 400
case = bench.start("import", {"entry": number["both"], "name": "p3"})[1]["case"]
job = ended(case)
state = get(f"/api/state?case={case}")
assert job["exit_code"] == 12 and state["scan"] == number["both"] and state["is_one_of_many"], state
assert bench.start(f"import?case={case}", {"entry": number["both"], "series": 2})[0] == 200
job = ended(case)
assert job["exit_code"] == 0 and job["typed"] == "hemotile import study/scans/both -o study/p3 --series 2", job
assert bench.start(f"import?case={case}", {"entry": number["both"], "series": 1})[0] == 400

# A dropped file: for its owner alone, whole or not at all, and gone once it is imported.
drop = bench.start("drop", {})[1]["drop"]
data = open("sample/scan.nii.gz", "rb").read()
with socket.create_connection(("127.0.0.1", bench.port)) as cut:
    cut.sendall((f"POST /api/drop-file?drop={drop}&ending=0 HTTP/1.1\r\nHost: {bench.host}\r\nOrigin: http://{bench.host}\r\n"
                 f"Cookie: {bench.own['Cookie']}\r\nContent-Length: {len(data)}\r\n\r\n").encode() + data[:5000])
    cut.shutdown(socket.SHUT_WR)
    assert b"cut off" in cut.makefile("rb").read()
code, _, answer = bench.ask("POST", f"/api/drop-file?drop={drop}&ending=0", data)
assert code == 200, answer
(hidden,) = [name for name in os.listdir("study") if name.startswith(".hemotile-drop-")]
(file,) = os.listdir("study/" + hidden)
assert os.stat("study/" + hidden).st_mode & 0o777 == 0o700 and os.stat(f"study/{hidden}/{file}").st_mode & 0o777 == 0o600
for ending, kept in ((99, drop), (0, 63)):
    assert bench.ask("POST", f"/api/drop-file?drop={kept}&ending={ending}", data)[0] == 400
dropped = bench.start("import", {"entry": json.loads(answer)["entry"]})[1]["case"]
assert ended(dropped)["exit_code"] == 0
until(lambda: not os.path.exists("study/" + hidden))
assert open("study/case-1/scan.nii.gz", "rb").read() == open("study/p1/scan.nii.gz", "rb").read()

# Three flows: one runs, the others wait in their order; one is removed.
settings = {"flow": 1, "nodes_across": 6, "device": "cpu", "set": [["flow.steps", "300"]]}
for name in ("p1", "p2", "p3"):
    code, state = bench.start(f"run?case={cases()[name]['live']['number']}", settings)
    assert code == 200 and state["job"]["running"], state
jobs = {name: cases()[name]["live"]["job"] for name in ("p1", "p2", "p3")}
assert [jobs[name]["place"] for name in jobs] == [0, 1, 2], jobs
code, answer = bench.start(f"run?case={cases()['p2']['live']['number']}", settings)
assert code == 400 and "waits for others" in answer["error"]["message"], answer
removed = bench.start(f"stop?case={case}", {})[1]["job"]
assert not removed["running"] and removed["exit_code"] == 143, removed
until(lambda: not any(one["live"]["job"]["running"] for one in cases().values()))
rows = cases()
assert [rows[name]["row"]["stage"] for name in ("p1", "p2", "p3")] == ["computed", "computed", "imported"], rows
assert float(rows["p1"]["row"]["values"]["wall.wss_mean_pa"]) > 0 and rows["p1"]["row"]["warnings"], rows["p1"]
assert "picture" in rows["p1"]["live"] and rows["p1"]["row"]["failure"] == ""
# Results that are older than a setting or the mask are marked; once all is as it was, they are not.
p1, change = rows["p1"]["live"]["number"], {"revision": 0, "step": {"step": "grow", "radius_mm": 1}}
assert rows["p1"]["row"]["newer"] == "", rows["p1"]
for flow, newer in (("1.5", "the settings were changed"), ("1", "")):
    assert bench.start(f"settings?case={p1}", {"set": [["flow.inlet_flow_ml_s", flow]]})[0] == 200
    assert cases()["p1"]["row"]["newer"] == newer and get(f"/api/settings?case={p1}")["newer"] == newer, cases()["p1"]
assert bench.ask("POST", f"/api/edit/do?case={p1}", change)[0] == 200
assert cases()["p1"]["row"]["newer"] == "the mask was corrected", cases()["p1"]
assert bench.start("compare", {"first": 0, "second": 0})[0] == 200
until(lambda: not get("/api/cases")["about"]["comparison"]["job"]["running"])
assert get("/api/cases")["about"]["comparison"]["job"]["exit_code"] == 2  # a case with itself
assert bench.start("compare", {"first": 0, "second": 1})[0] == 200
until(lambda: not get("/api/cases")["about"]["comparison"]["job"]["running"])
assert get("/api/cases")["about"]["comparison"]["is_there"] and bench.ask("GET", "/api/comparison")[1]["Content-Security-Policy"].startswith("sandbox")

# A failure is told with its code, and by the folder alone after a restart.
assert bench.start(f"segment?case={case}", {"from": [90, 0, 0], "to": [[0, 0, 3]]})[0] == 200
assert ended(case)["exit_code"] == 3 and "outside the scan" in cases()["p3"]["row"]["failure"]

# A link in a case is named, and not followed.
os.makedirs("study/p3/pictures", exist_ok=True)
os.symlink("../../../sample/scan.nii.gz", "study/p3/pictures/wall.png")
state = get(f"/api/state?case={case}")
assert state["links"] == ["pictures/wall.png"], state["links"]
file = [f["number"] for f in state["files"] if f["name"] == "pictures/wall.png"][0]
code, _, text = bench.ask("GET", f"/api/file?case={case}&number={file}")
assert code == 404 and b"is a link" in text, text

# Each case that was opened, and the folder, are locked.
for path in ("study", "study/p1"):
    again = subprocess.run([program, "open", "--no-browser", path], capture_output=True, text=True)
    assert again.returncode == 2 and "is open in another workbench" in again.stderr, again
link = open(again.stderr.split("file://")[1].split()[0]).read()
assert "case=0&key=" in link, link

# Idle connections of another user keep nobody waiting.
if os.getuid() == 0:
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        held = [socket.create_connection(("127.0.0.1", bench.port)) for _ in range(150)]
        time.sleep(60)
    time.sleep(0.5)
    begin = time.time()
    get("/api/cases")
    assert time.time() - begin < 3, time.time() - begin
    os.kill(child, 9)
    os.waitpid(child, 0)
assert bench.end() == 0

# A killed workbench: the folder opens again, and its dropped files are swept.
bench = Workbench(program, "study")
assert "outside the scan" in cases()["p3"]["row"]["failure"] and cases()["p3"]["live"]["job"]["number"] == 0
bench.start("drop", {})
bench.process.kill()
bench.process.wait()
assert any(name.startswith(".hemotile-drop-") for name in os.listdir("study"))
bench = Workbench(program, "study")
assert not any(name.startswith(".hemotile-drop-") for name in os.listdir("study"))

# Two Ctrl-C at once: the command ends, too.
number = cases()["p1"]["live"]["number"]
assert bench.start(f"run?case={number}", settings | {"nodes_across": 30, "force": True, "set": []})[0] == 200
until(lambda: "--nodes-across 30" in open("study/p1/hemotile.log").read())
waits = cases()["p2"]["live"]["number"]
assert bench.start(f"run?case={waits}", settings | {"flow": 1.5})[0] == 200
until(lambda: os.path.exists("study/.hemotile-queue.json"))
for _ in range(2):
    bench.process.terminate()
    time.sleep(0.05)
bench.process.wait(60)
until(lambda: subprocess.run(["pgrep", "-f", "run study/p1 --flow"], capture_output=True).returncode)
last = open("study/p1/hemotile.log").read().rsplit("--nodes-across 30", 1)[1]
assert "export   done" not in last, last  # it was ended, and did not come to its end

# What waited is shown by the next workbench, and starts only when it is told to.
bench = Workbench(program, "study")
assert [cases_left["name"] for cases_left in get("/api/cases")["about"]["left"]] == ["run"]
assert get("/api/cases")["about"]["left"][0]["number"] == cases()["p2"]["live"]["number"]
assert cases()["p2"]["live"]["job"]["number"] == 0
assert bench.start("waiting", {"again": 1})[0] == 200
job = ended(cases()["p2"]["live"]["number"])
assert job["exit_code"] == 0 and job["typed"].startswith("hemotile run study/p2 --flow 1.5 "), job
assert get("/api/cases")["about"]["left"] == []
until(lambda: not os.path.exists("study/.hemotile-queue.json"))
assert bench.end() == 0
# A damaged file is none, and a request that the page could not send is left out.
for text in ("{", json.dumps({"waiting": [{"case": "p2", "name": "run", "request": '{"set": [["scan", "/etc/passwd"]]}'},
                                          {"case": "../p2", "name": "run", "request": "{}"}, {"case": "p2", "name": "rm", "request": "{}"}]})):
    open("study/.hemotile-queue.json", "w").write(text)
    bench = Workbench(program, "study")
    assert get("/api/cases")["about"]["left"] == []
    until(lambda: not os.path.exists("study/.hemotile-queue.json"))
    assert bench.end() == 0
PY
expect 2 open -o other
says stderr "-o is for the case of a scan"
expect 2 open study/p1 --pacs nowhere.yaml
expect 10 open study --pacs nowhere.yaml
# Studies of an archive are found and fetched into the folder.
if has pydicom; then
  mkdir shown
  cp one/dicom/* shown
  "$PYTHON" "$here/archive/peer.py" archive port shown &
  peer=$!
  trap 'kill $peer; wait; rm -rf "$work"' EXIT
  until [ -e port ]; do sleep 0.05; done
  printf 'host: 127.0.0.1\nport: %s\ntimeout_s: 5\n' "$(cat port)" >pacs.yaml
  PYTHONPATH=$here/workbench "$PYTHON" - "$HEMOTILE" <<'PY' || fail "the archive: see above"
import json, os, sys, time
from workbench_client import Workbench
bench = Workbench(sys.argv[1], "study", "--pacs", "pacs.yaml")
code, answer = bench.start("archive-get", {"study": 1})
assert code == 400 and "search" in answer["error"]["message"], answer
code, answer = bench.start("archive-find", {})
assert code == 400, answer  # nothing to search for
code, answer = bench.start("archive-find", {"modality": "CT"})
assert code == 200 and answer["matches"], answer
code, answer = bench.start("archive-get", {"study": 1})
assert code == 200, answer
while (state := json.loads(bench.ask("GET", "/api/archive")[2]))["running"]:
    time.sleep(0.05)
assert state["exit_code"] == 0 and len(os.listdir("study/" + state["folder"])) == 24, state
assert bench.end() == 0
PY
fi
absent study/.hemotile*
done_testing
