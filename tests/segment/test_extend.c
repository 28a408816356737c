/* The flow domain: extensions and ports, on tubes at all angles and random vessels. */
#include "tests/check.h"
#include "segment/openings/border.h"
#include "tests/segment/domain_checks.h"
#include "segment/domain/extend.h"
#include "solver/solver.h"
#include "tests/segment/tube_mask.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

static const double spacing_mm = 0.4; /* of ht_tube_grid */

/* A mask, its openings and the domain made of them. */
typedef struct {
  ht_mask mask;
  ht_openings openings;
  ht_domain domain;
} vessel;

static vessel vessel_of(const ht_grid *grid, const ht_tube *tubes, int count) {
  vessel v;
  int ignored;
  memset(&v, 0, sizeof v);
  v.mask = ht_tube_mask(grid, tubes, count);
  ht_assert_ok(ht_openings_at_border(&v.mask, &v.openings, &ignored));
  return v;
}

static ht_status extend(vessel *v, double diameters) {
  ht_extend_options options = {.inlet_diameters = diameters, .outlet_diameters = diameters};
  ht_assert_ok(ht_openings_assign(&v->openings));
  return ht_domain_build(&v->mask, &v->openings, &options, &v->domain);
}

static void vessel_free(vessel *v) {
  ht_mask_free(&v->mask);
  ht_domain_free(&v->domain);
}

static vessel one_tube(const int dim[3], const double middle[3], const double direction[3],
                       double radius, double diameters) {
  ht_grid grid = ht_tube_grid(dim[0], dim[1], dim[2]);
  ht_tube tube = ht_tube_through(middle, direction, radius);
  vessel v = vessel_of(&grid, &tube, 1);
  ht_assert_ok(extend(&v, diameters));
  ht_check_domain(&v.mask, &v.domain);
  return v;
}

/* ---- shape ---- */

/* Layers from the first whole one to the port, and how well they keep the section. */
typedef struct {
  int layers;
  int64_t least, most;
  double off_axis; /* largest distance of a layer's centroid from the opening's centreline */
  double length;   /* along the centreline from the cut plane to the port, voxels */
} extension_shape;

enum { LAYERS_MAX = 256 };

/* Counts the extension's voxels by their depth from the port, and adds up their indices. */
static void sum_layers(const ht_domain *domain, int p, int64_t count[LAYERS_MAX],
                       double sum[LAYERS_MAX][3]) {
  const ht_port *port = &domain->port[p];
  const int *dim = domain->mask.grid.dim;
  const int64_t stride[3] = {1, dim[0], (int64_t)dim[0] * dim[1]};
  int *mark = ht_extension_marks(domain, p), axis = port->axis;
  int plane = (int)(port->node[0] / stride[axis] % dim[axis]);
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    if (!mark[v]) continue;
    int at[3];
    ht_voxel_place(dim, v, at);
    int depth = (at[axis] - plane) * port->inward;
    assert_true(depth >= 0 && depth < LAYERS_MAX);
    count[depth]++;
    for (int a = 0; a < 3; a++) sum[depth][a] += at[a];
  }
  free(mark);
}

static double off_centreline(const ht_domain *domain, int p, const double at[3], double *along) {
  const ht_opening *opening = &domain->port[p].opening;
  double mm[3], off[3], out = 0, size = 0;
  ht_grid_position(&domain->mask.grid, at, mm);
  for (int r = 0; r < 3; r++) {
    off[r] = mm[r] - opening->centre_mm[r];
    out += off[r] * opening->direction[r];
    size += off[r] * off[r];
  }
  *along = out / spacing_mm;
  return sqrt(fmax(0, size - out * out)) / spacing_mm;
}

