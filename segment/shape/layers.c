#include "segment/shape/layers.h"
#include "segment/shape/least_squares.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"

enum { FEWEST = 4, PARABOLA = 5, CORRECTIONS = 5, TURNS = 3 };

/* Noise of a section's centroid. One alone errs by half as much, but with many nodes across,
 * neighbours err alike. */
static const double noise_voxels = 0.12;

/* Window of the sections that a derivative rests on, to each side, the length of centreline that is
 * used, and the least length, in widths; steepest section and largest turn, in degrees. The offset
 * of a centroid is a good approximation up to there. */
static const double half_window = 0.5, longest = 2, shortest = 0.3;
static const double steepest_degrees = 78, most_turn_degrees = 45;
static const double other_area = 1.4; /* of the first: a branch, or another vessel */

/* The centreline over depth, all in widths. */
typedef struct {
  int count;
  double depth[HT_SLOPE_PLACES];
  double place[HT_SLOPE_PLACES][2], slope[HT_SLOPE_PLACES][2], second[HT_SLOPE_PLACES][2];
  double length[HT_SLOPE_PLACES]; /* along it, from the first */
} centreline;

/* ---- the centreline through the sections ---- */

static double cosine_between(const double a[2], const double b[2]) {
  return (1 + a[0] * b[0] + a[1] * b[1]) /
         sqrt((1 + a[0] * a[0] + a[1] * a[1]) * (1 + b[0] * b[0] + b[1] * b[1]));
}

/* Derivatives at place n, of a parabola through the places around it. */
static int derive_at(centreline *line, int n) {
  int first = n, last = n;
  double off[HT_SLOPE_PLACES], c[3];
  while (first > 0 && line->depth[n] - line->depth[first - 1] <= half_window) first--;
  while (last + 1 < line->count && line->depth[last + 1] - line->depth[n] <= half_window) last++;
  int count = last - first + 1, terms = count < PARABOLA ? 2 : 3;
  for (int i = 0; i < count; i++) off[i] = line->depth[first + i] - line->depth[n];
  for (int a = 0; a < 2; a++) {
    if (!ht_fit_powers(off, &line->place[first][a], 2, count, terms, c)) return 0;
    line->slope[n][a] = c[1];
    line->second[n][a] = 2 * c[2];
  }
  return 1;
}

static int derive(centreline *line) {
  for (int n = 0; n < line->count; n++)
    if (!derive_at(line, n)) return 0;
  return 1;
}

/* Ends the line where it is too steep, or has turned too far, for its sections to be of use. */
static void end_at_turn(centreline *line) {
  const double normal[2] = {0, 0};
  double steepest = cos(steepest_degrees * HT_PI / 180);
  double most_turn = cos(most_turn_degrees * HT_PI / 180);
  for (int n = FEWEST; n < line->count; n++) {
    if (line->depth[n] <= shortest) continue;
    if (cosine_between(line->slope[n], normal) >= steepest &&
        cosine_between(line->slope[n], line->slope[0]) >= most_turn)
      continue;
    line->count = n;
  }
}

/* Offset of section n's centroid from the centreline (layers.h). */
static void offset_of(const centreline *line, int n, double area, double offset[2]) {
  const double *slope = line->slope[n], *second = line->second[n];
  double steep = slope[0] * slope[0] + slope[1] * slope[1], cosine = 1 / sqrt(1 + steep);
  double square = area * cosine / HT_PI; /* of the radius: the section's area is pi r^2 / c */
  double with = slope[0] * second[0] + slope[1] * second[1];
  for (int a = 0; a < 2; a++)
    offset[a] = square * cosine * cosine / 4 * (second[a] * steep / 2 + slope[a] * with);
}

