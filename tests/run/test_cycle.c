/* The wall's load over a cycle on its way from the flow's samples to the folder and the text. */
#include "tests/run/members_text.h"
#include "run/folder/beat_file.h"
#include "run/record/beat_summary.h"
#include "run/folder/cycle_file.h"
#include "run/folder/moments_file.h"
#include "export/wall/cycle_record.h"
#include "run/record/cycle_summary.h"
#include "run/numbers/run_outcome.h"
#include "tests/export/voxel_pipe.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

static const double viscosity_pa_s = 0.0035, flow_ml_s = 2, mean = 0.5, swing = 1;
enum { SAMPLES = 40 };

static double factor_at(double time_s) {
  return mean + swing * sin(2 * HT_PI * time_s / 0.8);
}

static void scale(ht_flow *flow, double factor) {
  for (int64_t n = 0; n < 3 * flow->nodes; n++) flow->velocity_m_s[n] *= (float)factor;
  for (int64_t n = 0; n < 6 * flow->nodes; n++) flow->stress_pa[n] *= (float)factor;
  for (int64_t n = 0; n < flow->nodes; n++) flow->pressure_pa[n] *= (float)factor;
}

/* Takes a sample with its flow at each port as the solver measures it. */
static void take_sample(ht_cycle_record *record, double time_s, const ht_flow *flow) {
  double through_ml_s[HT_OPENINGS_MAX];
  const ht_domain *domain = record->domain;
  for (int p = 0; p < domain->ports; p++)
    through_ml_s[p] =
        domain->port[p].opening.role == HT_ROLE_INLET ? flow_ml_s * factor_at(time_s) : 7;
  const ht_flow_sample sample = {
      .time_s = time_s, .flow = flow, .ports = domain->ports, .flow_ml_s = through_ml_s};
  assert_int_equal(ht_cycle_record_sample(record, &sample), HT_OK);
}

/* Checks the reported memory of a run, to a tenth. */
static void check_size(const ht_wall_fits *fits) {
  double bytes = (double)fits->points * sizeof *fits->frame;
  for (int64_t p = 0; p < fits->points; p++)
    bytes += fits->frame[p].nodes * (double)sizeof **fits->weight;
  assert_float_equal(bytes / (double)fits->points / HT_WALL_FIT_BYTES, 1, 0.1);
}

/* Makes Poiseuille's flow times (0.5 + sin) over 0.8 s. Returns its wall shear stress at factor 1.
 */
static double make_cycle(int keeps_fits, ht_wall_cycle *cycle) {
  ht_pipe pipe = {.across = 12, .length = 40, .spacing_mm = 0.5, .direction = {1, 0.4, 0.2}};
  const ht_grid frame = ht_grid_make(1, 1, 1);
  ht_domain domain;
  ht_cycle_record record;
  ht_surface wall = {0};
  assert_int_equal(ht_voxel_pipe(&pipe, &frame, flow_ml_s, &domain), HT_OK);
  assert_int_equal(ht_pipe_distance(&pipe, &domain), HT_OK);
  assert_int_equal(ht_cycle_record_begin(&domain, &wall, 0.8 / SAMPLES, &record), HT_OK);
  record.keeps_fits = keeps_fits;
  assert_int_equal(ht_cycle_record_result(&record, cycle), HT_ERR_INTERNAL);
  for (int k = 0; k < SAMPLES; k++) {
    ht_flow flow;
    double time_s = 0.8 * k / SAMPLES;
    assert_int_equal(ht_pipe_flow(&pipe, &domain, flow_ml_s, viscosity_pa_s, &flow), HT_OK);
    scale(&flow, factor_at(time_s));
    take_sample(&record, time_s, &flow);
    ht_flow_free(&flow);
  }
  assert_int_equal(ht_cycle_record_result(&record, cycle), HT_OK);
  if (keeps_fits) check_size(&record.fits);
  ht_cycle_record_free(&record);
  ht_domain_free(&domain);
  return ht_pipe_wss(&pipe, flow_ml_s, viscosity_pa_s);
}

