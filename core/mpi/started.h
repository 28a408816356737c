/* The environment that mpirun or srun has set. Private to core/mpi/. */
#ifndef HT_STARTED_H
#define HT_STARTED_H

/* Returns the number of processes that were started together; 1: this one alone. */
int ht_ranks_started(void);

#endif
