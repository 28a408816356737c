/* Pressure and flow over a beat: the values read from a flow, the numbers of a narrowing, the
 * tables. */
#include "tests/check.h"
#include "export/beat/beat_csv.h"
#include "export/beat/jet.h"
#include "export/beat/phase_record.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a vessel with a narrowing, and pressures that are known ---- */

enum { STATIONS = 81, SAMPLES = 20, THROAT = 40 };
static const double mm_hg = HT_PA_PER_MMHG;

/* Areas of 100 mm2, 40 at the throat, stations a millimetre apart. */
static double area_at(int s) {
  return 100 - 60 * exp(-(s - THROAT) * (s - THROAT) / 8.0);
}

static void make(ht_beat *beat, int beats) {
  memset(beat, 0, sizeof *beat);
  beat->samples = SAMPLES, beat->ports = 2, beat->stations = STATIONS, beat->period_s = 1;
  assert_int_equal(ht_alloc((void **)&beat->time_s, SAMPLES, sizeof(double), ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&beat->station, STATIONS, sizeof *beat->station, ""), HT_OK);
  assert_int_equal(ht_beat_resize(beat, beats), HT_OK);
  for (int k = 0; k < SAMPLES; k++) beat->time_s[k] = (double)k / SAMPLES;
  for (int s = 0; s < STATIONS; s++)
    beat->station[s] = (ht_station){
        .along_mm = s, .centre_mm = {0, 0, s}, .direction = {0, 0, 1}, .area_mm2 = area_at(s)};
}

/* The pressure: 100 + 30 sin before the throat, 90 + 10 sin after it, a quarter of a beat later; in
 * the throat 5 mmHg less than after it; before it all is `more` higher. */
static double pressure_mmhg(int k, int s, double more) {
  double t = 2 * HT_PI * k / SAMPLES, behind = 90 + 10 * sin(t - HT_PI / 2);
  if (s < THROAT) return 100 + 30 * sin(t) + more;
  return s < THROAT + 8 ? behind - 5 : behind;
}

static double speed_m_s(int k, int s) {
  double scale = 1 + sin(2 * HT_PI * k / SAMPLES);
  return (s < THROAT ? 0.5 : 2) * scale;
}

static void fill(ht_beat *beat, const double *more) {
  for (int b = 0; b < beat->beats; b++)
    for (int k = 0; k < SAMPLES; k++) {
      int64_t moment = (int64_t)b * SAMPLES + k;
      for (int s = 0; s < STATIONS; s++) {
        beat->section_pa[moment * STATIONS + s] = mm_hg * pressure_mmhg(k, s, more[b]);
        beat->axial_m_s[moment * STATIONS + s] = speed_m_s(k, s) / 2;
        beat->peak_m_s[moment * STATIONS + s] = speed_m_s(k, s);
      }
      for (int p = 0; p < 2; p++) {
        beat->flow_ml_s[moment * 2 + p] = 10 + 5 * sin(2 * HT_PI * k / SAMPLES) + b;
        beat->pressure_pa[moment * 2 + p] = mm_hg * pressure_mmhg(k, p * (STATIONS - 1), more[b]);
      }
    }
}

