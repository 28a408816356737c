/* `hemotile bench --case`: the time of whole cases on this machine, stage by stage. */
#ifndef HT_BENCH_CASE_H
#define HT_BENCH_CASE_H

/* Returns 1 where the command line requests it. */
int ht_bench_case_asked(int argc, char **argv);

/* Runs the cases and prints a table. Returns the exit code. */
int ht_bench_case(int argc, char **argv);

#endif
