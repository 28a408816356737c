/* One row of the benchmark: checked against the CPU reference, then timed in turns with a memory
 * copy. */
#ifndef HT_BENCH_MEASURE_H
#define HT_BENCH_MEASURE_H

#include "bench/measure/bench_layout.h"
#include "bench/measure/bench_options.h"
#include "bench/measure/bench_statistics.h"
#include "solver/copy_rate/copy_rate.h"
#include "solver/lattice/device_memory.h"

typedef struct {
  char geometry[32];
  ht_bench_model model;
  int64_t nodes;
  double porosity, utilisation, utilisation_at_origin_000;
  double bytes_a_node; /* of device memory */
  int registers;       /* 0: CPU */
  double occupancy;    /* 0: CPU */
  double error;        /* against the reference; NAN: not checked */
  int wrong;           /* the error is above what the precision allows: not timed */
  int repeats;
  int64_t steps;             /* of one repeat */
  ht_bench_statistic mflups; /* million node updates per second */
  ht_bench_statistic copy;   /* GB/s of the copies between the repeats */
  double gb_s;               /* bytes of a step x MFLUPS (median) */
  double of_datasheet;       /* of the data sheet's bandwidth; NAN: not known */
  double of_copy;            /* median over the repeats, each against the copy next to it */
  ht_bench_statistic ratio;  /* --compare: speed over that of the first layout; NAN */
  /* --table: the paper's figures; else NAN. */
  double paper_mflups, paper_fraction, paper_utilisation, paper_peer;
} ht_bench_row;

/* Shared by all rows. */
typedef struct {
  const ht_bench_options *options;
  ht_device_memory memory; /* the device; options->device resolved */
  ht_copy *copy;
} ht_bench_setting;

/* Describes the device and makes the copy ready. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_bench_begin(const ht_bench_options *options, ht_bench_setting *setting);
void ht_bench_end(ht_bench_setting *setting);

/* Fills `row[count]` for one model (count 1), or for two (count 2) in turns: A B A B ... A layout
 * whose result is wrong is marked and not timed. HT_ERR_MEMORY, HT_ERR_DEVICE, HT_ERR_INTERRUPTED,
 * HT_ERR_USAGE (a rung without this precision). */
ht_status ht_bench_measure(const ht_bench_setting *setting, const ht_bench_domain *domain,
                           const ht_bench_model *model, int count, ht_bench_row *row);

#endif
