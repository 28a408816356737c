#include "run/lattice/run_time.h"
#include "run/lattice/kept_rate.h"
#include "solver/kernels/model.h"
#include "solver/lattice/device_memory.h"
#include <math.h>

/* Returns the expected node updates per second; 0: no device. The memory bandwidth limits the
 * solver. A GPU reports its bandwidth; a CPU's is measured where none is kept and the run is long
 * enough for it to matter. `reached` is the share of the bandwidth in small vessels, measured on an
 * H200 and on two cores: [CPU, GPU][half-way, interpolated walls]. */
static double expected_rate(const ht_solver_options *options, double updates, double *copy_rate) {
  static const double reached[2][2] = {{0.3, 0.12}, {0.6, 0.3}};
  const double short_run = 1e9, usual = 1e10; /* updates; bytes a second */
  int directions = HT_COLLISION_DIRECTIONS(options->collision);
  double a_node = 2.0 * directions * ht_precision_bytes(options->precision), rate = 0;
  ht_device_memory memory;
  if (options->collision == HT_CUMULANT && options->diagonal_correction) a_node *= 4.0 / 3;
  if (ht_device_memory_describe(options->device, &memory) != HT_OK) return 0;
  if (memory.device != HT_DEVICE_CUDA && !(*copy_rate > 0))
    *copy_rate = ht_kept_copy_rate(options->threads, updates > short_run);
  rate = memory.device == HT_DEVICE_CUDA ? memory.bytes_per_s : *copy_rate;
  double of_copy =
      reached[memory.device == HT_DEVICE_CUDA][options->walls == HT_WALLS_INTERPOLATED];
  return of_copy * (rate > 0 ? rate : usual) / a_node;
}

/* Returns the time for sampling, measured with a GPU and 16 cores, and on two cores. Nearly all
 * beats are sampled with cumulants, for the loss of the sponges, and where Windkessels are tuned;
 * else the last. */
static double sampling_time(const ht_solver_options *options, double nodes) {
  const double a_node = 2e-7;
  if (!options->waveform || !(options->waveform->period_s > 0)) return 0;
  int beats = options->collision == HT_CUMULANT || options->cuff_pa[0] > 0 ? options->cycles : 1;
  return a_node * nodes * beats * options->samples;
}

ht_run_time ht_run_expected_time(const ht_solver_options *options, double nodes, double steps,
                                 double *copy_rate) {
  double measured = 0;
  double rate = expected_rate(options, nodes * steps, copy_rate ? copy_rate : &measured),
         sampling_s = sampling_time(options, nodes);
  if (!(rate > 0)) return (ht_run_time){0};
  return (ht_run_time){nodes * steps / rate + sampling_s, sampling_s, rate};
}

double ht_run_fine_beats(const ht_coarse_choice *coarse, const ht_solver_options *options) {
  return HT_COARSE_FINE_BEATS + (double)coarse->lead / options->samples;
}

double ht_run_steps_after(const ht_coarse_choice *coarse, const ht_solver_options *options,
                          double share, double steps) {
  const double coarse_cost = 1.0 / 16 / share, steady_rest = 0.75;
  if (!coarse->applies) return steps;
  if (!ht_solver_is_pulse(options)) return steps * (steady_rest + coarse_cost);
  const double before = options->cycles - HT_COARSE_FINE_BEATS;
  return steps / options->cycles * (ht_run_fine_beats(coarse, options) + coarse_cost * before);
}

double ht_run_most_steps(const ht_coarse_choice *coarse, const ht_solver_options *options,
                         double share, double steps, double most) {
  const int varies = options->collision == HT_CUMULANT || options->inlet_noise > 0;
  if (!ht_solver_is_pulse(options)) return varies ? fmax(steps, most) : steps;
  const double more = options->max_cycles - options->cycles;
  const double added = varies && more > 0 ? more : coarse->applies;
  return ht_run_steps_after(coarse, options, share, steps) + added * steps / options->cycles;
}
