#!/usr/bin/env bash
# Tries the last commit on a clean system: makes one with debootstrap, clones this repository into it,
# installs the packages, and runs demo.sh or test.sh there. Prints the seconds of each part.
#
#   bash scripts/clean_system.sh bookworm [demo|test]    Debian 12
#   bash scripts/clean_system.sh trixie [demo|test]      Debian 13
#   bash scripts/clean_system.sh noble [demo|test]       Ubuntu 24.04
#
# Needs root, debootstrap, and 8 GB in HEMOTILE_CLEAN (default: /var/tmp). MIRROR is the mirror of the
# packages. The folder stays, so that a second call reuses its packages; remove it by hand.
set -eu

suite=${1:?give the suite: bookworm, trixie or noble}
what=${2:-demo}
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root=${HEMOTILE_CLEAN:-/var/tmp}/hemotile-$suite
case $suite in
noble)
  mirror=${MIRROR:-http://archive.ubuntu.com/ubuntu}
  from=(--components=main,universe --no-check-gpg) # Debian lacks its keys
  steps=(/usr/share/debootstrap/scripts/gutsy) # of all Ubuntu releases
  ;;
*)
  mirror=${MIRROR:-http://deb.debian.org/debian}
  from=() steps=()
  ;;
esac

say() { printf 'clean: %s\n' "$*"; }
inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }

if [ ! -e "$root/etc/debian_version" ]; then
  say "making $root from $mirror"
  debootstrap --variant=minbase "${from[@]}" "$suite" "$root" "$mirror" "${steps[@]}" >"$root.log" 2>&1 || {
    tail -n 5 "$root.log" >&2
    exit 1
  }
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
for folder in proc dev; do
  mountpoint -q "$root/$folder" || mount --rbind --make-rslave "/$folder" "$root/$folder"
done
unmount() { for folder in proc dev; do umount -l "$root/$folder" || true; done; }
trap unmount EXIT

rm -rf "$root/root/hemotile"
git clone -q "$source_folder" "$root/root/hemotile"
groups=build
[ "$what" != test ] || groups='build test'
SECONDS=0
# shellcheck disable=SC2086 # the groups are words
inside bash /root/hemotile/scripts/install.sh $groups
say "packages: $SECONDS s"
SECONDS=0
inside bash -c "cd /root/hemotile && bash scripts/$what.sh"
say "$what.sh on $(inside sh -c '. /etc/os-release; echo "$PRETTY_NAME"'), $(nproc) cores: $SECONDS s"