/* `layers` are whole. */
static extension_shape measure(const ht_domain *domain, int p, int layers) {
  extension_shape shape = {.layers = layers, .least = INT64_MAX};
  int64_t count[LAYERS_MAX] = {0};
  double sum[LAYERS_MAX][3] = {{0}}, along;
  sum_layers(domain, p, count, sum);
  for (int depth = 0; depth < layers; depth++) {
    for (int a = 0; a < 3; a++) sum[depth][a] /= (double)count[depth];
    if (count[depth] < shape.least) shape.least = count[depth];
    if (count[depth] > shape.most) shape.most = count[depth];
    if (depth == 0) continue; /* the straight copy of the layer before */
    double off = off_centreline(domain, p, sum[depth], &along);
    if (depth == 1)
      shape.length = along + 1 / fabs(domain->port[p].direction[domain->port[p].axis]);
    if (off > shape.off_axis) shape.off_axis = off;
  }
  return shape;
}

static void test_straight_tubes(void **unused) {
  (void)unused;
  for (int axis = 0; axis < 3; axis++) {
    double along[3] = {axis == 0, axis == 1, axis == 2};
    vessel v = one_tube((int[3]){40, 41, 42}, (double[3]){20.3, 20.1, 20.4}, along, 8, 1);
    assert_int_equal(v.domain.ports, 2);
    assert_int_equal(v.domain.port[0].inward + v.domain.port[1].inward, 0);
    for (int p = 0; p < 2; p++) {
      const ht_port *port = &v.domain.port[p];
      assert_int_equal(port->axis, axis);
      assert_near((double)port->nodes / (HT_PI * 64), 1, 0.03);
      extension_shape shape = measure(&v.domain, p, 16);
      assert_int_equal(shape.least, shape.most);
      assert_int_equal(ht_extension_voxels(&v.domain, p), port->nodes * lround(shape.length));
      assert_true(shape.length >= 2 * port->opening.radius_mm / spacing_mm - 0.03);
      assert_true(shape.length < 2 * port->opening.radius_mm / spacing_mm + 1);
    }
    vessel_free(&v);
  }
}

/* One outlet of a tube gets another length than the other end. */
static void test_a_length_of_its_own(void **unused) {
  (void)unused;
  const double diameters[] = {1, 3};
  ht_grid grid = ht_tube_grid(30, 30, 30);
  ht_tube tube = ht_tube_through((double[3]){15, 15, 15}, (double[3]){0, 1, 0}, 6);
  vessel v = vessel_of(&grid, &tube, 1);
  ht_extend_options options = {.inlet_diameters = 1, .diameters = diameters};
  ht_assert_ok(ht_openings_assign(&v.openings));
  ht_assert_ok(ht_domain_build(&v.mask, &v.openings, &options, &v.domain));
  for (int p = 0; p < 2; p++) {
    double layers =
        (double)ht_extension_voxels(&v.domain, p) / (double)v.domain.port[p].nodes * spacing_mm;
    double asked = diameters[p] * 2 * v.domain.port[p].opening.radius_mm;
    assert_true(layers >= asked - 0.03 * spacing_mm && layers < asked + spacing_mm);
  }
  vessel_free(&v);
}

/* Two layers are required where no extension is requested. */
static void test_shortest(void **unused) {
  (void)unused;
  vessel v = one_tube((int[3]){30, 30, 30}, (double[3]){15, 15, 15}, (double[3]){0, 1, 0}, 6, 0);
  for (int p = 0; p < 2; p++)
    assert_int_equal(ht_extension_voxels(&v.domain, p), 2 * v.domain.port[p].nodes);
  vessel_free(&v);
}

/* Area and shape of an oblique extension stay from layer to layer: area within 3 %, volume = area *
 * length within 3 %, the middle on the centreline within a voxel's rounding. */
