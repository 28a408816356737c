#include "phantom/labelled/labelled_paint.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>

static float clamped(float x) {
  return fminf(fmaxf(x, 0), 1);
}

static float place_of(const ht_labelled_plan *plan, int axis, int i) {
  return ((float)i - 0.5f * (float)(plan->edge - 1)) * plan->spacing[axis];
}

/* The voxels of an axis from low to high, in widths; returns 0 where none. */
static int span_of(const ht_labelled_plan *plan, int axis, float low, float high, int span[2]) {
  float middle = 0.5f * (float)(plan->edge - 1), width = plan->spacing[axis];
  float from = ceilf(low / width + middle), to = floorf(high / width + middle);
  span[0] = from > 0 ? (int)fminf(from, 1e6f) : 0;
  span[1] = to < (float)(plan->edge - 1) ? (int)fmaxf(to, -1) : plan->edge - 1;
  return span[0] <= span[1];
}

/* ---- Textures ---- */

typedef struct {
  int at;
  float up;
} lattice_place;

ht_status ht_texture_fill(const ht_labelled_plan *plan, int which, float cell, float *out) {
  int edge = plan->edge, n[3];
  float *lattice = NULL, *row = NULL;
  lattice_place *place = NULL;
  ht_status status = HT_OK;
  for (int a = 0; a < 3; a++) n[a] = (int)(2 * plan->half[a] / cell) + 3;
  int64_t nodes = (int64_t)n[0] * n[1] * n[2];
  HT_TRY_DONE(ht_alloc((void **)&lattice, (size_t)nodes, sizeof *lattice, "a texture"));
  HT_TRY_DONE(ht_alloc((void **)&row, (size_t)n[0], sizeof *row, "a texture"));
  HT_TRY_DONE(ht_alloc((void **)&place, 3 * (size_t)edge, sizeof *place, "a texture"));
  uint64_t stream = ht_random_stream(plan->seed, which);
  for (int64_t i = 0; i < nodes; i++)
    lattice[i] = (float)(2 * ht_random_uniform(stream, (uint64_t)i) - 1);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < edge; i++) {
      float x = (place_of(plan, a, i) + plan->half[a]) / cell, t = x - floorf(x);
      place[a * edge + i] = (lattice_place){(int)floorf(x), t * t * (3 - 2 * t)};
    }
  for (int k = 0; k < edge; k++)
    for (int j = 0; j < edge; j++) {
      lattice_place z = place[2 * edge + k], y = place[edge + j];
      const float *low = lattice + ((int64_t)z.at * n[1] + y.at) * n[0];
      const float *high = low + (int64_t)n[0] * n[1];
      for (int i = 0; i < n[0]; i++)
        row[i] = (1 - z.up) * ((1 - y.up) * low[i] + y.up * low[i + n[0]]) +
                 z.up * ((1 - y.up) * high[i] + y.up * high[i + n[0]]);
      float *line = out + ((int64_t)k * edge + j) * edge;
      for (int i = 0; i < edge; i++) {
        lattice_place x = place[i];
        line[i] = row[x.at] + x.up * (row[x.at + 1] - row[x.at]);
      }
    }
done:
  free(lattice);
  free(row);
  free(place);
  return status;
}

/* ---- Tubes ---- */

/* From the node a to b; the radius changes evenly. */
static void tube_paint(const ht_labelled_plan *plan, const ht_tube_node *a, const ht_tube_node *b,
                       float reach, float *distance, float *value, uint8_t *label) {
  float most = fmaxf(a->r, b->r) + reach, d[3], square = 1e-12f;
  int span[3][2], edge = plan->edge;
  for (int c = 0; c < 3; c++) {
    d[c] = b->p[c] - a->p[c];
    square += d[c] * d[c];
    if (!span_of(plan, c, fminf(a->p[c], b->p[c]) - most, fmaxf(a->p[c], b->p[c]) + most, span[c]))
      return;
  }
  for (int k = span[2][0]; k <= span[2][1]; k++)
    for (int j = span[1][0]; j <= span[1][1]; j++) {
      float y = place_of(plan, 1, j) - a->p[1], z = place_of(plan, 2, k) - a->p[2];
      int64_t row = ((int64_t)k * edge + j) * edge;
      for (int i = span[0][0]; i <= span[0][1]; i++) {
        float x = place_of(plan, 0, i) - a->p[0];
        float t = clamped((x * d[0] + y * d[1] + z * d[2]) / square);
        float u = x - t * d[0], v = y - t * d[1], w = z - t * d[2];
        float away = sqrtf(u * u + v * v + w * w) - (a->r + t * (b->r - a->r));
        if (away >= distance[row + i]) continue;
        distance[row + i] = away;
        if (value) value[row + i] = b->value;
        if (label) label[row + i] = b->label;
      }
    }
}

