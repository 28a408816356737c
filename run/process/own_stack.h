/* A stack for the program where the system's limit (ulimit -s) is too small for it. */
#ifndef HT_OWN_STACK_H
#define HT_OWN_STACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Runs program(argc, argv) and returns its value: on a thread with a stack of its own where the
 * limit is below 1 MB, else where it is called. HT_ERR_MEMORY, with a printed message, where there
 * is no memory for that stack. */
int ht_on_own_stack(int (*program)(int argc, char **argv), int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
