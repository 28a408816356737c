#include "solver/kernels/blood.h"
#include <math.h>
#include <stddef.h>

const char *const ht_blood_words[] = {"newtonian", "carreau-yasuda", "casson", NULL};

void ht_blood_defaults(ht_blood *blood) {
  *blood = (ht_blood){.model = HT_NEWTONIAN,
                      .carreau_rest_pa_s = HT_CARREAU_REST_PA_S,
                      .carreau_high_pa_s = HT_CARREAU_HIGH_PA_S,
                      .carreau_time_s = HT_CARREAU_TIME_S,
                      .carreau_index = HT_CARREAU_INDEX,
                      .carreau_yasuda = HT_CARREAU_EXPONENT,
                      .casson_yield_pa = HT_CASSON_YIELD_PA,
                      .casson_high_pa_s = HT_CASSON_HIGH_PA_S,
                      .casson_rest_pa_s = HT_CASSON_REST_PA_S};
}

static ht_status above(const char *rest, double rest_pa_s, const char *high, double high_pa_s) {
  if (rest_pa_s >= high_pa_s) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s (%g) is below %s (%g): blood is thicker at rest; give it a larger one", rest,
                 rest_pa_s, high, high_pa_s);
}

const ht_blood_ranges ht_blood_allowed = {.carreau_rest_pa_s = {5e-4, 1, 0},
                                          .carreau_high_pa_s = {5e-4, 0.05, 0},
                                          .carreau_time_s = {0, 1000, 0},
                                          .carreau_index = {0.05, 1, 0},
                                          .carreau_yasuda = {0.1, 10, 0},
                                          .casson_yield_pa = {0, 1, 0},
                                          .casson_high_pa_s = {5e-4, 0.05, 0},
                                          .casson_rest_pa_s = {5e-4, 1, 0},
                                          .eddies = {0, 0.3, 0}};

ht_status ht_blood_check(const ht_blood *blood) {
  const ht_blood_ranges *allowed = &ht_blood_allowed;
  HT_TRY(ht_check_range("eddies", blood->eddies, &allowed->eddies));
  HT_TRY(
      ht_check_range("carreau_high_pa_s", blood->carreau_high_pa_s, &allowed->carreau_high_pa_s));
  HT_TRY(
      ht_check_range("carreau_rest_pa_s", blood->carreau_rest_pa_s, &allowed->carreau_rest_pa_s));
  HT_TRY(ht_check_range("carreau_time_s", blood->carreau_time_s, &allowed->carreau_time_s));
  HT_TRY(ht_check_range("carreau_index", blood->carreau_index, &allowed->carreau_index));
  HT_TRY(ht_check_range("carreau_yasuda", blood->carreau_yasuda, &allowed->carreau_yasuda));
  HT_TRY(ht_check_range("casson_yield_pa", blood->casson_yield_pa, &allowed->casson_yield_pa));
  HT_TRY(ht_check_range("casson_high_pa_s", blood->casson_high_pa_s, &allowed->casson_high_pa_s));
  HT_TRY(ht_check_range("casson_rest_pa_s", blood->casson_rest_pa_s, &allowed->casson_rest_pa_s));
  HT_TRY(above("carreau_rest_pa_s", blood->carreau_rest_pa_s, "carreau_high_pa_s",
               blood->carreau_high_pa_s));
  return above("casson_rest_pa_s", blood->casson_rest_pa_s, "casson_high_pa_s",
               blood->casson_high_pa_s);
}

void ht_blood_range(const ht_blood *blood, double newtonian_pa_s, double *least_pa_s,
                    double *most_pa_s) {
  *least_pa_s = *most_pa_s = newtonian_pa_s;
  if (blood->model == HT_CARREAU_YASUDA) {
    *least_pa_s = blood->carreau_high_pa_s;
    *most_pa_s = blood->carreau_rest_pa_s;
  } else if (blood->model == HT_CASSON) {
    *least_pa_s = blood->casson_high_pa_s;
    *most_pa_s = blood->casson_rest_pa_s;
  }
}

ht_viscosity_law ht_blood_law(const ht_blood *blood, double newtonian_pa_s, const ht_units *units) {
  double least_pa_s, most_pa_s, speed_m_s = units->dx_m / units->dt_s;
  double to_lu = 1 / (units->density_kg_m3 * speed_m_s * units->dx_m);
  ht_blood_range(blood, newtonian_pa_s, &least_pa_s, &most_pa_s);
  return (ht_viscosity_law){.model = blood->model,
                            .high = least_pa_s * to_lu,
                            .rest = most_pa_s * to_lu,
                            .time = blood->carreau_time_s / units->dt_s,
                            .index = blood->carreau_index,
                            .yasuda = blood->carreau_yasuda,
                            .yield = blood->casson_yield_pa /
                                     (units->density_kg_m3 * speed_m_s * speed_m_s),
                            .eddies = blood->eddies};
}

static double carreau(const ht_viscosity_law *law, double rate) {
  double thinning = pow(1 + pow(law->time * rate, law->yasuda), (law->index - 1) / law->yasuda);
  return law->high + (law->rest - law->high) * thinning;
}

/* sqrt(yield / g) (1 - exp(-sqrt(growth g))) without a division by 0. */
static double casson(const ht_viscosity_law *law, double rate) {
  if (!(law->yield > 0)) return law->high;
  double most = sqrt(law->rest) - sqrt(law->high); /* sqrt(yield growth) */
  double s = most * sqrt(rate / law->yield);       /* sqrt(growth g) */
  double root = sqrt(law->high) + (s > 0 ? most * -expm1(-s) / s : most);
  return root * root;
}

/* Strain rate over viscosity, of a cell, from which on there are eddies. */
static const double least_cell_strain = 5;

double ht_viscosity(const ht_viscosity_law *law, double shear_rate) {
  double blood = law->model == HT_CARREAU_YASUDA ? carreau(law, shear_rate)
                 : law->model == HT_CASSON       ? casson(law, shear_rate)
                                                 : law->high;
  return blood + law->eddies * law->eddies * fmax(0, shear_rate - least_cell_strain * blood);
}

int ht_viscosity_is_constant(const ht_viscosity_law *law) {
  return law->model == HT_NEWTONIAN && !(law->eddies > 0);
}
