# A real DICOM server (Orthanc) takes the DICOM files of a case, and gives back what was written.
. "$(dirname "$0")/../check.sh"
orthanc=$(command -v Orthanc || ls /usr/sbin/Orthanc 2>/dev/null)
[ -n "$orthanc" ] || { echo "needs Orthanc (Debian: orthanc)"; exit 77; }
needs nibabel numpy vtk
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
expect 0 run sample/case.yaml -o out --nodes-across 8 --flow 0.8 --steps 5 --device cpu --quiet --dicom
port=$("$PYTHON" -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
mkdir server
cat >orthanc.json <<JSON
{"Name": "test", "StorageDirectory": "$work/server", "IndexDirectory": "$work/server",
 "HttpPort": $port, "RemoteAccessAllowed": false, "AuthenticationEnabled": false,
 "DicomServerEnabled": false, "HttpServerEnabled": true, "Plugins": []}
JSON
"$orthanc" orthanc.json >server.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"' EXIT
"$PYTHON" "$here/archive/check_orthanc.py" "$port" "$server" out || { fail "Orthanc"; tail -5 server.log; }
kill $server && wait $server
server=
done_testing
