# `hemotile pacs get` and `find` of an archive that sends something else, less, or too much (peer.py):
# each is an error that names it, and nothing is kept.
. "$(dirname "$0")/../check.sh"
needs pydicom
expect 0 phantom pipe -o sample --spacing 0.5 --quiet
# The folders that the archive sends, of 12 slices: as they are, and with one thing wrong.
read -r study series < <("$PYTHON" - <<'PY'
import glob, os, pydicom, warnings
warnings.simplefilter("ignore") # of the UID that is none
paths = sorted(glob.glob("sample/dicom/*"))[:12]
first = pydicom.dcmread(paths[0])
def folder(name, change=lambda k, file: None, more=0):
    os.makedirs(name)
    for k, path in enumerate(paths + paths[:more]):
        file = pydicom.dcmread(path)
        change(k, file)
        file.save_as(f"{name}/{k:02}.dcm")
def patient(file):
    file.PatientID, file.PatientName = "OTHER", "Other^Patient"
def uid(file, value):
    file.SOPInstanceUID = file.file_meta.MediaStorageSOPInstanceUID = value
folder("good")
folder("study", lambda k, file: setattr(file, "StudyInstanceUID", "1.2.3"))
folder("patient", lambda k, file: patient(file) if k == 5 else None)
folder("series", lambda k, file: setattr(file, "SeriesInstanceUID", "1.2.3") if k == 11 else None)
folder("twice", more=12)
folder("reused", lambda k, file: patient(file) if k >= 12 else None, more=12)
folder("uid", lambda k, file: uid(file, "../x") if k == 3 else None)
print(first.StudyInstanceUID, first.SeriesInstanceUID)
PY
)
mkdir shown
"$PYTHON" "$here/archive/peer.py" archive port shown &
peer=$!
trap 'kill $peer; wait; rm -rf "$work"' EXIT
until [ -e port ]; do sleep 0.05; done
to=(--host 127.0.0.1 --port "$(cat port)")
# show FOLDER [LINE...]: what the archive has now, and what it says of it.
show() {
  rm -f shown/*
  cp "$1"/*.dcm shown
  shift
  [ $# = 0 ] || printf '%s\n' "$@" >shown/says
}
# refused TEXT [OPTION...]: the transfer is one.
refused() {
  local text=$1
  shift
  expect 23 pacs get "${to[@]}" --study "$study" -o got "$@"
  says stderr "$text"
  absent got
  no_halves
}

show good
expect 0 pacs get "${to[@]}" --study "$study" --series "$series" -o got
says stdout "12 objects are in got"
[ "$(ls got | wc -l)" = 12 ] || fail "$(ls got | wc -l) files"
rm -r got
show study
refused "of another study"
show patient
refused "of another patient"
show series
expect 0 pacs get "${to[@]}" --study "$study" -o got # all of the study was asked for
rm -r got
refused "of another series" --series "$series"
show twice
refused "one that came before"
show reused
refused "of another patient"
show uid
refused "no valid object"
show good "has 24"
refused "12 objects came, and the archive counts 24"
show good "count 13"
refused "12 objects came, and the archive counts 13 in series $series"
show good "count 11" # a count that is old
expect 0 pacs get "${to[@]}" --study "$study" -o got
rm -r got

# A full disk, also at the last byte of a file.
show good
for limit in 0 1; do
  (
    ulimit -f $limit
    exec "$HEMOTILE" pacs get "${to[@]}" --study "$study" -o got
  ) 2>&1 | cat >said
  code=${PIPESTATUS[0]}
  [ "$code" = 21 ] || fail "exit code $code with a full disk, expected 21"
  says said ".dcm: "
  absent got
  no_halves
done

# A search with answers without end.
show good endless
expect 0 pacs find "${to[@]}" --date 20260101-
says stdout "these are the first 1000 answers"
[ "$(grep -c '1\.2\.3\.' stdout)" = 1000 ] || fail "$(grep -c '1\.2\.3\.' stdout) answers"
done_testing
