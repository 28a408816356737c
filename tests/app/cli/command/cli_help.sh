# Help and version.
. "$(dirname "$0")/../check.sh"
for name in run import segment tile solve export info phantom converge compare; do
  expect 0 "$name" --help
  says stdout "usage: hemotile $name"
  says stdout "example:"
  says stdout "hemotile $name "
  silent stderr
done
expect 0 --help
says stdout "Not for clinical decisions."
expect 0 --version
says stdout "hemotile 0."
says stdout "CUDA:"
says stdout "device:"
expect 0 help case
says stdout "viscosity_pa_s"
says stdout "[0.0035]"
expect 0 help run
says stdout "usage: hemotile run"
expect 2
done_testing