static void check_oblique(double degrees, double azimuth, double radius, int axis) {
  double tilt = degrees * HT_PI / 180, along[3], middle[3] = {50, 50, 50};
  int dim[3] = {100, 100, 100};
  along[(axis + 1) % 3] = sin(tilt) * cos(azimuth);
  along[(axis + 2) % 3] = sin(tilt) * sin(azimuth);
  along[axis] = cos(tilt);
  dim[axis] = 30;
  middle[axis] = 15;
  vessel v = one_tube(dim, middle, along, radius, 1.5);
  assert_int_equal(v.domain.ports, 2);
  for (int p = 0; p < 2; p++) {
    const ht_port *port = &v.domain.port[p];
    double asked = 1.5 * 2 * port->opening.radius_mm / spacing_mm;
    double slant = fabs(port->direction[axis]);
    int layers = (int)ceil(asked * slant - 0.02);
    assert_int_equal(port->axis, axis);
    extension_shape shape = measure(&v.domain, p, layers);
    assert_true(shape.most <= 1.03 * shape.least);
    assert_true(shape.off_axis < 0.5);
    assert_true(shape.length > asked - 0.1 && shape.length < asked + 1.5);
    double volume = ht_opening_plane_mm2(&port->opening) / pow(spacing_mm, 2) * layers;
    assert_near((double)ht_extension_voxels(&v.domain, p) / volume, 1, 0.03);
  }
  vessel_free(&v);
}

static void test_oblique_tubes(void **unused) {
  (void)unused;
  for (int axis = 0; axis < 3; axis++) {
    check_oblique(17, 0, 8, axis);
    check_oblique(30, 0.8, 9.5, axis);
    check_oblique(37, 2.2, 7.3, axis);
    check_oblique(45, 4.1, 8.8, axis);
    check_oblique(45, 0, 6, axis);
  }
}

/* Nearer to another axis than the face's: the port is across that axis and wholly outside. */
static void test_port_on_another_axis(void **unused) {
  (void)unused;
  double tilt = 55 * HT_PI / 180, along[3] = {sin(tilt), 0, cos(tilt)}, lps[3];
  ht_grid grid = ht_tube_grid(110, 50, 40);
  ht_tube tube = ht_tube_through((double[3]){55, 25, 20}, along, 8);
  vessel v = vessel_of(&grid, &tube, 1);
  ht_grid_to_lps(&grid, along, lps);
  for (int i = 0; i < 2; i++) {
    ht_opening *o = &v.openings.item[i];
    double sign = o->normal[0] * lps[0] + o->normal[1] * lps[1] + o->normal[2] * lps[2];
    double plane_mm2 = ht_opening_plane_mm2(o);
    for (int r = 0; r < 3; r++) o->direction[r] = sign > 0 ? lps[r] : -lps[r];
    ht_opening_set_plane_mm2(o, plane_mm2);
  }
  ht_assert_ok(extend(&v, 1));
  ht_check_domain(&v.mask, &v.domain);
  for (int p = 0; p < 2; p++) {
    const ht_port *port = &v.domain.port[p];
    assert_int_equal(port->axis, 0);
    assert_near((double)port->nodes * sin(tilt) / (HT_PI * 64), 1, 0.04);
  }
  vessel_free(&v);
}

static void test_y_branch(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(80, 50, 70);
  ht_tube y[3] = {{{40, 25, -20}, {40, 25, 30}, 8},
                  {{40, 25, 30}, {0, 20, 100}, 6},
                  {{40, 25, 30}, {75, 35, 100}, 5}};
  vessel v = vessel_of(&grid, y, 3);
  ht_assert_ok(extend(&v, 1));
  ht_check_domain(&v.mask, &v.domain);
  assert_int_equal(v.domain.ports, 3);
  assert_string_equal(v.domain.port[0].opening.name, "inlet");
  assert_string_equal(v.domain.port[2].opening.name, "outlet-2");
  vessel_free(&v);
}

/* A closed opening has no port, and solid before it. */
static void test_closed_opening(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(60, 40, 40);
  ht_tube t[2] = {{{-20, 20, 20}, {90, 20, 20}, 7}, {{30, 20, 20}, {30, 20, 90}, 5}};
  vessel v = vessel_of(&grid, t, 2);
  v.openings.item[2].role = HT_ROLE_WALL;
  ht_assert_ok(extend(&v, 1));
  ht_check_domain(&v.mask, &v.domain);
  assert_int_equal(v.domain.ports, 2);
  assert_true(v.domain.mask.grid.dim[2] == 40 + 2);
  vessel_free(&v);
}

