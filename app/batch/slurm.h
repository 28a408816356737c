/* The cases of a batch on a Slurm cluster. */
#ifndef HT_SLURM_H
#define HT_SLURM_H

#include "app/batch/batch_work.h"

/* Runs all cases that wait as tasks of a Slurm job array, and returns when none is left.
 * HT_ERR_INTERRUPTED after a signal: the tasks continue. HT_ERR_USAGE: sbatch refused the job. */
ht_status ht_slurm_run_all(ht_batch_work *of);

#endif
