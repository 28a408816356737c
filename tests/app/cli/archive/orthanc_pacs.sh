# `hemotile pacs` against a real DICOM server (Orthanc): find, get, send, with and without TLS, and
# its refusals.
. "$(dirname "$0")/../check.sh"
orthanc=$(command -v Orthanc || ls /usr/sbin/Orthanc 2>/dev/null)
[ -n "$orthanc" ] || { echo "needs Orthanc (Debian: orthanc)"; exit 77; }
command -v openssl >/dev/null || { echo "needs openssl"; exit 77; }
needs pydicom
free_port() {
  "$PYTHON" -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
}
servers=()
trap 'for s in "${servers[@]}"; do kill $s 2>/dev/null; done; wait; rm -rf "$work"' EXIT
# server NAME PORT MORE: an archive of its own folder, that knows HEMOTILE.
server() {
  mkdir "$1"
  cat >"$1.json" <<JSON
{"Name": "$1", "StorageDirectory": "$work/$1", "IndexDirectory": "$work/$1", "HttpServerEnabled": false,
 "DicomServerEnabled": true, "DicomAet": "ARCHIVE", "DicomPort": $2, "DicomCheckCalledAet": true,
 "DicomAlwaysAllowEcho": false, "DicomAlwaysAllowStore": false, "DicomAlwaysAllowFind": false,
 "DicomAlwaysAllowGet": false, "DicomCheckModalityHost": false,
 "DicomModalities": {"hemotile": {"AET": "HEMOTILE", "Host": "127.0.0.1", "Port": 1, "AllowGet": true,
   "AllowFind": true, "AllowStore": true, "AllowEcho": true}}, "Plugins": [] $3}
JSON
  TCP_NODELAY=1 "$orthanc" "$1.json" >"$1.log" 2>&1 &
  servers+=($!)
  until grep -q "Orthanc has started" "$1.log"; do
    kill -0 "${servers[-1]}" 2>/dev/null || { fail "Orthanc"; tail -5 "$1.log"; done_testing; }
    sleep 0.1
  done
}

# A scan of a patient with a name, and a study with another.
expect 0 phantom pipe -o sample --spacing 0.5
"$PYTHON" - <<'PY'
import glob, pydicom
for k, path in enumerate(sorted(glob.glob("sample/dicom/*"))):
    file = pydicom.dcmread(path)
    file.SpecificCharacterSet = "ISO_IR 192"
    file.PatientName, file.PatientID, file.StudyDate = "Müller^Grete", "PAT4711", "20260203"
    file.StudyDescription, file.SeriesDescription = "CT Angio head", "arterial 0.5"
    file.save_as(path)
    if k < 2:
        file.PatientID, file.StudyDate, file.StudyDescription = "PAT0815", "20250101", "Foot"
        file.StudyInstanceUID, file.SeriesInstanceUID = "1.2.3.4", "1.2.3.4.5"
        file.SOPInstanceUID = file.file_meta.MediaStorageSOPInstanceUID = f"1.2.3.4.5.{k + 1}"
        import os
        os.makedirs("foot", exist_ok=True)
        file.save_as(f"foot/{k}.dcm")
print(file.StudyInstanceUID)
PY
slices=$(ls sample/dicom | wc -l)

port=$(free_port)
server plain "$port" ""
echo "host: 127.0.0.1
port: $port
called_ae: ARCHIVE
timeout_s: 30" >pacs.yaml

# Send: every object is confirmed.
expect 0 pacs send sample/dicom --pacs pacs.yaml
says stdout "$slices of $slices objects are stored"
expect 0 pacs send foot --pacs pacs.yaml --quiet
[ "$(cat stdout)" = "2 of 2 objects are stored" ] || fail "another result: $(cat stdout)"

# Find: by number, day, modality and description; the table has what the server has.
expect 0 pacs find --pacs pacs.yaml --patient-id 'PAT4*'
says stdout "PAT4711"
says stdout "Müller^Grete"
says stdout "20260203"
[ "$(wc -l <stdout)" = 2 ] || fail "one study was wanted: $(cat stdout)"
study=$(awk 'NR == 2 { print $NF }' stdout)
grep -q " $slices " stdout || fail "not $slices images"
for query in '--date 20260101-' '--date 20260203' '--description Angio' '--description *head --modality CT'; do
  # shellcheck disable=SC2086
  set -f && expect 0 pacs find --pacs pacs.yaml $query && set +f
  grep -q PAT4711 stdout || fail "$query: PAT4711 is not found"
  grep -q PAT0815 stdout && fail "$query: PAT0815 is found"
done
expect 0 pacs find --pacs pacs.yaml --modality CT
[ "$(wc -l <stdout)" = 3 ] || fail "two studies were wanted: $(cat stdout)"
expect 0 pacs find --pacs pacs.yaml --modality MR
says stdout "nothing found"
expect 0 pacs find --pacs pacs.yaml --study "$study"
says stdout "arterial 0.5"
series=$(awk 'NR == 2 { print $NF }' stdout)

# Get: the same objects, for the owner alone; nothing half.
expect 0 pacs get --pacs pacs.yaml --study "$study" -o got/scan
says stdout "$slices objects are in got/scan"
[ "$(stat -c %a got/scan)" = 700 ] || fail "others may read the fetched folder"
no_halves
"$PYTHON" - <<'PY' || fail "other objects came back"
import glob, pydicom
def read(folder):
    files = [pydicom.dcmread(path) for path in glob.glob(folder + "/*")]
    return {f.SOPInstanceUID: (f.PixelData, f.file_meta.TransferSyntaxUID, str(f.PatientName)) for f in files}
