# hemotile batch --executor slurm, on a Slurm of one node that this script starts as root: killed half way and
# again, cancelled. Skipped without slurmctld, slurmd and munged.
. "$(dirname "$0")/../check.sh"
PATH=$PATH:/usr/sbin
for tool in munged slurmctld slurmd sbatch squeue scancel; do
  command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "needs root: slurmd starts the tasks"; exit 77; }

# munged wants a socket that others may reach, and a key that they may not read.
cluster=$(mktemp -d /tmp/hemotile-slurm-XXXXXX)
daemons=(run/slurmd.pid run/slurmctld.pid run/munged.pid)
stop_cluster() {
  scancel --name=hemotile 2>/dev/null
  for file in "${daemons[@]}"; do
    [ -s "$cluster/$file" ] && kill "$(cat "$cluster/$file")" 2>/dev/null
  done
  sleep 1
  rm -rf "$cluster" "$work"
}
mkdir "$cluster/state" "$cluster/spool" "$cluster/run"
chmod 755 "$cluster" "$cluster/run"
head -c 1024 /dev/urandom >"$cluster/key"
chmod 400 "$cluster/key"
node=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$cluster/slurm.conf" <<C
ClusterName=hemotile
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/run/munge.sock
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/run/slurmctld.pid
SlurmdPidFile=$cluster/run/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
KillWait=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
export SLURM_CONF=$cluster/slurm.conf
trap 'code=$?; stop_cluster; exit $code' EXIT
munged --socket="$cluster/run/munge.sock" --key-file="$cluster/key" --force \
  --pid-file="$cluster/run/munged.pid" --log-file="$cluster/munged.log" \
  --seed-file="$cluster/seed" || { echo "munged does not start here"; exit 77; }
slurmctld && slurmd || { echo "Slurm does not start here"; exit 77; }
for _ in $(seq 100); do
  sinfo --noheader --format=%T 2>/dev/null | grep -q idle && break
  sleep 0.2
done
sinfo --noheader --format=%T | grep -q idle || { echo "the node is not ready"; exit 77; }

expect 0 phantom pipe -o pipe --format nifti --spacing 0.6
head -c 3000 pipe/scan.nii.gz >broken.nii.gz
printf 'lattice: {nodes_across: 8}\nflow: {device: cpu}\n' >base.yaml
cat >cohort.csv <<'CSV'
id,scan,flow.inlet_flow_ml_s
first,pipe/scan.nii.gz,0.5
bad,broken.nii.gz,0.5
last,pipe/scan.nii.gz,0.6
CSV

# Killed after it submitted the job, and before it knew the number: the next one finds the job, and does not submit
# another.
"$HEMOTILE" batch cohort.csv --base base.yaml -o out --executor slurm >log 2>&1 &
batch=$!
while ! grep -qs '[0-9?]' out/slurm/job; do
  kill -0 $batch 2>/dev/null || { fail "the batch ended: $(cat log)"; break; }
  sleep 0.05
done
kill -9 $batch
wait $batch 2>/dev/null
while ! job=$(squeue --noheader --format=%F --name=hemotile | sort -u | grep .); do sleep 0.05; done
echo '?' >out/slurm/job
expect 40 batch cohort.csv --base base.yaml -o out --executor slurm
says stderr "continues with job $job"
grep -q "^first,done,0" out/batch.csv || fail "$(cat out/batch.csv)"
grep -q "^last,done,0" out/batch.csv || fail "$(cat out/batch.csv)"
grep -q "^bad,refused,11" out/batch.csv || fail "$(cat out/batch.csv)"
grep -q "truncated or damaged" out/cohort.csv || fail "$(cat out/cohort.csv)"
there out/cases/first/report.html out/cohort.html
absent out/slurm/job
cmp -s out/cases/{first,last}/pictures/colours.json || fail "other colours in two cases"
says out/cases/first/pictures/colours.json '"complete": true'

# The same where all its tasks have ended meanwhile: their ends are taken.
sed -i '/^last,/d' out/batch.csv
echo '?' >out/slurm/job
expect 40 batch cohort.csv --base base.yaml -o out --executor slurm
if grep -q "slurm    " stderr; then fail "another job: $(cat stderr)"; fi
grep -q "^last,done,0" out/batch.csv || fail "$(cat out/batch.csv)"

# What Slurm ends has failed, with the way to look into it.
sed -i 's/device: cpu/device: cpu, steps: 5000000/' base.yaml
"$HEMOTILE" batch cohort.csv --base base.yaml -o cut --executor slurm >log 2>&1 &
batch=$!
while ! squeue --noheader --states=R --name=hemotile 2>/dev/null | grep -q .; do
  kill -0 $batch 2>/dev/null || { fail "the batch ended: $(cat log)"; break; }
  sleep 0.1
done
scancel "$(cat cut/slurm/job)"
wait $batch
[ $? = 40 ] || fail "a cancelled job: $(cat log)"
grep -q '^last,failed.*Slurm ended the task' cut/batch.csv || fail "$(cat cut/batch.csv)"

# A job that Slurm refuses.
expect 2 batch cohort.csv -o no --sbatch "--mem=1G"
expect 2 batch cohort.csv --base base.yaml -o no --executor slurm --sbatch "--partition=none"
says stderr "Slurm did not take the job"
absent no/slurm/job

# Killed while it submitted: no other job as long as it is not known whether there is one.
echo '?' >no/slurm/job
mkdir mute && printf '#!/bin/sh\nexit 1\n' >mute/squeue && chmod +x mute/squeue
PATH=$PWD/mute:$PATH expect 2 batch cohort.csv --base base.yaml -o no --executor slurm
says stderr "Slurm does not answer whether it has the job"
there no/slurm/job
expect 2 batch cohort.csv --base base.yaml -o no --executor slurm --sbatch "--partition=none"
says stderr "Slurm did not take the job"
done_testing
