#include "slope.h"
#include "least_squares.h"
#include <math.h>
#include <string.h>

enum { FEWEST_PLACES = 3, MOST_STATES = 3, WALKS = 16 };

/* All in widths of the vessel. A walk: of the slope (2 states: place and slope) or the curvature (3
 * states), by so much (its standard deviation) over a width. The sharpest: a bend of a radius of
 * one width begins within half a width. */
static const struct {
  int states;
  double rate;
} walks[WALKS] = {{2, 0.5},  {2, 0.25}, {2, 0.12}, {2, 0.06}, {2, 0.03}, {2, 0.01},
                  {2, 0},    {3, 8},    {3, 4},    {3, 2},    {3, 1},    {3, 0.5},
                  {3, 0.25}, {3, 0.1},  {3, 0.03}, {3, 0}};

/* Before anything is known but the deepest place: slopes up to 45 degrees and more, bends with a
 * radius of two widths. */
static const double first_slope = 1, first_curvature = 0.5;

/* Of a section's centroid, voxels, where there are up to 10 voxels across; where there are more,
 * the centroids of sections side by side err alike. */
static const double noise_voxels = 0.14, independent = 10;

typedef struct {
  int states;
  double mean[MOST_STATES], cov[MOST_STATES][MOST_STATES]; /* place, slope, curvature */
} track;

static track begin(int states, double place, double variance) {
  const double spread[MOST_STATES] = {sqrt(variance), first_slope, first_curvature};
  track t = {.states = states, .mean = {place}};
  for (int i = 0; i < states; i++) t.cov[i][i] = spread[i] * spread[i];
  return t;
}

/* Covariance that a walk of 1 a width adds over `step` to the place, the slope, the curvature:
 * integral of s^(p + q) / (p! q!), p and q integrations after the walk itself. */
static double added(int states, int i, int j, double step) {
  static const double factorial[MOST_STATES] = {1, 1, 2};
  int p = states - 1 - i, q = states - 1 - j;
  return pow(step, p + q + 1) / ((p + q + 1) * factorial[p] * factorial[q]);
}

static void advance(track *t, double step, double rate) {
  const double move[MOST_STATES][MOST_STATES] = {
      {1, step, step * step / 2}, {0, 1, step}, {0, 0, 1}};
  track next = {.states = t->states};
  for (int i = 0; i < t->states; i++) {
    for (int k = i; k < t->states; k++) next.mean[i] += move[i][k] * t->mean[k];
    for (int j = 0; j < t->states; j++) {
      next.cov[i][j] = rate * rate * added(t->states, i, j, step);
      for (int k = i; k < t->states; k++)
        for (int l = j; l < t->states; l++)
          next.cov[i][j] += move[i][k] * t->cov[k][l] * move[j][l];
    }
  }
  *t = next;
}

/* Returns the logarithm of the likelihood of the place. */
static double take(track *t, double place, double variance) {
  double spread = t->cov[0][0] + variance, off = place - t->mean[0], gain[MOST_STATES],
         row[MOST_STATES];
  for (int i = 0; i < t->states; i++) gain[i] = t->cov[i][0] / spread, row[i] = t->cov[0][i];
  for (int i = 0; i < t->states; i++) {
    t->mean[i] += gain[i] * off;
    for (int j = 0; j < t->states; j++) t->cov[i][j] -= gain[i] * row[j];
  }
  return -0.5 * (off * off / spread + log(spread));
}

/* The slope at the first place by one walk; *likelihood: its logarithm. */
static double follow(const double *depth, const double *place, int count, int walk, double variance,
                     double *likelihood) {
  track t = begin(walks[walk].states, place[count - 1], variance);
  *likelihood = 0;
  for (int n = count - 2; n >= 0; n--) {
    advance(&t, depth[n + 1] - depth[n], walks[walk].rate);
    *likelihood += take(&t, place[n], variance);
  }
  return -t.mean[1];
}

static double average(const double *depth, const double *place, int count, double variance) {
  double slope[WALKS], likelihood[WALKS], most = -INFINITY, sum = 0, weights = 0;
  for (int w = 0; w < WALKS; w++) {
    slope[w] = follow(depth, place, count, w, variance, &likelihood[w]);
    most = fmax(most, likelihood[w]);
  }
  for (int w = 0; w < WALKS; w++) {
    weights += exp(likelihood[w] - most);
    sum += exp(likelihood[w] - most) * slope[w];
  }
  return sum / weights;
}

/* The unit vector across the depth in which the places bend most. */
static void plane_of_bend(const double *depth, const double (*place)[2], int count,
                          double along[2]) {
  double c[3], bend[2] = {1, 0};
  for (int a = 0; a < 2; a++)
    if (ht_fit_powers(depth, &place[0][a], 2, count, 3, c)) bend[a] = c[2];
  double size = hypot(bend[0], bend[1]);
  along[0] = size > 0 ? bend[0] / size : 1;
  along[1] = size > 0 ? bend[1] / size : 0;
}

void ht_slope_of_places(const double *depth, const double (*place)[2], int count, double width,
                        double voxel, double slope[2]) {
  double scaled[HT_SLOPE_PLACES], across[HT_SLOPE_PLACES], along[2];
  double noise = noise_voxels * voxel / width * sqrt(fmax(1, width / voxel / independent));
  slope[0] = slope[1] = 0;
  if (count < FEWEST_PLACES) return;
  plane_of_bend(depth, place, count, along);
  const double axis[2][2] = {{along[0], along[1]}, {-along[1], along[0]}};
  for (int k = 0; k < 2; k++) {
    for (int n = 0; n < count; n++) {
      scaled[n] = depth[n] / width;
      across[n] = (axis[k][0] * place[n][0] + axis[k][1] * place[n][1]) / width;
    }
    double one = average(scaled, across, count, noise * noise);
    for (int a = 0; a < 2; a++) slope[a] += one * axis[k][a];
  }
}
