/* Shear-thinning blood through the driver: its time step, and the pressure drop of a
 * pipe.
 */
#include "tests/check.h"
#include "tests/solver/common/pipe_domain.h"
#include "validation/known/pipe_theory.h"
#include "solver/solver.h"
#include <string.h>

enum { ACROSS = 12 };
static const double spacing_mm = 0.25;

static void begin(double flow_ml_s, ht_domain *domain, ht_solver_options *options) {
  assert_int_equal(ht_pipe_domain(ACROSS, 3 * ACROSS, 0, 1, spacing_mm, flow_ml_s, domain), HT_OK);
  ht_solver_defaults(options);
  options->device = HT_DEVICE_CPU;
  options->threads = 1;
}

/* The time step makes the relaxation time at rest at most 1; a law that would leave less than 0.502
 * at high shear is refused. */
static void test_time_step(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_solver_options options;
  ht_units units;
  ht_flow_stats stats;
  begin(0.02, &domain, &options);
  assert_int_equal(ht_solver_plan(&domain, &options, &units, &stats), HT_OK);
  double reynolds = stats.reynolds;
  options.blood.model = HT_CARREAU_YASUDA;
  assert_int_equal(ht_solver_plan(&domain, &options, &units, &stats), HT_OK);
  assert_near(ht_units_tau(&units, HT_CARREAU_REST_PA_S), 1, 1e-12);
  assert_near(stats.tau - 0.5, 0.5 * HT_CARREAU_HIGH_PA_S / HT_CARREAU_REST_PA_S, 1e-12);
  assert_near(stats.reynolds / reynolds, 0.0035 / HT_CARREAU_HIGH_PA_S, 1e-12);
  options.blood.carreau_rest_pa_s = 1;
  assert_int_equal(ht_solver_plan(&domain, &options, &units, &stats), HT_ERR_UNSTABLE);
  assert_non_null(strstr(ht_error_message(), "viscosity at rest"));
  options.blood.carreau_rest_pa_s = 0.002;
  assert_int_equal(ht_solver_plan(&domain, &options, &units, &stats), HT_ERR_CASE);
  ht_domain_free(&domain);
}

/* ---- a pipe ---- */

/* Mean pressure of the section at x. */
static double section_pa(const ht_flow *flow, int x) {
  const int *dim = flow->grid.dim;
  double sum = 0, count = 0;
  for (int64_t v = x; v < ht_grid_voxels(&flow->grid); v += dim[0]) {
    if (ht_flow_node(flow, v) < 0) continue;
    sum += flow->pressure_pa[ht_flow_node(flow, v)];
    count++;
  }
  return sum / count;
}

/* Returns the pressure drop downstream of the inlet, whose profile is that of Newtonian blood. */
static double drop_pa(ht_blood_model model, double flow_ml_s) {
  ht_domain domain;
  ht_tiling tiling;
  ht_solver_options options;
  ht_flow flow;
  ht_flow_stats stats;
  begin(flow_ml_s, &domain, &options);
  options.blood.model = model;
  assert_int_equal(ht_tiling_build(&domain.mask, NULL, &tiling), HT_OK);
  ht_status status = ht_solve(&domain, &tiling, &options, NULL, &flow, &stats);
  if (status != HT_OK) print_error("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
  assert_int_equal(flow.shear_thinning, model != HT_NEWTONIAN);
  double drop = section_pa(&flow, ACROSS) - section_pa(&flow, 5 * ACROSS / 2);
  ht_flow_free(&flow);
  ht_tiling_free(&tiling);
  ht_domain_free(&domain);
  return drop;
}

static double viscosity_at(const void *law, double rate) {
  return ht_viscosity(law, rate);
}

/* Flow of a round pipe whose wall has this stress: pi R^3 times the mean over the stress s from 0
 * to the wall's of (s / wall)^2 g(s) (Rabinowitsch, Z. phys. Chem. 145 (1929) 1). */
static double pipe_flow(const ht_viscosity_law *law, double radius, double wall) {
  enum { PIECES = 400 };
  double sum = 0;
  for (int i = 0; i < PIECES; i++) {
    double share = (i + 0.5) / PIECES;
    sum += share * share * ht_shear_rate(share * wall, viscosity_at, law) / PIECES;
  }
  return HT_PI * radius * radius * radius * sum;
}

/* Fall of the pressure a metre, in a pipe of this radius. */
static double gradient_pa_m(ht_blood_model model, double flow_m3_s, double radius) {
  const ht_units si = {1, 1, HT_BLOOD_DENSITY_KG_M3};
  double low = 0, high = 1; /* stress at the wall over density */
  ht_blood blood;
  ht_blood_defaults(&blood);
  blood.model = model;
  ht_viscosity_law law = ht_blood_law(&blood, HT_BLOOD_VISCOSITY_PA_S, &si);
  for (int i = 0; i < 60; i++) {
    double wall = 0.5 * (low + high);
    if (pipe_flow(&law, radius, wall) < flow_m3_s)
      low = wall;
    else
      high = wall;
  }
  return 2 * low * HT_BLOOD_DENSITY_KG_M3 / radius;
}

/* The staircase acts as a pipe of another radius, which the flow of Newtonian blood gives. */
static void test_pipe(void **unused) {
  (void)unused;
  const double flow_ml_s = 0.1, length_m = 1.5e-3 * ACROSS * spacing_mm;
  double newtonian = drop_pa(HT_NEWTONIAN, flow_ml_s) / length_m;
  double radius = pow(8 * HT_BLOOD_VISCOSITY_PA_S * 1e-6 * flow_ml_s / (HT_PI * newtonian), 0.25);
  print_message("radius %.4f of %.4f mm\n", 1e3 * radius, 0.5 * ACROSS * spacing_mm);
  assert_near(gradient_pa_m(HT_NEWTONIAN, 1e-6 * flow_ml_s, radius) / newtonian, 1, 1e-5);
  for (int model = HT_CARREAU_YASUDA; model <= HT_CASSON; model++) {
    double found = drop_pa((ht_blood_model)model, flow_ml_s) / length_m;
    double exact = gradient_pa_m((ht_blood_model)model, 1e-6 * flow_ml_s, radius);
    print_message("%s: %.2f Pa/m, exact %.2f (%.2f %%), %.2f times that of Newtonian blood\n",
                  ht_blood_words[model], found, exact, 100 * (found / exact - 1),
                  found / newtonian);
    assert_near(found / exact, 1, 0.015);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_time_step),
      cmocka_unit_test(test_pipe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
