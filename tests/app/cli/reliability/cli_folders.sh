# Which folders may take results.
. "$(dirname "$0")/../check.sh"
mkdir scans photos
"$PYTHON" "$here/make_nifti.py" pipe scans/pipe.nii
touch photos/cat.jpg
before=$(ls -l scans photos)
expect 2 run scans/pipe.nii -o scans
says stderr "never changed"
expect 2 run scans/pipe.nii -o photos
says stderr "holds other files"
expect 2 run scans/pipe.nii -o scans/pipe.nii
says stderr "give -o a folder"
expect 2 run scans -o scans/result
says stderr "never changed"
expect 2 phantom pipe -o photos
[ "$(ls -l scans photos)" = "$before" ] || fail "something was written"
mkdir closed && chmod 500 closed
if [ ! -w closed ]; then # root may write everywhere
  expect 21 import scans/pipe.nii -o closed/result
  says stderr "closed/result"
fi
mkdir result # empty: welcome
expect 0 import scans/pipe.nii -o result
says stdout "result"
there result/scan.nii.gz result/case.yaml result/manifest.json
expect 0 import scans/pipe.nii -o result # again: its own

# The case of another scan is not replaced unasked, nor by a run that then fails.
"$PYTHON" "$here/make_nifti.py" ball scans/ball.nii
before=$(cksum result/scan.nii.gz result/case.yaml result/manifest.json)
label=$(number result/manifest.json input.path)
[[ $label =~ ^file-[0-9a-f]{12}\.nii$ ]] || fail "the scan is called $label"
expect 0 info scans/pipe.nii
says stdout "label in the record of its cases: $label" # by this the user finds the scan of a case
expect 0 info result
says stdout "case folder of $label"
for command in run import; do
  expect 2 $command scans/ball.nii -o result
  says stderr "another scan ($label), and this is scans/ball.nii (file-"
  says stderr "--force"
done
printf 'mask: scans/pipe.nii\n' >mask.yaml # the same file, but not as a scan
expect 2 import mask.yaml -o result
says stderr "scans/pipe.nii ($label), which has changed since or is read as another kind"
[ "$(cksum result/scan.nii.gz result/case.yaml result/manifest.json)" = "$before" ] ||
  fail "the case of another scan was changed"
expect 0 import scans/ball.nii -o result --force
[ "$(number result/manifest.json input.path)" != "$label" ] || fail "not replaced"

