/* Device that a test runs on: the arguments of its program, and the skip where there is no GPU. */
#ifndef HT_CHOSEN_DEVICE_H
#define HT_CHOSEN_DEVICE_H

#include "solver/solver.h"

/* Ends the program with 77, a skip, and says why, where there is no GPU. */
void ht_need_gpu(void);

/* The CPU; with "gpu" among the arguments of the program CUDA, which it then needs. */
ht_device ht_chosen_device(int argc, char **argv);
int ht_has_argument(int argc, char **argv, const char *name);

#endif
