# hemotile edit: the mask corrected step by step; undone, repeated and on another lattice bit for bit. The
# server of the page is killed at random moments: each step that it had acknowledged is there.
#   cli_edit.sh [KILLS]: 10 by default
. "$(dirname "$0")/../check.sh"
kills=${1:-10}
expect 0 phantom aneurysm -o sample --format nifti
expect 0 import sample/scan.nii.gz -o case
expect 0 segment case --nodes-across 8
cp case/mask.nii.gz own.nii.gz
cp -r case again

expect 2 edit case --paint 1,2,3
says stderr "expected 4 numbers"
expect 2 edit case --keep 1,2,3
expect 2 edit case --shrink 30
says stderr "nothing is changed"
absent case/edits.jsonl
expect 2 edit case --paint 500,0,0,1
says stderr "outside the scan"
expect 10 edit nowhere --fill

# Steps by options, and the same steps by their file in another folder: the same bits.
expect 0 edit case --grow 0.6 --erase 3,5,13,1 --smooth 0.9 --shrink 0.6
says stderr "mask: 4 steps"
cp case/edits.jsonl steps
expect 0 edit case --fill --drop-islands --erase 3,5,13,0.5
says stderr "(fill): nothing was changed: the vessel has no cavity"
says stderr "(erase): nothing was changed: no vessel lies there"
says stdout "edit: nothing was changed"
[ "$(grep -c '"step"' case/edits.jsonl)" = 4 ] || fail "a step that changes nothing is in the list"
cp case/mask.nii.gz four.nii.gz
cmp -s own.nii.gz four.nii.gz && fail "the steps changed nothing"
expect 0 edit again --steps case/edits.jsonl
cmp again/mask.nii.gz four.nii.gz || fail "other bits by the file of the steps"
OMP_NUM_THREADS=2 expect 0 edit again --undo 4
cmp again/mask.nii.gz own.nii.gz || fail "without steps it is not the mask that was found"
printf '{"step": "grow", "radius_mm": 0.6}\n{"step": "fil"}\n' >bad
expect 2 edit again --steps bad
says stderr "bad, line 2"
expect 0 edit again --list
says stdout '1 undone {"step": "grow", "radius_mm": 0.6}'
OMP_NUM_THREADS=2 expect 0 edit again --redo 4
cmp again/mask.nii.gz four.nii.gz || fail "other bits after undo and redo, on two threads"

# The flow's stages use it; what another program saves over it is not replaced.
expect 0 run case --dry-run --flow 2
says stderr "the corrected mask is kept, with 4 steps"
says stderr "mask.nii.gz was edited by hand"
cmp case/mask.nii.gz four.nii.gz || fail "the run changed the mask"
cp own.nii.gz saved.nii.gz
printf x >>saved.nii.gz
cp saved.nii.gz again/mask.nii.gz
expect 2 edit again --undo 1
says stderr "changed by another program"
expect 0 edit again --force
cmp saved.nii.gz again/mask_edited_1.nii.gz || fail "the mask of the other program is lost"

# On another lattice the corrections are made again, without --force; back on the first one, the same bits.
expect 0 segment case --nodes-across 12
says stderr "the corrections of edits.jsonl are made again"
cmp -s case/mask.nii.gz four.nii.gz && fail "this is the first lattice"
expect 0 run case --dry-run --flow 2
expect 0 segment case --nodes-across 8
cmp case/mask.nii.gz four.nii.gz || fail "other bits, back on the first lattice"
# Another vessel: they are set aside, and not done.
expect 0 segment case --lower 215
says stderr "belong to another vessel"
there case/edits_1.jsonl case/edits_1_base.nii.gz
absent case/edits.jsonl case/edits_mask.bin
expect 0 edit case --steps case/edits_1.jsonl
says stderr "made on another mask"

PYTHONPATH=$here/workbench "$PYTHON" - "$HEMOTILE" "$kills" <<'PY' || fail "the steps of the page: see above"
import fcntl, json, os, random, shutil, signal, struct, subprocess, sys, threading, time
from workbench_client import Workbench

program, kills = sys.argv[1], int(sys.argv[2])
random.seed(4)

def read(data):
    """State of the mask, and its voxels as {index of the lattice: value} of the box."""
    length = struct.unpack("<I", data[:4])[0]
    state = json.loads(data[4:4 + length])
    box = state["box"]
    return state, data[len(data) - box["nx"] * box["ny"] * box["nz"]:]

def change(bench, what):
    code, _, data = bench.ask("POST", "/api/edit/do", what)
    return (code, *read(data)) if code == 200 else (code, json.loads(data)["error"]["message"], None)

