# The validation flows: the list, a short flow with its files, mistakes on the command line.
. "$(dirname "$0")/../check.sh"
expect 0 validate
says stdout "plane-cavity"
says stdout "against: Ghia"
expect 0 validate --help
says stdout "usage: hemotile validate"
says stdout "cube-cavity"
absent validation

expect 0 validate channel --nodes-across 24 --device cpu --threads 1 -o out
says stdout "velocity inlet: order of the velocity"
says stdout "pass"
says stdout "files in out/"
there out/channel.csv out/channel_velocity.csv
grep -q "no PNG" stdout || there out/channel_velocity.png
no_halves
[ "$(grep -c ',pass$' out/channel.csv)" = 4 ] || fail "not 4 rows pass: $(cat out/channel.csv)"

expect 2 validate plane-cavty
says stderr "did you mean 'plane-cavity'?"
expect 2 validate channel pipe
says stderr "'pipe' is another name"
expect 2 validate channel --nodes-across many
says stderr "whole number"
expect 2 validate channel --nodes-across 9
says stderr "allowed is 16 to 512"
expect 2 validate channel --device tpu
says stderr "auto, cpu, cuda"
expect 2 validate channel --quick --full
says stderr "exclude each other"
expect 2 validate jet-slab --collision cumulant
says stderr "has a collision of its own"
expect 2 validate channel --wide
says stderr "unknown option '--wide'"
expect 2 validate channel -o
says stderr "-o needs a value"
expect 2 validate channel --devic cpu
says stderr "did you mean '--device'?"

# A long flow that is stopped keeps what it has, and the same command goes on from it.
pipe=(validate turbulent-pipe --full --device cpu --threads 1 -o kept)
HEMOTILE_STOP_AT_STEP=1 expect 130 "${pipe[@]}" --nodes-across 12
says stderr "what was computed is in kept/turbulent-pipe.kept: the same command resumes from it"
there kept/turbulent-pipe.kept
HEMOTILE_STOP_AT_STEP=1 expect 130 "${pipe[@]}" --nodes-across 12
says stderr "turbulent-pipe resumes from kept/turbulent-pipe.kept: 0 parts are done, and a part of the next"
expect 3 "${pipe[@]}" --nodes-across 13
says stderr "go on with that one, take another -o, or begin anew with --restart"
HEMOTILE_STOP_AT_STEP=1 expect 130 "${pipe[@]}" --nodes-across 13 --restart

# A flow of the build with imaging.
expect 0 validate
grep -q "coarctation" stdout || done_testing
says stdout "pressure drop over a patient's coarctation"
expect 2 validate coarctation --quick --nodes-across 7 -o narrow
says stderr "allowed is 8 to 200"
absent narrow

# A changed byte in the middle of what is kept, which would be a number like any other. The build without
# imaging has no checksum.
"$PYTHON" -c 'import os
size = os.path.getsize("kept/turbulent-pipe.kept")
file = open("kept/turbulent-pipe.kept", "r+b")
file.seek(size // 2)
byte = file.read(1)[0] ^ 1
file.seek(size // 2)
file.write(bytes([byte]))'
expect 11 "${pipe[@]}" --nodes-across 13
says stderr "is damaged (its checksum differs): begin anew with --restart"
done_testing
