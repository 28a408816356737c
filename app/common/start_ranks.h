/* --ranks N and --gpus N: the program starts itself again, N times, by mpirun. */
#ifndef HT_START_RANKS_H
#define HT_START_RANKS_H

#include "core/status.h"

/* Starts the ranks for --ranks, or for --gpus: one each; 0: not given. Where mpirun has started the
 * ranks already, only checks their number; for more than one it replaces this process by mpirun and
 * does not return. argv: of the command, from its name on. HT_ERR_USAGE: built without MPI, another
 * number runs already, or both are given; HT_ERR_DEVICE: fewer GPUs; HT_ERR_NOT_FOUND: there is no
 * mpirun. */
ht_status ht_start_ranks(int ranks, int gpus, int argc, char **argv);

/* Checks that all ranks have the same arguments and working folder, because they compute one flow;
 * all ranks call it. HT_ERR_USAGE on all of them: one has others (on rank 0 with a message), as
 * where `srun` starts a case for each of its tasks. */
ht_status ht_compare_ranks(int argc, char **argv);

#endif
