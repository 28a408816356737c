/* The command line of `hemotile bench`. */
#ifndef HT_BENCH_OPTIONS_H
#define HT_BENCH_OPTIONS_H

#include "run/process/command_page.h"
#include "solver/solver.h"
#include "solver/lattice/lattice.h"

enum { HT_BENCH_NAMES = 16, HT_BENCH_NAME = 32, HT_BENCH_REPEATS = 1000 /* at most */ };

typedef struct {
  int count;
  char name[HT_BENCH_NAMES][HT_BENCH_NAME];
} ht_bench_names;

typedef struct {
  int help, list, wide;
  ht_bench_names geometries; /* none given: the standard ones */
  ht_bench_names layouts;    /* none given: the product's; no duplicates */
  int comparing;             /* layouts are the two of --compare */
  const char *mask;
  int size;        /* 0: each geometry's own */
  double porosity; /* 0: the same */
  int seed;
  ht_device device;
  int threads, repeats;
  double seconds;  /* of one repeat */
  int copy_mib;    /* moved by one pass of the copy */
  int ranks, gpus; /* this number against one; 0: not given */
  int levels;      /* two levels against one */
  /* Bit k: value k of the enum; 0: not given. */
  unsigned precisions, collisions, fluids, bloods, steps, orders, origins;
  const char *table; /* of the tiling paper; NULL */
  const char *csv, *json;
} ht_bench_options;

/* Reads the command line. HT_ERR_USAGE: says what is allowed. Texts point into argv. */
ht_status ht_bench_parse(int argc, char **argv, ht_bench_options *options);

/* Tells whether value `k` was requested, or none was and `standard` has it. */
int ht_bench_wants(unsigned typed, unsigned standard, int k);

/* The help of `hemotile bench`. */
void ht_bench_page(ht_command_page *page);

#endif
