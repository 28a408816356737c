#include "phantom/labelled/labelled_plan.h"
#include "core/numbers/units.h"
#include <math.h>

float ht_plan_between(ht_labelled_plan *plan, double low, double high) {
  return (float)ht_draw(&plan->draws, low, high);
}

float ht_plan_scaled(ht_labelled_plan *plan, double low, double high) {
  return (float)(low * pow(high / low, ht_draw(&plan->draws, 0, 1)));
}

int ht_plan_count(ht_labelled_plan *plan, int low, int high) {
  int count = low + (int)ht_draw(&plan->draws, 0, high - low + 1);
  return count > high ? high : count;
}

int ht_plan_is(ht_labelled_plan *plan, double share) {
  return ht_draw_is(&plan->draws, share);
}

void ht_plan_direction(ht_labelled_plan *plan, float unit[3]) {
  double z = ht_draw(&plan->draws, -1, 1), angle = ht_draw(&plan->draws, 0, 2 * HT_PI);
  double across = sqrt(1 - z * z);
  unit[0] = (float)(across * cos(angle));
  unit[1] = (float)(across * sin(angle));
  unit[2] = (float)z;
}

void ht_tubes_add(ht_tubes *tubes, const float p[3], float r, float value, int tube, int label,
                  int joined) {
  if (tubes->count == tubes->most) return;
  ht_tube_node *node = &tubes->node[tubes->count++];
  *node = (ht_tube_node){
      .r = r, .value = value, .tube = tube, .label = (uint8_t)label, .joined = joined != 0};
  for (int a = 0; a < 3; a++) node->p[a] = p[a];
}

void ht_plan_place(const ht_labelled_plan *plan, const double at_mm[3], float p[3]) {
  float from[3];
  for (int a = 0; a < 3; a++) from[a] = (float)at_mm[a] / plan->mm - plan->move[a];
  for (int a = 0; a < 3; a++)
    p[a] = plan->turn[0][a] * from[0] + plan->turn[1][a] * from[1] + plan->turn[2][a] * from[2];
}

float ht_plan_blood(const ht_labelled_plan *plan, float share, int *label) {
  *label = share < 0.15f || plan->uptake == 0 ? HT_LABEL_BACKGROUND
           : share < 0.35f || share > 2       ? HT_LABEL_UNSEEN
           : share < 0.65f                    ? HT_LABEL_VESSEL
           : share < 0.85f                    ? HT_LABEL_EITHER
                                              : HT_LABEL_ARTERY;
  return plan->value[HT_TISSUE_MUSCLE] +
         share * (plan->value[HT_TISSUE_BLOOD] - plan->value[HT_TISSUE_MUSCLE]);
}

float ht_plan_vein_share(ht_labelled_plan *plan) {
  plan->has |= HT_LABELLED_VEIN;
  return ht_plan_is(plan, 0.3)   ? ht_plan_between(plan, -0.1, 0.15)
         : ht_plan_is(plan, 0.4) ? ht_plan_between(plan, 0.88, 1.1)
                                 : ht_plan_between(plan, 0.3, 0.78);
}

ht_solid *ht_solid_add(ht_labelled_plan *plan, double x, double y, double z, double hx, double hy,
                       double hz, float value) {
  static const double keep = 1e-3;
  int at = plan->solids < HT_SOLIDS ? plan->solids++ : HT_SOLIDS - 1;
  ht_solid *solid = &plan->solid[at];
  const double centre[3] = {x, y, z}, half[3] = {hx, hy, hz};
  *solid = (ht_solid){.value = value, .turn = {1, 0}};
  for (int a = 0; a < 3; a++) {
    solid->centre[a] = (float)centre[a] / plan->mm;
    solid->half[a] = (float)fmax(half[a], keep) / plan->mm;
  }
  solid->fine = ht_plan_between(plan, 0, 0.08) * plan->contrast;
  solid->lumps = ht_plan_between(plan, 0, 0.12) * plan->contrast;
  return solid;
}

float ht_length_of(const float v[3]) {
  return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void ht_make_unit(float v[3]) {
  float length = fmaxf(ht_length_of(v), 1e-6f);
  for (int a = 0; a < 3; a++) v[a] /= length;
}

void ht_across_of(const float v[3], float across[3]) {
  int least = 0;
  for (int a = 1; a < 3; a++)
    if (fabsf(v[a]) < fabsf(v[least])) least = a;
  for (int a = 0; a < 3; a++) across[a] = (float)(a == least) - v[least] * v[a];
  ht_make_unit(across);
}

/* Rodrigues' formula. */
void ht_turned_about(const float unit[3], float angle, float v[3]) {
  float c = cosf(angle), s = sinf(angle), along = 0, turned[3];
  for (int a = 0; a < 3; a++) along += unit[a] * v[a];
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    turned[a] = v[a] * c + (unit[b] * v[d] - unit[d] * v[b]) * s + unit[a] * along * (1 - c);
  }
  for (int a = 0; a < 3; a++) v[a] = turned[a];
}

float ht_solid_distance(const ht_solid *solid, float x, float y, float z) {
  float u = x - solid->centre[0], v = y - solid->centre[1], w = z - solid->centre[2];
  const float *c = solid->turn, *h = solid->half;
  float s = (c[0] * u + c[1] * v) / h[0], t = (c[0] * v - c[1] * u) / h[1], distance;
  if (solid->is_drum) {
    float k = sqrtf(s * s + t * t), g = sqrtf(s * s / (h[0] * h[0]) + t * t / (h[1] * h[1]));
    distance = k < 1e-4f ? -fminf(h[0], h[1]) : k * (k - 1) / g;
    distance = fmaxf(distance, fabsf(w) - h[2]);
  } else {
    float q = w / h[2], k = sqrtf(s * s + t * t + q * q);
    float g = sqrtf(s * s / (h[0] * h[0]) + t * t / (h[1] * h[1]) + q * q / (h[2] * h[2]));
    distance = k < 1e-4f ? -fminf(h[0], fminf(h[1], h[2])) : k * (k - 1) / g;
  }
  return solid->shell > 0 ? fabsf(distance) - 0.5f * solid->shell : distance;
}

static void body_place(const ht_labelled_plan *plan, const float p[3], float at[3]) {
  for (int a = 0; a < 3; a++) {
    const float *row = plan->turn[a];
    at[a] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + plan->move[a];
  }
}

float ht_plan_skin_distance(const ht_labelled_plan *plan, const float p[3]) {
  float at[3];
  body_place(plan, p, at);
  return ht_solid_distance(&plan->solid[0], at[0], at[1], at[2]);
}

float ht_plan_bone_distance(const ht_labelled_plan *plan, const float p[3]) {
  float at[3], least = HUGE_VALF;
  body_place(plan, p, at);
  for (int n = 0; n < plan->solids; n++)
    if (plan->solid[n].is_bone)
      least = fminf(least, ht_solid_distance(&plan->solid[n], at[0], at[1], at[2]));
  for (int n = 0; n < plan->bones.count; n++) {
    const ht_tube_node *node = &plan->bones.node[n];
    const float away[3] = {p[0] - node->p[0], p[1] - node->p[1], p[2] - node->p[2]};
    least = fminf(least, ht_length_of(away) - node->r);
  }
  return least;
}