static void test_tube_over_an_edge(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(50, 50, 40);
  ht_tube tubes[2] = {{{25, 25, 20}, {-40, -28, 20}, 7}, {{25, 25, 20}, {80, 25, 20}, 7}};
  vessel v = vessel_of(&grid, tubes, 2);
  assert_int_equal(v.openings.count, 2);
  ht_assert_ok(extend(&v, 1));
  ht_check_domain(&v.mask, &v.domain);
  vessel_free(&v);
}

/* ---- planes inside ---- */

/* A quarter bend, cut obliquely to every axis in its middle. */
static void test_cut_in_a_bend(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(90, 40, 90);
  ht_tube bend[24];
  for (int k = 0; k < 24; k++)
    for (int e = 0; e < 2; e++) {
      double turn = (k + e) * HT_PI / 48, *at = e ? bend[k].to : bend[k].from;
      at[0] = 10 + 60 * sin(turn), at[1] = 20 + 4 * sin(turn), at[2] = -10 + 60 * cos(turn) + 10;
      bend[k].radius = 8;
    }
  for (int a = 0; a < 3; a++) bend[0].from[a] -= a == 0 ? 30 : 0;
  vessel v = vessel_of(&grid, bend, 24);
  double turn = 0.7, mm[3], lps[3], normal[3] = {cos(turn), 4 / 60.0 * cos(turn), -sin(turn)};
  ht_opening cut;
  int ignored;
  ht_grid_position(&grid, (double[3]){10 + 60 * sin(turn), 21, 60 * cos(turn)}, mm);
  ht_grid_to_lps(&grid, normal, lps);
  ht_assert_ok(ht_openings_cut(&v.mask, mm, lps, 0, &cut));
  ht_assert_ok(ht_openings_at_border(&v.mask, &v.openings, &ignored));
  assert_int_equal(v.openings.count, 1);
  v.openings.item[v.openings.count++] = cut;
  ht_assert_ok(extend(&v, 1));
  ht_check_domain(&v.mask, &v.domain);
  assert_int_equal(v.domain.ports, 2);
  const ht_port *port = &v.domain.port[v.domain.port[0].opening.at_border ? 1 : 0];
  int p = (int)(port - v.domain.port);
  double slant = fabs(port->direction[port->axis]), area = cut.area_mm2 / pow(spacing_mm, 2);
  assert_near((double)port->nodes * slant / area, 1, 0.04);
  extension_shape shape = measure(&v.domain, p, 3);
  double length = shape.length + 0.5 / slant; /* the port's voxels end half a layer further on */
  assert_near((double)ht_extension_voxels(&v.domain, p) / (area * length), 1, 0.05);
  vessel_free(&v);
}

/* Any plane across a straight tube: the tube goes on as it was. */
static void test_cuts_at_all_angles(void **unused) {
  (void)unused;
  uint64_t seed = 5;
  double mean = 0;
  for (int k = 0; k < 40; k++) {
    double along[3], length = 0, mm[3], lps[3], sum = 0;
    for (int a = 0; a < 3; a++) along[a] = 2 * ht_test_random(&seed) - 1;
    for (int a = 0; a < 3; a++) length += along[a] * along[a];
    ht_grid grid = ht_tube_grid(50, 50, 50);
    ht_tube tube = ht_tube_through((double[3]){24.5, 24.5, 24.5}, along, 6);
    vessel v = {.mask = ht_tube_mask(&grid, &tube, 1)};
    for (int end = 0; end < 2; end++) {
      double at[3], normal[3];
      for (int a = 0; a < 3; a++) {
        normal[a] = (end ? -1 : 1) * along[a] / sqrt(length);
        at[a] = 24.5 + normal[a] * (8 + ht_test_random(&seed));
      }
      ht_grid_position(&grid, at, mm);
      ht_grid_to_lps(&grid, normal, lps);
      ht_assert_ok(ht_openings_cut(&v.mask, mm, lps, 0, &v.openings.item[end]));
      sum += v.openings.item[end].area_mm2;
    }
    v.openings.count = 2;
    ht_assert_ok(extend(&v, 1));
    ht_check_domain(&v.mask, &v.domain);
    mean += sum / 80;
    assert_near(sum / (2 * HT_PI * 36 * 0.16), 1, 0.04);
    for (int p = 0; p < 2; p++) {
      const ht_port *port = &v.domain.port[p];
      double slant = fabs(port->direction[port->axis]);
      assert_near((double)port->nodes * slant / (HT_PI * 36), 1, 0.06);
    }
    vessel_free(&v);
  }
  assert_near(mean / (HT_PI * 36 * 0.16), 1, 0.01); /* no bias */
}

