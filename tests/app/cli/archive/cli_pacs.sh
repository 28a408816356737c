# `hemotile pacs` without a server: the help, and settings that are refused with their place.
. "$(dirname "$0")/../check.sh"
for name in find get send watch; do
  expect 0 pacs $name --help
  says stdout "usage: hemotile pacs $name"
  says stdout "--pacs FILE"
done
expect 0 pacs --help
expect 2 pacs
expect 2 pacs sned
says stderr "did you mean 'send'?"
expect 2 pacs find --output x
says stderr "unknown option '--output'"
expect 2 pacs get --host x --study 1.2
says stderr "give -o DIR"
expect 2 pacs get --host x -o y
says stderr "which study?"
expect 2 pacs send
expect 10 pacs send nowhere --host x
expect 2 pacs find --host x --called-ae 'A\B' --modality CT
says stderr "an AE title has 1 to 16 characters"
expect 2 pacs watch
says stderr "give --pacs FILE"
expect 10 pacs watch --pacs nowhere.yaml

# refused LINE PLACE TEXT: a line of the settings, the start and a part of the message.
refused() {
  printf '%b' "$1" >pacs.yaml
  expect 3 pacs watch --pacs pacs.yaml
  says stderr "pacs.yaml:$2"
  says stderr "$3"
}
refused 'hosst: x\n' 1:1 "unknown key 'hosst'"
refused 'host: x\nport: 70000\n' 2:7 'allowed is a whole number from 1 to 65535'
refused 'called_ae: SEVENTEEN_LETTERS\n' 1:12 'called_ae'
refused 'tls: yes\n' 1:6 'tls needs keys'
refused 'watch: {quiet: 3}\n' 1:9 "unknown key 'quiet' of watch"
refused 'watch: {send: maybe}\n' 1:15 'allowed is yes or no'
refused 'watch: {calling: ARCHIVE}\n' 1:18 'a list of AE titles'
refused 'watch: {rules: [{case: nowhere.yaml}]}\n' 1: 'no such case file'
refused 'watch: {rules: [{modality: CT, kind: x}]}\n' 1: "unknown key 'kind' of a rule"
# A rule that would fail with every study of the night.
refused 'watch: {rules: [{modality: CT}, {preset: ctahead}]}\n' ' rule 2' "did you mean 'cta-head'?"
printf 'scan: ${HEMOTILE_STUDY}\nlattice: {nodes_acros: 20}\n' >tof.yaml
echo 'watch: {rules: [{case: tof.yaml}]}' >pacs.yaml
expect 3 pacs watch --pacs pacs.yaml
says stderr "tof.yaml:2:11: unknown key 'nodes_acros'"
echo 'watch: {folder: there, calling: [A], send: no}' >pacs.yaml
expect 2 pacs watch --pacs pacs.yaml
says stderr "no rule says what to do"
echo 'watch: {folder: there, calling: [A], send: no, address: somewhere, rules: [{modality: CT}]}' >pacs.yaml
expect 2 pacs watch --pacs pacs.yaml
says stderr "watch.address is 'somewhere'"
# An address of nobody (RFC 5737).
echo 'watch: {folder: other, calling: [A], send: no, address: 192.0.2.1, rules: [{modality: CT}]}' >nobody.yaml
expect 23 pacs watch --pacs nobody.yaml
says stderr "192.0.2.1:11112: cannot listen there: "
says stderr "give an address of this machine"
# A damaged state stops that study alone.
mkdir -p there/studies/1.2.3/scan there/studies/1.2.4/scan
echo '{"state": "sen' >there/studies/1.2.3/state.json
echo '{"state": "received"}' >there/studies/1.2.4/state.json
expect 2 pacs watch --pacs pacs.yaml
cat stdout stderr >said
says said 'study 1.2.3: failed: its state could not be read and is now state.json.damaged'
says said 'study 1.2.4: goes on'
there there/studies/1.2.3/state.json.damaged
says there/studies/1.2.3/state.json 'remove state.json and start it'
expect 2 pacs watch --pacs pacs.yaml
cat stdout stderr >said
says said 'study 1.2.4: goes on'
grep -q 1.2.3 said && fail "a study that was set aside goes on"
rm -r there
done_testing
