/* Waveforms from CSV files and in cases. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"

#include "run/case/case.h"
#include "run/case/waveform_file.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], csv[128], yaml[128];
static ht_waveform wave;
static ht_waveform_facts facts;
static ht_case one, two;

static int enter(void **state) {
  (void)state;
  strcpy(folder, "/tmp/hemotile-test-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(csv, sizeof csv, "%s/flow.csv", folder);
  snprintf(yaml, sizeof yaml, "%s/case.yaml", folder);
  return 0;
}

static int leave(void **state) {
  (void)state;
  unlink(csv);
  unlink(yaml);
  return rmdir(folder);
}

static void write_text(const char *path, const char *text) {
  FILE *stream = fopen(path, "w");
  assert_non_null(stream);
  fputs(text, stream);
  fclose(stream);
}

static ht_status read_csv(const char *text, double period_s) {
  write_text(csv, text);
  return ht_waveform_file_read(csv, 0, period_s, &wave, &facts);
}

HT_TEST(test_samples) {
  static const char text[] = "# measured\r\n\r\ntime_s, flow_ml_s\r\n"
                             "0, 4\r\n0.2, 6\r\n0.5, 3\r\n0.6, 5\r\n0.8, 4\r\n";
  assert_int_equal(read_csv(text, 0), HT_OK);
  assert_int_equal(wave.samples, 4);
  assert_true(wave.period_s == 0.8);
  assert_true(ht_waveform_value(&wave, 0.5) == 3);
  assert_int_equal(read_csv(text, 1.6), HT_OK);
  assert_true(wave.period_s == 1.6);
  assert_near(ht_waveform_value(&wave, 1.0), 3, 1e-12);
}

/* Other units, another order, another column, ';' and a byte order mark. */
HT_TEST(test_units) {
  assert_int_equal(read_csv("\xEF\xBB\xBF\"flow_l_min\";area_mm2;time_ms\n"
                            "6;1;0\n12;1;250\n6;;500\n3;1;750\n",
                            0),
                   HT_OK);
  assert_int_equal(wave.samples, 3 + 1);
  assert_near(wave.period_s, 1, 1e-12);
  assert_near(ht_waveform_value(&wave, 0.25), 200, 1e-9);
}

HT_TEST(test_series) {
  static const char text[] = "harmonic,cosine_ml_s,sine_ml_s\n0,5,0\n2,1,-0.5\n";
  assert_int_equal(read_csv(text, 0), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "period_s"));
  assert_int_equal(read_csv(text, 0.5), HT_OK);
  assert_int_equal(wave.series.harmonics, 2);
  double phase = 4 * HT_PI * 0.07 / 0.5;
  assert_near(ht_waveform_value(&wave, 0.07), (5 + cos(phase) - 0.5 * sin(phase)), 1e-12);
}

/* Checks a decimal comma, where something else separates the columns; one more ';' at a line's
 * end. */
HT_TEST(test_decimal_comma) {
  static const char *const texts[] = {
      "time_ms;flow_ml_s\n0;1,4\n250;2,9;\n500;2\n750;1\n1000;1,4\n",
      "time_ms\tflow_ml_s\n0\t1,4\n250\t2,9\n500\t2,0\n750\t1\n1000\t1,4\n",
      "time_ms  flow_ml_s\n0    1,4\n250  2,9\n500  2\n750  1\n1000  1,4\n",
      "time_ms;flow_ml_s\n0;1.4\n250;2.9\n500;2.0\n750;1\n1000;1.4\n",
      "\"flow_ml_s\" ; \"time_ms\"\n\"1,4\";0\n\"2,9\";\"2,5e2\"\n2;500,0\n1;750\n1,4;1000\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (read_csv(texts[i], 0) != HT_OK) fail_msg("%s: %s", texts[i], ht_error_message());
    assert_int_equal(wave.samples, 4);
    assert_near(wave.period_s, 1, 1e-12);
    assert_true(ht_waveform_value(&wave, 0.25) == 2.9 && ht_waveform_value(&wave, 0) == 1.4);
  }
}

