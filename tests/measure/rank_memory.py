#!/usr/bin/env python3
"""rank_memory.py COMMAND...: the memory of each process of hemotile that COMMAND starts, rank by rank.

Runs the command (hemotile, or mpirun with it) and prints for each rank, in MB: what it holds, and the
most since the line before; a line whenever one of these changes by 5 %, and the peak of each at the end.
Linux only: /proc/PID/status, and /proc/PID/clear_refs, which sets the peak back."""
import os, re, subprocess, sys, threading, time

EVERY_S = 0.2


def children_of(pid):
    found, todo = [], [pid]
    while todo:
        at = todo.pop()
        try:
            for task in os.listdir(f"/proc/{at}/task"):
                todo += [int(p) for p in open(f"/proc/{at}/task/{task}/children").read().split()]
            if open(f"/proc/{at}/comm").read().strip() == "hemotile":
                found.append(at)
        except OSError:
            continue
    return sorted(found)


def memory_of(pid):
    text = open(f"/proc/{pid}/status").read()
    now, most = (re.search(rf"{key}:\s+(\d+) kB", text) for key in ("VmRSS", "VmHWM"))
    open(f"/proc/{pid}/clear_refs", "w").write("5")
    return int(now[1]) / 1000, int(most[1]) / 1000


def look(root, peak):
    seen = []
    for pid in children_of(root):
        try:
            now, most = memory_of(pid)
        except (OSError, TypeError):  # it has just ended
            continue
        peak[pid] = max(peak.get(pid, 0), most)
        seen.append((now, most))
    return seen


def differs(a, b):
    return len(a) != len(b) or any(abs(x - y) > 0.05 * max(x, y, 20) for s, t in zip(a, b) for x, y in zip(s, t))


def watch(process, began, peak):
    last = []
    while process.poll() is None:
        seen = look(process.pid, peak)
        if seen and differs(seen, last):
            last = seen
            print(f"{time.time() - began:7.1f} s  " + "  ".join(f"{now:6.0f} ({most:.0f})" for now, most in seen), flush=True)
        time.sleep(EVERY_S)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    peak = {}
    watcher = threading.Thread(target=watch, args=(process, time.time(), peak))
    watcher.start()
    code = process.wait()
    watcher.join()
    print("peak, MB: " + "  ".join(f"{peak[pid]:.0f}" for pid in sorted(peak)))
    return code


if __name__ == "__main__":
    sys.exit(main())
