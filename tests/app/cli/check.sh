# Sourced by every test of the command line. Each works in a fresh folder, removed at the end.
#   HEMOTILE: the program; PYTHON: an interpreter (nothing but its standard library is needed,
#   where not said otherwise).
set -u
: "${HEMOTILE:?the path of the program}" "${PYTHON:=/usr/bin/python3}"
# shellcheck disable=SC2034 # the tests use it
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CONFIG_HOME=$work/config # the salt of patients' hashes: not the developer's
export OMPI_MCA_orte_tmpdir_base=$work # an mpirun that ends removes the folder of all of them
# Small pictures: half of the time of a short run goes into them. cli_run and cli_tour have them in full.
export HEMOTILE_PANEL_HEIGHT=100
export HEMOTILE_BROWSER= # seconds a page: only where a test asks for it
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect CODE ARGUMENTS...: runs hemotile; its output is in the files `stdout` and `stderr`.
expect() {
  local wanted=$1 got=0
  shift
  "$HEMOTILE" "$@" >"$work/stdout" 2>"$work/stderr" || got=$?
  [ "$got" = "$wanted" ] && return 0
  fail "hemotile $*: exit code $got, expected $wanted"
  sed 's/^/    /' "$work/stdout" "$work/stderr"
}

# says FILE TEXT: the file has the text.
says() { grep -qF -- "$2" "$work/$1" || { fail "no '$2' in $1:"; sed 's/^/    /' "$work/$1"; }; }
silent() { [ ! -s "$work/$1" ] || { fail "$1 is not empty:"; sed 's/^/    /' "$work/$1"; }; }
there() { for f; do [ -e "$f" ] || fail "$f is not there"; done; }
absent() { for f; do [ ! -e "$f" ] || fail "$f is there"; done; }
no_halves() {
  local found
  found=$(find . -name '*.part*')
  [ -z "$found" ] || fail "half-written files: $found"
}
# A program built with checks takes more memory than a small limit before it begins.
sanitized() { ldd "$HEMOTILE" | grep -q libasan; }
# Ends the test here with the sanitizers: what follows looks at numbers and words of code that ran.
enough_with_sanitizers() { if sanitized; then no_halves && done_testing; fi; }
# number FILE PATH: a value of a JSON file, as in `number summary.json flow.steps`.
number() {
  "$PYTHON" - "$1" "$2" <<'PY'
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split('.'):
    value = value[int(key)] if isinstance(value, list) else value[key]
print(value)
PY
}
# near A B TOLERANCE
near() {
  "$PYTHON" -c "import sys; a, b, t = map(float, sys.argv[1:]); sys.exit(not abs(a - b) <= t)" \
    "$1" "$2" "$3" || fail "$1 is not within $3 of $2"
}
# has MODULE...: whether Python has them. They are looked for, not loaded: that takes up to a second.
has() {
  "$PYTHON" -c "
import importlib.util, sys
sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))" "$@" 2>/dev/null
}
needs() { has "$@" || { echo "needs $*, modules of Python"; exit 77; }; }
needs_mpi() {
  "$HEMOTILE" --version | grep -q "MPI: yes" || { echo "built without MPI"; exit 77; }
  command -v mpirun >/dev/null || { echo "needs mpirun"; exit 77; }
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0 # of MPI's own
  export OMPI_MCA_mpi_yield_when_idle=1 # a rank that waits leaves its core to the tests beside
}
# find_browser: prints its path.
find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
# dicom_formats GROUP: the forms of that group; needs the public tools.
dicom_formats() {
  local tool
  for tool in dcmconv dcmcjpeg dcmcjpls dcmcrle dcmmkdir gdcmconv; do
    command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }
  done
  needs nibabel numpy pydicom
  "$PYTHON" "$here/dicom_formats.py" "$HEMOTILE" "$1" || fail "forms of DICOM: see above"
  done_testing
}
done_testing() {
  [ "$failures" = 0 ] && exit 0
  echo "$failures failed"
  exit 1
}
