/* What mpirun or srun has put into the environment. Private to core/mpi/. */
#ifndef HT_STARTED_H
#define HT_STARTED_H

/* The number of processes that were started together; 1: this one alone. */
int ht_ranks_started(void);

#endif
