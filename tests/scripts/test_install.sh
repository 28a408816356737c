#!/usr/bin/env bash
# scripts/install.sh against stand-ins for dpkg and apt, which note how they were called: nothing is
# installed here.
#
#   test_install.sh ROOT
set -u
install=$1/scripts/install.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
  printf '%s: %s\n' "$name" "$*"
  sed 's/^/    calls: /' "$work/calls"
  sed 's/^/    said:  /' "$work/said"
  failed=$((failed + 1))
}

# shellcheck disable=SC2016 # the stand-ins expand it
# stand_in NAME: the body of the stand-in comes from the standard input.
stand_in() {
  {
    printf '#!/bin/bash\nwork=%q\n' "$work"
    printf 'echo "%s $*" >>"$work/calls"\n' "$1"
    cat
  } >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# A fresh machine with only the tools that the script may use. `apt-get install` installs what it is
# asked for, after as many failures as the file `failures` says.
begin() {
  name=$1
  rm -rf "${work:?}/bin" && mkdir -p "$work/bin"
  : >"$work/calls"
  : >"$work/installed"
  echo 0 >"$work/failures"
  local tool
  for tool in bash awk grep sed cat tail seq mktemp rm env; do
    ln -s "$(command -v "$tool")" "$work/bin/$tool"
  done
  printf '#!/bin/bash\n' >"$work/bin/sleep" && chmod +x "$work/bin/sleep"
  stand_in id <<<'echo 0'
  stand_in dpkg </dev/null
  stand_in dpkg-query <<'BODY'
for package; do
  grep -qx "half-$package" "$work/installed" && echo "iU  $package"
  grep -qx -- "$package" "$work/installed" && echo "ii  $package"
done
exit 0
BODY
  stand_in apt-get <<'BODY'
case " $* " in *" install "*) ;; *) exit 0 ;; esac
case " $* " in *" --fix-broken "*) exit 0 ;; esac
left=$(cat "$work/failures")
if [ "$left" -gt 0 ]; then
  echo $((left - 1)) >"$work/failures"
  cat "$work/reason" 2>/dev/null
  exit 100
fi
for argument; do echo "$argument"; done >>"$work/installed"
BODY
}

run() {
  PATH=$work/bin HEMOTILE_SKIP_INSTALL='' TMPDIR=$work bash "$install" "$@" >"$work/said" 2>&1 \
    </dev/null
  status=$?
}

status_is() { [ "$status" -eq "$1" ] || complain "exit status $status, expected $1"; }
said() { grep -q -- "$1" "$work/said" || complain "does not say '$1'"; }
called() { grep -qE -- "$1" "$work/calls" || complain "did not call '$1'"; }
not_called() { ! grep -qE -- "$1" "$work/calls" || complain "called '$1'"; }
line_of() { grep -nE -- "$1" "$work/calls" | head -n 1 | cut -d: -f1; }

begin "all there: apt is not called"
run --missing build test
cp "$work/said" "$work/installed"
: >"$work/calls"
run build test
status_is 0
said 'are there'
not_called '^(apt-get|dpkg) '

begin "some missing: only those, lists first, no recommended packages, no questions"
run --missing build
grep -vx libpng-dev "$work/said" >"$work/installed"
run build
status_is 0
called 'apt-get .*install --no-install-recommends libpng-dev$'
called 'apt-get -y .*DPkg::Lock::Timeout=300.*install'
[ "$(line_of ' update$')" -lt "$(line_of ' install ')" ] || complain "installs before the lists"
not_called 'install .*cmake'

begin "a package that is only half installed counts as missing"
run --missing build
sed 's/^cmake$/half-cmake/' "$work/said" >"$work/installed"
run build
status_is 0
called 'dpkg .*--configure -a'
called 'install --no-install-recommends cmake$'

begin "a failure is repaired and tried again"
echo 1 >"$work/failures"
run build
status_is 0
said 'repairing'
called 'apt-get .*--fix-broken install'

begin "a held lock is waited for"
echo 1 >"$work/failures"
echo 'E: Could not get lock /var/lib/apt/lists/lock' >"$work/reason"
run build
status_is 0
said 'waiting'
not_called 'fix-broken'
rm "$work/reason"

begin "what cannot be installed is an error with the reason"
echo 99 >"$work/failures"
echo 'E: Unable to locate package libpng-dev' >"$work/reason"
run build
status_is 1
said 'Unable to locate'
rm "$work/reason"

begin "apt that installs nothing and says nothing is an error"
stand_in apt-get </dev/null
run build
status_is 1
said 'still missing'

begin "neither root nor sudo: what to ask the administrator for"
stand_in id <<<'echo 1000'
run build
status_is 1
said 'apt-get install --no-install-recommends cmake'
not_called '^apt-get'

begin "sudo without a password is used"
stand_in id <<<'echo 1000'
# shellcheck disable=SC2016
stand_in sudo <<<'[ "$1" != -n ] || exit 0; exec "$@"'
run build
status_is 0
called '^sudo env DEBIAN_FRONTEND=noninteractive .*apt-get'

begin "not Debian: what is needed"
rm "$work/bin/apt-get"
run build
status_is 1
said 'not a Debian system'
said 'ITK 5.2'

begin "an unknown group"
run everything
status_is 1
said "unknown group 'everything'"

begin "skipped when asked"
PATH=$work/bin HEMOTILE_SKIP_INSTALL=1 bash "$install" build >"$work/said" 2>&1
status=$?
status_is 0
not_called .

exit $((failed > 0))
