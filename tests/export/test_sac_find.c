/* The neck found from the centreline: of a ball on a tube, with and without a clear sac; the parent
 * vessel at the neck; the flow into it and the load on its wall, from fields with known integrals.
 */
#include "tests/check.h"
#include "export/sac/sac_flow.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60, NX = 100, NY = 56, NZ = 76, AXIS_Y = 28, AXIS_Z = 13 };
static const double spacing_mm = 0.2, tube = 9; /* voxels: radius */

typedef struct {
  double radius, above; /* of the ball and its height above the axis, voxels; radius 0: none */
  int is_stump;         /* a closed side branch in its place */
} bulge;

static int holds(const bulge *b, const double at[3]) {
  double across = hypot(at[0], at[1]);
  if (at[1] * at[1] + at[2] * at[2] < tube * tube) return 1;
  if (b->is_stump) return at[2] > 0 && at[2] < b->above && across < b->radius;
  return hypot(across, at[2] - b->above) < b->radius;
}

static void make_domain(const bulge *b, ht_domain *domain) {
  ht_grid grid = ht_grid_make(NX, NY, NZ);
  memset(domain, 0, sizeof *domain);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm;
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    const double from[3] = {at[0] - 0.5 * NX, at[1] - AXIS_Y, at[2] - AXIS_Z};
    int extension = at[0] < 6 || at[0] >= NX - 6;
    if (at[0] == 0 || at[0] == NX - 1 || !holds(b, from)) continue;
    domain->mask.inside[v] = extension ? HT_EXTENSION : HT_VESSEL;
  }
}

static void make_vessel(const bulge *b, ht_surface *surface) {
  ht_domain domain;
  make_domain(b, &domain);
  assert_int_equal(ht_surface_build(&domain, surface), HT_OK);
  ht_domain_free(&domain);
}

/* The straight axis, its sections mixed under the ball. */
static ht_vessel_path make_path(const bulge *b) {
  ht_vessel_path path = {.stations = N, .station = calloc(N, sizeof *path.station)};
  for (int s = 0; s < N; s++) {
    double x = 6 + (NX - 12) * (s + 0.5) / N;
    path.station[s] =
        (ht_station){.along_mm = (x - 6) * spacing_mm,
                     .centre_mm = {x * spacing_mm, AXIS_Y * spacing_mm, AXIS_Z * spacing_mm},
                     .direction = {1, 0, 0},
                     .area_mm2 = HT_PI * pow(tube * spacing_mm, 2),
                     .is_mixed = fabs(x - 0.5 * NX) < b->radius + 2};
    if (path.station[s].is_mixed) path.station[s].area_mm2 *= 3; /* of vessel and sac: no use */
  }
  return path;
}

static void find_beside(const bulge *b, const ht_openings *openings, ht_sac_mesh *sac,
                        ht_sac_search *search, ht_vessel_path *path, ht_surface *surface) {
  ht_surface_links links;
  make_vessel(b, surface);
  *path = make_path(b);
  assert_int_equal(ht_surface_links_make(surface, &links), HT_OK);
  const ht_sac_vessel vessel = {surface, &links, path, 1, openings, spacing_mm};
  assert_int_equal(ht_sac_find(&vessel, sac, search), HT_OK);
  ht_surface_links_free(&links);
}

static void find(const bulge *b, ht_sac_mesh *sac, ht_sac_search *search, ht_vessel_path *path,
                 ht_surface *surface) {
  find_beside(b, NULL, sac, search, path, surface);
}

/* Checks the same ball with an end of a branch on its top: closed as wall, or open elsewhere. */
static void test_closed_branch(void **unused) {
  (void)unused;
  const bulge b = {.radius = 18, .above = 22};
  for (int on_top = 0; on_top < 2; on_top++) {
    ht_openings openings = {.count = 1};
    double up = on_top ? b.above + b.radius : -tube;
    openings.item[0] = (ht_opening){.role = HT_ROLE_WALL, .radius_mm = 3 * spacing_mm};
    const double centre[3] = {0.5 * NX * spacing_mm, AXIS_Y * spacing_mm,
                              (AXIS_Z + up) * spacing_mm};
    memcpy(openings.item[0].centre_mm, centre, sizeof centre);
    ht_sac_mesh sac;
    ht_sac_search search;
    ht_vessel_path path;
    ht_surface surface;
    find_beside(&b, &openings, &sac, &search, &path, &surface);
    assert_int_equal(search.found, !on_top);
    ht_sac_mesh_free(&sac);
    ht_surface_free(&surface);
    ht_vessel_path_free(&path);
  }
}