HT_TEST(recorded) {
  ht_wall_cycle cycle, kept;
  double wss = make_cycle(0, &cycle), sum = 0, size = 0;
  for (int k = 0; k < SAMPLES; k++) {
    sum += factor_at(0.8 * k / SAMPLES) / SAMPLES;
    size += fabs(factor_at(0.8 * k / SAMPLES)) / SAMPLES;
  }
  assert_float_equal(cycle.period_s, 0.8, 1e-9);
  assert_float_equal(cycle.peak_time_s, 0.2, 1e-9);
  assert_float_equal(cycle.peak_flow_ml_s, 1.5 * flow_ml_s, 1e-9);
  for (int64_t p = 0; p < cycle.points; p++) {
    /* 1.5: 1 % at 12 across, docs/notes/walls/wall-shear-stress.md. */
    double read = cycle.wss_peak_mag_pa[p] / 1.5;
    assert_float_equal(read, wss, 0.01 * wss);
    assert_float_equal(cycle.tawss_pa[p], size * read, 1e-4 * wss);
    assert_float_equal(cycle.mean_wss_mag_pa[p], sum * read, 1e-4 * wss);
    assert_float_equal(cycle.osi[p], 0.5 * (1 - sum / size), 1e-5);
  }
  make_cycle(1, &kept); /* the same bits */
  size_t bytes = sizeof(float) * (size_t)cycle.points;
  assert_memory_equal(kept.mean_wss_pa, cycle.mean_wss_pa, 3 * bytes);
  assert_memory_equal(kept.wss_peak_pa, cycle.wss_peak_pa, 3 * bytes);
  assert_memory_equal(kept.pressure_peak_pa, cycle.pressure_peak_pa, bytes);
  ht_wall_cycle_free(&kept);
  ht_wall_cycle_free(&cycle);
}

static void flip_byte(const char *path, long at) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, at, SEEK_SET);
  int byte = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 1, file);
  fclose(file);
}

HT_TEST(kept_in_a_file) {
  static const char path[] = "test_cycle.bin";
  char sha[HT_HASH_TEXT], mask[HT_HASH_TEXT];
  ht_wall_cycle cycle, again;
  memset(mask, 'a', sizeof mask - 1);
  mask[sizeof mask - 1] = 0;
  make_cycle(0, &cycle);
  assert_int_equal(ht_cycle_file_write(path, &cycle, mask), HT_OK);
  assert_int_equal(ht_cycle_file_read(path, &again, sha), HT_OK);
  assert_string_equal(sha, mask);
  assert_int_equal(again.points, cycle.points);
  assert_int_equal(again.samples, SAMPLES);
  assert_true(again.period_s == cycle.period_s && again.peak_flow_ml_s == cycle.peak_flow_ml_s);
  assert_memory_equal(again.osi, cycle.osi, sizeof(float) * (size_t)cycle.points);
  assert_memory_equal(again.wss_peak_pa, cycle.wss_peak_pa,
                      3 * sizeof(float) * (size_t)cycle.points);
  ht_wall_cycle_free(&again);
  flip_byte(path, 5000);
  assert_int_equal(ht_cycle_file_read(path, &again, sha), HT_ERR_FORMAT);
  assert_null(again.osi);
  flip_byte(path, 0);
  assert_int_equal(ht_cycle_file_read(path, &again, sha), HT_ERR_FORMAT);
  remove(path);
  assert_int_equal(ht_cycle_file_read(path, &again, sha), HT_ERR_NOT_FOUND);
  ht_wall_cycle_free(&cycle);
}

/* Checks moments: every second of 50 samples; a byte holds the root of the share of the highest, to
 * half a step. */