/* Checks that numbers without a possible sign of thousands are read, and reported. */
HT_TEST(test_no_thousands) {
  static const char *const texts[] = {
      "time_ms;flow_ml_s\n0;1,400\n250;2,900\n500;0,250\n750;1\n1000;1,400\n",
      "sep=;\ntime_ms;flow_ml_s\n0;1,400\n250;2,9\n500;0\n750;1\n1000;1,400\n;\n \";\"\n",
      "time_s;flow_ml_s\n0,000;1,400\n0,250;2,900\n0,500;2,000\n0,750;1\n1,000;1,400\n",
      "time_ms,flow_ml_s\n0,1.400\n250,2.900\n500,2.000\n750,1\n1000,1.400\n",
      "time_ms;flow_ml_s\n0;1,4000\n250;2,9000\n500;2,000\n750;1\n1000;1,4000\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (read_csv(texts[i], 0) != HT_OK) fail_msg("%s: %s", texts[i], ht_error_message());
    assert_true(ht_waveform_value(&wave, 0.25) == 2.9 && ht_waveform_value(&wave, 0) == 1.4);
    assert_int_equal(facts.has_comma, i != 3);
  }
}

static void read_all(const char *path, char *text, size_t size) {
  FILE *stream = fopen(path, "r");
  assert_non_null(stream);
  text[fread(text, 1, size - 1, stream)] = 0;
  fclose(stream);
}

/* Checks the table of our own: numbers alone, the same for all files that have them, and read as
 * they are. */
HT_TEST(test_own_table) {
  static const char *const texts[] = {
      "# Mustermann, Annemarie\ntime_s,flow_ml_s\n0,1.4\n0.1,2.9\n0.5,2\n0.75,1\n1,1.4\n",
      "time_ms;operator;flow_ml_s\n0;Annemarie;1,4\n100;;2,9\n500;;2\n750;;1\n1000;;1,4\n",
  };
  char own[136], text[512], first[HT_HASH_TEXT] = "", hex[HT_HASH_TEXT];
  snprintf(own, sizeof own, "%s/own.csv", folder);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(read_csv(texts[i], 0), HT_OK);
    if (i == 0) memcpy(first, facts.sha256, sizeof first);
    assert_string_equal(facts.sha256, first);
    assert_int_equal(ht_waveform_file_copy(csv, own), HT_OK);
    read_all(own, text, sizeof text);
    assert_string_equal(text, "time_s,flow_ml_s\n0,1.4\n0.1,2.9\n0.5,2\n0.75,1\n1,1.4\n");
  }
  assert_int_equal(ht_hash_file(own, hex), HT_OK);
  assert_string_equal(hex, first);
  ht_waveform before = wave;
  assert_int_equal(ht_waveform_file_read(own, 0, 0, &wave, &facts), HT_OK);
  assert_memory_equal(&wave, &before, sizeof wave);
  assert_string_equal(facts.sha256, first);
  assert_int_equal(read_csv("harmonic,note,cosine_m_s,sine_m_s\n0,a,0.4,0\n1,b,0.1,-1e-3\n", 1),
                   HT_OK);
  assert_int_equal(ht_waveform_file_copy(csv, own), HT_OK);
  read_all(own, text, sizeof text);
  assert_string_equal(text, "harmonic,cosine_m_s,sine_m_s\n0,0.4,0\n1,0.1,-0.001\n");
  unlink(own);
}

/* Positive flows have a positive mean, however wide the gaps: the shape of an outside test. */
HT_TEST(test_gap) {
  assert_int_equal(read_csv("time_s,flow_ml_s\n0,1\n0.01,2\n0.02,1.6\n0.03,1\n0.9,1\n", 0), HT_OK);
  double mean = ht_waveform_mean(&wave);
  if (mean < 1 || mean > 2 || ht_waveform_peak(&wave) > 2) fail_msg("mean %g", mean);
}

