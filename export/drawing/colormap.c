/* viridis and plasma: Stefan van der Walt, Nathaniel Smith, Eric Firing, public domain (CC0),
 * https://bids.github.io/colormap/. Every 16th entry of the 256 (viridis), 10 equal steps (plasma),
 * with straight lines between: at most 2 of 255 from the full table. */
#include "export/drawing/colormap.h"
#include <math.h>

static const ht_rgb viridis[17] = {
    {68, 1, 84},    {72, 24, 106},  {71, 45, 123},  {66, 64, 134},  {59, 82, 139},  {51, 99, 141},
    {44, 114, 142}, {38, 130, 142}, {33, 145, 140}, {31, 160, 136}, {40, 174, 128}, {63, 188, 115},
    {94, 201, 98},  {132, 212, 75}, {173, 220, 48}, {216, 226, 25}, {253, 231, 37}};
static const ht_rgb plasma[10] = {{13, 8, 135},   {70, 3, 159},   {114, 1, 168},  {156, 23, 158},
                                  {189, 55, 134}, {216, 87, 107}, {237, 121, 83}, {251, 159, 58},
                                  {253, 202, 38}, {240, 249, 33}};

/* Smooth cool-warm, 17 equal steps: K. Moreland, Diverging Color Maps for Scientific Visualization,
 * Int. Symp. Visual Computing (2009), LNCS 5876, 92. */
static const ht_rgb difference[17] = {
    {59, 76, 192},   {77, 104, 215},  {98, 130, 234},  {119, 154, 247}, {141, 176, 254},
    {163, 194, 255}, {184, 208, 249}, {204, 217, 238}, {221, 221, 221}, {236, 211, 197},
    {245, 196, 173}, {247, 177, 148}, {244, 154, 123}, {236, 127, 99},  {222, 96, 77},
    {203, 62, 56},   {180, 4, 38}};

static const struct {
  const ht_rgb *knot;
  int last;
} maps[] = {
    [HT_MAP_VIRIDIS] = {viridis, 16},
    [HT_MAP_PLASMA] = {plasma, 9},
    [HT_MAP_DIFFERENCE] = {difference, 16},
};

ht_rgb ht_map_colour(ht_map map, double t) {
  if (isnan(t)) return (ht_rgb){255, 0, 220};
  const ht_rgb *knot = maps[map].knot;
  int last = maps[map].last;
  double at = fmin(fmax(t, 0), 1) * last;
  int below = at < last ? (int)at : last - 1;
  return ht_rgb_mix(knot[below], knot[below + 1], at - below);
}

double ht_nice_above(double value) {
  static const double step[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
  if (!(value > 0) || !isfinite(value)) return 1;
  double ten = pow(10, floor(log10(value)));
  for (int i = 0; i < 11; i++)
    if (step[i] * ten >= value * (1 - 1e-6)) return step[i] * ten;
  return 10 * ten;
}

double ht_nice_below(double value) {
  if (!(value > 0) || !isfinite(value)) return 1;
  double ten = pow(10, floor(log10(value) + 1e-9)), times = value / ten * (1 + 1e-9);
  return ten * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}