HT_TEST(test_gradient) {
  ht_beat beat;
  ht_gradient g;
  make(&beat, 1);
  fill(&beat, (const double[]){0});
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_true(g.is_narrow && g.throat == THROAT);
  assert_true(g.proximal < THROAT && area_at(g.proximal) >= 80 && area_at(g.proximal + 1) < 80);
  assert_int_equal(g.distal, THROAT + 8); /* the first of the highest */
  assert_float_equal(g.reference_mm2, 100, 0.5);
  assert_float_equal(g.peak_to_peak_mmhg, 130 - 100, 1e-9);
  assert_float_equal(g.mean_mmhg, 10, 1e-9);
  /* 10 + 30 sin t + 10 cos t: at t = atan(3) with 10 + sqrt(1000); samples are 18 degrees apart. */
  assert_float_equal(g.highest_mmhg, 10 + sqrt(1000), 0.01 * sqrt(1000));
  assert_float_equal(g.highest_time_s, 0.2, 1e-9);
  assert_float_equal(g.to_jet_mmhg, g.highest_mmhg + 5, 1e-9);
  assert_float_equal(g.recovery_mmhg, 5, 1e-9);
  assert_float_equal(g.recovery_percent, 100 * 5 / g.to_jet_mmhg, 1e-9);
  assert_float_equal(g.before_diameter_mm, 2 * sqrt(100 / HT_PI), 0.05);
  assert_float_equal(g.behind_diameter_mm, 2 * sqrt(100 / HT_PI), 0.05);
  assert_float_equal(g.throat_diameter_mm, 2 * sqrt(area_at(THROAT) / HT_PI), 1e-9);
  double left = area_at(THROAT) / g.reference_mm2;
  assert_float_equal(g.narrow_area_percent, 100 * (1 - left), 1e-9);
  assert_float_equal(g.narrow_diameter_percent, 100 * (1 - sqrt(left)), 1e-9);
  assert_true(isnan(g.jet_angle_deg)); /* not measured */
  assert_float_equal(g.v2_m_s, 4, 1e-9);
  assert_float_equal(g.v1_m_s, 1, 1e-9);
  assert_float_equal(g.bernoulli_simplified_mmhg, 64, 1e-9);
  assert_float_equal(g.bernoulli_full_mmhg, 60, 1e-9);
  assert_float_equal(g.bernoulli_mean_mmhg, 4 * 4 * 1.5, 1e-9); /* the mean of (1 + sin)^2 */
  assert_true(g.peak_to_peak_error_mmhg == 0);
  ht_beat_free(&beat);
}

/* A long narrowing with so much friction that the pressure is highest again within it: the drop is
 * that over all of it. */
HT_TEST(test_long_narrowing) {
  ht_beat beat;
  ht_gradient g;
  make(&beat, 1);
  fill(&beat, (const double[]){0});
  const int begin = THROAT - 6, end = THROAT + 6; /* 12 mm, of a vessel 11 mm wide */
  for (int s = 0; s < STATIONS; s++) {
    beat.station[s].area_mm2 = s < begin || s > end ? 100 : s == THROAT ? 39 : 40;
    double fallen = s < begin ? 0 : s <= end ? 20 + 3 * (s - begin) : 50 - fmin(4, s - end);
    for (int k = 0; k < SAMPLES; k++) beat.section_pa[k * STATIONS + s] = mm_hg * (100 - fallen);
  }
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_true(g.is_narrow && g.throat == THROAT && g.proximal == begin - 1);
  assert_int_equal(g.distal, end + 4);
  assert_float_equal(g.mean_mmhg, 46, 1e-9);
  assert_float_equal(g.to_jet_mmhg, 20 + 3 * 12, 1e-9);
  assert_float_equal(g.recovery_mmhg, 10, 1e-9);
  ht_beat_free(&beat);
}

