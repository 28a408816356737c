# `hemotile pacs watch`: a study that a real server (Orthanc) sends is computed by a rule, and its
# results are sent back, once, also where the watch is killed in between.
. "$(dirname "$0")/../check.sh"
orthanc=$(command -v Orthanc || ls /usr/sbin/Orthanc 2>/dev/null)
[ -n "$orthanc" ] || { echo "needs Orthanc (Debian: orthanc)"; exit 77; }
needs pydicom
read -r http dicom own < <("$PYTHON" - <<'PY'
import socket
ports = [socket.socket() for _ in range(3)]
for s in ports:
    s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in ports])
PY
)
command -v openssl >/dev/null || { echo "needs openssl"; exit 77; }
for name in archive watch stranger; do
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$name" -keyout $name.key -out $name.pem 2>/dev/null
done
mkdir server
cat >orthanc.json <<JSON
{"Name": "test", "StorageDirectory": "$work/server", "IndexDirectory": "$work/server",
 "HttpPort": $http, "RemoteAccessAllowed": false, "AuthenticationEnabled": false, "HttpServerEnabled": true,
 "DicomServerEnabled": true, "DicomAet": "ARCHIVE", "DicomPort": $dicom, "DicomCheckCalledAet": true,
 "OverwriteInstances": false, "DicomModalities": {"watch": ["HEMOTILE", "127.0.0.1", $own],
 "stranger": {"AET": "HEMOTILE", "Host": "127.0.0.1", "Port": $own, "LocalAet": "STRANGER"},
 "secure": {"AET": "HEMOTILE", "Host": "127.0.0.1", "Port": $own, "UseDicomTls": true}}, "Plugins": [],
 "DicomTlsCertificate": "$work/archive.pem", "DicomTlsPrivateKey": "$work/archive.key",
 "DicomTlsTrustedCertificates": "$work/watch.pem"}
JSON
TCP_NODELAY=1 "$orthanc" orthanc.json >server.log 2>&1 &
server=$!
watch=
trap 'kill $server $watch 2>/dev/null; wait; rm -rf "$work"' EXIT
until grep -q "Orthanc has started" server.log; do
  kill -0 $server 2>/dev/null || { fail "Orthanc"; tail -5 server.log; done_testing; }
  sleep 0.1
