#include "core/mpi/started.h"
#include <stdlib.h>

int ht_ranks_started(void) {
  /* Open MPI's mpirun; srun and mpiexec with PMI (MPICH, Intel); srun with PMIx, which gives the
   * number of tasks of the step. */
  static const char *const name[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    if (getenv(name[i])) return atoi(getenv(name[i]));
  if (getenv("PMIX_RANK") && getenv("SLURM_STEP_NUM_TASKS"))
    return atoi(getenv("SLURM_STEP_NUM_TASKS"));
  return 1;
}
