/* The options of ht_solve: words, defaults, ranges. */
#include "solver/solver.h"

const char *const ht_walls_words[] = {"half-way", "interpolated", NULL};

void ht_solver_defaults(ht_solver_options *options) {
  *options = (ht_solver_options){.device = HT_DEVICE_AUTO,
                                 .precision = HT_FP32,
                                 .density_kg_m3 = HT_BLOOD_DENSITY_KG_M3,
                                 .viscosity_pa_s = HT_BLOOD_VISCOSITY_PA_S,
                                 .profile = HT_PROFILE_PARABOLIC,
                                 .cycles = 5,
                                 .samples = 50,
                                 .murray_exponent = 3,
                                 .max_velocity_lu = 0.05,
                                 .steady_tolerance = 1e-7,
                                 .diagonal_correction = 1};
  ht_blood_defaults(&options->blood);
}

ht_solver_options ht_solver_of_one_spacing(const ht_solver_options *options) {
  ht_solver_options one = *options;
  one.coarser = NULL;
  one.halvings = one.finer = 0;
  return one;
}

const ht_solver_ranges ht_solver_allowed = {.density_kg_m3 = {500, 2000, 0},
                                            .viscosity_pa_s = {5e-4, 0.05, 0},
                                            .max_velocity_lu = {1e-4, 0.15, 0},
                                            .sound_deviation = {0, 1, 0},
                                            .steady_tolerance = {1e-12, 1e-2, 0},
                                            .max_steps = {0, 1e12, 0},
                                            .cycles = {1, 1000, 0},
                                            .max_cycles = {0, 1000, 0},
                                            .samples = {1, 10000, 0},
                                            .inlet_noise = {0, 0.3, 0},
                                            .noise_seed = {0, 1e9, 0},
                                            .murray_exponent = {0, 10, 0},
                                            .threads = {0, HT_THREADS_MAX, 0}};

ht_status ht_solver_check(const ht_solver_options *options) {
  const ht_solver_ranges *allowed = &ht_solver_allowed;
  HT_TRY(ht_blood_check(&options->blood));
  HT_TRY(ht_check_range("density_kg_m3", options->density_kg_m3, &allowed->density_kg_m3));
  HT_TRY(ht_check_range("viscosity_pa_s", options->viscosity_pa_s, &allowed->viscosity_pa_s));
  HT_TRY(ht_check_range("max_velocity_lu", options->max_velocity_lu, &allowed->max_velocity_lu));
  HT_TRY(ht_check_range("sound_deviation", options->sound_deviation, &allowed->sound_deviation));
  HT_TRY(ht_check_range("steady_tolerance", options->steady_tolerance, &allowed->steady_tolerance));
  HT_TRY(ht_check_range("max_steps", (double)options->max_steps, &allowed->max_steps));
  HT_TRY(ht_check_range("cycles", options->cycles, &allowed->cycles));
  HT_TRY(ht_check_range("max_cycles", options->max_cycles, &allowed->max_cycles));
  HT_TRY(ht_check_range("samples", options->samples, &allowed->samples));
  HT_TRY(ht_check_range("inlet_noise", options->inlet_noise, &allowed->inlet_noise));
  HT_TRY(ht_check_range("noise_seed", (double)options->noise_seed, &allowed->noise_seed));
  HT_TRY(ht_check_range("murray_exponent", options->murray_exponent, &allowed->murray_exponent));
  return ht_check_range("threads", options->threads, &allowed->threads);
}
