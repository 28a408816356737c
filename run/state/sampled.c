#include "run/state/sampled.h"

const ht_beat *ht_sampled_beat(const ht_sampled *sampled) {
  return sampled->batches.beats > 0 ? &sampled->batches : &sampled->beat;
}

const ht_wall_cycle *ht_sampled_cycle(const ht_sampled *sampled) {
  return sampled->cycle.samples > 0 ? &sampled->cycle : NULL;
}
