/* Tubes as flow domains: volume, ports, position of a point. */
#include "tests/check.h"
#include "validation/runs/tube_domain.h"
#include "core/numbers/units.h"
#include <stdlib.h>

static double constant(const void *context, double along_mm) {
  (void)along_mm;
  return *(const double *)context;
}

/* 10 mm wide before the middle, 4 mm after it. */
static double step(const void *context, double along_mm) {
  return along_mm < *(const double *)context ? 5 : 2;
}

static ht_tube_shape make_tube(double degrees, double radius_of(const void *, double),
                               const double *context) {
  double turn = degrees * HT_PI / 180;
  return (ht_tube_shape){.direction = {sin(turn), 0, cos(turn)},
                         .length_mm = 40,
                         .extension_mm = 10,
                         .spacing_mm = 0.5,
                         .flow_ml_s = 1,
                         .most_radius_mm = 5,
                         .radius_mm = radius_of,
                         .context = context};
}

/* An oblique pipe between two parallel planes has the volume of a straight one of its length along
 * the axis: area * length. */
static void test_volume_and_ports(void **unused) {
  (void)unused;
  static const double degrees[] = {0, 17, 45, 60, 135, 180};
  const double radius = 5, exact = HT_PI * 25 * 40;
  for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
    ht_domain domain;
    const ht_tube_shape tube = make_tube(degrees[i], constant, &radius);
    assert_int_equal(ht_tube_domain(&tube, &domain), HT_OK);
    double volume = (double)ht_mask_count(&domain.mask) * 0.125;
    assert_near(volume / exact, 1, 0.04); /* a port's layer is half in, half out */
    assert_int_equal(domain.ports, 2);
    for (int p = 0; p < 2; p++) {
      const ht_port *port = &domain.port[p];
      double slant = port->direction[port->axis] * port->inward;
      assert_true(slant > 0.7);
      assert_near((double)port->nodes * 0.25 * slant / (HT_PI * 25), 1, 0.05);
      for (int64_t n = 0; n < port->nodes; n++) { /* fluid, with fluid inside of it */
        int at[3];
        assert_true(domain.mask.inside[port->node[n]] == HT_EXTENSION);
        ht_voxel_place(domain.mask.grid.dim, port->node[n], at);
        at[port->axis] += port->inward;
        assert_true(domain.mask.inside[ht_voxel_index(domain.mask.grid.dim, at)] != HT_SOLID);
      }
    }
    assert_int_equal(domain.port[0].opening.role, HT_ROLE_INLET);
    assert_int_equal(domain.port[1].opening.role, HT_ROLE_OUTLET);
    ht_domain_free(&domain);
  }
}

static void test_changing_radius(void **unused) {
  (void)unused;
  const double middle = 20;
  const ht_tube_shape tube = make_tube(180, step, &middle); /* the flow goes towards -z */
  ht_domain domain;
  assert_int_equal(ht_tube_domain(&tube, &domain), HT_OK);
  assert_true(domain.port[0].node[0] > domain.port[1].node[0]); /* the inlet lies higher */
  assert_true(domain.port[0].nodes > 4 * domain.port[1].nodes);
  double half = 0.5 * (domain.mask.grid.dim[2] - 1) * 0.5;
  double x = 0.5 * (domain.mask.grid.dim[0] - 1) * 0.5,
         y = 0.5 * (domain.mask.grid.dim[1] - 1) * 0.5;
  ht_tube_place place =
      ht_tube_locate(&tube, &domain.mask.grid, (double[3]){x + 3, y - 4, half - 7});
  assert_near(place.along_mm, 27, 1e-9);
  assert_near(place.off_mm, 5, 1e-9);
  ht_domain_free(&domain);
}

/* Exact in a pipe; positive in the fluid; in front of a step it is the distance from the face. */
static void test_distance(void **unused) {
  (void)unused;
  const double radius = 5, middle = 20.25;
  for (int kind = 0; kind < 2; kind++) {
    const ht_tube_shape tube =
        kind ? make_tube(0, step, &middle) : make_tube(30, constant, &radius);
    ht_domain domain;
    float *distance;
    assert_int_equal(ht_tube_domain(&tube, &domain), HT_OK);
    assert_int_equal(ht_tube_wall_distance(&tube, &domain, &distance), HT_OK);
    const ht_grid *grid = &domain.mask.grid;
    for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
      double point[3];
      ht_grid_voxel_position(grid, v, point);
      ht_tube_place place = ht_tube_locate(&tube, grid, point);
      if (domain.mask.inside[v]) assert_true(distance[v] > 0);
      if (place.along_mm < 8 || place.along_mm > 32) continue; /* the ends continue straight */
      double exact = (radius - place.off_mm) / tube.spacing_mm;
      if (kind && place.along_mm < middle && place.off_mm > 2)
        exact = fmin(exact, (middle - place.along_mm) / tube.spacing_mm);
      if ((kind && place.along_mm > middle) || fabs(exact) > 3.5) continue;
      assert_true(fabs(distance[v] - exact) < (kind ? 0.09 : 0.02)); /* a face: to a step */
    }
    free(distance);
    ht_domain_free(&domain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_volume_and_ports),
                                     cmocka_unit_test(test_changing_radius),
                                     cmocka_unit_test(test_distance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
