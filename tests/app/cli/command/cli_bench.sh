# The benchmark: rows, files, tables, mistakes. Small and short, so the speeds mean nothing here.
. "$(dirname "$0")/../check.sh"
[ -x "$PYTHON" ] || exit 77 # a machine for the solver alone may have none
quick=(--device cpu --copy-mib 1 --seconds 0.001)

expect 0 bench --help
says stdout "usage: hemotile bench"
expect 0 bench --list
says stdout "fig19"
says stdout "hemotile"

# A row of each geometry and precision; at most 100 columns, and 160 of --wide.
expect 0 bench cavity spheres --size 24 --precision fp64,fp32 "${quick[@]}" \
  --csv rows.csv --json rows.json
says stdout "spheres-0.2"
says stdout "MFLUPS"
says stdout "# command: hemotile bench cavity spheres"
silent stderr
no_halves
width() { grep -v '^#' "$work/stdout" | awk '{ if (length > most) most = length } END { print most }'; }
[ "$(width)" -le 100 ] || fail "the table is $(width) columns wide"
expect 0 bench cavity --size 24 --wide --precision fp64 "${quick[@]}"
[ "$(width)" -le 160 ] || fail "the wide table is $(width) columns wide"
says stdout "ut000"

# A lattice of two levels against a uniform one.
expect 0 bench --levels --size 16 "${quick[@]}"
says stdout "# command: hemotile bench --levels"
grep -qE '^ +16 cumulant +fp32( +[0-9.]+){5} +\([0-9.]+ to [0-9.]+\)$' "$work/stdout" || fail "no row of levels"
expect 2 bench --levels cavity
says stderr "--levels has a pipe"

# What the solver lacks, or what does not fit the memory, is left out with a line; the rest is measured.
expect 0 bench cavity --size 8 "${quick[@]}"
says stdout "fp64"
says stdout "fp32"

# Other programs can read both files; they have the same numbers, and a unit in every heading.
"$PYTHON" - <<'PY' || fail "rows.csv or rows.json"
import csv, json, math
rows = list(csv.DictReader(open('rows.csv')))
report = json.load(open('rows.json'))
assert len(rows) == 4 and len(report['rows']) == 4
assert all(key.endswith(']') and ' [' in key for key in rows[0])
for name in ('machine', 'device', 'date', 'command', 'version', 'copy_way'):
    assert report[name], name
for row, other in zip(rows, report['rows']):
    for key, unit in report['units'].items():
        text, value = row['%s [%s]' % (key, unit)], other[key]
        if value is None:
            assert text == '', key
        elif isinstance(value, str):
            assert text == value, key
        else:
            assert math.isclose(float(text), value, rel_tol=1e-7, abs_tol=1e-300), key
    size = {'fp64': 8, 'fp32': 4}[other['precision']]
    assert other['result'] == 'ok'
    assert math.isclose(other['traffic'], 2 * 19 * size * other['speed'] / 1e3, rel_tol=1e-6)
    assert other['speed_lowest'] <= other['speed'] <= other['speed_highest']
    assert other['error_against_cpu_fp64'] <= (1e-12 if size == 8 else 1e-5)
    assert other['memory_a_node'] > 19 * size and other['copy'] > 0
assert report['rows'][0]['nodes'] == 24 ** 3
PY

# Any mask file, where images can be read.
if "$HEMOTILE" phantom --help >/dev/null 2>&1; then
  expect 10 bench --mask nowhere.nii.gz "${quick[@]}"
  says stderr "nowhere.nii.gz"
  silent stdout
  expect 0 phantom pipe --spacing 1 -o pipe --format nifti
  expect 0 bench --mask pipe/truth_mask.nii.gz --precision fp32 "${quick[@]}" --json mask.json
  says stdout "truth_mask"
  [ "$(number mask.json rows.0.geometry)" = truth_mask ] || fail "the mask's name"

  # Whole cases: a row of each, whose stages and the time between them add up.
  expect 2 bench --case pipe/case.yaml
  says stderr "give -o DIR"
  expect 0 bench --case pipe/case.yaml pipe/case.yaml --nodes-across 12 --steps 5 --device cpu -q -o whole
  there whole/1/summary.json whole/2/summary.json
  "$PYTHON" - "$work/stdout" <<'PY' || fail "the table of whole cases"
import json, sys
lines = open(sys.argv[1]).read().splitlines()
rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| ")]
assert rows[0][5:] == ["import", "segment", "tile", "solve", "export", "other", "whole"] and len(rows) == 3
for number, row in enumerate(rows[1:], 1):
    time = json.load(open(f"whole/{number}/summary.json"))["time"]
    assert row[3] == "5" and abs(sum(map(float, row[5:11])) - float(row[11])) < 0.05
    assert abs(time["seconds"] - float(row[11])) < 0.01 and time["stages_seconds"]["solve"] > 0
