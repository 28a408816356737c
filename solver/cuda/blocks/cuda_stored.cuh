/* Loads and stores a value of each kind of storage, in the precision of its arithmetic. Private to
 * the CUDA files of solver/. */
#ifndef HT_CUDA_STORED_CUH
#define HT_CUDA_STORED_CUH

#include "solver/kernels/half.h"

HT_INLINE double ht_load(const double *p) {
  return *p;
}
HT_INLINE float ht_load(const float *p) {
  return *p;
}
HT_INLINE float ht_load(const ht_half *p) {
  return ht_half_load(*p);
}
HT_INLINE void ht_store(double *p, double value) {
  *p = value;
}
HT_INLINE void ht_store(float *p, float value) {
  *p = value;
}
HT_INLINE void ht_store(ht_half *p, float value) {
  *p = ht_half_store(value);
}

#endif
