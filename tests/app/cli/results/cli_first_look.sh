# A first look at the flow: a coarse mean flow before the run's own. It changes no bit of the results, no other
# command takes it for results, and it leaves nothing half.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --seed 3 --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml
options=(--nodes-across 10 --steps 40 --device cpu --no-pictures)
expect 0 run sample/case.yaml -o plain "${options[@]}"
expect 0 run sample/case.yaml -o looked "${options[@]}" --first-look always
says stderr "first look: 8 nodes across, the mean flow, in first_look; no number may be taken from it"
for file in mask.nii.gz openings.json case.yaml wall.vtp wall.csv velocity.nii.gz pressure.nii.gz; do
  cmp "plain/$file" "looked/$file" || fail "another $file with a first look"
done
[ "$(number plain/manifest.json flow_sha256)" = "$(number looked/manifest.json flow_sha256)" ] || fail "another flow"
absent looked/first_look # the results have replaced it
expect 0 run sample/case.yaml -o short "${options[@]}" --first-look auto
! grep -q "first look" stderr || fail "a first look before a flow of seconds"

expect 0 run sample/case.yaml -o only "${options[@]}" --first-look only
there only/first_look/first_look.json only/first_look/first_look_velocity.nii.gz only/first_look/first_look_wall.vtp
absent only/flow.bin only/summary.json only/velocity.nii.gz
[ "$(number only/first_look/first_look.json first_look)" = True ] || fail "it does not say what it is"
[ "$(number only/first_look/first_look.json nodes_across)" = 8 ] || fail "not on 8 nodes"
[ "$(number only/first_look/first_look.json steady)" = True ] || fail "not steady"
for file in mask.nii.gz openings.json case.yaml; do
  cmp "plain/$file" "only/$file" || fail "a first look changes $file"
done
for folder in only only/first_look; do # nobody takes it for results
  expect 10 measure "$folder" --station 1
  expect 10 report "$folder"
  expect 10 compare plain "$folder" -o compared
done
expect 2 run looked --first-look only
says stderr "looked has a flow already, and --first-look only would remove it"
there looked/flow.bin

# Stopped in the look or soon after it: it is whole, or not there.
expect 0 run sample/case.yaml -o stopped "${options[@]}" --dry-run
"$HEMOTILE" run stopped --set flow.steps=10000000 --within no --first-look always >stdout 2>stderr &
until grep -q '"first look"' stopped/progress.json 2>/dev/null; do sleep 0.02; done
kill -TERM $!
wait $!
[ $? = 130 ] || fail "stopped in a first look: not exit code 130"
absent stopped/flow.bin
[ ! -e stopped/first_look/first_look.json ] || [ "$(number stopped/first_look/first_look.json first_look)" = True ] || fail "half a look"
expect 0 run only "${options[@]}" --first-look only
expect 0 solve only --device cpu
absent only/first_look
# A lattice as coarse as that of a look needs none; why is said.
expect 0 run sample/case.yaml -o coarse --nodes-across 8 --device cpu --first-look only
says stderr "no first look: the run's own lattice is as coarse as that of a look"
[ "$(number coarse/first_look/first_look.json none)" = "the run's own lattice is as coarse as that of a look" ] || fail "it does not say why"
no_halves
done_testing