/* Checks the file's beat, and the beat that it is stretched to. */
HT_TEST(test_beat) {
  static const char plateau[] = "time_s,flow_ml_s\n0,2\n0.1,2\n0.2,9\n0.3,6\n0.4,2\n0.5,2\n";
  assert_int_equal(read_csv(plateau, 0), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "flow.csv: it is not clear"));
  assert_int_equal(ht_waveform_file_read(csv, 0.6, 0.9, &wave, &facts), HT_OK);
  assert_true(wave.period_s == 0.9 && facts.own_period_s == 0.6 && wave.samples == 6);
  assert_int_equal(ht_waveform_file_read(csv, 0, 0.5, &wave, &facts), HT_OK);
  assert_true(wave.period_s == 0.5 && wave.samples == 5);
}

HT_TEST(test_velocity) {
  assert_int_equal(read_csv("time_s,velocity_cm_s\n0,40\n0.2,60\n0.5,30\n0.6,35\n0.8,40\n", 0),
                   HT_OK);
  assert_int_equal(facts.is_velocity, 1);
  assert_near(ht_waveform_value(&wave, 0.2), 0.6, 1e-12);
  assert_int_equal(read_csv("harmonic,cosine_m_s,sine_m_s\n0,0.4,0\n1,0.1,0\n", 1), HT_OK);
  assert_int_equal(facts.is_velocity, 1);
  assert_int_equal(read_csv("harmonic,cosine_ml_s,sine_ml_s\n0,4,0\n1,1,0\n", 1), HT_OK);
  assert_int_equal(facts.is_velocity, 0);
}

