#include "run/case/usual_heart.h"
#include <math.h>
#include <stddef.h>

typedef struct {
  double age_years, value;
} row;

/* Values by age; the last row of a table also holds for all higher ages. */
static const row rate_per_min[] = {{1, 124}, {2, 113}, {5, 96}, {13.5, 78}, {20, 72}};
static const row index_l_min_m2[] = {{20, 3.38}, {25, 3.3}, {35, 3.3}, {45, 3.1}, {55, 3.0}};
static const row surface_m2[] = {{1, 0.48}, {5, 0.78}, {10, 1.12}, {15, 1.585}, {20, 1.78}};
static const row systolic_mmhg[] = {{1, 85.5},   {2, 88},     {5, 94},  {10, 102},
                                    {15, 111.5}, {17, 114.5}, {20, 116}};
static const row diastolic_mmhg[] = {{1, 38.5},  {2, 43.5},  {5, 53.5}, {10, 60.5},
                                     {15, 64.5}, {17, 66.5}, {20, 69}};

static double at(const row *table, size_t rows, double age_years) {
  size_t next = 0;
  while (next < rows && table[next].age_years <= age_years) next++;
  if (next == 0) return table[0].value;
  if (next == rows) return table[rows - 1].value;
  const row *from = &table[next - 1], *to = &table[next];
  double part = (age_years - from->age_years) / (to->age_years - from->age_years);
  return from->value + part * (to->value - from->value);
}

#define AT(table) at(table, sizeof(table) / sizeof *(table), age_years)

ht_usual_heart ht_usual_heart_at(double age_years) {
  ht_usual_heart usual = {.heart_rate_per_min = round(AT(rate_per_min))};
  usual.cardiac_output_l_min = round(10 * AT(index_l_min_m2) * AT(surface_m2)) / 10;
  usual.blood_pressure_mmhg[0] = round(AT(systolic_mmhg));
  usual.blood_pressure_mmhg[1] = round(AT(diastolic_mmhg));
  return usual;
}