PY
else
  expect 2 bench --mask any.nii.gz "${quick[@]}"
  says stderr "built with HEMOTILE_IMAGING=OFF"
  silent stdout
  no_halves
  done_testing # what follows is the same in the build with imaging
fi

# The seed decides.
for seed in 1 1 2; do
  expect 0 bench spheres --size 30 --porosity 0.5 --seed $seed --precision fp32 "${quick[@]}" \
    --json "seed.json"
  number seed.json rows.0.utilisation_at_best_origin >>utilisations
done
[ "$(sort -u utilisations | wc -l)" = 2 ] || fail "seeds: $(cat utilisations)"

# Every order and origin of the tiles is a row; the best origin uses no more tiles than the corner.
expect 0 bench vessels-small --size 60 --precision fp64 --order all --origin all "${quick[@]}" --json ways.json
says stdout "vessels-small corner hilbert"
"$PYTHON" - <<'PY' || fail "ways.json"
import json
rows = json.load(open('ways.json'))['rows']
assert len(rows) == 10 and len({row['geometry'] for row in rows}) == 10
for row in rows:
    assert row['result'] == 'ok', row
assert len({row['nodes'] for row in rows}) == 1
PY
expect 2 bench --table 3 --order hilbert
expect 2 bench cavity --order zigzag

# Tables of the paper, tiny.
for table in 3 4 7 8 9; do
  expect 0 bench --table $table --size 20 "${quick[@]}" --step flow --collision lbgk
  says stdout "Table $table of Tomczak"
done
expect 0 bench --table 5 --size 20 "${quick[@]}" --json t.json
says stdout "Table 5 of Tomczak"
says stdout "61.8"
[ "$(number t.json rows.0.paper_speed)" = 586 ] || fail "paper_speed"
expect 0 bench --table 6 --size 20 --porosity 0.2 "${quick[@]}" --json t.json
says stdout "54.8"
expect 2 bench --table 5 --step flow "${quick[@]}"
says stderr "table 5 has no row"
expect 0 bench --table fig19 --size 20 --precision fp64 --step flow --collision lbgk \
  --fluid incompressible "${quick[@]}"
says stdout "of dense"
says stdout "vessels-small"

# Mistakes.
expect 2 bench cube
says stderr "allowed is cavity, vessels"
expect 2 bench --layout aos
says stderr "allowed is hemotile"
expect 2 bench --compare hemotile
says stderr "two layouts"
expect 21 bench cavity --size 8 "${quick[@]}" --csv nowhere/rows.csv
says stderr "nowhere/rows.csv"
expect 21 bench cavity --size 8 "${quick[@]}" --json "$work"
says stderr "is a folder"
if "$HEMOTILE" --version | grep -q '^no GPU'; then
  expect 22 bench cavity --size 8 --device cuda
  says stderr "no GPU can be used"
fi
# Mistakes that need no measurement are reported before it.
expect 2 bench cavity round-channel --size 200 "${quick[@]}"
says stderr "allowed is 4 to 128"
silent stdout

# Ctrl-C leaves nothing half.
cat >stop.py <<'PY'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a script in the background ignores it
run = subprocess.Popen(
    [os.environ["HEMOTILE"], "bench", "cavity", "--size", "40", "--device", "cpu", "--copy-mib",
     "8", "--seconds", "20", "--csv", "stopped.csv"], stdout=subprocess.DEVNULL,
    stderr=open("stderr", "w"))
blocked = 0
while run.poll() is None and not blocked >> (signal.SIGINT - 1) & 1:  # until a thread waits for it
    time.sleep(0.05)
    lines = dict(line.split(":", 1) for line in open(f"/proc/{run.pid}/status"))
    blocked = int(lines.get("SigBlk", "0"), 16)
time.sleep(0.2)
run.send_signal(signal.SIGINT)
sys.exit(0 if run.wait() == 130 else 1)
PY
HEMOTILE=$HEMOTILE "$PYTHON" stop.py || fail "not ended by Ctrl-C"
says stderr "interrupted"
absent stopped.csv

# A finished row is kept.
cat >stop_later.py <<'PY'
import os, signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a script in the background ignores it
run = subprocess.Popen(
    [os.environ["HEMOTILE"], "bench", "cavity", "--size", "24", "--device", "cpu", "--copy-mib",
     "8", "--seconds", "0.03", "--precision", "fp64,fp32", "--step", "all", "--repeats", "9",
     "--csv", "stopped.csv"], stdout=subprocess.PIPE, stderr=open("stderr", "w"), text=True)
while not run.stdout.readline().startswith("cavity"):
    pass
run.send_signal(signal.SIGINT)
run.stdout.read()
sys.exit(0 if run.wait() == 130 else 1)
PY
HEMOTILE=$HEMOTILE "$PYTHON" stop_later.py || fail "not ended by Ctrl-C after a row"
says stderr "finished are written"
[ "$(wc -l <stopped.csv)" -ge 2 ] || fail "the finished row was not written"
no_halves
done_testing