/* A jet at 30 degrees to a vessel along x, in a slower flow along it; the throat at station 0. */
HT_TEST(test_jet) {
  enum { SIDE = 9 };
  const double turn = 30 * HT_PI / 180;
  ht_grid grid = ht_grid_make(SIDE, SIDE, SIDE);
  static float velocity[SIDE * SIDE * SIDE][3];
  static int64_t voxel[SIDE * SIDE * SIDE], first[SIDE + 1];
  ht_station station[SIDE] = {{0}};
  for (int64_t v = 0; v < SIDE * SIDE * SIDE; v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    int in_jet = at[0] >= 3 && at[1] >= 3 && at[1] <= 5;
    double speed = in_jet ? 2 + 0.01 * at[0] : 0.5;
    velocity[v][0] = (float)(speed * (in_jet ? cos(turn) : 1));
    velocity[v][2] = (float)(speed * (in_jet ? sin(turn) : 0));
    voxel[at[0] * SIDE * SIDE + at[1] * SIDE + at[2]] = v;
  }
  for (int s = 0; s < SIDE; s++) {
    first[s + 1] = (s + 1) * SIDE * SIDE;
    station[s].direction[0] = 1;
  }
  ht_flow flow = {.grid = grid, .velocity_m_s = velocity[0]};
  assert_int_equal(ht_node_map_of_mask(SIDE * SIDE * SIDE, NULL, &flow.node_of), HT_OK);
  const ht_vessel_path path = {
      .stations = SIDE, .station = station, .grid = grid, .first = first, .voxel = voxel};
  ht_gradient g = {.is_narrow = 1, .distal = SIDE - 1, .jet_angle_deg = NAN};
  ht_jet_angle(&path, &flow, &g);
  assert_float_equal(g.jet_angle_deg, 30, 0.01);
  g = (ht_gradient){.is_narrow = 1, .distal = 2, .jet_angle_deg = NAN}; /* before the jet */
  ht_jet_angle(&path, &flow, &g);
  assert_float_equal(g.jet_angle_deg, 0, 0.01);
  g = (ht_gradient){.is_narrow = 1, .distal = SIDE, .jet_angle_deg = NAN}; /* another path */
  ht_jet_angle(&path, &flow, &g);
  ht_node_map_free(&flow.node_of);
  assert_true(isnan(g.jet_angle_deg));
}

/* Beats that differ by a constant: the mean is theirs, the error s / sqrt(n). */
HT_TEST(test_beats_that_differ) {
  ht_beat beat;
  ht_gradient g;
  make(&beat, 4);
  fill(&beat, (const double[]){-3, 1, 3, -1});
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_float_equal(g.peak_to_peak_mmhg, 30, 1e-9);
  assert_float_equal(g.mean_mmhg, 10, 1e-9);
  assert_float_equal(g.mean_error_mmhg, sqrt(20.0 / 3) / 2, 1e-9);
  assert_float_equal(g.peak_to_peak_error_mmhg, sqrt(20.0 / 3) / 2, 1e-9);
  assert_int_equal(ht_beat_resize(&beat, 1), HT_OK); /* the first stays */
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_float_equal(g.mean_mmhg, 7, 1e-9);
  ht_beat_free(&beat);
}

/* Checks two narrowings in a row: the numbers are those of the narrower one, and the other is
 * named, before it or after it. A shoulder of the first is no second one, nor is a place that is
 * only somewhat narrow. */
HT_TEST(test_second_narrowing) {
  ht_beat beat;
  ht_gradient g;
  make(&beat, 1);
  fill(&beat, (double[]){0});
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_true(g.is_narrow && !g.has_second);
  for (int at = THROAT - 24; at <= THROAT + 24; at += 48) {
    for (int s = 0; s < STATIONS; s++)
      beat.station[s].area_mm2 = area_at(s) - 50 * exp(-(s - at) * (s - at) / 8.0);
    assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
    assert_true(g.is_narrow && g.throat == THROAT && g.has_second);
    assert_float_equal(g.second.along_mm, at, 1e-9);
    assert_float_equal(g.second_narrow_diameter_percent, 100 * (1 - sqrt(0.5)), 0.5);
  }
  for (int s = 0; s < STATIONS; s++)
    beat.station[s].area_mm2 = area_at(s) - 30 * exp(-(s - 16) * (s - 16) / 8.0);
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_true(g.is_narrow && g.throat == THROAT && !g.has_second);
  ht_beat_free(&beat);
}

/* A cosine narrowing by half of the diameter. */
static double cosine_area(double s, double throat, double half) {
  double share = fabs(s - throat) < half ? 0.25 * (1 + cos(HT_PI * (s - throat) / half)) : 0;
  return 100 * (1 - share) * (1 - share);
}

static void narrow_by_half(ht_beat *beat, double throat, double half, ht_gradient *g) {
  for (int s = 0; s < STATIONS; s++) beat->station[s].area_mm2 = cosine_area(s, throat, half);
  assert_int_equal(ht_gradient_of(beat, g), HT_OK);
}

