# same_results.py A B: two case folders have the same files with the same bits, but for the seconds
# that the runs took and the records of the runs (log, manifest). Names each file that differs.
import csv, json, os, struct, sys

RECORDS = ("hemotile.log", "manifest.json")
TIMES = ("mflups", "written", "peak_memory_mb")


def is_time(key):
    return key in TIMES or "seconds" in key


def timeless(value):
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if not is_time(k)}
    return [timeless(v) for v in value] if isinstance(value, list) else value


def flow(data):
    length = struct.unpack("<Q", data[8:16])[0]
    return timeless(json.loads(data[16:16 + length])), data[16 + length:-32]


def table(data):
    head, row = list(csv.reader(data.decode().splitlines()))
    return {k: v for k, v in zip(head, row) if not any(map(is_time, k.split(".")))}


def summary(data):
    all_of_it = json.loads(data)
    return {k: timeless(v) for k, v in all_of_it.items() if k not in ("time", "manifest")}


def content(path):
    name = os.path.basename(path)
    data = open(path, "rb").read()
    if name in ("flow.bin", "flow_phase.bin"):
        return flow(data)
    if name == "summary.json":
        return summary(data)
    if name == "summary.csv":
        return table(data)
    if name == "case.yaml":  # a batch limits a case by the memory that is free
        return [line for line in data.splitlines() if not line.startswith(b"max_memory_gb")]
    return b"" if name == "report.html" else data  # the report repeats the seconds


def files(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder)
                  for at, _, names in os.walk(folder) for name in names if name not in RECORDS)


a, b = sys.argv[1:]
faults = sorted(set(files(a)) ^ set(files(b)))
for name in set(files(a)) & set(files(b)):
    if content(os.path.join(a, name)) != content(os.path.join(b, name)):
        faults.append(name)
for name in faults:
    print(f"{name} differs")
sys.exit(bool(faults))