void ht_tubes_paint(const ht_labelled_plan *plan, const ht_tubes *tubes, float reach,
                    float *distance, float *value, uint8_t *label) {
  for (int i = 0; i < tubes->count; i++) {
    const ht_tube_node *node = &tubes->node[i];
    if (!node->joined && i + 1 < tubes->count && node[1].joined)
      continue; /* the next one's start */
    tube_paint(plan, node->joined ? node - 1 : node, node, reach, distance, value, label);
  }
}

/* ---- Solids ---- */

/* The box that a solid can reach, whatever the warp; returns 0 where it misses the volume. */
static int solid_span(const ht_labelled_plan *plan, const ht_solid *solid, int span[3][2]) {
  float across = fmaxf(solid->half[0], solid->half[1]);
  for (int a = 0; a < 3; a++) {
    float middle = 0, reach = plan->warp * 1.75f + 2 + solid->shell;
    for (int r = 0; r < 3; r++) {
      middle += plan->turn[r][a] * (solid->centre[r] - plan->move[r]);
      reach += fabsf(plan->turn[r][a]) * (r < 2 ? across : solid->half[2]);
    }
    if (!span_of(plan, a, middle - reach, middle + reach, span[a])) return 0;
  }
  return 1;
}

static void solid_paint(const ht_labelled_plan *plan, const ht_solid *solid,
                        ht_labelled_images *images) {
  int span[3][2], edge = plan->edge;
  if (!solid_span(plan, solid, span)) return;
  for (int k = span[2][0]; k <= span[2][1]; k++)
    for (int j = span[1][0]; j <= span[1][1]; j++) {
      int64_t row = ((int64_t)k * edge + j) * edge;
      for (int64_t at = row + span[0][0]; at <= row + span[0][1]; at++) {
        float d = ht_solid_distance(solid, images->place[0][at], images->place[1][at],
                                    images->place[2][at]);
        if (solid->is_bone) {
          images->bone[at] = fminf(images->bone[at], d);
          continue;
        }
        float share = clamped(0.5f - d);
        if (share == 0) continue;
        float value =
            solid->value + solid->fine * images->fine[at] + solid->lumps * images->lumps[at];
        images->value[at] += share * (value - images->value[at]);
      }
    }
}

void ht_solids_paint(const ht_labelled_plan *plan, ht_labelled_images *images) {
  for (int n = 0; n < plan->solids; n++) solid_paint(plan, &plan->solid[n], images);
}

float ht_skin_distance(const ht_labelled_plan *plan, const ht_labelled_images *images, int64_t at) {
  return ht_solid_distance(&plan->solid[0], images->place[0][at], images->place[1][at],
                           images->place[2][at]);
}

float ht_mask_distance(const ht_labelled_plan *plan, int64_t at) {
  if (!(plan->has & HT_LABELLED_MASKED)) return -HT_FAR;
  const int dim[3] = {plan->edge, plan->edge, plan->edge};
  int place[3];
  ht_voxel_place(dim, at, place);
  ht_solid mask = {.turn = {1, 0}};
  for (int a = 0; a < 3; a++) mask.half[a] = plan->mask_half[a];
  return ht_solid_distance(&mask, place_of(plan, 0, place[0]), place_of(plan, 1, place[1]),
                           place_of(plan, 2, place[2]));
}