/* ---- what is in the way ---- */

static void test_parallel_tubes_stay_apart(void **unused) {
  (void)unused;
  double along[3] = {0.5, 0, 1};
  ht_grid grid = ht_tube_grid(80, 30, 30);
  ht_tube tubes[3] = {ht_tube_through((double[3]){25, 15, 15}, along, 7),
                      ht_tube_through((double[3]){25 + 17 / cos(atan(0.5)), 15, 15}, along, 7),
                      {{20, 15, 15}, {45, 15, 15}, 4}};
  vessel v = vessel_of(&grid, tubes, 3);
  assert_int_equal(v.openings.count, 4);
  ht_assert_ok(extend(&v, 2));
  ht_check_domain(&v.mask, &v.domain);
  for (int p = 0; p < 4; p++) assert_true(measure(&v.domain, p, 2).length > 4 * 7 - 2);
  vessel_free(&v);
}

/* Two tubes that would meet outside: both are shortened alike and stay apart. */
static void test_converging_tubes_are_shortened(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(101, 40, 40);
  ht_tube tubes[3] = {{{20, 20, 10}, {65, 20, 100}, 6},
                      {{80, 20, 10}, {35, 20, 100}, 6},
                      {{20, 20, 10}, {80, 20, 10}, 6}};
  vessel v = vessel_of(&grid, tubes, 3);
  assert_int_equal(v.openings.count, 2);
  ht_assert_ok(extend(&v, 3));
  ht_check_domain(&v.mask, &v.domain);
  double length[2] = {measure(&v.domain, 0, 2).length, measure(&v.domain, 1, 2).length};
  assert_true(length[0] < 30 && length[0] > 10);
  assert_near(length[0], length[1], 2.5);
  vessel_free(&v);
}

/* Vessel directly before the opening, joined to it by a bar: refused, with both named. */
static void test_blocked(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(60, 40, 60);
  ht_tube tubes[2] = {{{15, 20, -30}, {15, 20, 100}, 6}, {{45, 20, 25}, {15, 20, 25}, 6}};
  vessel v = vessel_of(&grid, tubes, 2);
  double mm[3], lps[3];
  ht_opening *cut = &v.openings.item[v.openings.count++];
  ht_grid_position(&grid, (double[3]){35, 20, 25}, mm);
  ht_grid_to_lps(&grid, (double[3]){1, 0, 0}, lps);
  ht_assert_ok(ht_openings_cut(&v.mask, mm, lps, 0, cut));
  strcpy(cut->name, "side");
  for (int z = 20; z < 31; z++) /* something else, 2 voxels on */
    for (int y = 15; y < 26; y++) v.mask.inside[38 + 60 * (y + 40 * z)] = 1;
  for (int z = 31; z < 41; z++) v.mask.inside[38 + 60 * (20 + 40 * z)] = 1;
  for (int x = 15; x < 38; x++) v.mask.inside[x + 60 * (20 + 40 * 40)] = 1;
  assert_int_equal(extend(&v, 1), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "side"));
  assert_null(v.domain.mask.inside);
  cut->role = HT_ROLE_WALL;
  ht_assert_ok(extend(&v, 1));
  ht_check_domain(&v.mask, &v.domain);
  vessel_free(&v);
}