HT_TEST(test_mistakes) {
  static const struct {
    const char *text, *place, *says;
  } mistakes[] = {
      {"0,4\n0.2,6\n", "flow.csv:1:", "name the columns"},
      {"time,flow\n0,4\n", "flow.csv:1:", "time_s,flow_ml_s"},
      {"time_s,time_ms,flow_ml_s\n", "flow.csv:1:", "second column"},
      {"time_s,flow_ml_s\n0,4\n\n0.2,six\n", "flow.csv:4:", "not 'six'"},
      {"time_s,flow_ml_s\n0,4\n0.2\n", "flow.csv:3:", "fewer columns"},
      {"time_s,flow_ml_s\n0,nan\n", "flow.csv:2:", "not 'nan'"},
      {"time_s,flow_ml_s\n0,4\n0.2,0x1A\n", "flow.csv:3:", "expected a number, not '0x1A'"},
      {"time_s,flow_ml_s\n0,inf\n", "flow.csv:2:", "not 'inf'"},
      {"time_s,flow_ml_s\n0,4\n0.2,6\n# later\n0.1,5\n0.3,4\n", "flow.csv:5:", "rise"},
      {"time_s,flow_ml_s\n0,4\n0.2,6\n0.3,4\n", "flow.csv:", "at least 4"},
      {"time_s,flow_ml_s\n0,4\n0.2,6\n0.3,5\n0.7,4.5\n", "flow.csv:", "repeat the first flow"},
      {"time_s,flow_ml_s\n0,-4\n0.2,-6\n0.3,-5\n0.4,-3\n0.5,-4\n",
       "flow.csv:", "change the signs of all"},
      {"time_s,flow_ml_s\n0,0\n0.2,-1\n0.4,0\n0.6,1\n0.8,0\n", "flow.csv:", "to and fro"},
      {"time_s,flow_ml_s\n0,4\n", "flow.csv:", "has 1 sample in"},
      {"harmonic,cosine_ml_s,sine_ml_s\n1.5,1,1\n", "flow.csv:2:", "whole numbers"},
      {"harmonic,cosine_ml_s,sine_ml_s\n0,5,0\n1,1,1\n1,2,0\n", "flow.csv:4:", "in line 3, too"},
      {"time_s,flow_ml_s\n0,4\n250;2,9\n", "flow.csv:3:", "not '250;2'"},
      {"time_s,flow_ml_s\n0,25,2,9\n", "flow.csv:2:", "need ';' between the columns"},
      {"time_s,flow_ml_s\n0,4\n250,2,9\n", "flow.csv:3:", "need ';' between the columns"},
      {"time_s,flow_ml_s\n0,4\n0.2,6,peak\n", "flow.csv:3:", "or remove it: 'peak'"},
      {"sep=;\ntime_s,flow_ml_s\n0,4\n0.2,6,peak\n", "flow.csv:4:", "name the column"},
      {"time_ms;flow_ml_min\n0;1,050\n200;2,100\n", "flow.csv:2:", "(1050), decimals"},
      {"time_ms\tflow_ml_min\n0\t950\n200\t-2.100\n", "flow.csv:3:", "not '-2.100'"},
      {"time_s;flow_ml_s\n0;4\n0,2;6;7\n", "flow.csv:3:", "more columns than the first, from '7'"},
      {"time_s;flow_ml_s\n0;4,5\n0,2;1.250\n", "flow.csv:3:", "one way, not '1.250'"},
      {"time_s;flow_ml_s\n0;4\n0,2;1.250,5\n", "flow.csv:3:", "one way, not '1.250,5'"},
      {"time_s;flow_ml_s\n0;4\n2;1,250,500\n", "flow.csv:3:", "not '1,250,500'"},
      {"time_s flow_ml_s\n0 4 5\n", "flow.csv:2:", "more columns"},
      {"time_s,flow_ml_s,velocity_m_s\n", "flow.csv:1:", "second column of the same kind"},
      {"harmonic,cosine_ml_s,sine_m_s\n", "flow.csv:1:", "name the columns"},
      {"time_s,velocity_m_s\n0,-4\n0.2,-6\n0.3,-5\n0.4,-3\n0.5,-4\n", "flow.csv:", "m/s"},
      {"", "flow.csv:", "empty"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    assert_int_equal(read_csv(mistakes[i].text, 1), HT_ERR_CASE);
    const char *message = ht_error_message();
    if (!strstr(message, mistakes[i].place) || !strstr(message, mistakes[i].says))
      fail_msg("%s: %s", mistakes[i].text, message);
    assert_int_equal(wave.samples, 0);
  }
  unlink(csv);
  assert_int_equal(ht_waveform_file_read(csv, 0, 0, &wave, &facts), HT_ERR_NOT_FOUND);
}

/* Returns a beat of 0.9 s, a row each 0.05 s. */
static double beat_at(int row) {
  const double phase = 2 * HT_PI * row * 0.05 / 0.9;
  return 4 + 3 * sin(phase - 0.6) + 1.2 * sin(2 * phase + 0.4);
}

static ht_status read_rows(int rows, double share, double given_s, double period_s) {
  FILE *stream = fopen(csv, "w");
  assert_non_null(stream);
  fputs("time_s,flow_ml_s\n", stream);
  for (int i = 0; i < rows; i++)
    fprintf(stream, "%.3f,%.4f\n", 0.05 * i, beat_at(i) + share * 7 * cos(1.7 * i * i));
  fclose(stream);
  return ht_waveform_file_read(csv, given_s, period_s, &wave, &facts);
}

/* Checks that several beats in one file, also noisy ones and a part of one, are no beat; the
 * message names the beat, and accepts what it asks for. */
HT_TEST(test_several_beats) {
  static const struct {
    int rows;
    double share;
  } files[] = {{37, 0}, {37, 0.07}, {55, 0.05}, {55, 0}, {32, 0}, {73, 0.07}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    assert_int_equal(read_rows(files[i].rows, files[i].share, 0, 0), HT_ERR_CASE);
    const char *beat = strstr(ht_error_message(), "repeats itself about every ");
    if (!beat || !strstr(beat, "the rows from 0 s to before 0.") ||
        fabs(strtod(beat + strlen("repeats itself about every "), NULL) - 0.9) >
            (files[i].share > 0 ? 0.02 : 1e-9))
      fail_msg("%d rows: %s", files[i].rows, ht_error_message());
  }
  assert_int_equal(read_rows(55, 0, 0, 0), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "the rows, of 2.7 s, are 3 beats. Leave"));
  assert_int_equal(read_rows(18, 0.07, 0.9, 0), HT_OK); /* the rows that it names */
  assert_true(wave.period_s == 0.9);
  assert_int_equal(read_rows(37, 0.01, 1.8, 0), HT_OK); /* all are one beat */
  assert_near(wave.period_s, 1.8, 1e-9);
  assert_int_equal(read_rows(37, 0, 0, 1.8), HT_OK); /* flow.period_s says the same */
  assert_int_equal(read_rows(19, 0, 0, 0), HT_OK);
  assert_near(wave.period_s, 0.9, 1e-9);
}

