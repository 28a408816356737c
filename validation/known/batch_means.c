#include "validation/known/batch_means.h"
#include <math.h>

static double mean_of(int count, const double *value) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += value[i];
  return sum / count;
}

ht_batch_mean ht_batch_mean_of(int count, const double *value) {
  ht_batch_mean m = {count > 0 ? mean_of(count, value) : NAN, NAN};
  int each = count / HT_BATCHES;
  double square = 0, middle = 0;
  if (each == 0) return m;
  middle = mean_of(each * HT_BATCHES, value);
  for (int b = 0; b < HT_BATCHES; b++) square += pow(mean_of(each, value + b * each) - middle, 2);
  m.error = sqrt(square / (HT_BATCHES * (HT_BATCHES - 1)));
  return m;
}