/* Checks the angles of the sac with its neck turned by `neck` degrees and its length by `lean`
 * degrees, both about y from the tube's normal: they follow by hand. */
static void check_angles(ht_sac_mesh *sac, ht_sac_shape *shape, const ht_vessel_path *path,
                         double neck, double lean) {
  const double degree = HT_PI / 180;
  ht_sac_parent parent;
  for (int a = 0; a < 3; a++) sac->neck.normal[a] = shape->length_direction[a] = 0;
  sac->neck.normal[0] = sin(neck * degree), sac->neck.normal[2] = cos(neck * degree);
  shape->length_direction[0] = sin(lean * degree), shape->length_direction[2] = cos(lean * degree);
  ht_sac_parent_of(sac, shape, path, 1, &parent);
  assert_float_equal(parent.vessel_angle_deg, fabs(neck), 1e-6);
  assert_float_equal(parent.flow_angle_deg, 90 - lean, 1e-6);
  assert_float_equal(parent.inclination_angle_deg, 90 - fabs(lean - neck), 1e-6);
}

/* The plane lies a fifth of the tube's radius above its top. */
static void test_ball(void **unused) {
  (void)unused;
  const bulge b = {.radius = 18, .above = 22};
  ht_sac_mesh sac;
  ht_sac_search search;
  ht_vessel_path path;
  ht_surface surface;
  ht_sac_shape shape;
  ht_sac_parent parent;
  find(&b, &sac, &search, &path, &surface);
  print_message("%s\n", search.why);
  assert_int_equal(search.found, 1);
  assert_int_equal(search.others, 0);
  double height = sac.neck.origin_mm[2] / spacing_mm - AXIS_Z;
  print_message("neck %.2f voxels above the axis, normal %.4f %.4f %.4f\n", height,
                sac.neck.normal[0], sac.neck.normal[1], sac.neck.normal[2]);
  assert_near(height, 1.2 * tube, 0.2);
  assert_true(sac.neck.normal[2] > 0.999);
  assert_int_equal(ht_sac_measure(&sac, &shape), HT_OK);
  double h = (b.above + b.radius - height) * spacing_mm, r = b.radius * spacing_mm;
  double volume = HT_PI * h * h * (3 * r - h) / 3;
  print_message("volume %.2f of %.2f\n", shape.volume_mm3, volume);
  assert_near(shape.volume_mm3 / volume, 1, 0.02);
  ht_sac_parent_of(&sac, &shape, &path, 1, &parent);
  assert_true(parent.before >= 0 && parent.behind > parent.before);
  assert_int_equal(path.station[parent.before].is_mixed, 0);
  assert_near(parent.diameter_mm / (2 * tube * spacing_mm), 1, 0.02);
  assert_near(parent.size_ratio / (h / (2 * tube * spacing_mm)), 1, 0.02);
  assert_near(parent.vessel_angle_deg, 0, 2);
  assert_near(parent.flow_angle_deg, 90, 4);
  assert_near(parent.inclination_angle_deg, 90, 4);
  check_angles(&sac, &shape, &path, 30, 20);
  check_angles(&sac, &shape, &path, 15, -25); /* it leans upstream */
  ht_sac_mesh_free(&sac);
  ht_surface_free(&surface);
  ht_vessel_path_free(&path);
}

static void test_none(void **unused) {
  (void)unused;
  const bulge flat[] = {{0, 0, 0}, {12, 2, 0}, {6, 50, 1}}; /* a tube, a dent, a stump */
  for (int i = 0; i < 3; i++) {
    ht_sac_mesh sac;
    ht_sac_search search;
    ht_vessel_path path;
    ht_surface surface;
    find(&flat[i], &sac, &search, &path, &surface);
    print_message("%d: %s\n", i, search.why);
    assert_int_equal(search.found, 0);
    assert_true(search.why[0] != 0);
    assert_true(sac.points == 0 && !sac.point_mm);
    ht_sac_mesh_free(&sac);
    ht_surface_free(&surface);
    ht_vessel_path_free(&path);
  }
}

