#!/usr/bin/env python3
"""Kills the server, the browser or the running command of a workbench at random moments of a session, opens it
again, and finishes: each step that had ended is there, bit for bit, and the end is that of a session without kills.

    kill_workbench.py PROGRAM COUNT [SEED]

The session: import a scan, find the vessel between two points, compute the flow while another case waits in the
queue, compare both. Needs Chromium. Not a part of the tests: one kill takes 10 s."""
import hashlib, json, os, random, shutil, signal, subprocess, sys, tempfile, threading, time
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests/app/cli/workbench"))
from browser import Browser
from workbench_client import Workbench

program, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
rng = random.Random(seed)
chromium = shutil.which("chromium") or shutil.which("google-chrome")
folder = tempfile.mkdtemp(prefix="hemotile-kill-")
os.chdir(folder)
subprocess.run([program, "phantom", "pipe", "-o", "sample", "--format", "nifti", "--spacing", "0.8"], check=True, capture_output=True)
settings = {"flow": 1, "nodes_across": 10, "device": "cpu", "force": True}
points = {"from": [0, 0, -11], "to": [[0, 0, 11]], "force": True}


def sha(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def flow(case):
    return json.load(open(f"study/{case}/manifest.json"))["flow_sha256"]


# What is there once a step has ended.
proofs = {"import": lambda: sha("study/a/scan.nii.gz"),
          "segment": lambda: sha("study/a/vessel.stl"),
          "run": lambda: flow("a"), "queue": lambda: flow("b"),
          "compare": lambda: sha("study/comparison-1/wall_difference_b.vtp")}


class Session:
    def __init__(self):
        self.bench, self.done, self.was_killed = Workbench(program, "study"), {}, False

    def get(self, path):
        return json.loads(self.bench.ask("GET", path)[2])

    def case(self, name):
        return [one["live"]["number"] for one in self.get("/api/cases")["cases"] if one["live"]["name"] == name][0]

    def wait(self, name):
        """Waits for the command of a case; returns its code."""
        while True:
            state = self.get(f"/api/state?case={self.case(name)}")
            if not state["job"]["running"] and not state["others_work"]:
                return state["job"]["exit_code"]
            time.sleep(0.05)

    def start(self, name, values):
        code, answer = self.bench.start(name, values)
        assert code == 200, (name, answer)
        return answer

    def run_b(self):
        state = self.get(f"/api/state?case={self.case('b')}")
        if "queue" not in self.done and not state["job"]["running"] and not state["others_work"]:
            self.start(f"run?case={self.case('b')}", settings)

    def step(self, name):
        """Does one step; returns its exit code."""
        if name == "import":
            shutil.rmtree("study/a", ignore_errors=True)  # a half import: there is nothing to go on from
            entry = [e["number"] for e in self.get("/api/folder")["entries"] if e["name"] == "scan.nii.gz"][0]
            self.start("import", {"entry": entry, "name": "a"})
            return self.wait("a")
        if name == "segment":
            self.start(f"segment?case={self.case('a')}", points)
            return self.wait("a")
        if name == "run":
            self.start(f"run?case={self.case('a')}", settings)
            self.run_b()
            return self.wait("a")
        if name == "queue":
            self.run_b()
            return self.wait("b")
        shutil.rmtree("study/comparison-1", ignore_errors=True)
        self.start("compare", {"first": self.case("a"), "second": self.case("b")})
        while (job := self.get("/api/cases")["about"]["comparison"]["job"])["running"]:
            time.sleep(0.05)
        return job["exit_code"]

    def play(self):
        """Plays the steps until one is killed."""
        try:
            for name in proofs:
                if name in self.done:
                    continue
                if self.step(name) != 0:
                    return
                self.done[name] = proofs[name]()
        except (OSError, ValueError, IndexError, json.JSONDecodeError):
            assert self.was_killed, "it broke without a kill"
        except Exception as error:
            if "BadStatusLine" not in repr(error) and "IncompleteRead" not in repr(error) and "RemoteDisconnected" not in repr(error):
                raise


def prepare():
    shutil.rmtree("study", ignore_errors=True)
    os.mkdir("study")
    shutil.copy("sample/scan.nii.gz", "study")
    subprocess.run([program, "import", "sample/scan.nii.gz", "-o", "study/b"], check=True, capture_output=True)
    subprocess.run([program, "segment", "study/b"], check=True, capture_output=True)


def kill(session, target, page):
    session.was_killed = target == "server"
    if target == "server":
        session.bench.process.send_signal(signal.SIGKILL)
    elif target == "browser":
        page.process.send_signal(signal.SIGKILL)
    else:
        children = subprocess.run(["pgrep", "-P", str(session.bench.process.pid)], capture_output=True, text=True).stdout.split()
        for child in children:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                pass
        return bool(children)
    return True


prepare()
session = Session()
begin = time.time()
session.play()
length = time.time() - begin
assert list(session.done) == list(proofs), session.done
reference = session.done
assert session.bench.end() == 0
kills = {"server": 0, "browser": 0, "command": 0}
for number in range(count):
    prepare()
    session = Session()
    page = Browser(chromium, os.path.abspath(f"profile-{number}"))
    page.open(session.bench.link)
    target, moment = rng.choice(list(kills)), rng.uniform(0, length)
    player = threading.Thread(target=session.play)
    player.start()
    time.sleep(moment)
    kills[target] += kill(session, target, page)
    player.join(120)
    assert not player.is_alive(), (seed, number, target, moment)
    page.end()
    done = dict(session.done)
    if target == "server":
        session.bench.process.wait()
        session = Session()  # opens again
        session.done = dict(done)
        names = [one["live"]["name"] for one in session.get("/api/cases")["cases"]]
        for name in names:
            session.wait(name)  # what was begun before goes on
    for name, proof in done.items():
        assert proofs[name]() == proof, (seed, number, target, moment, name)
    session.was_killed = False
    session.play()
    if list(session.done) != [name for name in proofs]:
        session.play()
    assert dict(session.done) == reference, (seed, number, target, moment, session.done, reference)
    assert session.bench.end() == 0
    print(f"{number + 1:3d}  {target:8s} killed at {moment:4.1f} s, after {len(done)} of {len(proofs)} steps: nothing lost", flush=True)
print(f"{count} kills ({kills}), seed {seed}: every finished step was there")
os.chdir("/")
shutil.rmtree(folder)
