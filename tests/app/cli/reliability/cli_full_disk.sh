# A disk that is full (a file size limit stands in for it): exit code 21, which file, no halves.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti
(
  ulimit -f 8
  "$HEMOTILE" run sample/case.yaml -o out --nodes-across 8 --steps 5 --device cpu >stdout 2>stderr
)
code=$?
[ $code = 21 ] || fail "exit code $code, expected 21"
says stderr "out/scan.nii.gz"
absent out/scan.nii.gz out/summary.json
no_halves

# Later: what was complete stays, and the run goes on from there.
expect 0 import sample/case.yaml -o out --quiet
(
  ulimit -f 8
  "$HEMOTILE" segment out --nodes-across 40 >stdout 2>stderr
)
code=$?
[ $code = 21 ] || fail "exit code $code, expected 21"
there out/scan.nii.gz
says stderr 'when there is room, go on with `hemotile segment out`'
no_halves
expect 0 segment out --nodes-across 8 --quiet

# The page is the largest file: without it the results stay, and the message says how it is made.
(
  ulimit -f 3000
  "$HEMOTILE" run sample/case.yaml -o page --nodes-across 8 --steps 5 --device cpu >stdout 2>stderr
)
code=$?
[ $code = 21 ] || fail "exit code $code, expected 21"
says stderr "page/report.html"
says stderr 'the results in page are complete but for their page: `hemotile report page` makes it'
there page/summary.json page/wall.vtp
no_halves
expect 0 report page
there page/report.html
done_testing