/* Checks the same bulge with a larger stated spacing: 9 and 11 nodes across the parent. */
static void test_too_coarse(void **unused) {
  (void)unused;
  const bulge b = {.radius = 18, .above = 22};
  for (int coarse = 0; coarse < 2; coarse++) {
    ht_surface surface;
    ht_surface_links links;
    ht_sac_mesh sac;
    ht_sac_search search;
    make_vessel(&b, &surface);
    ht_vessel_path path = make_path(&b);
    double said_mm = coarse ? 2 * tube * spacing_mm / 9 : 2 * tube * spacing_mm / 11;
    assert_int_equal(ht_surface_links_make(&surface, &links), HT_OK);
    const ht_sac_vessel vessel = {&surface, &links, &path, 1, NULL, said_mm};
    assert_int_equal(ht_sac_find(&vessel, &sac, &search), HT_OK);
    print_message("%d: %s\n", coarse, search.why);
    assert_int_equal(search.found, !coarse);
    assert_int_equal(strstr(search.why, "lattice nodes across its neck") != NULL, coarse);
    ht_sac_mesh_free(&sac);
    ht_surface_links_free(&links);
    ht_surface_free(&surface);
    ht_vessel_path_free(&path);
  }
}

static void test_no_path(void **unused) {
  (void)unused;
  const bulge b = {.radius = 18, .above = 22};
  ht_surface surface;
  ht_surface_links links;
  ht_sac_mesh sac;
  ht_sac_search search;
  make_vessel(&b, &surface);
  assert_int_equal(ht_surface_links_make(&surface, &links), HT_OK);
  const ht_sac_vessel vessel = {&surface, &links, NULL, 0, NULL, spacing_mm};
  assert_int_equal(ht_sac_find(&vessel, &sac, &search), HT_OK);
  assert_int_equal(search.found, 0);
  assert_true(search.why[0] != 0);
  ht_surface_links_free(&links);
  ht_surface_free(&surface);
}

/* ---- the flow ---- */

/* A flow of U along the vessel and slope x (1 - (rho / R)^2) into the sac, with rho the distance
 * from the ball's axis and R the neck's radius; a pressure that falls along x; a constant shear.
 * All numbers follow by hand. */
static const double axial_m_s = 0.2, slope_m_s_mm = 0.01, fall_pa_mm = 3, shear_pa = 0.5;

static void make_flow(const ht_domain *domain, double rim_mm, ht_flow *flow) {
  int64_t voxels = ht_grid_voxels(&domain->mask.grid);
  *flow = (ht_flow){.grid = domain->mask.grid, .viscosity_pa_s = 0.004, .density_kg_m3 = 1060};
  assert_int_equal(ht_node_map_of_mask(voxels, domain->mask.inside, &flow->node_of), HT_OK);
  flow->velocity_m_s = calloc((size_t)voxels * 3, sizeof(float));
  flow->pressure_pa = calloc((size_t)voxels, sizeof(float));
  flow->stress_pa = calloc((size_t)voxels * 6, sizeof(float));
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(flow->grid.dim, v, at);
    if (domain->mask.inside[v] == HT_SOLID) continue;
    double x_mm = (at[0] - 0.5 * NX) * spacing_mm;
    flow->velocity_m_s[3 * flow->nodes] = (float)axial_m_s;
    double across = hypot(x_mm, (at[1] - AXIS_Y) * spacing_mm) / rim_mm;
    flow->velocity_m_s[3 * flow->nodes + 2] =
        (float)(slope_m_s_mm * x_mm * fmax(0, 1 - across * across));
    flow->pressure_pa[flow->nodes] = (float)(-fall_pa_mm * x_mm);
    int is_vessel = domain->mask.inside[v] == HT_VESSEL; /* an extension does not count */
    flow->stress_pa[6 * flow->nodes + 3] = is_vessel ? (float)shear_pa : 100; /* xy */
    for (int i = 0; i < 3; i++) /* equal along all axes: does not dissipate */
      flow->stress_pa[6 * flow->nodes + i] = 0.3F;
    flow->nodes++;
  }
}

/* Replaces that flow by one that turns about a line across the vessel through the ball's middle. */
static void turn(const ht_domain *domain, const bulge *b, ht_flow *flow) {
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    int at[3];
    ht_voxel_place(flow->grid.dim, v, at);
    if (ht_flow_node(flow, v) < 0) continue;
    float *u = flow->velocity_m_s + 3 * ht_flow_node(flow, v);
    u[0] = (float)(0.01 * (at[2] - AXIS_Z - b->above - 0.1));
    u[1] = 0.05f;
    u[2] = (float)(-0.01 * (at[0] - 0.5 * NX - 0.1));
  }
}

/* The voxels of each section within 0.8 radii: the field does not end there. Their share of the
 * flow is that of the whole section. */
