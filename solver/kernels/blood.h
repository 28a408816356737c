/* The viscosity of blood: Newtonian or shear-thinning (Carreau-Yasuda, Casson), and the eddy
 * viscosity of scales that the lattice does not resolve (Smagorinsky). */
#ifndef HT_BLOOD_H
#define HT_BLOOD_H

#include "core/numbers/units.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HT_NEWTONIAN = 0, HT_CARREAU_YASUDA, HT_CASSON } ht_blood_model;

extern const char *const ht_blood_words[]; /* as in case files; NULL at the end */

/* Defaults, for blood at body temperature. Carreau-Yasuda: the Carreau model (a = 2) of Cho &
 * Kensey, Biorheology 28 (1991) 241. Casson: that of the lattice Boltzmann code HemeLB (K0 = 0.1937
 * Pa^1/2, K1 = 0.055 (Pa s)^1/2, at most 0.16 Pa s; CassonRheologyModel.h). */
#define HT_CARREAU_REST_PA_S 0.056
#define HT_CARREAU_HIGH_PA_S 0.00345
#define HT_CARREAU_TIME_S    3.313
#define HT_CARREAU_INDEX     0.3568
#define HT_CARREAU_EXPONENT  2.0
#define HT_CASSON_YIELD_PA   0.03751969
#define HT_CASSON_HIGH_PA_S  0.003025
#define HT_CASSON_REST_PA_S  0.16

typedef struct {
  ht_blood_model model;
  double carreau_rest_pa_s, carreau_high_pa_s; /* at no shear, and in its limit at high shear */
  double carreau_time_s;                       /* lambda: thinning begins at a rate of 1 / lambda */
  double carreau_index;   /* n: the shear stress grows as rate^n; 1: Newtonian */
  double carreau_yasuda;  /* a: how sharply it begins */
  double casson_yield_pa; /* stress below which it is (nearly) at rest */
  double casson_high_pa_s;
  double casson_rest_pa_s; /* at no shear, in place of infinity */
  double eddies;           /* Smagorinsky's constant Cs of a large-eddy simulation; 0: none */
} ht_blood;

void ht_blood_defaults(ht_blood *blood);

/* The allowed range of each number, in its unit. The case file's table has the same ranges. */
typedef struct {
  ht_range carreau_rest_pa_s, carreau_high_pa_s, carreau_time_s, carreau_index, carreau_yasuda;
  ht_range casson_yield_pa, casson_high_pa_s, casson_rest_pa_s;
  ht_range eddies;
} ht_blood_ranges;
extern const ht_blood_ranges ht_blood_allowed;

/* Each number in its range, and no viscosity at rest below that at high shear. HT_ERR_CASE. */
ht_status ht_blood_check(const ht_blood *blood);

/* The law of ht_blood as kinematic viscosity over shear rate g = sqrt(2 S:S), S the strain rate, in
 * any consistent units: lattice units in ht_lattice_setup.
 *   Newtonian        nu = high
 *   Carreau-Yasuda   nu = high + (rest - high) (1 + (time g)^yasuda)^((index - 1) / yasuda)
 *   Casson           sqrt(nu) = sqrt(high) + sqrt(yield / g) (1 - exp(-sqrt(growth g)))
 * (Casson, in: Rheology of Disperse Systems, Pergamon (1959) 84; made finite at rest as
 * Papanastasiou did, J. Rheol. 31 (1987) 385, growth = (sqrt(rest) - sqrt(high))^2 / yield) plus
 * Cs^2 max(0, dx^2 g - 5 nu) with eddies: Smagorinsky's eddy viscosity (Mon. Weather Rev. 91 (1963)
 * 99) where the strain's Reynolds number of a cell, dx^2 g / nu, is above 5. A laminar flow that
 * the lattice resolves stays below, and has none. dx = 1: lattice units, or eddies = 0. */
typedef struct {
  ht_blood_model model;
  double high, rest;
  double time, index, yasuda;
  double yield;  /* stress / density */
  double eddies; /* Cs */
} ht_viscosity_law;

/* Returns the law in lattice units; `newtonian_pa_s` is the viscosity of the Newtonian model. */
ht_viscosity_law ht_blood_law(const ht_blood *blood, double newtonian_pa_s, const ht_units *units);

double ht_viscosity(const ht_viscosity_law *law, double shear_rate); /* with that of eddies */

/* Tells whether the viscosity is the same at every shear rate; else 0. */
int ht_viscosity_is_constant(const ht_viscosity_law *law);

/* Least and largest viscosity that blood can have, without that of eddies. */
void ht_blood_range(const ht_blood *blood, double newtonian_pa_s, double *least_pa_s,
                    double *most_pa_s);

#ifdef __cplusplus
}
#endif
#endif
