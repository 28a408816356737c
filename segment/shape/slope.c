#include "segment/shape/slope.h"
#include <math.h>
#include <stddef.h>

enum { STATES = 3, STARTS = 9, MOST_MODELS = 128 };

/* All in widths of the vessel. Standard deviations before anything is known but the deepest place:
 * of the slope, 45 degrees; of the curvature of a piece that ends at the first place. As far as the
 * places go that may be a sharp bend. A shorter piece is nearly straight: the slope at the end of a
 * short arc is too uncertain to be of use. */
static const double first_slope = 1;
static const struct {
  double curvature, weight;
} whole[] = {{0, 20}, {0.1, 1}, {0.3, 2}, {1, 0.5}}, piece[] = {{0, 1}, {0.1, 1}};

/* Wander of the curvature beyond a piece: it forgets itself over the memory. */
static const double wander[] = {0.25, 0.7, 2}, memory = 0.5;
static const double first_start = 0.3, next_start = 1.25; /* depth of the piece: the least, and the
                                                             ratio of one length to the next */
typedef struct {
  double mean[STATES], cov[STATES][STATES]; /* place, slope, curvature */
} track;

typedef struct {
  double depth;     /* depth of the piece; INFINITY: as far as the places do */
  double curvature; /* its standard deviation in the piece, */
  double wander;    /* and beyond it */
  double weight;
} model;

/* Covariance that a random walk of the curvature, of variance 1 over a width, adds over `step` to
 * the place, the slope and the curvature: integral of s^(p + q) / (p! q!). */
static double added(int i, int j, double step) {
  static const double factorial[STATES] = {1, 1, 2};
  int p = STATES - 1 - i, q = STATES - 1 - j;
  double power = step;
  for (int k = 0; k < p + q; k++) power *= step;
  return power / ((p + q + 1) * factorial[p] * factorial[q]);
}

/* Makes one step, with a curvature that stays (wander 0) or wanders with that standard
 * deviation. */
static void advance(track *t, double step, double wander_by) {
  double walk = 2 * wander_by * wander_by / memory, stays = walk > 0 ? exp(-step / memory) : 1;
  const double move[STATES][STATES] = {{1, step, step * step / 2}, {0, 1, step}, {0, 0, stays}};
  track next = {.mean = {0}};
  for (int i = 0; i < STATES; i++) {
    for (int k = i; k < STATES; k++) next.mean[i] += move[i][k] * t->mean[k];
    for (int j = 0; j < STATES; j++) {
      next.cov[i][j] = walk > 0 ? walk * added(i, j, step) : 0;
      for (int k = i; k < STATES; k++)
        for (int l = j; l < STATES; l++) next.cov[i][j] += move[i][k] * t->cov[k][l] * move[j][l];
    }
  }
  *t = next;
}

/* Begins a piece, with a curvature of its own. */
static void forget_curvature(track *t, double spread) {
  for (int k = 0; k < STATES; k++) t->cov[k][2] = t->cov[2][k] = 0;
  t->cov[2][2] = spread * spread;
  t->mean[2] = 0;
}

/* Returns the logarithm of the likelihood of the place. */
static double take(track *t, double place, double variance) {
  double spread = t->cov[0][0] + variance, off = place - t->mean[0], gain[STATES], row[STATES];
  for (int i = 0; i < STATES; i++) gain[i] = t->cov[i][0] / spread, row[i] = t->cov[0][i];
  for (int i = 0; i < STATES; i++) {
    t->mean[i] += gain[i] * off;
    for (int j = 0; j < STATES; j++) t->cov[i][j] -= gain[i] * row[j];
  }
  return -0.5 * (off * off / spread + log(spread));
}

/* The slope at the first place by one model; *likelihood: its logarithm. */
static double follow(const double *along, const double *across, int count, const model *m,
                     double variance, double *likelihood) {
  track t = {.mean = {across[count - 1]}};
  int behind = along[count - 1] > m->depth;
  t.cov[0][0] = variance;
  t.cov[1][1] = first_slope * first_slope;
  t.cov[2][2] = pow(behind ? m->wander : m->curvature, 2);
  *likelihood = 0;
  for (int n = count - 2; n >= 0; n--) {
    if (behind && along[n + 1] <= m->depth) {
      behind = 0;
      forget_curvature(&t, m->curvature);
    }
    advance(&t, along[n + 1] - along[n], behind ? m->wander : 0);
    *likelihood += take(&t, across[n], variance);
  }
  return -t.mean[1];
}

static int make_models(model *models) {
  int count = 0;
  const int wanders = sizeof wander / sizeof *wander;
  for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
    models[count++] = (model){INFINITY, whole[k].curvature, 0, whole[k].weight};
  double depth = first_start;
  for (int start = 0; start < STARTS; start++, depth *= next_start)
    for (size_t k = 0; k < sizeof piece / sizeof *piece; k++)
      for (int w = 0; w < wanders; w++)
        models[count++] = (model){depth, piece[k].curvature, wander[w], piece[k].weight / wanders};
  return count;
}

double ht_slope_of_places(const double *along, const double *across, int count, double noise) {
  model models[MOST_MODELS];
  double slope[MOST_MODELS], likelihood[MOST_MODELS], most = -INFINITY, sum = 0, weights = 0;
  int known = make_models(models);
  for (int m = 0; m < known; m++) {
    slope[m] = follow(along, across, count, &models[m], noise * noise, &likelihood[m]);
    likelihood[m] += log(models[m].weight);
    most = fmax(most, likelihood[m]);
  }
  for (int m = 0; m < known; m++) {
    weights += exp(likelihood[m] - most);
    sum += exp(likelihood[m] - most) * slope[m];
  }
  return sum / weights;
}