static void add_voxels(const ht_flow *flow, ht_vessel_path *path) {
  path->grid = flow->grid;
  path->first = calloc(N + 1, sizeof *path->first);
  path->voxel = calloc((size_t)N * NY * NZ, sizeof *path->voxel);
  path->normal = calloc(N, sizeof *path->normal);
  path->flow_first = calloc(N + 1, sizeof *path->flow_first);
  path->flow_voxel = calloc((size_t)N * NY * NZ, sizeof *path->flow_voxel);
  path->flow_mm2 = calloc((size_t)N * NY * NZ, sizeof *path->flow_mm2);
  for (int s = 0; s < N; s++) {
    int64_t count = path->first[s];
    int x = (int)lround(path->station[s].centre_mm[0] / spacing_mm);
    for (int z = 0; z < NZ; z++)
      for (int y = 0; y < NY; y++)
        if (hypot(y - AXIS_Y, z - AXIS_Z) < 0.8 * tube)
          path->voxel[count++] = ht_voxel_index(flow->grid.dim, (const int[3]){x, y, z});
    path->first[s + 1] = path->flow_first[s + 1] = count;
    memcpy(path->normal[s], path->station[s].direction, sizeof path->normal[s]);
    for (int64_t n = path->first[s]; n < count; n++) {
      path->flow_voxel[n] = path->voxel[n];
      path->flow_mm2[n] = (float)(path->station[s].area_mm2 / (double)(count - path->first[s]));
    }
  }
}

static void near(const char *what, double got, double wanted) {
  print_message("  %-24s %9.5g of %9.5g: %+.2f %%\n", what, got, wanted, 100 * (got / wanted - 1));
  if (!(fabs(got / wanted - 1) <= 0.02)) fail_msg("%s is %g, not %g", what, got, wanted);
}

static void check_flow(const ht_sac_flow *f, const ht_sac_shape *shape, double apart_mm) {
  double rim = 0.5 * shape->neck_width_mm, in = slope_m_s_mm * 4 * pow(rim, 3) / 15;
  double parent = axial_m_s * HT_PI * pow(tube * spacing_mm, 2);
  double dissipation = shear_pa * shear_pa / 0.004;
  near("inflow", f->inflow_ml_s, in);
  assert_near(f->neck_imbalance, 0, 0.02);
  near("parent's flow", f->parent_flow_ml_s, parent);
  near("share", f->inflow_share, in / parent);
  near("inflow area", f->inflow_area_mm2, 0.5 * shape->neck_area_mm2);
  near("inflow concentration", f->inflow_concentration, 2 * in / parent);
  near("turnover time", f->turnover_s, shape->volume_mm3 * 1e-3 / in);
  near("dissipation", f->dissipation_uw, dissipation * shape->volume_mm3 * 1e-3);
  near("dissipation's density", f->dissipation_w_m3, dissipation);
  near("dissipation ratio", f->dissipation_ratio, 1);
  near("energy loss", f->energy_loss_uw, parent * fall_pa_mm * apart_mm);
  near("pressure loss", f->pressure_loss_coefficient,
       fall_pa_mm * apart_mm / (0.5 * 1060 * axial_m_s * axial_m_s));
  assert_true(f->mean_speed_m_s > axial_m_s && f->highest_speed_m_s > f->mean_speed_m_s);
}

static void test_flow(void **unused) {
  (void)unused;
  const bulge b = {.radius = 18, .above = 22};
  ht_sac_mesh sac;
  ht_sac_search search;
  ht_vessel_path path;
  ht_surface surface;
  ht_sac_shape shape;
  ht_sac_parent parent;
  ht_sac_flow result;
  ht_domain domain;
  ht_flow flow;
  find(&b, &sac, &search, &path, &surface);
  assert_int_equal(ht_sac_measure(&sac, &shape), HT_OK);
  ht_sac_parent_of(&sac, &shape, &path, 1, &parent);
  make_domain(&b, &domain);
  make_flow(&domain, 0.5 * shape.neck_width_mm, &flow);
  add_voxels(&flow, &path);
  ht_sac_place place = {&sac, &shape, &parent, &path, &domain};
  assert_int_equal(ht_sac_flow_of(&place, &flow, &result), HT_OK);
  double apart_mm = spacing_mm * (round(path.station[parent.behind].centre_mm[0] / spacing_mm) -
                                  round(path.station[parent.before].centre_mm[0] / spacing_mm));
  check_flow(&result, &shape, apart_mm);
  assert_float_equal(result.core_length_mm, 0, 0); /* nothing turns */
  turn(&domain, &b, &flow);
  assert_int_equal(ht_sac_flow_of(&place, &flow, &result), HT_OK);
  print_message("core %.3f mm of %.3f\n", result.core_length_mm, 2 * b.radius * spacing_mm);
  assert_true(result.core_length_mm <= 2 * b.radius * spacing_mm); /* to the last whole cube */
  assert_true(result.core_length_mm > (2 * b.radius - 4) * spacing_mm);
  flow.shear_thinning = 1; /* the stress does not tell the viscosity */
  place.path = NULL;
  assert_int_equal(ht_sac_flow_of(&place, &flow, &result), HT_OK);
  assert_true(isnan(result.dissipation_uw) && isnan(result.dissipation_ratio));
  assert_true(isnan(result.parent_flow_ml_s) && isnan(result.energy_loss_uw));
  ht_flow_free(&flow);
  ht_domain_free(&domain);
  ht_sac_mesh_free(&sac);
  ht_surface_free(&surface);
  ht_vessel_path_free(&path);
}

