/* Taubin's smoothing (SIGGRAPH 1995): a step of diffusion (lambda > 0), then one back (mu < 0). The
 * pair damps waves shorter than the pass band and keeps longer ones, so a vessel does not shrink,
 * as it would by diffusion alone.
 *
 * 1/lambda + 1/mu = pass_band. On a net of quadrilaterals a wave of length w voxels has the
 * frequency (1 - cos(2 pi / w)) / 2: the pass band of 0.01 is w = 31 voxels, the circumference of
 * a vessel of 10 voxels across. The steps of a voxel surface, 2 to 10 voxels long, disappear.
 * Measured (tests/export/test_surface.c): docs/notes/wall-shear-stress.md. */
#include "surface_net.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double lambda = 0.5, pass_band = 0.01;
static const int pairs_of_steps = 100;
/* A point stays in its cell, as in Gibson's surface nets, and keeps a distance from its sides: the
 * surface separates the same voxels as before, thin parts do not collapse and neighbours do not
 * meet. */
static const float margin = 0.05f;

typedef struct {
  ht_surface_net *net;
  float *start;    /* [points][3] */
  float *pull;     /* [points][3] sum of the differences to the neighbours */
  int32_t *weight; /* [points] number of the differences; 0: the point is not used */
} smoother;

/* An edge between two quadrilaterals counts twice, one at the rim once. */
static void gather_pull(smoother *smooth) {
  const ht_surface_net *net = smooth->net;
  memset(smooth->pull, 0, 3 * (size_t)net->points * sizeof *smooth->pull);
  for (int64_t q = 0; q < net->quads; q++) {
    const int32_t *quad = net->quad + 4 * q;
    for (int n = 0; n < 4; n++) {
      int64_t a = 3 * (int64_t)quad[n], b = 3 * (int64_t)quad[(n + 1) % 4];
      for (int r = 0; r < 3; r++) {
        float d = net->point[b + r] - net->point[a + r];
        smooth->pull[a + r] += d;
        smooth->pull[b + r] -= d;
      }
    }
  }
}

static void move_point(smoother *smooth, int64_t p, float factor) {
  float *point = smooth->net->point + 3 * p;
  for (int r = 0; r < 3; r++) {
    if (smooth->net->frozen[p] >> r & 1) continue;
    float cell = floorf(smooth->start[3 * p + r]);
    float to = point[r] + factor * smooth->pull[3 * p + r] / (float)smooth->weight[p];
    point[r] = fminf(fmaxf(to, cell + margin), cell + 1 - margin);
  }
}

static void step(smoother *smooth, double factor) {
  gather_pull(smooth);
  for (int64_t p = 0; p < smooth->net->points; p++)
    if (smooth->weight[p] > 0) move_point(smooth, p, (float)factor);
}

static ht_status prepare(smoother *smooth) {
  const ht_surface_net *net = smooth->net;
  size_t points = (size_t)net->points;
  HT_TRY(ht_alloc((void **)&smooth->start, 3 * points, sizeof(float), "smoothing the wall"));
  HT_TRY(ht_alloc((void **)&smooth->pull, 3 * points, sizeof(float), "smoothing the wall"));
  HT_TRY(ht_alloc((void **)&smooth->weight, points, sizeof(int32_t), "smoothing the wall"));
  memcpy(smooth->start, net->point, 3 * points * sizeof(float));
  for (int64_t n = 0; n < 4 * net->quads; n++) smooth->weight[net->quad[n]] += 2;
  return HT_OK;
}

ht_status ht_surface_net_smooth(ht_surface_net *net) {
  smoother smooth = {.net = net};
  ht_status status = prepare(&smooth);
  for (int i = 0; status == HT_OK && i < pairs_of_steps; i++) {
    step(&smooth, lambda);
    step(&smooth, 1 / (pass_band - 1 / lambda));
  }
  free(smooth.start);
  free(smooth.pull);
  free(smooth.weight);
  return status;
}
