#!/usr/bin/env bash
# The sum at the end of scripts/test.sh: every way in which ctest can say how a test ended.
#
#   test_count_tests.sh ROOT
set -u
count=$1/scripts/count_tests.awk
failed=0

expect() {
  local expected=$1 got
  got=$(awk -v name=x -f "$count")
  [ "$got" = "$expected" ] && return
  printf 'expected:\n%s\ngot:\n%s\n' "$expected" "$got"
  failed=$((failed + 1))
}

expect $'x: b\nx: missing\nx: seg\nx: to\n2 4 2' <<'LOG'
Test project /tmp/b
      Start  1: a
 1/8 Test  #1: a ................................   Passed    0.00 sec
      Start  2: b
 2/8 Test  #2: b ................................***Failed    0.00 sec
a line of the test itself: 1/8 Test 100 Passed 0.00 sec
 3/8 Test  #3: s ................................***Skipped   0.00 sec
 4/8 Test  #4: missing ..........................***Not Run   0.00 sec
 5/8 Test  #5: seg ..............................***Exception: SegFault  0.00 sec
 6/8 Test  #6: to ...............................***Timeout   1.00 sec
 7/8 Test  #7: dis ..............................***Not Run (Disabled)   0.00 sec
 8/8 Test #18: z ................................   Passed   12.50 sec

33% tests passed, 4 tests failed out of 6
LOG

# ctest was killed on the way.
expect $'x: 1 results of 3 tests\n1 1 0' <<'LOG'
1/3 Test #1: a ................................   Passed    0.00 sec
LOG

# Nothing ran: no pass, and no failure either (ctest's own status tells).
expect '0 0 0' <<'LOG'
No tests were found!!!
LOG

exit $((failed > 0))
