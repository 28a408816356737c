/* `hemotile bench --case`: what whole cases take on this machine, stage by stage. */
#ifndef HT_BENCH_CASE_H
#define HT_BENCH_CASE_H

/* 1 where the command line asks for it. */
int ht_bench_case_asked(int argc, char **argv);

/* Runs the cases and prints a table. Returns the exit code. */
int ht_bench_case(int argc, char **argv);

#endif
