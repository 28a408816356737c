/* The collision of a node in the kernels of the blocks. Private to solver/cuda/. */
#ifndef HT_BLOCK_RELAX_CUH
#define HT_BLOCK_RELAX_CUH

#include "solver/cuda/blocks/block_thread.cuh"
#include "solver/kernels/nodes.h"

/* omega = 1/tau; of a local model (model.h) each node has its own from `table` (relax_table.h),
 * float or double as the arithmetic. Of cumulants all rates, in both precisions: see cumulant_rates
 * of cumulant.h. */
struct ht_rate {
  double omega;
  const void *table;
  double full[HT_CUMULANT_RATES];
  float single[HT_CUMULANT_RATES];
};

template <int model> HT_INLINE void ht_relax(float *g, const ht_rate &rate) {
  if constexpr (HT_MODEL_IS_LOCAL(model))
    relax_f32(g, HT_MODEL_GLOBAL(model), local_rate_f32(g, model, (const float *)rate.table));
  else if constexpr (HT_MODEL_COLLISION(model) == HT_CUMULANT)
    cumulant_f32(g, (const cumulant_rates_f32 *)rate.single);
  else
    relax_f32(g, model, (float)rate.omega);
}
template <int model> HT_INLINE void ht_relax(double *g, const ht_rate &rate) {
  if constexpr (HT_MODEL_IS_LOCAL(model))
    relax_f64(g, HT_MODEL_GLOBAL(model), local_rate_f64(g, model, (const double *)rate.table));
  else if constexpr (HT_MODEL_COLLISION(model) == HT_CUMULANT)
    cumulant_f64(g, (const cumulant_rates_f64 *)rate.full);
  else
    relax_f64(g, model, rate.omega);
}

/* Relaxes with the correction of diagonals: see cumulant_pushed() of cumulant.h. */
template <int model>
HT_INLINE void ht_relax_pushed(float *g, const ht_rate &rate, const float *force, float *square) {
  if constexpr (HT_MODEL_IS_LOCAL(model)) {
    cumulant_rates_f32 own =
        cumulant_rates_of_f32(local_rate_f32(g, model, (const float *)rate.table));
    cumulant_pushed_f32(g, &own, force, square, 1);
  } else {
    cumulant_pushed_f32(g, (const cumulant_rates_f32 *)rate.single, force, square, 1);
  }
}
template <int model>
HT_INLINE void ht_relax_pushed(double *g, const ht_rate &rate, const double *force,
                               double *square) {
  if constexpr (HT_MODEL_IS_LOCAL(model)) {
    cumulant_rates_f64 own =
        cumulant_rates_of_f64(local_rate_f64(g, model, (const double *)rate.table));
    cumulant_pushed_f64(g, &own, force, square, 1);
  } else {
    cumulant_pushed_f64(g, (const cumulant_rates_f64 *)rate.full, force, square, 1);
  }
}

/* Damps a node in a sponge. */
HT_INLINE void ht_damp(float *g, float keep) {
  damp_f32(g, keep);
}
HT_INLINE void ht_damp(double *g, float keep) {
  damp_f64(g, (double)keep);
}

#endif
