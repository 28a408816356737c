# Counts ctest's line of each test ("3/7 Test #3: name ....***Skipped  0.00 sec") in its output,
# because its own sum counts a skipped test as passed. Prints one line for each failure, then
# "PASSED FAILED SKIPPED". An unknown line counts as a failure.
#
#   awk -v name=PRESET -f count_tests.awk LOG

/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
  split($1, place, "/")
  total = place[2]
  seen++
  if ($0 ~ / Passed +[0-9.]+ sec *$/) {
    passed++
  } else if ($0 ~ /\*\*\*(Skipped|Not Run \(Disabled\)) /) {
    skipped++
  } else {
    failed++
    sub(/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /, "")
    print name ": " $1
  }
}

END {
  if (seen != total) {
    failed++
    print name ": " seen + 0 " results of " total + 0 " tests"
  }
  print passed + 0, failed + 0, skipped + 0
}
