#include "phantom/labelled/labelled_draw.h"
#include "core/vessel/volume.h"
#include <stdlib.h>

void ht_labelled_plan_free(ht_labelled_plan *plan) {
  if (!plan) return;
  free(plan->vessels.node);
  free(plan->bones.node);
  free(plan->hard.node);
  free(plan->soft.node);
  free(plan);
}

static ht_status tubes_make(ht_tubes *tubes, int most) {
  tubes->most = most;
  return ht_alloc((void **)&tubes->node, (size_t)most, sizeof *tubes->node, "a volume's plan");
}

ht_status ht_labelled_plan_make(uint64_t seed, int edge, ht_labelled_plan **out) {
  HT_TRY(ht_alloc((void **)out, 1, sizeof **out, "a volume's plan"));
  ht_labelled_plan *plan = *out;
  plan->seed = seed;
  plan->edge = edge;
  plan->draws.stream = ht_random_stream(seed, HT_STREAM_PLAN);
  HT_TRY(tubes_make(&plan->vessels, HT_TUBE_NODES));
  HT_TRY(tubes_make(&plan->bones, HT_BONE_NODES));
  HT_TRY(tubes_make(&plan->hard, HT_HARD_NODES));
  HT_TRY(tubes_make(&plan->soft, HT_SOFT_NODES));
  ht_labelled_scanner_draw(plan);
  ht_labelled_body_draw(plan);
  ht_labelled_vessels_draw(plan);
  ht_labelled_hard_draw(plan);
  ht_labelled_soft_split(plan);
  return HT_OK;
}
