#!/usr/bin/env bash
# Computes from a scan the flow in the vessel and the load on its wall, in one command.
#
#   bash scripts/demo.sh                        a sample that hemotile makes (aneurysm, DICOM)
#   bash scripts/demo.sh SCAN [option ...]      your scan: a DICOM folder, .nii, .nii.gz, .nrrd, .mha,
#                                               or a case file; options: `hemotile run --help`
#
# Installs missing packages (Debian), builds hemotile and runs it. The results go into the folder
# hemotile-demo/ in the working folder: result/ for the sample, result-NAME/ for SCAN.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=scripts/build.sh
source "$here/build.sh"

say() { printf 'demo: %s\n' "$*"; }

case ${1:-} in
-h | --help)
  sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
-*)
  printf 'demo: give the scan first, then the options: bash scripts/demo.sh SCAN %s\n' "$1" >&2
  exit 2
  ;;
esac
if [ $# -gt 0 ] && [ ! -e "$1" ]; then
  printf 'demo: %s: there is no such file or folder\n' "$1" >&2
  exit 10 # hemotile's own exit code for this
fi

bash "$here/install.sh" build || exit
options=()
if [ -z "$(cuda_architectures)" ]; then
  say "no GPU: the part for GPUs is not built (scripts/build.sh builds it)"
  options=(-DHEMOTILE_CUDA=OFF)
fi
say "building hemotile; the first time this takes some minutes"
build_targets=(hemotile)
build_preset release "${options[@]}" || exit 1
hemotile=$(build_folder release)/bin/hemotile

# The name of a scan's folder: "ct 1" for "dir/ct 1.nii.gz", "patient" for "patient/case.yaml".
name_of() {
  local path name
  path=$(realpath -- "$1")
  name=$(basename -- "$path")
  if [ "$name" = case.yaml ]; then name=$(basename -- "$(dirname -- "$path")"); fi
  if [ -f "$path" ]; then
    name=${name%.gz}
    name=${name%.*}
  fi
  printf '%s' "${name:-scan}"
}

demo='hemotile-demo'
result=$demo/result
if [ $# -gt 0 ]; then
  input=$1
  result=$demo/result-$(name_of "$input")
  shift
else
  say "making the sample scan"
  "$hemotile" phantom aneurysm --format dicom -o "$demo/scan" || exit
  input=$demo/scan/case.yaml
  set -- --force # replaces the sample of an earlier demo; an edited mask is kept with it
fi
# This script removes nothing: hemotile replaces the results of an earlier demo. It refuses if they
# belong to another scan or if the mask was corrected by hand.
"$hemotile" run "$input" -o "$result" "$@" || exit

say "the pictures are in $PWD/$result/pictures:"
for picture in "$result"/pictures/*.png; do say "  $(basename "$picture")"; done
say "the numbers are in $PWD/$result/summary.json"
