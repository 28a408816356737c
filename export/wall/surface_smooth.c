/* Taubin's smoothing (SIGGRAPH 1995): a step of diffusion (lambda > 0), then one back (mu < 0). The
 * pair damps waves shorter than the pass band and keeps longer ones, so a vessel does not shrink,
 * as it would by diffusion alone.
 *
 * 1/lambda + 1/mu = pass_band. On a net of quadrilaterals a wave of length w voxels has the
 * frequency (1 - cos(2 pi / w)) / 2: the pass band of 0.01 is w = 31 voxels, the circumference of
 * a vessel of 10 voxels across. The steps of a voxel surface, 2 to 10 voxels long, disappear.
 * Measured (tests/export/test_surface.c): docs/notes/walls/wall-shear-stress.md. */
#include "export/wall/surface_net.h"
#include "core/work/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double lambda = 0.5, pass_band = 0.01;
static const int pairs_of_steps = 100;
/* Distance that a point keeps from the sides of its cell, in which it stays as in Gibson's surface
 * nets: the surface separates the same voxels as before, thin parts do not collapse and neighbours
 * do not meet. */
static const float margin = 0.05f;

enum { PIECE = 4096 }; /* points */

typedef struct {
  ht_surface_net *net;
  float *start;    /* [points][3] */
  float *pull;     /* [points][3] sum of the differences to the neighbours */
  int64_t *first;  /* [points + 1] of the neighbours; none: the point is not used */
  int32_t *beside; /* [first[points]] neighbours: over an edge between two quadrilaterals twice,
                      over one at the rim once, in the order of the quadrilaterals */
  float factor;    /* of the step */
} smoother;

static int64_t piece_end(const smoother *smooth, int piece) {
  int64_t end = (int64_t)(piece + 1) * PIECE;
  return end < smooth->net->points ? end : smooth->net->points;
}

static void gather_pull(void *user, int piece) {
  const smoother *smooth = user;
  const float *point = smooth->net->point;
  for (int64_t p = (int64_t)piece * PIECE; p < piece_end(smooth, piece); p++) {
    float pull[3] = {0, 0, 0};
    for (int64_t n = smooth->first[p]; n < smooth->first[p + 1]; n++)
      for (int r = 0; r < 3; r++)
        pull[r] += point[3 * (int64_t)smooth->beside[n] + r] - point[3 * p + r];
    memcpy(smooth->pull + 3 * p, pull, sizeof pull);
  }
}

static void move_point(const smoother *smooth, int64_t p, int64_t weight) {
  float *point = smooth->net->point + 3 * p;
  for (int r = 0; r < 3; r++) {
    if (smooth->net->frozen[p] >> r & 1) continue;
    float cell = floorf(smooth->start[3 * p + r]);
    float to = point[r] + smooth->factor * smooth->pull[3 * p + r] / (float)weight;
    const float low = cell + margin, high = cell + 1 - margin;
    to = to > low ? to : low; /* also where it is no number */
    point[r] = to < high ? to : high;
  }
}

static void move_points(void *user, int piece) {
  const smoother *smooth = user;
  for (int64_t p = (int64_t)piece * PIECE; p < piece_end(smooth, piece); p++) {
    int64_t weight = smooth->first[p + 1] - smooth->first[p];
    if (weight > 0) move_point(smooth, p, weight);
  }
}

static ht_status step(smoother *smooth, double factor) {
  int pieces = (int)((smooth->net->points + PIECE - 1) / PIECE);
  smooth->factor = (float)factor;
  HT_TRY(ht_jobs_spread(pieces, gather_pull, smooth));
  return ht_jobs_spread(pieces, move_points, smooth);
}

/* Lists the neighbours; first[p + 1] is the place of the next neighbour of p until all are listed.
 */
static void list_neighbours(const smoother *smooth) {
  const ht_surface_net *net = smooth->net;
  int64_t *first = smooth->first;
  for (int64_t n = 0; n < 4 * net->quads; n++)
    if (net->quad[n] + 2 <= net->points) first[net->quad[n] + 2] += 2;
  for (int64_t p = 2; p <= net->points; p++) first[p] += first[p - 1];
  for (int64_t q = 0; q < net->quads; q++) {
    const int32_t *quad = net->quad + 4 * q;
    for (int n = 0; n < 4; n++) {
      int32_t a = quad[n], b = quad[(n + 1) % 4];
      smooth->beside[first[a + 1]++] = b;
      smooth->beside[first[b + 1]++] = a;
    }
  }
}

static ht_status prepare(smoother *smooth) {
  static const char what[] = "smoothing the wall";
  const ht_surface_net *net = smooth->net;
  size_t points = (size_t)net->points, quads = (size_t)net->quads;
  HT_TRY(ht_alloc((void **)&smooth->start, 3 * points, sizeof(float), what));
  HT_TRY(ht_alloc((void **)&smooth->pull, 3 * points, sizeof(float), what));
  HT_TRY(ht_alloc((void **)&smooth->first, points + 1, sizeof(int64_t), what));
  HT_TRY(ht_alloc((void **)&smooth->beside, 8 * quads, sizeof(int32_t), what));
  memcpy(smooth->start, net->point, 3 * points * sizeof(float));
  list_neighbours(smooth);
  return HT_OK;
}

ht_status ht_surface_net_smooth(ht_surface_net *net) {
  smoother smooth = {.net = net};
  ht_status status = prepare(&smooth);
  for (int i = 0; status == HT_OK && i < pairs_of_steps; i++) {
    status = step(&smooth, lambda);
    if (status == HT_OK) status = step(&smooth, 1 / (pass_band - 1 / lambda));
  }
  free(smooth.start);
  free(smooth.pull);
  free(smooth.first);
  free(smooth.beside);
  return status;
}
