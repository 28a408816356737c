#!/usr/bin/env bash
# From a scan to the flow in the vessel and the load on its wall, in one command.
#
#   bash scripts/demo.sh                        a sample made by hemotile itself (aneurysm, DICOM)
#   bash scripts/demo.sh SCAN [option ...]      your scan: a DICOM folder, .nii, .nii.gz, .nrrd, .mha,
#                                               or a case file; options as `hemotile run --help` says
#
# Installs what is missing (Debian), builds hemotile and runs it. The results go into the folder
# hemotile-demo/ of the working folder: of the sample into result/, of SCAN into result-NAME/.
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
  printf 'demo: the scan comes first, then options: bash scripts/demo.sh SCAN %s\n' "$1" >&2
  exit 2
  ;;
esac
if [ $# -gt 0 ] && [ ! -e "$1" ]; then
  printf 'demo: %s: there is no such file or folder\n' "$1" >&2
  exit 10 # as hemotile's own
fi

bash "$here/install.sh" build || exit
say "building (the first time this takes some minutes)"
build_preset release || exit 1
hemotile=$(build_folder release)/bin/hemotile

# A folder for each scan: "dir/ct 1.nii.gz" has "ct 1", "patient/case.yaml" has "patient".
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
  set -- --force # the sample may have changed since the last demo; an edited mask is kept aside
fi
# Results of an earlier demo are replaced by hemotile itself, which refuses where they are of another
# scan or a mask was corrected by hand: nothing is removed here.
"$hemotile" run "$input" -o "$result" "$@" || exit

say "the pictures are in $PWD/$result/pictures:"
for picture in "$result"/pictures/*.png; do say "  $(basename "$picture")"; done
say "the numbers are in $PWD/$result/summary.json"