/* Checks the line ends of old spreadsheets of the Mac. */
HT_TEST(test_carriage_returns) {
  assert_int_equal(read_csv("time_s,flow_ml_s\r0,4\r0.2,6\r\r0.5,3\r0.6,5\r0.8,4\r", 0), HT_OK);
  assert_int_equal(wave.samples, 4);
  assert_int_equal(read_csv("time_s,flow_ml_s\r0,4\r0.2,high\r", 0), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), ":3: expected a number, not 'high'"));
}

HT_TEST(test_utf16) {
  assert_int_equal(read_csv("\xFF\xFEt", 0), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "the file is in UTF-16: save it as \"CSV UTF-8\""));
}

HT_TEST(test_long_file) {
  FILE *stream = fopen(csv, "w");
  assert_non_null(stream);
  fputs("time_ms,flow_ml_s\n", stream);
  for (int i = 0; i <= HT_WAVEFORM_SAMPLES_MAX; i++) fprintf(stream, "%d,%g\n", i, sin(i) + 2);
  fclose(stream);
  assert_int_equal(ht_waveform_file_read(csv, 0, 0, &wave, &facts), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "thin"));
}

/* ---- in a case ---- */

static ht_status complete(ht_case *settings) {
  ht_status status = ht_case_check(settings);
  return status == HT_OK ? ht_case_read_waveform(settings) : status;
}

static ht_status read_case(const char *flow, ht_case *settings) {
  char text[512];
  snprintf(text, sizeof text, "scan: a\nflow: {%s}\n", flow);
  write_text(yaml, text);
  ht_status status = ht_case_read(yaml, settings);
  return status == HT_OK ? complete(settings) : status;
}

HT_TEST(test_default_is_steady) {
  assert_int_equal(read_case("", &one), HT_OK);
  ht_solver_options options = ht_case_solver(&one);
  assert_true(options.waveform->period_s == 0);
  assert_int_equal(options.profile, HT_PROFILE_PARABOLIC);
  assert_int_equal(options.cycles, 5);
}

HT_TEST(test_named) {
  assert_int_equal(read_case("waveform: carotid, cycles: 5", &one), HT_OK);
  ht_solver_options options = ht_case_solver(&one);
  assert_true(options.waveform->period_s == 0.951 && options.cycles == 5);
  assert_int_equal(options.profile, HT_PROFILE_WOMERSLEY);
  assert_int_equal(read_case("waveform: aorta, profile: plug, period_s: 0.7", &one), HT_OK);
  options = ht_case_solver(&one);
  assert_true(options.waveform->period_s == 0.7);
  assert_int_equal(options.profile, HT_PROFILE_PLUG);
}

/* A patient's aorta brings its waveform, at the heart's rate; the folder's case file repeats it. */
HT_TEST(test_an_aorta) {
  char other[160];
  assert_int_equal(read_case("}\npatient: {kind: aorta, heart_rate_per_min: 75, "
                             "blood_pressure_mmhg: [125, 75]",
                             &one),
                   HT_OK);
  assert_string_equal(one.waveform, "aorta");
  assert_near(one.inflow.period_s, 0.8, 1e-12);
  snprintf(other, sizeof other, "%s/other.yaml", folder);
  assert_int_equal(ht_case_write(other, &one, "scan.nii.gz", NULL), HT_OK);
  assert_int_equal(ht_case_read(other, &two), HT_OK);
  assert_int_equal(complete(&two), HT_OK);
  assert_true(two.inflow.period_s == one.inflow.period_s);
  assert_true(two.patient.blood_pressure_mmhg[0] == 125 &&
              two.patient.blood_pressure_mmhg[1] == 75);
  assert_int_equal(read_case("period_s: 0.7}\npatient: {kind: aorta, heart_rate_per_min: 75", &one),
                   HT_ERR_CASE);
  remove(other);
}

