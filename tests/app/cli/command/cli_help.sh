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
cp stdout keys
expect 0 help run
says stdout "usage: hemotile run"
# An option for a key of a case file has the key's text and its words.
for words in $(grep -oE -- '--[a-z-]+ [a-z0-9-]+(\|[a-z0-9-]+)+' stdout | cut -d " " -f 2); do
  says keys " $words "
done
for text in "number format of the stored flow; fp16 computes in fp32" \
  "length of side branches to keep, in branch diameters" \
  "also write mask, speed, wall shear stress, pictures and report as DICOM"; do
  says keys "$text"
  says stdout "$text"
done
says stdout "computes in fp32 [fp32]"
expect 2 run --precision
says stderr "fp16 computes in fp32"
expect 2
done_testing
