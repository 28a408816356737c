#define _GNU_SOURCE
#include "app/common/start_ranks.h"
#include "run/process/child.h"
#include "solver/lattice/device.h"
#include "run/process/interrupt.h"
#include "core/mpi/ranks.h"
#include "core/vessel/volume.h"
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets the environment. mpirun binds nothing, so that the ranks share the cores. A rank that waits
 * gives way to other programs. After a signal, the ranks have 5 seconds to keep a checkpoint, until
 * mpirun kills them; therefore a run that fails also ends some 10 seconds later. Root, as in a
 * container, has to confirm twice. Variables that the user has set stay. Where memory for a
 * variable is missing, mpirun reports what it misses. */
static void set_surroundings(int ranks) {
  char threads[16];
  int each = omp_get_num_procs() / ranks;
  snprintf(threads, sizeof threads, "%d", each > 1 ? each : 1);
  (void)setenv("OMP_NUM_THREADS", threads, 0);
  (void)setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  (void)setenv("OMPI_MCA_odls_base_sigkill_timeout", "5", 0);
  if (geteuid() != 0) return;
  (void)setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  (void)setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

static ht_status replace(const char *option, int ranks, int argc, char **argv) {
  char self[HT_PATH_MAX], number[16];
  char *const before[] = {"mpirun", "--oversubscribe", "--bind-to", "none", "-n", number, self};
  const size_t count = sizeof before / sizeof *before;
  char **all;
  HT_TRY(ht_program_path(self));
  snprintf(number, sizeof number, "%d", ranks);
  HT_TRY(ht_alloc((void **)&all, count + (size_t)argc + 1, sizeof *all, "the command line"));
  memcpy(all, before, sizeof before);
  memcpy(all + count, argv, (size_t)argc * sizeof *argv);
  set_surroundings(ranks);
  fflush(NULL);
  ht_interrupt_release();
  execvp(all[0], all);
  int why = errno;
  free(all);
  return ht_fail(HT_ERR_NOT_FOUND, "%s %d: mpirun cannot be started (%s): install openmpi-bin",
                 option, ranks, strerror(why));
}

/* Checks the GPUs here, before mpirun adds its own words to a failure. */
static ht_status check_gpus(int asked) {
  char name[128], why[256];
  const int gpus = ht_cuda_count();
  if (!ht_cuda_available(name, why))
    return ht_fail(HT_ERR_DEVICE,
                   "--gpus %d: no GPU can be used: %s; leave --gpus out, or for "
                   "several processes on the CPU: --ranks %d --device cpu",
                   asked, why, asked);
  if (asked <= gpus || getenv("HEMOTILE_SHARED_GPU")) return HT_OK;
  return ht_fail(HT_ERR_DEVICE,
                 "--gpus %d: this machine has %d GPU%s (%s): give --gpus %d; for those of several "
                 "machines start the ranks with mpirun or srun (docs/cluster.md)",
                 asked, gpus, gpus == 1 ? "" : "s", name, gpus);
}

static ht_status start(const char *option, int asked, int argc, char **argv) {
  if (ht_ranks() > 1 && ht_ranks() != asked)
    return ht_fail(HT_ERR_USAGE, "%s %d, and mpirun has started %d: leave one of them out", option,
                   asked, ht_ranks());
  if (asked == ht_ranks()) return HT_OK;
  if (ht_ranks_built()) return replace(option, asked, argc, argv);
  return ht_fail(
      HT_ERR_USAGE,
      "%s %d: hemotile was built without MPI: install libopenmpi-dev and build it again, "
      "or leave %s out",
      option, asked, option);
}

ht_status ht_start_ranks(int ranks, int gpus, int argc, char **argv) {
  if (ranks > 0 && gpus > 0)
    return ht_fail(HT_ERR_USAGE, "--ranks and --gpus: give one of them; each GPU has a rank");
  if (gpus > 0 && ht_ranks() == 1) HT_TRY(check_gpus(gpus));
  if (gpus > 0) return start("--gpus", gpus, argc, argv);
  return ranks > 0 ? start("--ranks", ranks, argc, argv) : HT_OK;
}

/* ---- the same command on all ranks ---- */

enum { COMMAND_MAX = 16384 };

/* Writes the working folder and the arguments; what is longer is cut off equally on all ranks. */
static void write_command(int argc, char **argv, char command[COMMAND_MAX]) {
  memset(command, 0, COMMAND_MAX);
  if (!getcwd(command, HT_PATH_MAX)) command[0] = 0;
  size_t length = strlen(command);
  for (int i = 1; i < argc && length + 2 < COMMAND_MAX; i++)
    length += (size_t)snprintf(command + length, COMMAND_MAX - length, "\n%s", argv[i]);
}

static ht_status compare(int rank, const char *own, const char *other) {
  size_t i = 0;
  while (own[i] && own[i] == other[i]) i++;
  if (own[i] == other[i]) return HT_OK;
  while (i > 0 && own[i - 1] != '\n') i--;
  return ht_fail(HT_ERR_USAGE,
                 "the processes that mpirun or srun has started are ranks of one flow, but rank %d "
                 "has '%.*s' where rank 0 has '%.*s': start one case alone with each mpirun or "
                 "srun; for many cases: `hemotile batch`, or `srun --mpi=none`",
                 rank, (int)strcspn(other + i, "\n"), other + i, (int)strcspn(own + i, "\n"),
                 own + i);
}

ht_status ht_compare_ranks(int argc, char **argv) {
  char own[COMMAND_MAX], other[COMMAND_MAX];
  int verdict = HT_OK;
  write_command(argc, argv, own);
  if (ht_rank() > 0) {
    ht_ranks_send(0, own, sizeof own);
    ht_ranks_receive(0, &verdict, sizeof verdict);
    return (ht_status)verdict;
  }
  for (int p = 1; p < ht_ranks(); p++) {
    ht_ranks_receive(p, other, sizeof other);
    if (verdict == HT_OK) verdict = (int)compare(p, own, other);
  }
  for (int p = 1; p < ht_ranks(); p++) ht_ranks_send(p, &verdict, sizeof verdict);
  return (ht_status)verdict;
}
