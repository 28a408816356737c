# `hemotile pacs watch` and senders that break off, say nothing, or mix up patients (peer.py): no part of
# a study is computed, and none of them ends the watch or holds up the others.
. "$(dirname "$0")/../check.sh"
needs pydicom
expect 0 phantom pipe -o sample --spacing 0.5 --quiet
read -r study series < <("$PYTHON" - <<'PY'
import glob, os, pydicom
paths = sorted(glob.glob("sample/dicom/*"))
def copy(name, path, **values):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    file = pydicom.dcmread(path)
    for key, value in values.items():
        setattr(file, key, value)
    file.file_meta.MediaStorageSOPInstanceUID = file.SOPInstanceUID
    file.save_as(name)
other = dict(PatientID="OTHER", PatientName="Other^Patient")
copy("other/same.dcm", paths[0], **other)                         # the same object of another patient
copy("other/new.dcm", paths[0], SOPInstanceUID="1.2.9.9", **other) # a further one of the same study
copy("later/0.dcm", paths[0], SeriesInstanceUID="1.2.8", SOPInstanceUID="1.2.8.1", SeriesDescription="foot")
for k in range(2):
    copy(f"gone/{k}.dcm", paths[k], StudyInstanceUID="1.2.7", SeriesInstanceUID="1.2.7.1", SOPInstanceUID=f"1.2.7.1.{k}")
file = pydicom.dcmread(paths[0])
print(file.StudyInstanceUID, file.SeriesInstanceUID)
PY
)
slices=(sample/dicom/*)
mkdir shown
"$PYTHON" "$here/archive/peer.py" archive archive_port shown &
archive=$!
watch=
trap 'kill $archive $watch 2>/dev/null; wait; rm -rf "$work"' EXIT
until [ -e archive_port ]; do sleep 0.05; done
port=$("$PYTHON" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
# shellcheck disable=SC2016 # the program expands it
echo 'scan: ${HEMOTILE_STUDY}
lattice: {nodes_across: 8}
flow: {inlet_flow_ml_s: 0.3, device: cpu, steady_tolerance: 1e-3}
openings: [{role: inlet, near_mm: [0, 0, -11]}]' >base.yaml
echo "timeout_s: 3600
watch:
  port: $port
  folder: watched
  quiet_s: 1
  send: no
  calling: [ARCHIVE]
  rules:
    - {modality: CT, description: '*pipe*', case: base.yaml}" >pacs.yaml
{ echo "host: 127.0.0.1"; echo "port: $(cat archive_port)"; cat pacs.yaml; } >count.yaml

# A pipe in place of a case file would wait for ever.
mkfifo pipe.yaml
sed 's/case: base.yaml/case: pipe.yaml/' pacs.yaml >waits.yaml
timeout 60 "$HEMOTILE" pacs watch --pacs waits.yaml >out 2>&1 && fail "a pipe is read as a case file"
says out "pipe.yaml: cannot open: "

start() { # start SETTINGS: with a new log
  : >watch.log
  "$HEMOTILE" pacs watch --pacs "$1" >watch.log 2>&1 &
  watch=$!
  until_says "listens on"
}
stop() {
  kill $watch
  wait $watch || fail "the watch ended with $?"
}
# until_says TEXT [TIMES]: in the log of the watch; CTest ends a test that hangs.
until_says() {
  until [ "$(grep -cF -- "$1" watch.log)" -ge "${2:-1}" ]; do
    kill -0 $watch 2>/dev/null || { fail "the watch ended before '$1'"; cat watch.log; done_testing; }
    sleep 0.05
  done
}
never_says() { ! grep -F -- "$1" watch.log || fail "the watch says '$1'"; }
# sends END FILE...: the answers are in `answers`.
sends() { "$PYTHON" "$here/archive/peer.py" send "$port" "$@" >answers || fail "the sender: $(cat answers)"; }
stored() { [ "$(sort -u answers)" = 0000 ] || fail "not stored: $(cat answers)"; }
state() { number "watched/studies/$1/state.json" state; }

# A study whose sender breaks off waits, whatever the way.
start pacs.yaml
ends=0
for end in abort close half; do
  sends $end "${slices[@]:0:24}"
  stored
  until_says "the association of ARCHIVE ended without a release" $((++ends))
done
until_says "study $study: received: waits: the association that brought series $series was not released"
sends release later/0.dcm # of another series: that one is whole
never_says processing
stop
start pacs.yaml # the mark is on the disk
until_says "study $study: goes on, it was received"
sends release gone/* # a study that is removed while it waits
rm -r watched/studies/1.2.7
until_says "study 1.2.7: its folder is gone"
sends release "${slices[@]:0:5}" # a part that was here: the rest is still missing
never_says "study $study: processing"
[ -e "watched/studies/$study/unfinished/$series" ] || fail "the mark is gone"
# The sender tries again: then it is computed, once.
sends release "${slices[@]}"
stored
until_says "study $study: kept"
[ "$(ls "watched/studies/$study/scan" | wc -l)" = 39 ] || fail "$(ls "watched/studies/$study/scan" | wc -l) objects"

# Another patient under the same UIDs is refused, and said.
sends release other/same.dcm other/new.dcm
[ "$(cat answers)" = "c000
c000" ] || fail "another patient's: $(cat answers)"
until_says "refused an object of ARCHIVE: study $study: object" 2
says watch.log "of another patient"
! grep -q 'OTHER\|Other' watch.log || fail "a patient's name is in the log"

# Silent connections hold up nobody: ten, and then more than there is place for.
"$PYTHON" "$here/archive/peer.py" silent "$port" 40 spoken >connected &
silent=$!
until [ -s connected ]; do sleep 0.05; done
sends release later/0.dcm
stored
until_says "ended the oldest silent connection"
touch spoken
wait $silent

# One later object of another series: nothing is computed again. (It came before, and is removed.)
rm "watched/studies/$study/scan/1.2.8.1.dcm"
sends release later/0.dcm "${slices[0]}"
stored
stop
never_says "association of  " # the silent ones have asked for none
[ "$(grep -c ': processing' watch.log)" = 1 ] || fail "computed again: $(cat watch.log)"
sed -i 's/"objects": 39/"objects": 38/' "watched/studies/$study/state.json" # as if it had come just now
start pacs.yaml
until_says "study $study: more objects have come"
until_says "study $study: nothing new in the series that was computed"
[ "$(state "$study")" = kept ] || fail "it is $(state "$study")"
never_says processing
stop

# Where the archive can be asked, its count decides: 24 released, 38 there; and 38 that broke off.
rm -r watched
cp sample/dicom/* shown
start count.yaml
sends release "${slices[@]:0:24}"
until_says "study $study: received: waits: 24 of the 38 objects that the archive has of series $series are here"
sends close "${slices[@]:24}"
until_says "study $study: processing"
stop

# A full disk (here: no file over 1 kB) refuses objects, with a line, and the watch goes on.
rm -r watched
: >watch.log
(
  ulimit -f 1
  exec "$HEMOTILE" pacs watch --pacs pacs.yaml
) > >(cat >>watch.log) 2>&1 &
watch=$!
until_says "listens on"
sends release "${slices[@]:0:5}"
[ "$(sort -u answers)" = a700 ] || fail "on a full disk: $(cat answers)"
until_says "refused an object of ARCHIVE: " 3
until_says "refused 5 objects of ARCHIVE in all"
[ -z "$(find watched -name '*.dcm')" ] || fail "files on a full disk: $(find watched -name '*.dcm')"
no_halves
stop
watch=
done_testing