HT_TEST(moments_kept_in_a_file) {
  static const char path[] = "test_moments.bin";
  char sha[HT_HASH_TEXT], mask[HT_HASH_TEXT];
  float wss[3] = {0};
  ht_surface surface = {.points = 3, .wss_mag_pa = wss};
  ht_wall_moments moments, again;
  memset(mask, 'c', sizeof mask - 1);
  mask[sizeof mask - 1] = 0;
  assert_int_equal(ht_wall_moments_begin(3, 50, &moments), HT_OK);
  assert_int_equal(moments.moments, HT_MOMENTS_MOST);
  for (int k = 0; k < 50; k++) {
    wss[1] = 0.01f * (float)(k + 1), wss[2] = (float)(k + 1);
    ht_wall_moments_keep(&moments, &surface, k, 0.02 * k);
  }
  assert_int_equal(ht_moments_file_write(path, &moments, mask), HT_OK);
  assert_int_equal(ht_moments_file_read(path, &again, sha), HT_OK);
  assert_string_equal(sha, mask);
  assert_int_equal(again.moments, HT_MOMENTS_MOST);
  assert_int_equal(again.points, 3);
  for (int m = 0; m < again.moments; m++) {
    double high = 2 * m + 1, low = again.step[3 * m + 1] / 255.0;
    assert_float_equal(again.time_s[m], 0.04 * m, 1e-12);
    assert_float_equal(again.highest_pa[m], high, 1e-6);
    assert_int_equal(again.step[3 * m], 0);
    assert_int_equal(again.step[3 * m + 2], 255);
    assert_float_equal(high * low * low, 0.01 * high, high * 2 * 0.1 * 0.5 / 255 + 1e-5 * high);
  }
  ht_wall_moments_free(&again);
  flip_byte(path, 300);
  assert_int_equal(ht_moments_file_read(path, &again, sha), HT_ERR_FORMAT);
  assert_null(again.step);
  remove(path);
  ht_wall_moments_free(&moments);
}

/* Checks the beat of the openings and the centreline, too. */
HT_TEST(beat_kept_in_a_file) {
  static const char path[] = "test_beat.bin";
  char sha[HT_HASH_TEXT], mask[HT_HASH_TEXT];
  ht_beat beat = {.samples = 3, .ports = 2, .stations = 4, .period_s = 0.8}, again;
  memset(mask, 'b', sizeof mask - 1);
  mask[sizeof mask - 1] = 0;
  assert_int_equal(ht_alloc((void **)&beat.time_s, 3, sizeof(double), ""), HT_OK);
  assert_int_equal(ht_alloc((void **)&beat.station, 4, sizeof *beat.station, ""), HT_OK);
  assert_int_equal(ht_beat_resize(&beat, 2), HT_OK);
  beat.time_s[2] = 0.5;
  beat.station[3] = (ht_station){.along_mm = 7, .area_mm2 = 9, .is_mixed = 1};
  beat.flow_ml_s[11] = 3, beat.section_pa[23] = 4, beat.peak_m_s[23] = 5;
  assert_int_equal(ht_beat_file_write(path, &beat, mask), HT_OK);
  assert_int_equal(ht_beat_file_read(path, &again, sha), HT_OK);
  assert_string_equal(sha, mask);
  assert_true(again.beats == 2 && again.samples == 3 && again.ports == 2 && again.stations == 4);
  assert_true(again.period_s == 0.8 && again.time_s[2] == 0.5);
  assert_memory_equal(again.station, beat.station, 4 * sizeof *beat.station);
  assert_true(again.flow_ml_s[11] == 3 && again.section_pa[23] == 4 && again.peak_m_s[23] == 5);
  ht_beat_free(&again);
  flip_byte(path, 300);
  assert_int_equal(ht_beat_file_read(path, &again, sha), HT_ERR_FORMAT);
  assert_null(again.time_s);
  flip_byte(path, 0);
  assert_int_equal(ht_beat_file_read(path, &again, sha), HT_ERR_FORMAT);
  remove(path);
  ht_beat_free(&beat);
}