static void test_refusals(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(40, 20, 30);
  ht_tube tubes[2] = {{{10, 10, -9}, {10, 10, 50}, 5}, {{28, 10, 12}, {28, 10, 50}, 4}};
  vessel v = vessel_of(&grid, tubes, 2);
  assert_int_equal(extend(&v, 1), HT_ERR_OPENINGS); /* outlet-2 is of another piece */
  assert_non_null(strstr(ht_error_message(), "outlet-2"));
  v.openings.item[2].role = HT_ROLE_WALL;
  v.openings.item[1].centre_mm[0] += 30; /* no vessel there */
  assert_int_equal(extend(&v, 1), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "no vessel"));
  v.openings.item[1].centre_mm[0] -= 30;
  v.openings.item[1].area_mm2 *= 3; /* not what it was measured on */
  assert_int_equal(extend(&v, 1), HT_ERR_OPENINGS);
  v.openings.item[1].area_mm2 /= 3;
  v.mask.grid.spacing_mm[2] = 0.5;
  assert_int_equal(extend(&v, 1), HT_ERR_FORMAT);
  v.mask.grid.spacing_mm[2] = 0.4;
  ht_assert_ok(extend(&v, 1)); /* the other piece is dropped */
  ht_check_domain(&v.mask, &v.domain);
  vessel_free(&v);
}

/* Hairs on the vessel do not become extensions. */
static void test_spikes_are_cleaned(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(40, 40, 20);
  ht_tube tube = ht_tube_through((double[3]){20, 20, 10}, (double[3]){0, 0, 1}, 6.5);
  vessel plain = vessel_of(&grid, &tube, 1), v = plain;
  int ignored;
  ht_assert_ok(extend(&plain, 1));
  v.mask = ht_tube_mask(&grid, &tube, 1);
  for (int z = 0; z < 20; z++)
    for (int x = 26; x < 34; x++) v.mask.inside[x + 40 * (20 + 40 * z)] = 1;
  ht_assert_ok(ht_openings_at_border(&v.mask, &v.openings, &ignored));
  ht_assert_ok(extend(&v, 1));
  ht_check_domain(&v.mask, &v.domain);
  assert_int_equal(v.domain.port[0].nodes, plain.domain.port[0].nodes);
  vessel_free(&plain);
  vessel_free(&v);
}

/* ---- random vessels ---- */

static vessel random_vessel(uint64_t *seed) {
  ht_tube tubes[6];
  double middle[3], kind = ht_test_random(seed);
  int count = 2 + (int)(5 * ht_test_random(seed));
  ht_grid grid = ht_tube_grid(40 + (int)(20 * ht_test_random(seed)), 50, 45);
  for (int a = 0; a < 3; a++) middle[a] = grid.dim[a] * (0.35 + 0.3 * ht_test_random(seed));
  for (int k = 0; k < count; k++) {
    double to[3];
    for (int a = 0; a < 3; a++) {
      to[a] = middle[a] + 150 * (ht_test_random(seed) - 0.5);
      if (kind < 0.2) to[a] = middle[a] + (a == k % 3 ? 150 * (k % 2 ? 1 : -1) : 0);
    }
    memcpy(tubes[k].from, middle, sizeof middle);
    memcpy(tubes[k].to, to, sizeof to);
    tubes[k].radius = 2.5 + 4.5 * ht_test_random(seed);
  }
  return vessel_of(&grid, tubes, count);
}

static void test_random_vessels(void **unused) {
  (void)unused;
  uint64_t seed = 11;
  int built = 0, refused = 0, ports = 0;
  for (int k = 0; k < 300; k++) {
    vessel v = random_vessel(&seed);
    if (v.openings.count >= 2) {
      ht_status status = extend(&v, 0.5 + 1.5 * ht_test_random(&seed));
      if (status == HT_OK) {
        ht_check_domain(&v.mask, &v.domain);
        built++;
        ports += v.domain.ports;
      } else {
        assert_int_equal(status, HT_ERR_OPENINGS);
        refused++;
      }
    }
    vessel_free(&v);
  }
  print_message("%d built with %d ports, %d refused\n", built, ports, refused);
  assert_true(built > 250 && ports > 900 && refused == 0);
}

/* ---- symmetry, and the solver ---- */