# Two pages: who does not know the last step is told, and nothing is done.
bench = Workbench(program, "again")
state, voxels = read(bench.ask("GET", "/api/edit")[2])
window = state["window"]
assert len(voxels) == window["nx"] * window["ny"] * window["nz"], (window, len(voxels))
revision = state["revision"]
code, state, _ = change(bench, {"revision": revision, "step": {"step": "grow", "radius_mm": 0.7}})
assert code == 200 and state["pending"], state
code, why, _ = change(bench, {"revision": revision, "step": {"step": "fill"}})
assert code == 400 and "another page" in why, why
# A step that changes nothing is said, and is not kept; none is done while a command of a terminal works here.
code, same, _ = change(bench, {"revision": state["revision"], "step": {"step": "erase", "places_mm": [[14, 14, 0]], "radius_mm": 1}})
assert code == 200 and same["unchanged"] == "no vessel lies there" and same["revision"] == state["revision"], same
with open("again/hemotile.log") as log:
    fcntl.flock(log, fcntl.LOCK_EX)
    code, why, _ = change(bench, {"revision": state["revision"], "step": {"step": "grow", "radius_mm": 0.7}})
    assert code == 400 and "another hemotile works in this folder" in why, why
for bad in ({}, {"revision": 1}, {"revision": state["revision"], "step": 3}, {"revision": -1, "step": {"step": "fill"}},
            {"revision": state["revision"], "step": {"step": "paint", "places_mm": [["1;rm", 2, 3]], "radius_mm": 1}},
            {"revision": state["revision"], "position": 99}, {"revision": state["revision"], "position": -1}):
    code, why, _ = change(bench, bad)
    assert code == 400, (bad, code, why)
# What is on the page is not yet what the flow is computed in.
done = subprocess.run([program, "solve", "again", "--flow", "2"], capture_output=True, text=True)
assert done.returncode == 3 and "hemotile edit again" in done.stderr, done
assert bench.start("run", {"dry_run": True, "flow": 2})[0] == 200  # a run of all stages takes it
assert "the corrected mask is kept" in bench.wait()["output"]
assert not read(bench.ask("GET", "/api/edit")[2])[0]["pending"]
assert change(bench, {"revision": read(bench.ask("GET", "/api/edit")[2])[0]["revision"], "position": 1})[0] == 200
assert bench.start("edit", {})[0] == 200
assert bench.wait()["exit_code"] == 0
assert not read(bench.ask("GET", "/api/edit")[2])[0]["pending"]
assert bench.end() == 0

def some_step():
    place = [round(random.uniform(-3, 4), 3), round(random.uniform(-8, 8), 3), round(random.uniform(-10, 10), 3)]
    return random.choice((
        {"step": "paint", "places_mm": [place], "radius_mm": random.choice((1, 1.5))},
        {"step": "erase", "places_mm": [place, [x + 1 for x in place]], "radius_mm": 1},
        {"step": "smooth", "radius_mm": 0.9}, {"step": "fill"}, {"step": "grow", "radius_mm": 0.6}))

acknowledged, at_least, lost = 0, [], 0
shutil.rmtree("again")
shutil.copytree("case", "again")
for kill in range(kills):
    bench = Workbench(program, "again")
    answer, last = read(bench.ask("GET", "/api/edit")[2]), None
    state = answer[0]
    delay = random.uniform(0, 0.6)
    killer = threading.Timer(delay, bench.process.send_signal, (signal.SIGKILL,))
    killer.start()
    known = [e for e in state["steps"]][:state["position"]]
    sent = None
    try:
        while True:
            undo = state["position"] > 0 and random.random() < 0.2
            sent = {"position": state["position"] - 1} if undo else {"step": some_step()}
            code, answer, _ = change(bench, {"revision": state["revision"], **sent})
            if code != 200:  # refused: the mask would be empty, or the place is outside
                continue
            state, sent = answer, None
            acknowledged += 1
    except Exception:  # the server is gone
        pass
    killer.join()
    bench.process.wait()
    # Opened again: the list is what was acknowledged, or has the one step more that was under way.
    bench = Workbench(program, "again")
    now, voxels = read(bench.ask("GET", "/api/edit")[2])
    more = now["revision"] - state["revision"]
    assert more in ((0, 1) if sent else (0,)), (kill, more, sent)
    if more == 0:
        assert now["position"] == state["position"] and now["steps"] == state["steps"], (kill, state, now)
    assert bench.end() == 0
    # The mask is that of the same lines in a folder that was never killed, bit for bit.
    shutil.rmtree("fresh", ignore_errors=True)
    shutil.copytree("case", "fresh")
    for name in ("edits.jsonl", "edits_base.nii.gz", "edits_mask.bin"):
        if os.path.exists("fresh/" + name):
            os.remove("fresh/" + name)
    shutil.copy("again/edits_base.nii.gz", "fresh/mask.nii.gz")
    shutil.copy("again/edits.jsonl", "lines")
    for folder, options in (("again", []), ("fresh", ["--steps", "lines", "--force"])):
        subprocess.run([program, "edit", folder, "-q", *options], check=True, capture_output=True)
    masks = [open(folder + "/mask.nii.gz", "rb").read() for folder in ("again", "fresh")]
    assert masks[0] == masks[1], kill
print(f"{kills} kills, {acknowledged} steps acknowledged, none lost")
assert acknowledged > kills, acknowledged
PY
no_halves
done_testing