static const ht_member narrowing[] = {
    {.key = "narrowing",
     .type = HT_MEMBER_OBJECT,
     .inner = ht_gradient_members,
     HT_FLAG(ht_gradient, is_narrow)},
    {0},
};

HT_TEST(narrowing_told_as_written) {
  ht_gradient gradient = {.is_narrow = 1,
                          .place = {{.along_mm = 10}, {.along_mm = 20, .area_mm2 = 50}},
                          .reference_mm2 = 200,
                          .peak_to_peak_mmhg = 31,
                          .peak_to_peak_error_mmhg = 0.5,
                          .v2_m_s = 3,
                          .bernoulli_full_mmhg = 35};
  ht_gradient again = {0};
  char *told = NULL;
  size_t told_length;
  there_and_back(narrowing, &gradient, &again); /* of a steady flow these repeat its mean */
  assert_true(again.is_narrow && again.v2_m_s == 3 && again.peak_to_peak_mmhg == 0);
  gradient.is_pulsatile = 1;
  there_and_back(narrowing, &gradient, &again);
  assert_true(again.is_narrow && again.is_pulsatile && again.place[1].along_mm == 20 &&
              again.reference_mm2 == 200);
  assert_true(again.peak_to_peak_mmhg == 31 && again.v2_m_s == 3);
  FILE *stream = open_memstream(&told, &told_length);
  ht_gradient_print(stream, &again);
  fclose(stream);
  assert_non_null(strstr(told, "7.98 mm of 16 mm, 20 mm beyond the inlet"));
  assert_non_null(strstr(told, "peak to peak 31 (+- 0.5), highest 0, mean 0 mmHg"));
  free(told);
  again = (ht_gradient){0};
  ht_members_read(NULL, narrowing, &again); /* no place is narrow */
  assert_false(again.is_narrow);
}

HT_TEST(averages_told_as_written) {
  const ht_flow_stats stats = {.period_s = 0.8,
                               .beats = 4,
                               .averaged = 200,
                               .averaged_s = 3.2,
                               .averaged_drift = 0.05,
                               .tke_phases = 3,
                               .tke_mj = {1, 5, 3},
                               .tke_time_s = {0, 0.3, 0.5}};
  const ht_averages averages = ht_averages_of(&stats);
  ht_averages again = {0};
  char *text = members_text(ht_averages_members, &averages), *told = NULL;
  size_t told_length;
  assert_non_null(strstr(text, "\"tke_max_time_s\": 0.3"));
  assert_non_null(strstr(text, "\"drift_percent\": 5"));
  members_of_text(text, ht_averages_members, &again);
  FILE *stream = open_memstream(&told, &told_length);
  ht_averages_print(stream, &again);
  fclose(stream);
  assert_non_null(strstr(told, "means over 4 beats"));
  assert_non_null(strstr(told, "mean 3 mJ, highest 5 mJ"));
  free(text), free(told);
}

HT_TEST(told_as_written) {
  const ht_cycle_stats stats = {.samples = 50,
                                .period_s = 0.8,
                                .peak_time_s = 0.15,
                                .peak_flow_ml_s = 7,
                                .tawss_pa = {1, 0.9, 4, 6},
                                .mean_wss_mag_pa = {0.7, 0.6, 3, 5},
                                .osi = {0.05, 0.01, 0.4, 0.5},
                                .wss_peak_pa = {2, 1.9, 9, 11},
                                .low_share = 0.25};
  ht_cycle_stats again = {0};
  char *text = members_text(ht_cycle_members, &stats), *told = NULL;
  size_t told_length;
  assert_non_null(strstr(text, "\"tawss_below_0_4_pa_percent\": 25"));
  members_of_text(text, ht_cycle_members, &again);
  assert_int_equal(again.samples, 50);
  assert_float_equal(again.osi.p99, 0.4, 1e-12);
  assert_float_equal(again.low_share, 0.25, 1e-12);
  assert_float_equal(again.wss_peak_pa.max, 11, 1e-12);
  FILE *stream = open_memstream(&told, &told_length);
  ht_cycle_print(stream, &again);
  fclose(stream);
  assert_non_null(strstr(told, "mean of |WSS|"));
  assert_non_null(strstr(told, "|mean of WSS|"));
  assert_non_null(strstr(told, "25.0 %"));
  again = (ht_cycle_stats){0};
  ht_members_read(NULL, ht_cycle_members, &again); /* a steady flow */
  assert_int_equal(again.samples, 0);
  free(text);
  free(told);
}

