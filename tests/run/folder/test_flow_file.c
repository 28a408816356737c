#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"

#include "run/folder/flow_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES = 5 };
static char folder[64], file[128];
static const char mask[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static int enter(void **state) {
  (void)state;
  strcpy(folder, "/tmp/hemotile-test-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(file, sizeof file, "%s/flow.bin", folder);
  return 0;
}

static int leave(void **state) {
  (void)state;
  unlink(file);
  return rmdir(folder);
}

static void make(ht_flow *flow, ht_flow_stats *stats) {
  static const int64_t voxel[NODES] = {7, 3, 11, 0, 23};
  memset(flow, 0, sizeof *flow);
  memset(stats, 0, sizeof *stats);
  flow->grid = ht_grid_make(2, 3, 4);
  flow->grid.spacing_mm[0] = 0.1; /* no exact binary number */
  flow->grid.direction[0][0] = -1;
  flow->nodes = NODES;
  assert_int_equal(ht_node_map_of_voxels(24, NODES, voxel, &flow->node_of), HT_OK);
  flow->velocity_m_s = malloc(3 * NODES * sizeof(float));
  flow->pressure_pa = malloc(NODES * sizeof(float));
  flow->stress_pa = malloc(6 * NODES * sizeof(float));
  for (int i = 0; i < 3 * NODES; i++) flow->velocity_m_s[i] = 0.1f * (float)i;
  for (int i = 0; i < NODES; i++) flow->pressure_pa[i] = 10.5f - (float)i;
  for (int i = 0; i < 6 * NODES; i++) flow->stress_pa[i] = (float)i / 7;
  flow->viscosity_pa_s = 0.0035;
  flow->density_kg_m3 = 1060;
  stats->ports = 2;
  strcpy(stats->port[0].name, "in \"1\"");
  stats->port[0].role = HT_ROLE_INLET;
  stats->port[0].flow_ml_s = 1.0 / 3;
  strcpy(stats->port[1].name, "out");
  stats->port[1].role = HT_ROLE_OUTLET;
  stats->port[1].pressure_pa = -12.25;
  stats->steps = 12345678901;
  stats->steady = stats->diagonals_corrected = 1;
  stats->coarse_steps = 77, stats->coarse_seconds = 0.1;
  stats->mflups = 99.5;
  strcpy(stats->device, "CPU, 2 threads");
}

/* Adds the turbulence of a flow that was averaged over several beats. */
static void add_turbulence(ht_flow *flow, ht_flow_stats *stats) {
  flow->tke_j_m3 = malloc(NODES * sizeof(float));
  flow->tke_peak_j_m3 = malloc(NODES * sizeof(float));
  for (int i = 0; i < NODES; i++) {
    flow->tke_j_m3[i] = 0.3f * (float)i;
    flow->tke_peak_j_m3[i] = 0.7f * (float)i;
  }
  stats->beats = 3, stats->averaged = 30, stats->averaged_s = 2.4, stats->averaged_drift = 0.1;
  stats->tke_phases = 2, stats->tke_highest_j_m3 = 2.8;
  for (int k = 0; k < 2; k++) stats->tke_mj[k] = 0.25 + k, stats->tke_time_s[k] = 0.4 * k;
}

/* Compares by member: between them a structure may hold anything. */
static void assert_same_grid(const ht_grid *a, const ht_grid *b) {
  assert_memory_equal(a->dim, b->dim, sizeof a->dim);
  assert_memory_equal(a->spacing_mm, b->spacing_mm, sizeof a->spacing_mm);
  assert_memory_equal(a->origin_mm, b->origin_mm, sizeof a->origin_mm);
  assert_memory_equal(a->direction, b->direction, sizeof a->direction);
}

HT_TEST(test_round_trip) {
  ht_flow written, flow;
  ht_flow_stats stats_written, stats;
  char hash[HT_HASH_TEXT];
  make(&written, &stats_written);
  add_turbulence(&written, &stats_written);
  assert_int_equal(ht_flow_file_write(file, &written, &stats_written, mask), HT_OK);
  assert_int_equal(ht_flow_file_read(file, &flow, &stats, hash), HT_OK);
  assert_string_equal(hash, mask);
  assert_memory_equal(flow.tke_j_m3, written.tke_j_m3, NODES * sizeof(float));
  assert_memory_equal(flow.tke_peak_j_m3, written.tke_peak_j_m3, NODES * sizeof(float));
  assert_int_equal(flow.nodes, NODES);
  assert_same_grid(&flow.grid, &written.grid);
  assert_true(ht_node_map_same(&flow.node_of, &written.node_of));
  assert_memory_equal(flow.velocity_m_s, written.velocity_m_s, 3 * NODES * sizeof(float));
  assert_memory_equal(flow.pressure_pa, written.pressure_pa, NODES * sizeof(float));
  assert_memory_equal(flow.stress_pa, written.stress_pa, 6 * NODES * sizeof(float));
  assert_memory_equal(&stats, &stats_written, sizeof stats);
  ht_flow_free(&written);
  ht_flow_free(&flow);
}

/* The field at one moment of an averaged beat: the statistics tell of turbulence, the field has
 * none.
 */
HT_TEST(test_a_moment_has_no_turbulence) {
  ht_flow written, flow;
  ht_flow_stats stats_written, stats;
  char hash[HT_HASH_TEXT];
  make(&written, &stats_written);
  stats_written.tke_phases = 2;
  assert_int_equal(ht_flow_file_write(file, &written, &stats_written, mask), HT_OK);
  assert_int_equal(ht_flow_file_read(file, &flow, &stats, hash), HT_OK);
  assert_null(flow.tke_j_m3);
  assert_int_equal(stats.tke_phases, 0);
  assert_memory_equal(flow.stress_pa, written.stress_pa, 6 * NODES * sizeof(float));
  ht_flow_free(&written);
  ht_flow_free(&flow);
}

/* The checksum covers every byte, and a truncated file has another message than a damaged one. */
HT_TEST(test_damage_is_found) {
  ht_flow flow;
  ht_flow_stats stats;
  char hash[HT_HASH_TEXT];
  make(&flow, &stats);
  assert_int_equal(ht_flow_file_write(file, &flow, &stats, mask), HT_OK);
  ht_flow_free(&flow);
  FILE *stream = fopen(file, "r+b");
  fseek(stream, 0, SEEK_END);
  long size = ftell(stream);
  for (long at = 0; at < size; at += 13) {
    fseek(stream, at, SEEK_SET);
    int byte = fgetc(stream);
    fseek(stream, at, SEEK_SET);
    fputc(byte ^ 1, stream);
    fflush(stream);
    assert_int_equal(ht_flow_file_read(file, &flow, &stats, hash), HT_ERR_FORMAT);
    assert_null(flow.velocity_m_s);
    fseek(stream, at, SEEK_SET);
    fputc(byte, stream);
    fflush(stream);
  }
  fclose(stream);
  assert_int_equal(truncate(file, size - 40), 0);
  assert_int_equal(ht_flow_file_read(file, &flow, &stats, hash), HT_ERR_FORMAT);
  unlink(file);
  assert_int_equal(ht_flow_file_read(file, &flow, &stats, hash), HT_ERR_NOT_FOUND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, enter, leave),
      cmocka_unit_test_setup_teardown(test_a_moment_has_no_turbulence, enter, leave),
      cmocka_unit_test_setup_teardown(test_damage_is_found, enter, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
