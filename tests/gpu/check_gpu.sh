#!/usr/bin/env bash
# All that needs a GPU, in one command: the tests, CUDA's own checkers over the kernels, the speeds.
#   bash tests/gpu/check_gpu.sh [OUT]
# after `bash scripts/build.sh`, on a quiet machine; about 8 minutes on one GPU. Each part has a time
# limit and a log in OUT (default: build/check_gpu); the last lines are one line a part. The exit
# status is 0 where no part failed. PARTS="tests memcheck racecheck speed" chooses among them.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(realpath -m "${1:-$root/build/check_gpu}")
bin=$root/build/bin
results=()
failed=0
mkdir -p "$out"
cd "$root" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_WAIT_POLICY=passive

chosen() { [[ " ${PARTS:-tests memcheck racecheck speed} " = *" $1 "* ]]; }

# in_session SECONDS COMMAND...: of all that it started nothing is left. A program under
# compute-sanitizer goes on without it, and slows what is measured next.
in_session() {
  local status=0
  setsid timeout -k 10 "$@" </dev/null &
  wait $! || status=$?
  pkill -KILL -s $! || true
  return $status
}

# part NAME SECONDS COMMAND...: 124 is the time limit, which is no failure of what was looked at.
part() {
  local name=$1 limit=$2 began=$SECONDS status=0
  shift 2
  in_session "$limit" "$@" >"$out/$name.log" 2>&1 || status=$?
  ! grep -q 'Skipped' "$out/$name.log" || status=77 # for ctest all is well then
  case $status in
  0) results+=("passed   $name, $((SECONDS - began)) s") ;;
  77) results+=("skipped  $name: $out/$name.log") ;;
  124 | 137) results+=("no end   $name: ended after $limit s, without a finding before that") ;;
  *)
    results+=("FAILED   $name (exit code $status): $out/$name.log")
    failed=1
    tail -n 25 "$out/$name.log"
    ;;
  esac
  printf '%s\n' "${results[-1]}"
}

# checked TOOL SECONDS TEST...: a test under a tool of compute-sanitizer.
checked() {
  local tool=$1 limit=$2 test=$3
  shift 3
  part "$tool-$test" "$limit" compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/$test" "$@"
}

nvidia-smi -L >"$out/gpu.log" 2>&1 || { echo "check_gpu: there is no GPU" && exit 77; }
gpus=$(grep -c '^GPU ' "$out/gpu.log")
cat "$out/gpu.log"
if chosen tests; then
  while read -r name; do
    part "$name" 180 ctest --test-dir build -R "^$name\$" --output-on-failure --no-tests=error
  done < <(ctest --test-dir build -N -L gpu -LE long | sed -n 's/^ *Test *#[0-9]*: //p')
fi
if chosen memcheck; then
  checked memcheck 120 test_backends
  checked memcheck 120 test_walls gpu
  checked memcheck 60 test_outlets gpu
  checked memcheck 120 test_level_backends
fi
if chosen racecheck; then
  checked racecheck 120 test_backends
  checked racecheck 120 test_walls gpu
  checked racecheck 120 test_level_backends
fi
if chosen speed; then
  speed=("$bin/hemotile" bench vessels vessels-small --device cuda --seconds 0.1 --wide
    --layout "hemotile,hemotile-walls,list-walls")
  part speed 200 "${speed[@]}" --precision all
  part speed-cumulant 150 "${speed[@]}" --precision fp64,fp32 --collision cumulant
  if [ "$gpus" -gt 1 ]; then
    part speed-two-gpus 150 "$bin/hemotile" bench vessels --gpus 2 --precision fp32
  fi
  cat "$out"/speed*.log
fi
printf '%s\n' "" "${results[@]}"
exit $failed