/* Judges a beat that does not repeat the one before, or whose outflow differs from its inflow. */
HT_TEST(judged) {
  ht_solved solved = {
      .stats = {.period_s = 0.8, .cycles = 3, .cycle_change = 0.009, .mass_imbalance = -0.004}};
  ht_run_judge(0, &solved);
  assert_int_equal(solved.outcome, HT_OK);
  assert_null(ht_flow_fault_words(ht_flow_fault_of(&solved.stats)));
  solved.stats.mass_imbalance = -0.187;
  ht_run_judge(0, &solved);
  assert_int_equal(solved.outcome, HT_ERR_NOT_STEADY);
  assert_non_null(strstr(solved.outcome_message, "after 3 beats in and out differ by -18.70 %"));
  assert_null(strstr(solved.outcome_message, "velocity")); /* it is within its limit */
  assert_int_equal(ht_flow_fault_of(&solved.stats), HT_FLOW_NOT_BALANCED);
  solved.stats.cycle_change = 0.02;
  assert_int_equal(ht_flow_fault_of(&solved.stats), HT_FLOW_NOT_PERIODIC);
  solved.outcome = HT_OK;
  ht_run_judge(0, &solved);
  assert_non_null(strstr(solved.outcome_message, "changed by 2 % since the beat before (at most "
                                                 "1 %), and in and out differ by -18.70 %"));
  solved.stats.mass_imbalance = 0.004;
  solved.outcome = HT_OK;
  ht_run_judge(0, &solved);
  assert_non_null(strstr(solved.outcome_message, "changed by 2 % since the beat before"));
  assert_null(strstr(solved.outcome_message, "in and out"));
  solved.stats.mass_imbalance = -0.187;
  /* Means over several beats need not repeat, but let out what they take in. */
  solved.stats.averaged = 150, solved.stats.beats = 3;
  assert_int_equal(ht_flow_fault_of(&solved.stats), HT_FLOW_NOT_BALANCED);
  solved.stats.mass_imbalance = 0.001;
  assert_int_equal(ht_flow_fault_of(&solved.stats), HT_FLOW_AVERAGED);
  solved.outcome = HT_OK;
  ht_run_judge(0, &solved);
  assert_int_equal(solved.outcome, HT_OK);
  solved.stats = (ht_flow_stats){.steady_change = 1e-3, .averaged = 200};
  assert_int_equal(ht_flow_fault_of(&solved.stats), HT_FLOW_AVERAGED);
  solved.stats = (ht_flow_stats){.steady_change = 1e-3}; /* a steady flow, stopped as prescribed */
  solved.outcome = HT_OK;
  ht_run_judge(5, &solved);
  assert_int_equal(solved.outcome, HT_OK);
  ht_run_judge(0, &solved);
  assert_int_equal(solved.outcome, HT_ERR_NOT_STEADY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recorded),
      cmocka_unit_test(kept_in_a_file),
      cmocka_unit_test(moments_kept_in_a_file),
      cmocka_unit_test(told_as_written),
      cmocka_unit_test(beat_kept_in_a_file),
      cmocka_unit_test(narrowing_told_as_written),
      cmocka_unit_test(averages_told_as_written),
      cmocka_unit_test(judged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