/* ---- the load ---- */

/* The stress: 2 Pa on the vessel; on the sac by the share of its height, not below 0. */
static double wss_at(double share) {
  return fmax(0, 2 + 3 * sin(2 * HT_PI * share + 0.3));
}

/* Area and force of the part of a ball whose stress is between two limits; its area is proportional
 * to the height. */
static void mean_between(double low, double high, double *area, double *force) {
  enum { STEPS = 20000 };
  *area = *force = 0;
  for (int i = 0; i < STEPS; i++) {
    double wss = wss_at((i + 0.5) / STEPS);
    if (!(wss >= low && wss < high)) continue;
    *area += 1.0 / STEPS;
    *force += wss / STEPS;
  }
}

static void test_load(void **unused) {
  (void)unused;
  const bulge b = {.radius = 18, .above = 22};
  ht_sac_mesh sac;
  ht_sac_search search;
  ht_vessel_path path;
  ht_surface surface;
  ht_sac_shape shape;
  ht_sac_load load;
  find(&b, &sac, &search, &path, &surface);
  assert_int_equal(ht_sac_measure(&sac, &shape), HT_OK);
  float *wss = calloc((size_t)surface.points, sizeof *wss);
  float *osi = calloc((size_t)surface.points, sizeof *osi);
  double height_mm = (AXIS_Z + b.above + b.radius) * spacing_mm - sac.neck.origin_mm[2];
  for (int64_t p = 0; p < surface.points; p++) {
    double t = (surface.point_mm[3 * p + 2] - sac.neck.origin_mm[2]) / height_mm;
    wss[p] = (float)(sac.in_sac[p] ? wss_at(t) : 2);
    osi[p] = sac.in_sac[p] ? 0.3f : 0;
  }
  ht_sac_load_of(&surface, &sac, 100, &(ht_sac_values){wss, osi, NULL}, &load);
  double area, mean, low_area, low_force, high_area, high_force, tenth, unused_force;
  mean_between(0, 10, &area, &mean);
  mean_between(0, 2, &low_area, &low_force);
  mean_between(2, 10, &high_area, &high_force);
  mean_between(0, 0.2, &tenth, &unused_force);
  near("mean", load.mean_pa, mean);
  near("max", load.max_pa, 5);
  near("parent's mean", load.parent_mean_pa, 2);
  assert_true(load.parent_deviation_pa < 0.02);
  near("mean over parent", load.normalised_mean, mean / 2);
  near("max over parent", load.normalised_max, 2.5);
  near("below a tenth", load.low_area_percent, 100 * tenth);
  near("low", load.low_shear_percent, 100 * low_area);
  near("low shear index", load.low_shear_index, low_force / mean * low_area);
  near("shear concentration", load.shear_concentration, high_force / mean / high_area);
  near("OSI", load.osi_mean, 0.3);
  assert_true(isnan(load.rrt_mean_per_pa));
  for (int64_t p = 0; p < surface.points; p++) osi[p] = sac.in_sac[p] ? 0.7f : 1.4f;
  /* A case without a near parent. */
  ht_sac_load_of(&surface, &sac, 0, &(ht_sac_values){wss, osi, NULL}, &load);
  assert_true(isnan(load.parent_mean_pa) && isnan(load.parent_deviation_pa));
  assert_true(isnan(load.normalised_mean) && isnan(load.low_shear_percent) && load.mean_pa > 0);
  ht_sac_load_of(&surface, &sac, 100, &(ht_sac_values){wss, NULL, osi}, &load);
  near("RRT", load.rrt_mean_per_pa, 0.7);
  free(wss);
  free(osi);
  ht_sac_mesh_free(&sac);
  ht_surface_free(&surface);
  ht_vessel_path_free(&path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),    cmocka_unit_test(test_closed_branch),
      cmocka_unit_test(test_none),    cmocka_unit_test(test_too_coarse),
      cmocka_unit_test(test_no_path), cmocka_unit_test(test_flow),
      cmocka_unit_test(test_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