/* 0: too few sections. */
static int make_line(const ht_layers *layers, double width, centreline *line) {
  line->count = 0;
  for (int n = 0; n < layers->count; n++) {
    if (n >= FEWEST && layers->area[n] > other_area * layers->area[0]) break;
    line->depth[n] = layers->depth[n] / width;
    for (int a = 0; a < 2; a++) line->place[n][a] = layers->centroid[n][a] / width;
    line->count++;
  }
  if (line->count < FEWEST || !derive(line)) return 0;
  end_at_turn(line);
  for (int round = 0; round < CORRECTIONS; round++) {
    double offset[2];
    for (int n = 0; n < line->count; n++) {
      offset_of(line, n, layers->area[n] / (width * width), offset);
      for (int a = 0; a < 2; a++) line->place[n][a] = layers->centroid[n][a] / width - offset[a];
    }
    if (!derive(line)) return 0;
  }
  return 1;
}

static void measure(centreline *line) {
  const double normal[2] = {0, 0};
  line->length[0] = 0;
  for (int n = 1; n < line->count; n++)
    line->length[n] = line->length[n - 1] + 0.5 * (line->depth[n] - line->depth[n - 1]) *
                                                (1 / cosine_between(line->slope[n], normal) +
                                                 1 / cosine_between(line->slope[n - 1], normal));
  while (line->count > FEWEST && line->length[line->count - 1] > longest) line->count--;
}

/* ---- its direction at the first section ---- */

/* The places across a direction, and along it. In terms of 3/4 of the arc's length and 1/4 of its
 * projection a circle is a parabola up to the fifth order. */
static void project(const centreline *line, const double direction[3], const double across[2][3],
                    double *along, double (*off)[2]) {
  for (int n = 0; n < line->count; n++) {
    const double at[3] = {line->place[n][0] - line->place[0][0],
                          line->place[n][1] - line->place[0][1], line->depth[n] - line->depth[0]};
    along[n] = 0.75 * line->length[n] + 0.25 * ht_dot(at, direction);
    for (int a = 0; a < 2; a++) off[n][a] = ht_dot(at, across[a]);
  }
}

/* The unit vector in which the places bend most. */
static void plane_of_bend(const double *along, const double (*off)[2], int count, double bend[2]) {
  double c[3];
  bend[0] = bend[1] = 0;
  for (int a = 0; a < 2; a++)
    if (ht_fit_powers(along, &off[0][a], 2, count, 3, c)) bend[a] = c[2];
  double size = hypot(bend[0], bend[1]);
  bend[0] = size > 0 ? bend[0] / size : 1;
  bend[1] = size > 0 ? bend[1] / size : 0;
}

/* Turns the direction by the places' slope to it: in the plane in which they bend, and across. */
static void turn_to(const centreline *line, double noise, double direction[3]) {
  double along[HT_SLOPE_PLACES], off[HT_SLOPE_PLACES][2], one[HT_SLOPE_PLACES], bend[2];
  double across[2][3];
  ht_span_across(direction, across);
  project(line, direction, (const double(*)[3])across, along, off);
  plane_of_bend(along, (const double(*)[2])off, line->count, bend);
  const double axis[2][2] = {{bend[0], bend[1]}, {-bend[1], bend[0]}};
  for (int k = 0; k < 2; k++) {
    for (int n = 0; n < line->count; n++) one[n] = axis[k][0] * off[n][0] + axis[k][1] * off[n][1];
    double slope = ht_slope_of_places(along, one, line->count, noise);
    for (int r = 0; r < 3; r++)
      direction[r] += slope * (axis[k][0] * across[0][r] + axis[k][1] * across[1][r]);
  }
  ht_normalise(direction);
}

void ht_layers_slope(const ht_layers *layers, double width_mm, double voxel_mm, double slope[2]) {
  centreline line;
  slope[0] = slope[1] = 0;
  if (!make_line(layers, width_mm, &line)) return;
  measure(&line);
  double direction[3] = {line.slope[0][0], line.slope[0][1], 1};
  ht_normalise(direction);
  for (int round = 0; round < TURNS; round++)
    turn_to(&line, noise_voxels * voxel_mm / width_mm, direction);
  for (int a = 0; a < 2; a++) slope[a] = direction[a] / direction[2];
}
