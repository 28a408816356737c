#!/usr/bin/env bash
# Installs the Debian packages that hemotile needs, if they are missing.
#
#   bash scripts/install.sh            to build and run the program
#   bash scripts/install.sh build test also to test it
#   bash scripts/install.sh build fuzz also for scripts/fuzz.sh
#   bash scripts/install.sh --missing [build] [test] [fuzz]   only prints the missing packages
#
# If nothing is missing, apt is not called. The script never installs CUDA; the build uses it if it
# finds nvcc. HEMOTILE_SKIP_INSTALL=1 skips the script (other systems, clusters).
set -u

build_packages=(cmake make ninja-build g++ pkg-config git
  libinsighttoolkit5-dev libdcmtk-dev libpng-dev zlib1g-dev libfyaml-dev libhdf5-dev libssl-dev
  libopenjp2-7-dev libzip-dev libicu-dev libqhull-dev libhpdf-dev libwebp-dev libopenmpi-dev openmpi-bin libcivetweb-dev
  libgdcm-tools # without it CMake prints two pages of notes about missing files
  libfftw3-dev) # ITK 5.4 (Debian 13) links it
test_packages=(libcmocka-dev python3-nibabel python3-pydicom python3-numpy python3-vtk9 dcmtk
  clang-format)
fuzz_packages=(clang libclang-rt-14-dev libomp-14-dev) # libFuzzer

lock_wait_s=300
attempts=3

say() { printf 'install: %s\n' "$*"; }
fail() {
  printf 'install: %s\n' "$@" >&2
  exit 1
}

# Prints those of its arguments that are not, or only partly, installed.
missing_of() {
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null |
    awk '$1 == "ii" || $1 == "hi" { print $2 }')
  local package
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

# Runs a command as root; packages never ask questions.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
  fi
}

# Runs a command as root, with its output in the log. Waits while another program (unattended
# upgrades, a software centre) holds a lock, since not every command waits for it itself.
logged() {
  local part since=$SECONDS status
  part=$(mktemp) || fail "no space for a temporary file"
  while true; do
    as_root "$@" >"$part" 2>&1 </dev/null
    status=$?
    cat "$part" >>"$log"
    [ $status -ne 0 ] || break
    [ $((SECONDS - since)) -lt $lock_wait_s ] || break
    grep -qiE 'locked by another process|could not get lock|unable to (acquire|lock)' "$part" ||
      break
    say "another program is installing packages; waiting until it has finished"
    sleep 5
  done
  rm -f "$part"
  return $status
}

apt() {
  logged apt-get -y -q -o "DPkg::Lock::Timeout=$lock_wait_s" -o Acquire::Retries=3 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@"
}

# An interrupted installation (power cut, Ctrl-C) leaves packages half configured; apt then refuses.
finish_interrupted() {
  logged dpkg --force-confdef --force-confold --configure -a ||
    say "packages of an earlier, interrupted installation are still not configured"
}

repair() {
  say "that failed; repairing and trying again"
  finish_interrupted
  apt --fix-broken install
  sleep 5
}

# Accepts another suite name or version in the lists, as after a point release of Debian.
update_lists() {
  say "reading the package lists"
  apt -o Acquire::AllowReleaseInfoChange::Suite=true \
    -o Acquire::AllowReleaseInfoChange::Version=true update ||
    say "some package lists could not be read; going on with the others"
}

install_missing() {
  local attempt
  for attempt in $(seq "$attempts"); do
    if [ "$attempt" -eq 1 ]; then finish_interrupted; else repair; fi
    update_lists
    say "installing: ${missing[*]}"
    apt install --no-install-recommends "${missing[@]}" && return 0
  done
  return 1
}

check_system() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null && return
  fail "this is not a Debian system, so this script cannot install the packages." \
    "hemotile needs CMake 3.25, a C11 and C++17 compiler, pkg-config, ITK 5.2, DCMTK 3.6.7, libpng, libwebp," \
    "zlib, libfyaml 0.7, HDF5 (C), OpenSSL, OpenJPEG 2.5, libzip, ICU 72, Qhull and libharu 2.3. Its tests" \
    "also need cmocka, and Python 3 with nibabel, pydicom, numpy and vtk. Install these with your system's" \
    "package manager, then: export HEMOTILE_SKIP_INSTALL=1"
}

check_rights() {
  [ "$(id -u)" -eq 0 ] && return
  if command -v sudo >/dev/null; then
    # sudo can ask for a password only at a terminal.
    sudo -n true 2>/dev/null && return
    [ -t 0 ] && sudo -v && return
  fi
  fail "packages are missing and you cannot install them (not root, no sudo). As root, run:" \
    "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
}

only_print=0
wanted=()
[ $# -gt 0 ] || set -- build
for group in "$@"; do
  case $group in
  --missing) only_print=1 ;;
  build) wanted+=("${build_packages[@]}") ;;
  test) wanted+=("${test_packages[@]}") ;;
  fuzz) wanted+=("${fuzz_packages[@]}") ;;
  *) fail "unknown group '$group'; there are: build, test, fuzz" ;;
  esac
done
[ ${#wanted[@]} -gt 0 ] || wanted=("${build_packages[@]}")

if [ "${HEMOTILE_SKIP_INSTALL:-0}" = 1 ]; then
  say "skipped (HEMOTILE_SKIP_INSTALL=1)"
  exit 0
fi
check_system
mapfile -t missing < <(missing_of "${wanted[@]}")
if [ $only_print -eq 1 ]; then
  [ ${#missing[@]} -eq 0 ] || printf '%s\n' "${missing[@]}"
  exit 0
fi
if [ ${#missing[@]} -eq 0 ]; then
  say "all ${#wanted[@]} packages are there"
  exit 0
fi

check_rights
log=$(mktemp -t hemotile-install-XXXXXX.log) || fail "no space for a temporary file"
say "${#missing[@]} of ${#wanted[@]} packages are missing; this takes some minutes (log: $log)"
if ! install_missing; then
  tail -n 15 "$log" >&2
  fail "the packages could not be installed; the last lines of $log are above." \
    "Check the network and the free space on the disk, then run the same command again."
fi
mapfile -t missing < <(missing_of "${wanted[@]}")
[ ${#missing[@]} -eq 0 ] || fail "still missing after the installation: ${missing[*]} (log: $log)"
rm -f "$log"
say "all ${#wanted[@]} packages are there"