sent, got = read("sample/dicom"), read("got/scan")
assert len(got) > 10 and sent == got, (len(sent), len(got))
PY
expect 0 pacs get --pacs pacs.yaml --study "$study" --series "$series" -o got/series/
[ "$(ls got/series | wc -l)" = "$slices" ] || fail "not all of the series"
expect 0 info got/series
says stdout "arterial 0.5"

# Compressed objects come as the archive has them.
if command -v dcmcrle >/dev/null && command -v dcmcjpls >/dev/null; then
  mkdir small
  dcmcrle +un foot/0.dcm small/0.dcm && dcmcjpls +un foot/1.dcm small/1.dcm || fail "not compressed"
  "$PYTHON" - <<'PY'
import glob, pydicom
for path in glob.glob("small/*"):
    file = pydicom.dcmread(path)
    file.StudyInstanceUID, file.SeriesInstanceUID = "1.2.3.5", "1.2.3.5.1"
    file.SOPInstanceUID = file.file_meta.MediaStorageSOPInstanceUID = "1.2.3.5.1." + path[-5]
    file.save_as(path)
PY
  expect 0 pacs send small --pacs pacs.yaml --quiet
  expect 0 pacs get --pacs pacs.yaml --study 1.2.3.5 -o got/small
  "$PYTHON" - <<'PY' || fail "other pixels came back"
import glob, pydicom
for path in glob.glob("small/*"):
    sent = pydicom.dcmread(path)
    got = pydicom.dcmread(f"got/small/{sent.SOPInstanceUID}.dcm")
    assert sent.file_meta.TransferSyntaxUID == got.file_meta.TransferSyntaxUID, got.file_meta.TransferSyntaxUID.name
    assert got.file_meta.TransferSyntaxUID.is_compressed and sent.PixelData == got.PixelData
PY
fi

# What fails says why, and leaves nothing.
expect 23 pacs get --pacs pacs.yaml --study 1.2.3.999 -o got/none
says stderr "does it have this study?"
expect 2 pacs get --pacs pacs.yaml --study "$study" -o got/scan
says stderr "exists already"
expect 2 pacs get --pacs pacs.yaml --study ../x -o got/none
expect 2 pacs find --pacs pacs.yaml
says stderr "nothing to search for"
expect 2 pacs find --pacs pacs.yaml --date 3.2.2026
expect 2 pacs find --modality CT
says stderr "give --host"
expect 2 pacs fnd
says stderr "did you mean 'find'?"
expect 23 pacs find --pacs pacs.yaml --called-ae OTHER --modality CT
says stderr "is 'OTHER' its AE title"
expect 23 pacs find --pacs pacs.yaml --calling-ae STRANGER --modality CT
expect 23 pacs find --pacs pacs.yaml --port 1 --modality CT
says stderr "no association"
echo 'hosst: x' >wrong.yaml
expect 3 pacs find --pacs wrong.yaml --modality CT
says stderr "wrong.yaml:1:"
expect 11 pacs send wrong.yaml --pacs pacs.yaml
says stderr "no DICOM file"
expect 23 pacs send foot --pacs pacs.yaml --calling-ae STRANGER
[ ! -e got/none ] || fail "a folder is left"
no_halves

# A case's DICOM files, and a server that does not take one of them.
expect 0 run sample/case.yaml -o out --nodes-across 8 --steps 5 --device cpu --quiet --dicom
expect 0 pacs send out --pacs pacs.yaml
files=$(ls out/dicom | wc -l)
says stdout "$files of $files objects are stored"
says stdout "segmentation.dcm: stored"
"$PYTHON" - <<'PY'
import pydicom
file = pydicom.dcmread("foot/0.dcm")
file.SOPClassUID = file.file_meta.MediaStorageSOPClassUID = "1.2.3.4.5.6.7" # of no standard
file.SOPInstanceUID = file.file_meta.MediaStorageSOPInstanceUID = "1.2.3.4.5.99"
file.save_as("foot/2.dcm")
PY
expect 23 pacs send foot --pacs pacs.yaml
says stdout "foot/1.dcm: stored"
says stdout "foot/2.dcm: the archive does not take"
says stdout "2 of 3 objects are stored"
says stderr "did not store 1 of 3 objects"
kill "${servers[0]}" && wait "${servers[0]}"
expect 23 pacs find --pacs pacs.yaml --modality CT

# TLS: each side shows a certificate that the other trusts.
for name in server client stranger; do
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$name" -keyout $name.key -out $name.pem 2>/dev/null
done
port=$(free_port)
server secure "$port" ", \"DicomTlsEnabled\": true, \"DicomTlsCertificate\": \"$work/server.pem\",
 \"DicomTlsPrivateKey\": \"$work/server.key\", \"DicomTlsTrustedCertificates\": \"$work/client.pem\""
echo "host: 127.0.0.1
port: $port
called_ae: ARCHIVE
timeout_s: 30
tls: {ca: server.pem, certificate: client.pem, key: client.key}" >secure.yaml
expect 0 pacs send sample/dicom --pacs secure.yaml --quiet
expect 0 pacs get --pacs secure.yaml --study "$study" -o got/secure
[ "$(ls got/secure | wc -l)" = "$slices" ] || fail "not all of the series through TLS"
expect 23 pacs find --pacs secure.yaml --tls-ca stranger.pem --modality CT # not its certificate
expect 23 pacs find --pacs secure.yaml --tls-certificate stranger.pem --tls-key stranger.key --modality CT
expect 23 pacs find --host 127.0.0.1 --port "$port" --called-ae ARCHIVE --modality CT # no TLS
expect 2 pacs find --pacs secure.yaml --tls-key '' --modality CT
expect 10 pacs find --pacs secure.yaml --tls-key nowhere.key --modality CT
done_testing