/* Checks that the path is relative to the case file; the folder's own case.yaml calls the file
 * waveform.csv; a file of the same bytes is the same case, another file another. */
HT_TEST(test_file) {
  char first[HT_HASH_TEXT], second[HT_HASH_TEXT], other[160], kept[160];
  write_text(csv, "time_s,flow_ml_s\n0,4\n0.2,6\n0.5,3\n0.6,5\n0.8,4\n");
  assert_int_equal(read_case("waveform: flow.csv, inlet_flow_ml_s: 3", &one), HT_OK);
  assert_string_equal(one.waveform, csv);
  assert_int_equal(ht_case_solver(&one).profile, HT_PROFILE_WOMERSLEY);
  ht_case_hash(&one, HT_HASH_FLOW, first);
  snprintf(other, sizeof other, "%s/other.yaml", folder);
  snprintf(kept, sizeof kept, "%s/waveform.csv", folder);
  assert_int_equal(ht_case_write(other, &one, "scan.nii.gz", NULL), HT_OK);
  assert_int_equal(rename(csv, kept), 0);
  assert_int_equal(ht_case_read(other, &two), HT_OK);
  assert_int_equal(complete(&two), HT_OK);
  assert_string_equal(two.waveform, kept);
  ht_case_hash(&two, HT_HASH_FLOW, second);
  assert_string_equal(first, second);
  write_text(kept, "time_s,flow_ml_s\n0,4\n0.2,7\n0.5,3\n0.6,5\n0.8,4\n");
  assert_int_equal(complete(&two), HT_OK);
  ht_case_hash(&two, HT_HASH_FLOW, second);
  assert_string_not_equal(first, second);
  unlink(other);
  unlink(kept);
}

HT_TEST(test_case_mistakes) {
  static const struct {
    const char *flow, *says;
    ht_status status;
  } mistakes[] = {
      {"waveform: cartoid", "constant, carotid or aorta", HT_ERR_NOT_FOUND},
      {"waveform: [1, 2]", "one value", HT_ERR_CASE},
      {"profile: flat", "plug|parabolic|womersley", HT_ERR_CASE},
      {"period_s: 0.8", "the flow is constant", HT_ERR_CASE},
      {"waveform: aorta, period_s: 0", "above 0", HT_ERR_CASE},
      {"waveform: aorta, cycles: 0", "from 1 to 1000", HT_ERR_CASE},
      {"inlet_flow_ml_s: 3, inlet_reynolds: 300", "either", HT_ERR_CASE},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    assert_int_equal(read_case(mistakes[i].flow, &one), mistakes[i].status);
    if (!strstr(ht_error_message(), mistakes[i].says))
      fail_msg("%s: %s", mistakes[i].flow, ht_error_message());
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_samples, enter, leave),
      cmocka_unit_test_setup_teardown(test_units, enter, leave),
      cmocka_unit_test_setup_teardown(test_series, enter, leave),
      cmocka_unit_test_setup_teardown(test_decimal_comma, enter, leave),
      cmocka_unit_test_setup_teardown(test_no_thousands, enter, leave),
      cmocka_unit_test_setup_teardown(test_velocity, enter, leave),
      cmocka_unit_test_setup_teardown(test_own_table, enter, leave),
      cmocka_unit_test_setup_teardown(test_gap, enter, leave),
      cmocka_unit_test_setup_teardown(test_beat, enter, leave),
      cmocka_unit_test_setup_teardown(test_mistakes, enter, leave),
      cmocka_unit_test_setup_teardown(test_several_beats, enter, leave),
      cmocka_unit_test_setup_teardown(test_carriage_returns, enter, leave),
      cmocka_unit_test_setup_teardown(test_utf16, enter, leave),
      cmocka_unit_test_setup_teardown(test_long_file, enter, leave),
      cmocka_unit_test_setup_teardown(test_default_is_steady, enter, leave),
      cmocka_unit_test_setup_teardown(test_named, enter, leave),
      cmocka_unit_test_setup_teardown(test_an_aorta, enter, leave),
      cmocka_unit_test_setup_teardown(test_file, enter, leave),
      cmocka_unit_test_setup_teardown(test_case_mistakes, enter, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
