# The model and the precision of the flow, from the case file and over it from the command line: the
# results name it, and differ as the models do.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o pipe --format nifti --seed 7
cat >>pipe/case.yaml <<'Y'
lattice: {nodes_across: 8}
flow: {collision: mrt, fluid: quasi-compressible, precision: fp64, steady_tolerance: 1e-5}
Y

# model NAME COLLISION FLUID PRECISION: what the results of the folder NAME say of themselves.
model() {
  local name=$1 collision=$2 fluid=$3 precision=$4
  [ "$(number "$name/summary.json" flow.collision)" = "$collision" ] || fail "$name: collision"
  [ "$(number "$name/summary.json" flow.fluid)" = "$fluid" ] || fail "$name: fluid"
  [ "$(number "$name/summary.json" flow.precision)" = "$precision" ] || fail "$name: precision"
  [ "$(number "$name/manifest.json" options.flow.collision)" = "$collision" ] || fail "$name: manifest"
  [ "$(number "$name/manifest.json" options.flow.fluid)" = "$fluid" ] || fail "$name: manifest"
  says "$name/case.yaml" "fluid: $fluid"
}
# again NAME COLLISION FLUID PRECISION OPTIONS...: the flow in the same vessel by another model.
again() {
  cp -r file "$1"
  expect 0 solve "$1" --device cpu --quiet "${@:5}"
  expect 0 export "$1" --quiet
  model "$@"
}
expect 0 run pipe/case.yaml -o file --device cpu --quiet
model file mrt quasi-compressible fp64
again lbgk lbgk quasi-compressible fp64 --collision lbgk
again volume mrt incompressible fp64 --fluid incompressible
again single mrt quasi-compressible fp32 --precision fp32
again jets cumulant quasi-compressible fp32 --collision cumulant --precision fp32
"$PYTHON" - <<'PY' || fail "the models do not differ as they should"
import json
peak = {n: json.load(open(n + "/summary.json"))["flow"]["max_velocity_m_s"]
        for n in ("file", "lbgk", "volume", "single", "jets")}
off = {n: abs(peak[n] / peak["file"] - 1) for n in peak if n != "file"}
print(off)
assert 1e-6 < off["lbgk"] < 0.03 and 1e-6 < off["volume"] < 0.01 and off["single"] < 1e-3
assert 1e-6 < off["jets"] < 0.03
PY

expect 2 run pipe/case.yaml -o out --collision mtr
says stderr "--collision: collision cannot be 'mtr': allowed is auto|lbgk|mrt|cumulant"
expect 2 run pipe/case.yaml -o out --fluid air
says stderr "allowed is incompressible|quasi-compressible"
absent out
done_testing