/* A vessel along other axes gives the same numbers of nodes everywhere. */
static void test_symmetries(void **unused) {
  (void)unused;
  int64_t expected[4] = {0};
  for (int k = 0; k < 48; k++) {
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const double ends[3][3] = {{20, -9, -27}, {-13, 8, 40}, {-43, -18, 1}};
    const double radius[3] = {6.2, 5.1, 4.3};
    const int *order = orders[k / 8];
    ht_tube tubes[3];
    ht_grid grid = ht_tube_grid(41, 41, 41);
    for (int t = 0; t < 3; t++) {
      tubes[t].radius = radius[t];
      for (int a = 0; a < 3; a++) {
        tubes[t].from[a] = 20;
        tubes[t].to[a] = 20 + ((k >> a) & 1 ? -2 : 2) * ends[t][order[a]];
      }
    }
    vessel v = vessel_of(&grid, tubes, 3);
    ht_assert_ok(extend(&v, 1));
    ht_check_domain(&v.mask, &v.domain);
    int64_t counts[4] = {ht_mask_count(&v.domain.mask)};
    assert_int_equal(v.domain.ports, 3);
    for (int p = 0; p < 3; p++) counts[p + 1] = v.domain.port[p].nodes;
    if (k == 0) memcpy(expected, counts, sizeof counts);
    assert_memory_equal(counts, expected, sizeof counts);
    vessel_free(&v);
  }
}

/* The domain can be run: the flow gets through, and nothing is lost on the way. */
static void test_the_solver_takes_it(void **unused) {
  (void)unused;
  vessel v = one_tube((int[3]){50, 30, 30}, (double[3]){25, 15, 15},
                      (double[3]){sin(HT_PI / 6), 0, cos(HT_PI / 6)}, 5, 1);
  ht_solver_options options;
  ht_flow_stats stats;
  ht_tiling tiling;
  ht_units units;
  ht_flow flow;
  for (int p = 0; p < 2; p++)
    if (v.domain.port[p].opening.role == HT_ROLE_INLET) v.domain.port[p].opening.flow_ml_s = 0.5;
  ht_solver_defaults(&options);
  options.device = HT_DEVICE_CPU;
  options.max_steps = 3000;
  options.stop_at_max_steps = 1;
  ht_assert_ok(ht_solver_plan(&v.domain, &options, &units, &stats));
  ht_assert_ok(ht_tiling_build(&v.domain.mask, NULL, &tiling));
  ht_assert_ok(ht_solve(&v.domain, &tiling, &options, NULL, &flow, &stats));
  double speed = 0;
  for (int64_t n = 0; n < 3 * flow.nodes; n++) speed = fmax(speed, fabs(flow.velocity_m_s[n]));
  double mean = 0.5e-6 / (HT_PI * pow(5 * spacing_mm * 1e-3, 2));
  print_message("speed %.3f of the mean, imbalance %.2e\n", speed / mean, stats.mass_imbalance);
  assert_true(speed > 1.6 * mean && speed < 2.4 * mean); /* Poiseuille: 2 */
  assert_near(stats.mass_imbalance, 0, 0.005);
  ht_flow_free(&flow);
  ht_tiling_free(&tiling);
  vessel_free(&v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight_tubes),
      cmocka_unit_test(test_a_length_of_its_own),
      cmocka_unit_test(test_shortest),
      cmocka_unit_test(test_oblique_tubes),
      cmocka_unit_test(test_port_on_another_axis),
      cmocka_unit_test(test_y_branch),
      cmocka_unit_test(test_closed_opening),
      cmocka_unit_test(test_tube_over_an_edge),
      cmocka_unit_test(test_cut_in_a_bend),
      cmocka_unit_test(test_cuts_at_all_angles),
      cmocka_unit_test(test_parallel_tubes_stay_apart),
      cmocka_unit_test(test_converging_tubes_are_shortened),
      cmocka_unit_test(test_blocked),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_spikes_are_cleaned),
      cmocka_unit_test(test_random_vessels),
      cmocka_unit_test(test_symmetries),
      cmocka_unit_test(test_the_solver_takes_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