/* Checks a narrowing within a diameter of an end, where the vessel on the other side is the
 * reference. If it ends before it is wide again, is_short says so; the last section of a vessel is
 * no throat, nor is one that lies on the slope to it. */
HT_TEST(test_narrow_near_an_end) {
  ht_beat beat;
  ht_gradient g;
  make(&beat, 1);
  fill(&beat, (double[]){0});
  for (int side = 0; side < 2; side++) {
    const int throat[3] = {6, 4, 0};
    for (int i = 0; i < 3; i++) {
      int at = side ? STATIONS - 1 - throat[i] : throat[i];
      narrow_by_half(&beat, at, i == 2 ? 20 : throat[i], &g);
      assert_int_equal(g.is_narrow, i < 2);
      assert_float_equal(g.end_diameter_percent[side], i == 2 ? 50 : 0, 1);
      assert_float_equal(g.end_diameter_percent[!side], 0, 1e-9);
      if (i == 2) continue;
      assert_int_equal(g.throat, at);
      assert_float_equal(g.narrow_diameter_percent, 50, 0.5);
      assert_true(isnan(side ? g.behind_diameter_mm : g.before_diameter_mm));
      assert_float_equal(side ? g.before_diameter_mm : g.behind_diameter_mm, 2 * sqrt(100 / HT_PI),
                         0.05);
      assert_false(g.is_short[0] || g.is_short[1]);
    }
    int at = side ? STATIONS - 1 - 2 : 2; /* 56 % of the area is back at the end */
    narrow_by_half(&beat, at, 4, &g);
    assert_true(g.is_narrow && g.throat == at && g.is_short[side] && !g.is_short[!side]);
    assert_float_equal(g.narrow_diameter_percent, 50, 0.5);
  }
  ht_beat_free(&beat);
}

/* Checks that a long narrowing is not compared with its own slopes, which fill four diameters to
 * both sides. */
HT_TEST(test_narrow_for_long) {
  ht_beat beat;
  ht_gradient g;
  make(&beat, 1);
  fill(&beat, (double[]){0});
  for (int half = 4; half <= 32; half += 4) {
    narrow_by_half(&beat, THROAT, half, &g);
    assert_true(g.is_narrow && g.throat == THROAT);
    assert_float_equal(g.narrow_diameter_percent, 50, 1.5);
    assert_true(g.reach_diameter_percent[1] - g.reach_diameter_percent[0] < 2);
  }
  ht_beat_free(&beat);
}

/* A vessel that is narrower beyond the one that is within two diameters of the narrowing: each
 * reach has another degree. */
HT_TEST(test_reference_that_varies) {
  ht_beat beat;
  ht_gradient g;
  make(&beat, 1);
  fill(&beat, (double[]){0});
  for (int s = 0; s < STATIONS; s++)
    beat.station[s].area_mm2 = s > THROAT + 14 ? 72 : 100 - 75 * exp(-(s - THROAT) * (s - THROAT));
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_true(g.is_narrow && g.throat == THROAT);
  assert_float_equal(g.reach_diameter_percent[1], 50, 0.5);
  assert_float_equal(g.reach_diameter_percent[0], 100 * (1 - sqrt(25 / 72.0)), 0.5);
  assert_false(g.is_junction);
  beat.station[THROAT + 1].is_mixed = 1;
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_true(g.is_narrow && g.throat == THROAT && g.is_junction);
  ht_beat_free(&beat);
}

/* Checks that neither a tapering vessel nor the mouth of a branch is a narrowing. */
HT_TEST(test_not_narrow) {
  ht_beat beat;
  ht_gradient g;
  make(&beat, 1);
  for (int s = 0; s < STATIONS; s++) beat.station[s].area_mm2 = 200 - s;
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_false(g.is_narrow);
  for (int s = 0; s < STATIONS; s++) beat.station[s].area_mm2 = area_at(s);
  for (int s = THROAT - 8; s <= THROAT + 8; s++) beat.station[s].is_mixed = 1;
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_false(g.is_narrow);
  beat.stations = 2;
  assert_int_equal(ht_gradient_of(&beat, &g), HT_OK);
  assert_false(g.is_narrow);
  ht_beat_free(&beat);
}

