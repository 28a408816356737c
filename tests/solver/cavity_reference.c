#include "cavity_reference.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
  double at, value;
} point;

/* Ghia, Ghia & Shin (1982), tables I and II, in their coordinates: u at y on the line x = 1/2, and
 * v at x on the line y = 1/2. Without the points on the walls; the value printed for Re 400 at x =
 * 0.9063 is a known misprint and left out. */
static const point plane_u_100[] = {{0.9766, 0.84123},  {0.9688, 0.78871},  {0.9609, 0.73722},
                                    {0.9531, 0.68717},  {0.8516, 0.23151},  {0.7344, 0.00332},
                                    {0.6172, -0.13641}, {0.5000, -0.20581}, {0.4531, -0.21090},
                                    {0.2813, -0.15662}, {0.1719, -0.10150}, {0.1016, -0.06434},
                                    {0.0703, -0.04775}, {0.0625, -0.04192}, {0.0547, -0.03717}};
static const point plane_v_100[] = {{0.9688, -0.05906}, {0.9609, -0.07391}, {0.9531, -0.08864},
                                    {0.9453, -0.10313}, {0.9063, -0.16914}, {0.8594, -0.22445},
                                    {0.8047, -0.24533}, {0.5000, 0.05454},  {0.2344, 0.17527},
                                    {0.2266, 0.17507},  {0.1563, 0.16077},  {0.0938, 0.12317},
                                    {0.0781, 0.10890},  {0.0703, 0.10091},  {0.0625, 0.09233}};
static const point plane_u_400[] = {{0.9766, 0.75837},  {0.9688, 0.68439},  {0.9609, 0.61756},
                                    {0.9531, 0.55892},  {0.8516, 0.29093},  {0.7344, 0.16256},
                                    {0.6172, 0.02135},  {0.5000, -0.11477}, {0.4531, -0.17119},
                                    {0.2813, -0.32726}, {0.1719, -0.24299}, {0.1016, -0.14612},
                                    {0.0703, -0.10338}, {0.0625, -0.09266}, {0.0547, -0.08186}};
static const point plane_v_400[] = {{0.9688, -0.12146}, {0.9609, -0.15663}, {0.9531, -0.19254},
                                    {0.9453, -0.22847}, {0.8594, -0.44993}, {0.8047, -0.38598},
                                    {0.5000, 0.05186},  {0.2344, 0.30174},  {0.2266, 0.30203},
                                    {0.1563, 0.28124},  {0.0938, 0.22965},  {0.0781, 0.20920},
                                    {0.0703, 0.19713},  {0.0625, 0.18360}};
static const point plane_u_1000[] = {{0.9766, 0.65928},  {0.9688, 0.57492},  {0.9609, 0.51117},
                                     {0.9531, 0.46604},  {0.8516, 0.33304},  {0.7344, 0.18719},
                                     {0.6172, 0.05702},  {0.5000, -0.06080}, {0.4531, -0.10648},
                                     {0.2813, -0.27805}, {0.1719, -0.38289}, {0.1016, -0.29730},
                                     {0.0703, -0.22220}, {0.0625, -0.20196}, {0.0547, -0.18109}};
static const point plane_v_1000[] = {{0.9688, -0.21388}, {0.9609, -0.27669}, {0.9531, -0.33714},
                                     {0.9453, -0.39188}, {0.9063, -0.51550}, {0.8594, -0.42665},
                                     {0.8047, -0.31966}, {0.5000, 0.02526},  {0.2344, 0.32235},
                                     {0.2266, 0.33075},  {0.1563, 0.37095},  {0.0938, 0.32627},
                                     {0.0781, 0.30353},  {0.0703, 0.29012},  {0.0625, 0.27485}};

/* Albensoeder & Kuhlmann (2005), tables 5 and 6, in their coordinates: the cavity is
 * [-1/2, 1/2]^3, the lid at x = -1/2 moves along +y; v at x on y = z = 0, and u at y on x = z = 0.
 * Without the points on the walls. */
static const point cube_v[] = {{-0.4766, 0.58964}, {-0.4688, 0.48443}, {-0.4609, 0.39821},
                               {-0.4531, 0.33171}, {-0.3516, 0.12183}, {-0.2344, 0.07334},
                               {-0.1172, 0.03905}, {0.0000, 0.00802},  {0.0469, -0.00612},
                               {0.2187, -0.10999}, {0.3281, -0.25160}, {0.3984, -0.27293},
                               {0.4297, -0.23696}, {0.4375, -0.22283}, {0.4453, -0.20623}};
static const point cube_u[] = {{-0.4375, -0.21738}, {-0.4297, -0.22746}, {-0.4219, -0.23503},
                               {-0.4062, -0.24407}, {-0.3437, -0.22924}, {-0.2734, -0.17580},
                               {-0.2656, -0.16987}, {0.0000, -0.03674},  {0.3047, 0.15223},
                               {0.3594, 0.31117},   {0.4063, 0.43423},   {0.4453, 0.33511},
                               {0.4531, 0.29032},   {0.4609, 0.24095},   {0.4688, 0.18864}};

typedef struct {
  ht_cavity_kind kind;
  int reynolds, along_lid; /* 1: the velocity along the lid, on the line across it */
  double middle;           /* their coordinate of the middle */
  int place_sign;          /* -1: it runs against ours */
  int value_sign;          /* -1: the velocity's axis does */
  const point *points;
  int count;
} profile;

#define POINTS(table) table, sizeof(table) / sizeof(table[0])
static const profile profiles[] = {
    {HT_CAVITY_PLANE, 100, 1, 0.5, 1, 1, POINTS(plane_u_100)},
    {HT_CAVITY_PLANE, 100, 0, 0.5, 1, 1, POINTS(plane_v_100)},
    {HT_CAVITY_PLANE, 400, 1, 0.5, 1, 1, POINTS(plane_u_400)},
    {HT_CAVITY_PLANE, 400, 0, 0.5, 1, 1, POINTS(plane_v_400)},
    {HT_CAVITY_PLANE, 1000, 1, 0.5, 1, 1, POINTS(plane_u_1000)},
    {HT_CAVITY_PLANE, 1000, 0, 0.5, 1, 1, POINTS(plane_v_1000)},
    {HT_CAVITY_CUBE, 1000, 1, 0, -1, 1, POINTS(cube_v)},
    {HT_CAVITY_CUBE, 1000, 0, 0, 1, -1, POINTS(cube_u)},
};
enum { PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

/* Where the i-th value of a line lies, and the value: the walls (i = 0, n + 1) and the nodes. */
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

int ht_cavity_compare(const ht_cavity_plane *plane, ht_cavity_kind kind, int reynolds,
                      ht_cavity_error *error) {
  int found = 0;
  *error = (ht_cavity_error){0, 0, 0};
  for (int p = 0; p < PROFILES; p++) {
    const profile *known = &profiles[p];
    if (known->kind != kind || known->reynolds != reynolds) continue;
    double difference = 0, size = 0;
    for (int i = 0; i < known->count; i++) {
      double at = 0.5 + known->place_sign * (known->points[i].at - known->middle);
      double expected = known->value_sign * known->points[i].value;
      double off = ht_cavity_at(plane, known->along_lid, at) - expected;
      difference += off * off;
      size += expected * expected;
      error->most = fmax(error->most, fabs(off));
    }
    *(known->along_lid ? &error->u : &error->v) = sqrt(difference / size);
    found++;
  }
  return found == 2;
}
