#include "validation/known/cavity_reference.h"
#include "validation/known/reference.h"
#include <math.h>
#include <stdio.h>

/* The columns of a profile in its file, and how its coordinates become ours. */
typedef struct {
  const char *file, *place, *value; /* columns; value NULL: "re" and the Reynolds number */
  double middle;                    /* their coordinate of the middle */
  int place_sign;                   /* -1: the axis runs against ours */
  int value_sign;                   /* -1: the velocity's axis runs against ours */
} profile;

static const profile profiles[2][2] = {
    {{"cavity_plane_v_ghia_1982", "x", NULL, 0.5, 1, 1},
     {"cavity_plane_u_ghia_1982", "y", NULL, 0.5, 1, 1}},
    {{"cavity_cube_albensoeder_kuhlmann_2005", "y", "u", 0, 1, -1},
     {"cavity_cube_albensoeder_kuhlmann_2005", "x", "v", 0, -1, 1}},
};

/* The points of a table that lie between the walls. */
static void take_points(const ht_reference *table, const profile *known, int place, int value,
                        ht_cavity_points *points) {
  for (int r = 0; r < table->rows; r++) {
    const double *row = table->value + r * table->columns;
    double at = 0.5 + known->place_sign * (row[place] - known->middle);
    if (isnan(row[value]) || at <= 0 || at >= 1 || points->count == HT_CAVITY_POINTS) continue;
    points->at[points->count] = at;
    points->value[points->count++] = known->value_sign * row[value];
  }
}

ht_status ht_cavity_published(ht_cavity_kind kind, int reynolds, int along_lid,
                              ht_cavity_points *points) {
  const profile *known = &profiles[kind][along_lid];
  ht_reference table;
  char name[HT_REFERENCE_NAME];
  points->count = 0;
  if (kind == HT_CAVITY_CUBE && reynolds != 1000) return HT_OK;
  HT_TRY(ht_reference_read(known->file, &table));
  snprintf(name, sizeof name, "re%d", reynolds);
  int place = ht_reference_column(&table, known->place);
  int value = ht_reference_column(&table, known->value ? known->value : name);
  if (place >= 0 && value >= 0) take_points(&table, known, place, value, points);
  ht_reference_free(&table);
  return HT_OK;
}

/* Points of a line: the walls (i = 0, n + 1) and the nodes, each with its place and value. */
typedef struct {
  const double *value; /* [n] */
  int n;
  double first, last; /* on the walls */
} line;

static double place(const line *l, int i) {
  return i == 0 ? 0 : i > l->n ? 1 : (i - 0.5) / l->n;
}

static double value(const line *l, int i) {
  return i == 0 ? l->first : i > l->n ? l->last : l->value[i - 1];
}

/* Lagrange's polynomial through the four values around `at`. */
static double interpolate(const line *l, double at) {
  int first = (int)floor(at * l->n + 0.5) - 1;
  double sum = 0;
  if (first < 0) first = 0;
  if (first > l->n - 2) first = l->n - 2;
  for (int i = first; i < first + 4; i++) {
    double weight = 1;
    for (int k = first; k < first + 4; k++)
      if (k != i) weight *= (at - place(l, k)) / (place(l, i) - place(l, k));
    sum += weight * value(l, i);
  }
  return sum;
}

/* The centre line; `across` gets its values. */
static line centre_line(const ht_cavity_plane *plane, int along_lid, double *across) {
  int n = plane->n;
  double row[HT_CAVITY_MOST];
  for (int i = 0; i < n; i++) { /* the middle of every row, or column, across the line */
    for (int k = 0; k < n; k++)
      row[k] = plane->velocity[along_lid ? 2 * (k + n * i) : 2 * (i + n * k) + 1];
    const line through = {row, n, 0, 0};
    across[i] = interpolate(&through, 0.5);
  }
  return (line){across, n, 0, along_lid ? plane->lid_speed : 0};
}

double ht_cavity_at(const ht_cavity_plane *plane, int along_lid, double at) {
  double across[HT_CAVITY_MOST];
  const line centre = centre_line(plane, along_lid, across);
  return interpolate(&centre, at) / plane->lid_speed;
}

void ht_cavity_find_extremes(const ht_cavity_plane *plane, ht_cavity_extremes *extremes) {
  line line[2];
  double values[2][HT_CAVITY_MOST];
  int samples = 20 * plane->n;
  *extremes = (ht_cavity_extremes){0, 0, 0};
  for (int along_lid = 0; along_lid < 2; along_lid++)
    line[along_lid] = centre_line(plane, along_lid, values[along_lid]);
  for (int i = 1; i < samples; i++) {
    double u = interpolate(&line[1], (double)i / samples) / plane->lid_speed;
    double v = interpolate(&line[0], (double)i / samples) / plane->lid_speed;
    extremes->u_least = fmin(extremes->u_least, u);
    extremes->v_least = fmin(extremes->v_least, v);
    extremes->v_most = fmax(extremes->v_most, v);
  }
}

int ht_cavity_known_extremes(int reynolds, ht_cavity_extremes *extremes) {
  if (reynolds == 100)
    *extremes = (ht_cavity_extremes){-0.2140424, 0.1795728, -0.2538030};
  else if (reynolds == 1000)
    *extremes = (ht_cavity_extremes){-0.3885698, 0.3769447, -0.5270771};
  else
    return 0;
  return 1;
}

/* Sums of one line's differences. */
typedef struct {
  double difference, size;
} sums;

static sums compare_line(const ht_cavity_plane *plane, int along_lid,
                         const ht_cavity_points *points, ht_cavity_error *error) {
  sums all = {0, 0};
  for (int i = 0; i < points->count; i++) {
    double expected = points->value[i];
    double off = ht_cavity_at(plane, along_lid, points->at[i]) - expected;
    all.difference += off * off;
    all.size += expected * expected;
    error->most = fmax(error->most, fabs(off));
  }
  error->points += points->count;
  return all;
}

ht_status ht_cavity_compare(const ht_cavity_plane *plane, ht_cavity_kind kind, int reynolds,
                            ht_cavity_error *error) {
  double difference = 0;
  *error = (ht_cavity_error){.u = NAN, .v = NAN, .rms = NAN};
  for (int along_lid = 0; along_lid < 2; along_lid++) {
    ht_cavity_points points;
    HT_TRY(ht_cavity_published(kind, reynolds, along_lid, &points));
    if (points.count == 0) return HT_OK;
    sums line = compare_line(plane, along_lid, &points, error);
    *(along_lid ? &error->u : &error->v) = sqrt(line.difference / line.size);
    difference += line.difference;
  }
  error->rms = sqrt(difference / error->points);
  return HT_OK;
}

double ht_cavity_apart(const ht_cavity_plane *a, const ht_cavity_plane *b) {
  enum { PLACES = 32 };
  double sum = 0;
  for (int i = 0; i < PLACES; i++)
    for (int along_lid = 0; along_lid < 2; along_lid++) {
      double at = (i + 0.5) / PLACES;
      double off = ht_cavity_at(a, along_lid, at) - ht_cavity_at(b, along_lid, at);
      sum += off * off;
    }
  return sqrt(sum / (2 * PLACES));
}