/* A series of 10 in 5 parts of 2: their means, and the error of the whole's mean. */
HT_TEST(test_batches) {
  ht_beat series = {.samples = 10, .ports = 1, .stations = 0}, batches;
  assert_int_equal(ht_alloc((void **)&series.time_s, 10, sizeof(double), ""), HT_OK);
  assert_int_equal(ht_beat_resize(&series, 1), HT_OK);
  for (int k = 0; k < 10; k++) series.pressure_pa[k] = k;
  assert_int_equal(ht_beat_batch(&series, 5, &batches), HT_OK);
  assert_true(batches.beats == 5 && batches.samples == 1 && batches.period_s == 0);
  for (int b = 0; b < 5; b++) assert_float_equal(batches.pressure_pa[b], 2 * b + 0.5, 1e-12);
  assert_float_equal(ht_beat_whole_mean(&batches, batches.pressure_pa, 1, 0), 4.5, 1e-12);
  assert_float_equal(ht_beat_error(&batches, batches.pressure_pa, 1, 0), sqrt(10.0 / 5), 1e-12);
  assert_true(ht_beat_error(&series, series.pressure_pa, 1, 0) == 0); /* one beat */
  ht_beat_free(&batches);
  ht_beat_free(&series);
}

/* ---- reading a flow ---- */

enum { NX = 8, NY = 8, NZ = 12, PAD = 3 };

/* A channel along z: the path's grid lies PAD voxels inside the flow's. */
static void make_path(ht_vessel_path *path) {
  memset(path, 0, sizeof *path);
  path->grid = ht_grid_make(NX, NY, NZ);
  path->stations = 2;
  assert_int_equal(ht_alloc((void **)&path->station, 2, sizeof *path->station, ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&path->first, 3, sizeof *path->first, ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&path->voxel, 2 * NX * NY, sizeof *path->voxel, ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&path->normal, 2, sizeof *path->normal, ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&path->flow_first, 3, sizeof *path->flow_first, ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&path->flow_voxel, 2 * NX * NY, sizeof(int64_t), ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&path->flow_mm2, 2 * NX * NY, sizeof(float), ""), HT_OK);
  for (int s = 0; s < 2; s++) {
    path->normal[s][2] = 1;
    path->flow_first[s + 1] = path->flow_first[s] + (int64_t)NX * NY;
    path->station[s] = (ht_station){.along_mm = 4.0 * s, .direction = {0, 0, 1}, .area_mm2 = 64};
    path->first[s + 1] = path->first[s] + (int64_t)NX * NY;
    for (int n = 0; n < NX * NY; n++)
      path->voxel[s * NX * NY + n] = n + (int64_t)NX * NY * (4 + 4 * s);
    /* The next layer: its weights alone make the mean velocity, 80 mm2 of them on 64 mm2. */
    for (int n = 0; n < NX * NY; n++) {
      path->flow_voxel[s * NX * NY + n] = n + (int64_t)NX * NY * (5 + 4 * s);
      path->flow_mm2[s * NX * NY + n] = 1.25f;
    }
  }
}

/* Makes a flow with pressure 10 z and velocity (3, 0, x) in the path's indices. */
static void make_flow(ht_flow *flow) {
  memset(flow, 0, sizeof *flow);
  flow->grid = ht_grid_make(NX + 2 * PAD, NY + 2 * PAD, NZ + 2 * PAD);
  for (int a = 0; a < 3; a++) flow->grid.origin_mm[a] = -PAD;
  size_t voxels = (size_t)ht_grid_voxels(&flow->grid);
  assert_int_equal(ht_node_map_of_mask((int64_t)voxels, NULL, &flow->node_of), HT_OK);
  assert_int_equal(ht_alloc((void **)&flow->velocity_m_s, voxels, 3 * sizeof(float), ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&flow->pressure_pa, voxels, sizeof(float), ""), HT_OK);
  flow->nodes = (int64_t)voxels;
  for (size_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(flow->grid.dim, (int64_t)v, at);
    flow->pressure_pa[v] = (float)(10 * (at[2] - PAD));
    flow->velocity_m_s[3 * v] = 3;
    flow->velocity_m_s[3 * v + 2] = (float)(at[0] - PAD);
  }
}

