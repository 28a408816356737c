#include "export/beat/path_shape.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 4, LEAST_CENTRES = 6 };
static const double least_end_diameters = 0.5, straight = 0.2;

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Finds the median diameter of the vessel's sections; 0 where every section is mixed. */
static ht_status median_diameter(const ht_station *station, int stations, double *diameter_mm) {
  double *area;
  size_t count = 0;
  HT_TRY(ht_alloc((void **)&area, (size_t)stations + 1, sizeof *area, "the centreline"));
  for (int s = 0; s < stations; s++)
    if (!station[s].is_mixed) area[count++] = station[s].area_mm2;
  qsort(area, count, sizeof *area, by_size);
  *diameter_mm = count > 0 ? 2 * sqrt(area[count / 2] / HT_PI) : 0;
  free(area);
  return HT_OK;
}

/* Solves m x = the last three columns of m, in place (Gauss, with pivots). Returns 0 where m is
 * singular. */
static int solve(double m[TERMS][TERMS + 3]) {
  for (int k = 0; k < TERMS; k++) {
    int pivot = k;
    for (int i = k + 1; i < TERMS; i++)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    if (fabs(m[pivot][k]) < 1e-12) return 0;
    for (int j = 0; j < TERMS + 3; j++) {
      double swap = m[k][j];
      m[k][j] = m[pivot][j];
      m[pivot][j] = swap;
    }
    for (int i = 0; i < TERMS; i++) {
      double by = i == k ? 0 : m[i][k] / m[k][k];
      for (int j = k; j < TERMS + 3; j++) m[i][j] -= by * m[k][j];
    }
  }
  for (int i = 0; i < TERMS; i++)
    for (int r = 0; r < 3; r++) m[i][TERMS + r] /= m[i][i];
  return 1;
}

/* The cubic's coefficients about station `at`, by arc length over `reach_mm`. Returns 0 where there
 * are too few centres. */
static int fit(const ht_station *station, int stations, int at, double reach_mm,
               double coefficient[TERMS][3]) {
  double m[TERMS][TERMS + 3] = {{0}};
  int count = 0;
  for (int s = 0; s < stations; s++) {
    double t = (station[s].along_mm - station[at].along_mm) / reach_mm, power[TERMS] = {1};
    if (fabs(t) > 1) continue;
    count++;
    for (int i = 1; i < TERMS; i++) power[i] = power[i - 1] * t;
    for (int i = 0; i < TERMS; i++) {
      for (int j = 0; j < TERMS; j++) m[i][j] += power[i] * power[j];
      for (int r = 0; r < 3; r++)
        m[i][TERMS + r] += power[i] * (station[s].centre_mm[r] - station[at].centre_mm[r]);
    }
  }
  if (count < LEAST_CENTRES || !solve(m)) return 0;
  for (int i = 0; i < TERMS; i++) memcpy(coefficient[i], &m[i][TERMS], sizeof coefficient[i]);
  return 1;
}

static void shape_at(double coefficient[TERMS][3], double reach_mm, double diameter_mm,
                     double *curvature_per_mm, double *torsion_per_mm) {
  static const double factor[TERMS] = {1, 1, 2, 6};
  double cross[3], unit = 1;
  for (int i = 0; i < TERMS; i++, unit /= reach_mm)
    for (int r = 0; r < 3; r++) coefficient[i][r] *= factor[i] * unit; /* derivatives by mm */
  ht_cross(coefficient[1], coefficient[2], cross);
  double speed = ht_length(coefficient[1]), twist = ht_dot(cross, cross);
  *curvature_per_mm = sqrt(twist) / pow(speed, 3);
  if (*curvature_per_mm * diameter_mm >= straight)
    *torsion_per_mm = ht_dot(cross, coefficient[3]) / twist;
}

ht_status ht_path_shape(const ht_station *station, int stations, double *curvature_per_mm,
                        double *torsion_per_mm) {
  double diameter_mm, coefficient[TERMS][3];
  HT_TRY(median_diameter(station, stations, &diameter_mm));
  for (int s = 0; s < stations; s++) {
    double before = station[s].along_mm - station[0].along_mm;
    double behind = station[stations - 1].along_mm - station[s].along_mm;
    curvature_per_mm[s] = torsion_per_mm[s] = NAN;
    if (!(diameter_mm > 0) || fmin(before, behind) < least_end_diameters * diameter_mm) continue;
    if (!fit(station, stations, s, diameter_mm, coefficient)) continue;
    shape_at(coefficient, diameter_mm, diameter_mm, &curvature_per_mm[s], &torsion_per_mm[s]);
    if (fmin(before, behind) < diameter_mm) torsion_per_mm[s] = NAN;
  }
  return HT_OK;
}