# A scan is identified by its contents, not its name: links to a scan, and to its slices, may lead
# elsewhere the next time.
expect 0 phantom pipe -o one --format dicom --seed 1 --quiet
expect 0 phantom pipe -o two --format dicom --seed 2 --quiet
slices=$(find one/dicom -type f | wc -l)
# The files of a folder, as `sha256sum` has them, sorted and hashed again.
of_files() { (cd "$1" && sha256sum -- * | cut -c-64 | sort | sha256sum | cut -c-64); }
[ "$(of_files one/dicom)" != "$(of_files two/dicom)" ] || fail "both scans are the same"
link_slices() { rm -rf slices && mkdir slices && ln -s "$PWD/$1"/dicom/* slices; }
ln -s one/dicom link
link_slices one
for scan in link slices one/dicom/slice-0001.dcm; do
  rm -rf linked
  expect 0 import $scan -o linked
  [ "$(number linked/manifest.json input.sha256)" = "$(of_files one/dicom)" ] || fail "$scan: hash"
  [ "$(number linked/manifest.json input.files)" = "$slices" ] || fail "$scan: number of files"
done
says stderr "all $slices files of it"
expect 0 import link -o linked --quiet
expect 0 import slices -o linked --quiet
before=$(cksum linked/scan.nii.gz linked/case.yaml linked/manifest.json)
ln -sfn two/dicom link
link_slices two
for scan in link slices link/slice-0001.dcm two/dicom; do
  expect 2 import $scan -o linked
  says stderr "another scan"
done
if grep -q "has changed since" stderr; then fail "two folders of one last name are one scan"; fi
label=$(number linked/manifest.json input.path)
expect 0 info two/dicom
if grep -q "$label" stdout; then fail "two folders of one last name have one label"; fi
expect 0 info slices/../one/../two/../slices # one folder, however it is written
says stdout "$label"
[ "$(cksum linked/scan.nii.gz linked/case.yaml linked/manifest.json)" = "$before" ] ||
  fail "a scan behind a link replaced another"
expect 2 import one/dicom/slice-0001.dcm -o one/dicom/result # the series of its folder is read
says stderr "never changed"
! grep -q "$slices files" stderr || fail "all slices were read first"
other=$(sed -n 's/.*for example -o "\(.*\)"$/\1/p' stderr)
[ "$other" = "$(realpath one)/dicom-hemotile" ] || fail "no other folder is named: $other"
expect 0 import one/dicom/slice-0001.dcm -o "$other" --quiet # it works
if command -v dcmmkdir >/dev/null; then
  mkdir -p disc/IMAGES
  for slice in one/dicom/slice-*.dcm; do
    name=${slice##*-} && cp "$slice" "disc/IMAGES/${name%.dcm}"
  done
  (cd disc && dcmmkdir +r +I -Nxc -nb --quiet) || fail "no DICOMDIR"
  expect 2 import disc/DICOMDIR -o disc/result
  says stderr "disc-hemotile"
  ! grep -q "files of it" stderr || fail "all images were read first"
  expect 0 import disc/DICOMDIR -o disc-result --quiet
fi
expect 2 import slices -o two/dicom/result # where the links lead
says stderr "never changed"
absent one/dicom/result two/dicom/result
echo "not an image" >one/dicom/readme.txt # is no part of the scan
expect 0 import one/dicom -o linked --quiet
"$PYTHON" -m zipfile -c one.zip one/dicom/slice-*.dcm
expect 0 import one.zip -o zipped --quiet
[ "$(number zipped/manifest.json input.sha256)" = "$(sha256sum <one.zip | cut -c-64)" ] ||
  fail "the hash is not the archive's"
printf '%s\n' 'ObjectType = Image' 'NDims = 3' 'DimSize = 8 8 8' 'ElementType = MET_UCHAR' \
  'ElementSpacing = 1 1 1' 'Offset = 0 0 0' 'TransformMatrix = 1 0 0 0 1 0 0 0 1' \
  'ElementDataFile = voxels.raw' >image.mhd
head -c 512 scans/ball.nii >voxels.raw
expect 0 import image.mhd -o header --quiet
tail -c 512 scans/ball.nii | tr '\0' '\7' >voxels.raw
expect 2 import image.mhd -o header --quiet # other voxels behind the same header
says stderr "another scan"

# Of two that read into one new folder the second is refused, though the folder was not there when
# it began; nor is a scan replaced of which there is no record.
"$PYTHON" -m zipfile -c two.zip two/dicom/slice-*.dcm
mkdir unpacked
cat >race.py <<'PY'
import os, signal, subprocess, sys, time
hemotile = os.environ["HEMOTILE"]
slow = subprocess.Popen([hemotile, "import", "two.zip", "-o", "raced", "--keep-identity"],
                        stderr=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR="unpacked"))
while not os.listdir("unpacked") and slow.poll() is None:
    time.sleep(0.0002)
slow.send_signal(signal.SIGSTOP)  # it has looked at the folder, and reads
free = slow.poll() is None and not os.path.exists("raced")
fast = subprocess.run([hemotile, "import", "one/dicom", "-o", "raced", "--quiet"])
was = open("raced/manifest.json").read() if fast.returncode == 0 else ""
slow.send_signal(signal.SIGCONT)
said = slow.communicate()[1]
print(free, fast.returncode, slow.returncode, said)
sys.exit(not (free and slow.returncode == 2 and "another scan" in said and
              was == open("raced/manifest.json").read()))
PY
HEMOTILE=$HEMOTILE "$PYTHON" race.py || fail "the second of two replaced the first"
rm raced/manifest.json
before=$(cksum raced/scan.nii.gz)
expect 2 import two/dicom -o raced
says stderr "no record of whose"
[ "$(cksum raced/scan.nii.gz)" = "$before" ] || fail "a scan without a record was replaced"
expect 0 import two/dicom -o raced --force --quiet
rm raced/scan.nii.gz # as an import leaves it that is killed before it names the scan
expect 10 segment raced
says stderr "hemotile import SCAN -o raced"
expect 0 import two/dicom -o raced --quiet

# Settings that were edited in the folder are kept where a run brings others.
expect 0 import scans/ball.nii -o result --quiet
absent result/case_edited_1.yaml
sed -i 's/^  lower: auto/  lower: 0.5/' result/case.yaml
cp result/case.yaml edited.yaml
expect 0 import scans/ball.nii -o result --quiet
says stderr "case_edited_1.yaml"
cmp edited.yaml result/case_edited_1.yaml || fail "the edited case is lost"

# A library that stands for a system where calls fail, each by its letter in WITHOUT.
cat >system.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
static int without(const char *kind, int error) {
  const char *missing = getenv("WITHOUT");
  for (; missing && *missing; missing++)
    if (*missing == *kind) return errno = error, 1;
  return 0;
}
/* Another's sweep has the first folder, as it takes a while to remove it. */
static void sweep(int folder, int (*real)(int, int)) {
  static int begun;
  struct stat info;
  if (fstat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || begun++) return;
  real(openat(folder, ".", O_RDONLY), LOCK_EX);
}
int rename(const char *from, const char *to) {
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  size_t length = strlen(to);
  int is_case = length > 9 && strcmp(to + length - 9, "case.yaml") == 0;
  return is_case && without("n", EIO) ? -1 : real(from, to);
}
int flock(int file, int operation) {
  int (*real)(int, int) = dlsym(RTLD_NEXT, "flock");
  if (without("s", 0)) sweep(file, real);
  return without("b", EIO) || without("f", ENOSYS) ? -1 : real(file, operation);
}
static int range(const char *name, int file, int command, void *argument) {
  int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
  int sets = command == F_SETLK || command == F_OFD_SETLK;
  return sets && without("r", ENOLCK) ? -1 : real(file, command, argument);
}
#define FCNTL(name)                           \
  int name(int file, int command, ...) {      \
    va_list list;                             \
    va_start(list, command);                  \
    void *argument = va_arg(list, void *);    \
    va_end(list);                             \
    return range(#name, file, command, argument); \
  }
FCNTL(fcntl)
FCNTL(fcntl64)
C
cat >locked.py <<'PY'
import fcntl, os, signal, subprocess, sys, time
command = [os.environ["HEMOTILE"], "import", "one/dicom", "-o", "unlocked", "--quiet"]
def second():
    ended = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    print(ended)
    return ended.returncode == 2 and "another hemotile is working" in ended.stderr
os.environ["WITHOUT"] = "f"
with open("unlocked/hemotile.log", "a") as log:
    fcntl.lockf(log, fcntl.LOCK_EX)
    by_range = second()
os.environ["WITHOUT"] = "fr"
first = subprocess.Popen(command)
lock = "unlocked/hemotile.log.lock"
while not os.path.exists(lock) and first.poll() is None:
    time.sleep(0.0002)
first.send_signal(signal.SIGSTOP)
running = first.poll() is None
by_file = second()
first.send_signal(signal.SIGCONT)
sys.exit(not (by_range and running and by_file and first.wait() == 0))
PY
# A network file system may lack locks, of one kind or of both: a file takes their place.
if ${CC:-cc} -shared -fPIC -o system.so system.c -ldl 2>/dev/null; then
  export ASAN_OPTIONS=verify_asan_link_order=0
  for missing in f fr; do
    WITHOUT=$missing LD_PRELOAD=$PWD/system.so expect 0 import one/dicom -o unlocked --quiet
    there unlocked/scan.nii.gz
    absent unlocked/hemotile.log.lock
  done
  LD_PRELOAD=$PWD/system.so HEMOTILE=$HEMOTILE "$PYTHON" locked.py || fail "two in one folder"
  absent unlocked/hemotile.log.lock
  echo "host elsewhere, process 7" >unlocked/hemotile.log.lock # as one that was killed leaves it
  WITHOUT=fr LD_PRELOAD=$PWD/system.so expect 2 segment unlocked
  says stderr "unlocked/hemotile.log.lock: another hemotile"
  says stderr "(host elsewhere, process 7)"
  says stderr "remove this file"
  there unlocked/hemotile.log.lock
  WITHOUT=b LD_PRELOAD=$PWD/system.so expect 21 import one/dicom -o broken
  says stderr "cannot lock this file"
  absent broken/hemotile.log broken/scan.nii.gz # not taken for a case, then
  # An archive is not unpacked into a folder that another run is about to remove.
  mkdir swept
  TMPDIR=swept WITHOUT=s LD_PRELOAD=$PWD/system.so expect 0 import one.zip -o zipped --quiet
  [ "$(find swept -mindepth 1 | wc -l)" = 1 ] || fail "another's folder was used: $(ls swept)"
  # What was edited is kept apart from case.yaml also where that then cannot be written.
  sed -i 's/^  lower: auto/  lower: 0.7/' result/case.yaml
  cp result/case.yaml edited.yaml
  for kept in 1 2; do # the second run finds it kept
    WITHOUT=n LD_PRELOAD=$PWD/system.so expect 21 import scans/ball.nii -o result --quiet
    cmp edited.yaml result/case.yaml || fail "case.yaml is another"
    cmp edited.yaml result/case_edited_2.yaml || fail "the edited case is lost"
    [ ! result/case.yaml -ef result/case_edited_2.yaml ] || fail "one file of two names"
  done
  absent result/case_edited_3.yaml
  unset ASAN_OPTIONS
fi

# A patient's files are readable by their owner alone, unless asked otherwise.
umask 022
expect 0 import one/dicom -o private/case --quiet
[ -z "$(find private -perm /077)" ] || fail "others can read: $(find private -perm /077)"
expect 0 import one/dicom -o shared --follow-umask --quiet
[ "$(stat -c %a shared shared/scan.nii.gz | xargs)" = "755 644" ] || fail "the umask is not followed"
rm shared/scan.nii.gz
expect 0 import one/dicom -o shared --follow-umask --quiet # the folder's case.yaml has it, too
grep -q "^follow_umask: yes" shared/case.yaml || fail "the wish is forgotten"

expect 0 phantom pipe -o staged --quiet --spacing 0.4
printf 'lattice: {nodes_across: 8}\n' >>staged/case.yaml
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" staged/case.yaml # low enough for 8 nodes across
expect 0 import staged/case.yaml -o stages --quiet
for command in segment tile solve export; do # each takes the wish, and keeps it
  sed -i '/^follow_umask/d' stages/case.yaml
  steps=
  [ $command = solve ] && steps="--steps 5"
  expect 0 $command stages --follow-umask --quiet $steps
  grep -q "^follow_umask: yes" stages/case.yaml || fail "$command forgets the wish"
done
modes=$(stat -c %a stages/mask.nii.gz stages/tiling.json stages/flow.bin stages/wall.vtp | xargs)
[ "$modes" = "644 644 644 644" ] || fail "the umask is not followed: $modes"

# The next run removes the unpacked archive of a killed run, but not one that another run uses.
mkdir -p unpacked/hemotile-zip-Killed/dicom unpacked/hemotile-zip-InUse unpacked/other
cp one/dicom/slice-0001.dcm unpacked/hemotile-zip-Killed/dicom
ln -s ../one unpacked/hemotile-zip-Link
TMPDIR=unpacked expect 0 import one.zip -o zipped --quiet
[ "$(ls unpacked | xargs)" = "hemotile-zip-Link other" ] || fail "unpacked: $(ls unpacked)"
there one/dicom/slice-0001.dcm
mkdir unpacked/hemotile-zip-InUse
exec 9<unpacked/hemotile-zip-InUse
"$PYTHON" -c "import fcntl; fcntl.flock(9, fcntl.LOCK_EX)" || fail "not locked"
TMPDIR=unpacked expect 0 import one.zip -o zipped --quiet
exec 9<&-
there unpacked/hemotile-zip-InUse

# Nothing is written or removed where a link leads that lies in the folder.
mkdir elsewhere && echo precious >elsewhere/velocity.png && echo precious >elsewhere/log
mkdir -p elsewhere/thinner && echo precious >elsewhere/thinner/case.yaml
before=$(find elsewhere -type f -exec cksum {} + | sort)
for name in pictures sensitivity diverged hemotile.log; do
  rm -rf trap && cp -r result trap && rm -rf "trap/$name"
  target=../elsewhere
  [ $name = hemotile.log ] && target=../elsewhere/log
  ln -s $target "trap/$name"
  for command in "import scans/ball.nii -o trap" "run scans/ball.nii -o trap" "segment trap"; do
    expect 2 $command
    says stderr "trap/$name"
    says stderr "link"
  done
done
[ "$(find elsewhere -type f -exec cksum {} + | sort)" = "$before" ] || fail "written through a link"
rm trap/hemotile.log && mkfifo trap/hemotile.log
expect 2 import scans/ball.nii -o trap

# A pipe is no scan, and is not waited for.
mkfifo pipe.nii
expect 11 import pipe.nii -o piped
expect 11 info pipe.nii
printf 'scan: pipe.nii\n' >piped.yaml
expect 11 run piped.yaml -o piped
says stderr "pipe"
absent piped
# Nor is one under the name of any file of a case folder.
opened() { # COMMAND...
  timeout 60 "$HEMOTILE" "$@" >stdout 2>stderr
  [ $? != 124 ] || fail "hemotile $* waits for a pipe: $(ls -F "${@: -1}" | grep '|')"
}
rm -rf trap && cp -r result trap
for name in $(cd result && find . -type f -size +0 ! -name hemotile.log) ./checkpoint_1.bin ./points.csv; do
  mv "trap/$name" kept 2>/dev/null
  mkfifo "trap/$name"
  opened info trap
  opened segment trap
  rm -f "trap/$name"
  [ ! -e kept ] || mv kept "trap/$name"
done
no_halves
done_testing