HT_TEST(test_record) {
  ht_vessel_path path;
  ht_flow flow;
  ht_beat_record record;
  const double flow_ml_s[] = {5, 4}, pressure_pa[] = {300, 200};
  make_path(&path);
  make_flow(&flow);
  assert_int_equal(ht_beat_record_begin(&path, 2, 0.8, &record), HT_OK);
  for (int b = 0; b < 2; b++)
    for (int k = 0; k < 2; k++) {
      const ht_flow_sample sample = {0.4 * k, b, k, 0, 0, &flow, 2, flow_ml_s, pressure_pa};
      assert_int_equal(ht_beat_record_sample(&record, &sample), HT_OK);
    }
  const ht_beat *beat = &record.beat;
  assert_int_equal(beat->beats, 2);
  for (int s = 0; s < 2; s++) {
    assert_float_equal(ht_beat_whole_mean(beat, beat->section_pa, 2, s), 10 * (4 + 4 * s), 1e-9);
    assert_float_equal(ht_beat_mean(beat, beat->axial_m_s, 2, 1, s), 1.25 * 3.5, 1e-9);
    assert_float_equal(ht_beat_mean(beat, beat->peak_m_s, 2, 1, s), sqrt(9 + 49), 1e-9);
  }
  assert_float_equal(ht_beat_mean(beat, beat->flow_ml_s, 2, 0, 1), 4, 1e-12);
  assert_float_equal(beat->time_s[1], 0.4, 1e-12);
  const ht_flow_sample anew = {0, 0, 1, 0, 1, &flow, 2, pressure_pa, pressure_pa};
  assert_int_equal(ht_beat_record_sample(&record, &anew), HT_OK);
  assert_true(beat->beats == 1 && beat->flow_ml_s[2] == 300);
  const ht_flow_sample beyond = {0, 0, 2, 0, 0, &flow, 2, flow_ml_s, pressure_pa};
  assert_int_equal(ht_beat_record_sample(&record, &beyond), HT_ERR_INTERNAL);
  ht_beat_record_free(&record);
  ht_vessel_path_free(&path);
  ht_flow_free(&flow);
}

/* Checks the requested moment, or that of the largest inflow: the mean of two beats; a beat 0
 * starts again. */
HT_TEST(test_phase) {
  ht_flow flow;
  ht_phase_record third = {.index = 2}, peak = {.index = -1};
  make_flow(&flow);
  assert_int_equal(ht_alloc((void **)&flow.stress_pa, (size_t)flow.nodes, 6 * sizeof(float), ""),
                   HT_OK);
  const int beats[] = {0, 0, 1}; /* the first is forgotten */
  for (int n = 0; n < 3; n++)
    for (int k = 0; k < 4; k++) {
      const ht_flow_sample sample = {0.2 * k, beats[n], k,    k == 1, k == 0 && beats[n] == 0,
                                     &flow,   0,        NULL, NULL};
      for (int64_t v = 0; v < flow.nodes; v++) flow.pressure_pa[v] = (float)(100 * n + 10 * k);
      assert_int_equal(ht_phase_record_sample(&third, &sample), HT_OK);
      assert_int_equal(ht_phase_record_sample(&peak, &sample), HT_OK);
    }
  assert_float_equal(third.flow.pressure_pa[5], 150 + 20, 1e-4);
  assert_float_equal(peak.flow.pressure_pa[5], 150 + 10, 1e-4);
  assert_float_equal(third.time_s, 0.4, 1e-12);
  assert_float_equal(peak.time_s, 0.2, 1e-12);
  assert_true(third.flow.shares_nodes && third.flow.node_of.number == flow.node_of.number &&
              third.flow.nodes == flow.nodes);
  assert_float_equal(third.flow.velocity_m_s[0], 3, 1e-6);
  ht_flow_free(&third.flow);
  ht_flow_free(&peak.flow);
  ht_flow_free(&flow);
}