done
ask() { # ask PATH [DATA]
  "$PYTHON" - "$http" "$@" <<'PY'
import sys, urllib.request
data = sys.argv[3].encode() if len(sys.argv) > 3 else None
print(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/{sys.argv[2]}", data).read().decode())
PY
}
count() { ask statistics | "$PYTHON" -c "import json, sys; print(json.load(sys.stdin)['CountInstances'])"; }

echo "host: 127.0.0.1
port: $dicom
called_ae: ARCHIVE
watch:
  port: $own
  folder: watched
  quiet_s: 1
  calling: [ARCHIVE]
  rules:
    - {modality: CT, description: '*pipe*', case: base.yaml}" >pacs.yaml
# shellcheck disable=SC2016 # the program expands it
echo 'scan: ${HEMOTILE_STUDY}
keep_identity: yes # the results are in the same study
lattice: {nodes_across: 8}
flow: {inlet_flow_ml_s: 0.3, device: cpu, steady_tolerance: 1e-5}
openings: [{role: inlet, near_mm: [0, 0, -11]}]' >base.yaml

start() {
  "$HEMOTILE" pacs watch --pacs pacs.yaml >>watch.log 2>&1 &
  watch=$!
  until [ "$(grep -c 'listens on' watch.log)" = "$1" ]; do
    kill -0 $watch 2>/dev/null || { fail "the watch"; cat watch.log; done_testing; }
    sleep 0.1
  done
}
# until_says TEXT [TIMES]: in the log of the watch; CTest ends a test that hangs.
until_says() {
  until [ "$(grep -c -- "$1" watch.log)" -ge "${2:-1}" ]; do
    kill -0 $watch 2>/dev/null || { fail "the watch ended before '$1'"; cat watch.log; done_testing; }
    sleep 0.1
  done
}

# Two studies of the archive: one fits the rule by its description, the other fits none.
expect 0 phantom pipe -o sample --spacing 0.5
"$PYTHON" - <<'PY'
import glob, os, pydicom
os.makedirs("other")
for k, path in enumerate(sorted(glob.glob("sample/dicom/*"))):
    file = pydicom.dcmread(path)
    if k < 2:
        file.StudyDescription, file.SeriesDescription, file.Modality = "Foot", "foot", "MR"
        file.StudyInstanceUID, file.SeriesInstanceUID = "1.2.3.4", "1.2.3.4.5"
        file.SOPInstanceUID = file.file_meta.MediaStorageSOPInstanceUID = f"1.2.3.4.5.{k + 1}"
        file.save_as(f"other/{k}.dcm")
open("uid", "w").write(pydicom.dcmread(path).StudyInstanceUID)
PY
uid=$(cat uid)
expect 0 pacs send sample/dicom --pacs pacs.yaml --quiet
expect 0 pacs send other --pacs pacs.yaml --quiet
sent=$(count)

# Nobody is let in by default; a stranger never.
sed '/calling:/d' pacs.yaml >nobody.yaml
expect 2 pacs watch --pacs nobody.yaml
says stderr "nobody may send"
sed 's/.{HEMOTILE_STUDY}/sample/' base.yaml >own.yaml
sed 's/base.yaml/own.yaml/' pacs.yaml >own_scan.yaml
expect 2 pacs watch --pacs own_scan.yaml
says stderr "the case of a rule reads the study that came"
start 1
grep -q 'listens on 127.0.0.1' watch.log || fail "not on this machine alone: $(cat watch.log)"
expect 21 pacs watch --pacs pacs.yaml
says stderr "another \`hemotile pacs watch\` is at work"
if command -v echoscu >/dev/null; then
  echoscu -aet ARCHIVE -aec HEMOTILE 127.0.0.1 "$own" || fail "no answer to C-ECHO"
  echoscu -aet ARCHIVE -aec OTHER 127.0.0.1 "$own" 2>/dev/null && fail "it answers under another title"
fi
study=$(ask tools/find '{"Level": "Study", "Query": {"StudyInstanceUID": "'"$uid"'"}}' | grep -oE '[0-9a-f]{8}(-[0-9a-f]{8}){4}')
other=$(ask tools/find '{"Level": "Study", "Query": {"StudyInstanceUID": "1.2.3.4"}}' | grep -oE '[0-9a-f]{8}(-[0-9a-f]{8}){4}')
ask modalities/stranger/store "$other" >answer 2>&1 && fail "a stranger's study was taken"
until_says "refused a sender: 'STRANGER'"
absent watched/studies/1.2.3.4

# An object whose study would be a folder elsewhere is not kept, and its sender is told.
mkdir bad
"$PYTHON" - <<'PY'
import pydicom
file = pydicom.dcmread("other/0.dcm")
file.StudyInstanceUID = ".."
file.save_as("bad/0.dcm")
PY
expect 23 pacs send bad --host 127.0.0.1 --port "$own" --called-ae HEMOTILE --calling-ae ARCHIVE
says stdout "bad/0.dcm: refused: "
says stdout "0 of 1 objects are stored"
[ "$(find watched -name '*.dcm' | wc -l)" = 0 ] || fail "it was kept: $(find watched)"

# A study that fits no rule; one that fits: killed while it is computed, and again while it is sent.
ask modalities/watch/store "$other" >answer || fail "$(cat answer)"
until_says "study 1.2.3.4: ignored: no rule fits"
ask modalities/watch/store "$study" >answer || fail "$(cat answer)"
[ "$(stat -c %a "watched/studies/$uid")" = 700 ] || fail "others may read a study"
until_says "study $uid: processing"
kill -9 $watch
wait $watch 2>/dev/null
[ "$(number "watched/studies/$uid/state.json" state)" = processing ] || fail "another state"
start 2
grep -q "study $uid: goes on, it was processing" watch.log || fail "it does not go on: $(cat watch.log)"
until_says "study $uid: sending"
kill -9 $watch
wait $watch 2>/dev/null
start 3
until_says "study $uid: sent"
[ "$(number "watched/studies/$uid/state.json" state)" = sent ] || fail "another state"
results=$(ls "watched/studies/$uid/result/dicom" | wc -l)
[ "$results" -ge 3 ] || fail "only $results results"
[ "$(count)" = $((sent + results)) ] || fail "$(count) objects in the archive, not $sent + $results"

# The archive sends the study on once more, and then one with the results: nothing is computed.
ask modalities/watch/store "$study" >answer
for patient in $(ask patients | grep -oE '[0-9a-f]{8}(-[0-9a-f]{8}){4}'); do ask modalities/watch/store "$patient" >answer; done
kill $watch && wait $watch
start 4 # and after a restart
sleep 3 # longer than it is quiet
[ "$(grep -c "study $uid: processing" watch.log)" = 2 ] || fail "computed again: $(cat watch.log)"
[ "$(count)" = $((sent + results)) ] || fail "sent again"
no_halves
kill $watch
wait $watch
code=$?
[ $code = 0 ] || fail "the watch ended with $code"

# With TLS: the archive's certificate is trusted; another one, and a sender without TLS, are refused.
sed 's/folder: watched/folder: secure\n  tls: yes\n  send: no/' pacs.yaml >untrusted.yaml
expect 2 pacs watch --pacs untrusted.yaml
says stderr "needs our certificate and its key"
{ cat untrusted.yaml && echo 'tls: {ca: archive.pem, certificate: watch.pem, key: watch.key}'; } >secure.yaml
rm watch.log
"$HEMOTILE" pacs watch --pacs secure.yaml >watch.log 2>&1 &
watch=$!
until_says "as HEMOTILE, with TLS"
ask modalities/watch/store "$other" >answer 2>&1 && fail "a sender without TLS was taken"
until_says "refused a sender: it does not speak TLS, or its certificate is not trusted"
to=(--host 127.0.0.1 --port "$own" --called-ae HEMOTILE --calling-ae ARCHIVE --tls-ca watch.pem)
expect 23 pacs send other "${to[@]}" --tls-certificate stranger.pem --tls-key stranger.key
expect 23 pacs send other "${to[@]}"
absent secure/studies/1.2.3.4
ask modalities/secure/store "$other" >answer || fail "$(cat answer)"
until_says "study 1.2.3.4: ignored: no rule fits"
expect 0 pacs send other "${to[@]}" --tls-certificate archive.pem --tls-key archive.key
kill $watch
wait $watch
watch=
done_testing