/* ---- the tables ---- */

static void first_lines(const char *path, char line[2][600]) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  for (int i = 0; i < 2; i++) assert_non_null(fgets(line[i], 600, file));
  fclose(file);
  remove(path);
}

HT_TEST(test_tables) {
  ht_beat beat;
  ht_flow_stats stats = {.ports = 2};
  char line[2][600];
  snprintf(stats.port[0].name, HT_NAME_MAX, "in, \"let\"");
  snprintf(stats.port[1].name, HT_NAME_MAX, "outlet");
  stats.port[0].role = HT_ROLE_INLET, stats.port[1].role = HT_ROLE_OUTLET;
  make(&beat, 2);
  fill(&beat, (const double[]){0, 0});
  assert_int_equal(ht_beat_write_waveforms("test_beat_w.csv", &beat, &stats), HT_OK);
  first_lines("test_beat_w.csv", line);
  assert_string_equal(line[0], "time_s,\"flow_ml_s_in, \"\"let\"\"\",flow_ml_s_outlet,"
                               "\"pressure_mmhg_in, \"\"let\"\"\",pressure_mmhg_outlet\n");
  assert_string_equal(line[1], "0,10.5,10.5,100,80\n");
  assert_int_equal(ht_beat_write_centreline("test_beat_c.csv", &beat, &stats, NULL), HT_OK);
  first_lines("test_beat_c.csv", line);
  assert_int_equal(strncmp(line[0], "position_mm,x_mm,y_mm,z_mm,area_mm2,diameter_mm,", 48), 0);
  /* The largest inflow is at a quarter of the beat: 0.5 m/s, 0.25 on average; 130 mmHg. */
  assert_string_equal(line[1], "0,0,0,0,100,11.2838,0.25,0.5,1,100,130,70,130,vessel,,\n");
  assert_int_equal(ht_beat_write_centreline_beat("test_beat_b.csv", &beat), HT_OK);
  first_lines("test_beat_b.csv", line);
  assert_int_equal(
      strncmp(line[0], "position_mm,pressure_mmhg_at_0_s,pressure_mmhg_at_0.05_s,", 57), 0);
  assert_int_equal(strncmp(line[1], "0,100,109.271,", 14), 0);
  beat.station[0].is_mixed = 1; /* without values, which would look right */
  assert_int_equal(ht_beat_write_centreline("test_beat_c.csv", &beat, &stats, NULL), HT_OK);
  first_lines("test_beat_c.csv", line);
  assert_string_equal(line[1], "0,0,0,0,,,,,,,,,,sac_or_junction,,\n");
  assert_int_equal(ht_beat_write_centreline_beat("test_beat_b.csv", &beat), HT_OK);
  first_lines("test_beat_b.csv", line);
  assert_int_equal(strncmp(line[1], "0,,,", 4), 0);
  ht_beat_free(&beat);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_jet),
                                     cmocka_unit_test(test_gradient),
                                     cmocka_unit_test(test_long_narrowing),
                                     cmocka_unit_test(test_beats_that_differ),
                                     cmocka_unit_test(test_second_narrowing),
                                     cmocka_unit_test(test_narrow_near_an_end),
                                     cmocka_unit_test(test_narrow_for_long),
                                     cmocka_unit_test(test_reference_that_varies),
                                     cmocka_unit_test(test_not_narrow),
                                     cmocka_unit_test(test_record),
                                     cmocka_unit_test(test_tables),
                                     cmocka_unit_test(test_batches),
                                     cmocka_unit_test(test_phase)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
