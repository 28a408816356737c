#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"

#include "run/case/case.h"
#include "run/case/override.h"
#include "run/case/schema.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], file[128], other[128];
static ht_case one, two;

static int enter(void **state) {
  (void)state;
  strcpy(folder, "/tmp/hemotile-test-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(file, sizeof file, "%s/case.yaml", folder);
  snprintf(other, sizeof other, "%s/other.yaml", folder);
  return 0;
}

static int leave(void **state) {
  (void)state;
  unlink(file);
  unlink(other);
  return rmdir(folder);
}

static ht_status read_text(const char *text) {
  FILE *stream = fopen(file, "w");
  assert_non_null(stream);
  fputs(text, stream);
  fclose(stream);
  return ht_case_read(file, &one);
}

static const char full[] =
    "name: 'a \"name\"'\n"
    "scan: sub/scan.nii.gz\n"
    "series: \"2\"\n"
    "region: {min_mm: [-10, -20.5, 3e1], max_mm: [10, 20, 40]}\n"
    "segment: {method: vesselness, lower: 120, seed_mm: [1, 2, 3],\n"
    "          smoothing_mm: 0.5, radius_mm: [1, 4]}\n"
    "lattice: {nodes_across: 24, refine: no}\n"
    "openings:\n"
    "  - {name: in, role: inlet, near_mm: [0.1, 2, 3], flow_ml_s: 3.25}\n"
    "  - {role: outlet, centre_mm: [4, 5, 6], normal: [0, 0, 1],\n"
    "     pressure_pa: 100}\n"
    "others: wall\n"
    "extensions: {inlet_diameters: 2, outlet_diameters: 0.5}\n"
    "blood: {density_kg_m3: 1050, viscosity_pa_s: 0.004}\n"
    "flow: {precision: fp64, max_velocity_lu: 0.03, steady_tolerance: 1e-5, coarse_start: no,\n"
    "       diagonal_correction: no,\n"
    "       collision: mrt, fluid: quasi-compressible,\n"
    "       max_steps: 1000, max_cycles: 7, fields_at: 0.4, device: cpu, threads: 2}\n";

static void check_full(const ht_case *settings) {
  assert_string_equal(settings->name, "a \"name\"");
  assert_true(settings->has_region_min && settings->has_region_max);
  assert_true(settings->segment.region_min_mm[1] == -20.5);
  assert_true(settings->segment.region_min_mm[2] == 30);
  assert_int_equal(settings->segment.method, HT_SEGMENT_VESSELNESS);
  assert_true(settings->segment.lower == 120);
  assert_true(isnan(settings->segment.upper));
  assert_true(settings->segment.has_seed && settings->segment.seed_mm[2] == 3);
  assert_true(settings->segment.smoothing_mm == 0.5);
  assert_true(settings->segment.vessel_radius_mm[1] == 4);
  assert_true(settings->segment.nodes_across == 24);
  assert_int_equal(settings->openings, 2);
  assert_string_equal(settings->opening[0].name, "in");
  assert_int_equal(settings->opening[0].role, HT_ROLE_INLET);
  assert_true(settings->opening[0].has_near && settings->opening[0].near_mm[0] == 0.1);
  assert_true(settings->opening[0].flow_ml_s == 3.25);
  assert_true(settings->opening[1].has_centre && settings->opening[1].has_normal);
  assert_int_equal(settings->opening[1].role, HT_ROLE_OUTLET);
  assert_true(settings->opening[1].pressure_pa == 100);
  assert_true(settings->others_wall);
  assert_true(settings->extensions.outlet_diameters == 0.5);
  assert_true(settings->solver.viscosity_pa_s == 0.004);
  assert_int_equal(settings->solver.precision, HT_FP64);
  assert_int_equal(settings->collision, HT_MRT);
  assert_int_equal(settings->solver.compressibility, HT_QUASI_COMPRESSIBLE);
  assert_int_equal(settings->solver.device, HT_DEVICE_CPU);
  assert_int_equal(settings->solver.coarse_start, 0);
  assert_int_equal(settings->refine, HT_REFINE_NO);
  assert_int_equal(settings->solver.diagonal_correction, 0);
  assert_int_equal(settings->solver.max_steps, 1000);
  assert_int_equal(settings->solver.threads, 2);
  assert_int_equal(settings->solver.max_cycles, 7);
  assert_true(settings->fields_at == 0.4);
}

HT_TEST(test_every_key) {
  char scan[160];
  assert_int_equal(read_text(full), HT_OK);
  check_full(&one);
  snprintf(scan, sizeof scan, "%s/sub/scan.nii.gz", folder); /* relative to the case file */
  assert_string_equal(one.scan, scan);
  assert_string_equal(one.series, "2");
  assert_int_equal(ht_case_check(&one), HT_OK);
}

HT_TEST(test_writing_round_trips) {
  char before[HT_HASH_TEXT], after[HT_HASH_TEXT];
  assert_int_equal(read_text(full), HT_OK);
  assert_int_equal(ht_case_write(other, &one, "scan.nii.gz", NULL), HT_OK);
  assert_int_equal(ht_case_read(other, &two), HT_OK);
  check_full(&two);
  assert_int_equal(ht_case_hash(&one, HT_HASH_FLOW, before), HT_OK);
  assert_int_equal(ht_case_hash(&two, HT_HASH_FLOW, after), HT_OK);
  assert_string_equal(before, after);
}

/* A measured flow gives the flow, its course and the beat: nothing else may. case.yaml keeps no
 * path of it. */
HT_TEST(test_a_measured_flow_is_the_only_one) {
  static const char *const others[] = {"flow: {measured: b, inlet_flow_ml_s: 2}",
                                       "flow: {measured: b, inlet_reynolds: 200}",
                                       "flow: {measured: b, waveform: carotid}",
                                       "flow: {measured: b, period_s: 0.8}",
                                       "flow: {measured: b}\npatient: {cardiac_output_l_min: 5}",
                                       "flow: {measured: b}\npatient: {heart_rate_per_min: 70}",
                                       "flow: {measured: b}\nopenings: [{near_mm: [1, 2, 3], "
                                       "role: inlet, flow_ml_s: 2}]"};
  char text[300];
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    snprintf(text, sizeof text, "scan: a\n%s\n", others[i]);
    assert_int_equal(read_text(text), HT_OK);
    assert_int_equal(ht_case_check(&one), HT_ERR_CASE);
    if (!strstr(ht_error_message(), "flow.measured")) fail_msg("%s", ht_error_message());
  }
  assert_int_equal(read_text("scan: a\nflow: {measured: series, cycles: 4}\n"), HT_OK);
  assert_int_equal(ht_case_check(&one), HT_OK);
  snprintf(text, sizeof text, "%s/series", folder);
  assert_string_equal(one.measured, text);
  assert_false(ht_case_flow_is_constant(&one)); /* so that its cycles are not idle */
  assert_true(ht_case_has_flow(&one));
  assert_int_equal(ht_case_write(other, &one, "scan.nii.gz", NULL), HT_OK);
  assert_int_equal(ht_case_read(other, &two), HT_OK);
  snprintf(text, sizeof text, "%s/measured_flow", folder);
  assert_string_equal(two.measured, text);
  /* On the command line it replaces what the file has. */
  assert_int_equal(read_text("scan: a\nflow: {waveform: w.csv, inlet_flow_ml_s: 3}\n"), HT_OK);
  assert_int_equal(ht_case_override(&one, "flow.measured", "b", "--set", HT_ERR_USAGE), HT_OK);
  assert_int_equal(ht_case_check(&one), HT_OK);
  assert_int_equal(
      ht_case_refuse_rivals("flow.inlet_flow_ml_s", "flow.measured", "--set", HT_ERR_USAGE),
      HT_ERR_USAGE);
}

HT_TEST(test_hash_tells_what_changed) {
  char flow[2][HT_HASH_TEXT], mask[2][HT_HASH_TEXT];
  assert_int_equal(read_text(full), HT_OK);
  ht_case_hash(&one, HT_HASH_FLOW, flow[0]);
  ht_case_hash(&one, HT_HASH_MASK, mask[0]);
  one.solver.viscosity_pa_s = 0.005;
  ht_case_hash(&one, HT_HASH_FLOW, flow[1]);
  ht_case_hash(&one, HT_HASH_MASK, mask[1]);
  assert_string_not_equal(flow[0], flow[1]);
  assert_string_equal(mask[0], mask[1]);
  one.sac = (ht_case_sac){.has_neck = 1, .has_normal = 1, .neck_normal = {0, 0, 1}};
  ht_case_hash(&one, HT_HASH_FLOW, flow[0]);
  assert_string_equal(flow[0], flow[1]); /* a sac is measured on the result */
  one.segment.lower = 130;
  ht_case_hash(&one, HT_HASH_MASK, mask[1]);
  assert_string_not_equal(mask[0], mask[1]);
}

/* Checks that a batch runs a case again for what its results depend on; colours are only drawn
 * again. */
static void test_hash_of_a_run(void **state) {
  static const struct {
    const char *text;
    int same;
  } changed[] = {
      {"scan: a\nexport: {wss_colours_to_pa: 7, speed_colours_to_m_s: 2}\n", 1},
      {"# another text\nscan: a\nflow: {threads: 1, checkpoint_minutes: 3}\n", 1},
      {"scan: b\n", 0},
      {"mask: [a, b]\n", 0},
      {"scan: a\nname: other\n", 0},
      {"scan: a\nflow: {cycles: 4}\n", 0},
      {"scan: a\nexport: {dicom: yes}\n", 0},
      {"scan: a\nsac: {find: no}\n", 0},
      {"scan: a\nmax_memory_gb: 2\n", 0},
      {"scan: a\nflow: {measured: b}\n", 0},
      {"scan: a\nopenings: [{near_mm: [1, 2, 3], flow_ml_s: 2}]\n", 0},
  };
  char before[HT_HASH_TEXT], after[HT_HASH_TEXT];
  (void)state;
  assert_int_equal(read_text("scan: a\n"), HT_OK);
  ht_case_hash(&one, HT_HASH_RUN, before);
  for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
    assert_int_equal(read_text(changed[i].text), HT_OK);
    ht_case_hash(&one, HT_HASH_RUN, after);
    if ((strcmp(before, after) == 0) != changed[i].same) fail_msg("%s", changed[i].text);
  }
  assert_int_equal(read_text("mask: a\n"), HT_OK);
  ht_case_hash(&one, HT_HASH_RUN, before);
  assert_int_equal(read_text("mask: [a, b]\n"), HT_OK);
  ht_case_hash(&one, HT_HASH_RUN, after);
  assert_string_not_equal(before, after);
}

/* Checks the lattice: case.yaml has one of the two keys, and what is read from it has the other's
 * default. */
HT_TEST(test_hash_knows_one_lattice) {
  char before[HT_HASH_TEXT], after[HT_HASH_TEXT];
  for (ht_hash_of of = HT_HASH_FLOW; of <= HT_HASH_MASK; of++) {
    assert_int_equal(read_text("scan: a\nlattice: {nodes_across: 12}\n"), HT_OK);
    one.segment.spacing_mm = 0.36; /* as on the command line */
    assert_int_equal(ht_case_write(other, &one, "scan.nii.gz", NULL), HT_OK);
    assert_int_equal(ht_case_read(other, &two), HT_OK);
    ht_case_hash(&one, of, before);
    ht_case_hash(&two, of, after);
    assert_string_equal(before, after);
    two.segment.spacing_mm = 0.37;
    ht_case_hash(&two, of, after);
    assert_string_not_equal(before, after);
  }
}

HT_TEST(test_empty_sections_are_defaults) {
  char before[HT_HASH_TEXT], after[HT_HASH_TEXT];
  assert_int_equal(read_text("scan: a\nblood:\nopenings:\nflow: {}\n"), HT_OK);
  ht_case_defaults(&two);
  ht_case_hash(&one, HT_HASH_FLOW, before);
  ht_case_hash(&two, HT_HASH_FLOW, after);
  assert_string_equal(before, after);
}

HT_TEST(test_variables_in_paths) {
  setenv("HEMOTILE_TEST_PLACE", "/data/of mine", 1);
  assert_int_equal(read_text("scan: ${HEMOTILE_TEST_PLACE}/a.nii\n"), HT_OK);
  assert_string_equal(one.scan, "/data/of mine/a.nii");
  unsetenv("HEMOTILE_TEST_PLACE");
  assert_int_equal(read_text("scan: ${HEMOTILE_TEST_PLACE}/a.nii\n"), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "HEMOTILE_TEST_PLACE"));
}

HT_TEST(test_mistakes_have_a_place) {
  static const struct {
    const char *text, *place, *says;
  } mistakes[] = {
      {"scan: a\nblood:\n  visocity_pa_s: 1\n", ":3:3:", "viscosity_pa_s"},
      {"scan: a\nblood: 3\n", ":2:8:", "indented"},
      {"scan: a\nblood:\n  viscosity_pa_s: [1, 2]\n", ":3:20:", "one value"},
      {"scan: a\nsegment:\n  lower: 0x10\n", ":3:10:", "number"},
      {"scan: a\nsegment:\n  lower: nan\n", ":3:10:", "number"},
      {"scan: a\nflow:\n  max_steps: 2.5\n", ":3:14:", "whole"},
      {"scan: a\nflow:\n  max_velocity_lu: 0\n", ":3:20:", "from 0.0001 to 0.15"},
      {"scan: a\nlattice:\n  spacing_mm: 0\n", ":3:15:", "above 0 up to 100"},
      {"scan: a\nflow:\n  collision: mtr\n", ":3:14:", "allowed is auto|lbgk|mrt"},
      {"scan: a\nflow:\n  fluid: water\n", ":3:10:", "incompressible|quasi-compressible"},
      {"scan: a\nflow:\n  precision: fp8\n", ":3:14:", "allowed is fp32|fp64|fp16"},
      {"scan: a\nflow:\n  device: gpu\n", ":3:11:", "did you mean 'cuda'?"},
      {"scan: a\nflow:\n  colision: mrt\n", ":3:3:", "did you mean 'collision'?"},
      {"scan: a\nflow:\n  smagorinsky: 0\n", ":3:3:", "did you mean 'eddies'?"},
      {"scan: a\nopenings: {role: inlet}\n", ":2:12:", "list"},
      {"scan: a\nopenings:\n  - {near_mm: [1, ~, 3]}\n", ":3:19:", "plain numbers"},
      {"scan: a\nopenings:\n  - {name: \"a\\e[2J\", near_mm: [1, 2, 3]}\n", ":3:13:", "control"},
      {"scan: a\nname: \"a\\u0085b\"\n", ":2:8:", "control"},
      {"scan: [a\n", ":2:1:", "YAML"},
      {"scan: *nowhere\n", ":1:", "alias"},
      {"- scan\n", ":1:1:", "key: value"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    assert_int_equal(read_text(mistakes[i].text), HT_ERR_CASE);
    const char *message = ht_error_message();
    if (!strstr(message, mistakes[i].place) || !strstr(message, mistakes[i].says))
      fail_msg("%s: %s", mistakes[i].text, message);
  }
}

HT_TEST(test_contradictions) {
  static const char *const texts[] = {
      "name: no source\n",
      "scan: a\nmask: b\n",
      "scan: a\nregion: {min_mm: [1, 2, 3]}\n",
      "scan: a\nregion: {min_mm: [1, 2, 3], max_mm: [2, 2, 4]}\n",
      "scan: a\nopenings:\n  - {role: inlet}\n",
      "scan: a\nopenings:\n  - {near_mm: [1, 2, 3], normal: [0, 0, 1]}\n",
      "scan: a\nopenings:\n  - {centre_mm: [1, 2, 3], normal: [0, 0, 0]}\n",
      "scan: a\nopenings:\n  - {role: outlet, near_mm: [1, 2, 3], flow_ml_s: 1}\n",
      "scan: a\nopenings:\n  - {role: inlet, near_mm: [1, 2, 3], pressure_pa: 1}\n",
      "scan: a\nopenings:\n  - {name: b, near_mm: [1, 2, 3]}\n  - {name: b, near_mm: [4, 2, 3]}\n",
      "scan: a\nflow: {steps: 3, max_steps: 4}\n",
      "scan: a\nsac: {neck_mm: [1, 2, 3]}\n",
      "scan: a\nsac: {neck_mm: [1, 2, 3], neck_normal: [0, 0, 0]}\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(read_text(texts[i]), HT_OK);
    if (ht_case_check(&one) != HT_ERR_CASE) fail_msg("accepted: %s", texts[i]);
  }
}

/* Checks a run of a scan alone, or with the mask moved: it has openings that no file names. */
HT_TEST(test_where_an_opening_is_from) {
  char where[HT_WHERE_MAX];
  assert_int_equal(read_text("scan: a\nopenings:\n  - {name: b, near_mm: [1, 2, 3]}\n"), HT_OK);
  ht_case_opening_where(&one, &one.opening[0], where);
  assert_non_null(strstr(where, ":3:"));
  one.opening[0].line = 0;
  ht_case_opening_where(&one, &one.opening[0], where);
  assert_string_equal(where, "opening 'b'");
}

/* Checks all presets, also `none`, the default of earlier versions, which their folders' case.yaml
 * have. */
HT_TEST(test_presets_round_trip) {
  char text[64];
  assert_int_equal(read_text("scan: a\n"), HT_OK);
  assert_int_equal(one.segment.preset, HT_PRESET_AUTO);
  for (int value = 0; ht_segment_preset_words[value]; value++) {
    snprintf(text, sizeof text, "scan: a\nsegment: {preset: %s}\n", ht_segment_preset_words[value]);
    assert_int_equal(read_text(text), HT_OK);
    assert_int_equal(one.segment.preset, value);
    assert_int_equal(ht_case_write(other, &one, "a", NULL), HT_OK);
    assert_int_equal(ht_case_read(other, &two), HT_OK);
    assert_int_equal(two.segment.preset, value);
  }
}

HT_TEST(test_learned_is_one_of_three) {
  assert_int_equal(read_text("scan: a\n"), HT_OK);
  assert_int_equal(one.segment.learned, HT_SEGMENT_LEARNED_NO);
  assert_int_equal(read_text("scan: a\nsegment: {learned: auto}\n"), HT_OK);
  assert_int_equal(one.segment.learned, HT_SEGMENT_LEARNED_AUTO);
  assert_int_equal(read_text("scan: a\nsegment: {learned: yes}\n"), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "allowed is no|auto|only"));
}

/* Checks that every word of a model is read as its value, written again, and makes another flow. */
HT_TEST(test_words_of_the_models) {
  static const struct {
    const char *key;
    const char *const *words;
  } model[] = {{"precision", ht_precision_words},
               {"collision", ht_collision_words},
               {"fluid", ht_compressibility_words}};
  char text[64], flow[2][HT_HASH_TEXT], mask[2][HT_HASH_TEXT];
  for (int m = 0; m < 3; m++)
    for (int value = 0; model[m].words[value]; value++) {
      snprintf(text, sizeof text, "scan: a\nflow: {%s: %s}\n", model[m].key, model[m].words[value]);
      assert_int_equal(read_text(text), HT_OK);
      int got[3] = {one.solver.precision, one.collision, one.solver.compressibility};
      assert_int_equal(got[m], value);
      assert_int_equal(ht_case_write(other, &one, "a", NULL), HT_OK);
      assert_int_equal(ht_case_read(other, &two), HT_OK);
      ht_case_hash(&one, HT_HASH_FLOW, flow[0]);
      ht_case_hash(&two, HT_HASH_FLOW, flow[1]);
      assert_string_equal(flow[0], flow[1]);
      ht_case_defaults(&two);
      ht_case_hash(&two, HT_HASH_FLOW, flow[1]);
      int is_default = value == 0 && model[m].words != ht_collision_words; /* that is auto */
      assert_int_equal(strcmp(flow[0], flow[1]) == 0, is_default);
      ht_case_hash(&one, HT_HASH_MASK, mask[0]);
      ht_case_hash(&two, HT_HASH_MASK, mask[1]);
      assert_string_equal(mask[0], mask[1]);
    }
}

HT_TEST(test_options_speak_the_same_language) {
  const ht_key *key = ht_key_find(ht_case_keys, "flow", "device");
  const char *text = "gpu";
  ht_case_defaults(&one);
  assert_int_equal(ht_key_set(key, &one, &text, 1, "--device", HT_ERR_USAGE), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "--device"));
  text = "cuda";
  assert_int_equal(ht_key_set(key, &one, &text, 1, "--device", HT_ERR_USAGE), HT_OK);
  assert_int_equal(one.solver.device, HT_DEVICE_CUDA);
}

static void override(const char *name, const char *text) {
  assert_int_equal(ht_case_override(&two, name, text, "here", HT_ERR_CASE), HT_OK);
}

/* Checks that a setting of the command line or of a table acts as that of a case file, with all
 * that follows from it. */
HT_TEST(test_override_as_in_a_file) {
  assert_int_equal(read_text("scan: /a\nregion: {min_mm: [-1, 2, 3], max_mm: [4, 5, 6]}\n"), HT_OK);
  assert_int_equal(one.segment.has_region, 1);
  ht_case_defaults(&two);
  override("scan", "/a");
  override("region.min_mm", "[-1, 2, 3]");
  assert_int_equal(two.segment.has_region, 0);
  override("region.max_mm", "4 5 6");
  assert_int_equal(two.segment.has_region, 1);
  assert_memory_equal(&one.segment, &two.segment, sizeof one.segment);
  const char *neck = "{\"markups\": [{\"type\": \"Plane\", \"coordinateSystem\": \"LPS\", "
                     "\"center\": [1, 2, 3], \"normal\": [0, 0, 1]}]}";
  FILE *stream = fopen(other, "w");
  fputs(neck, stream);
  fclose(stream);
  override("sac.neck_file", other);
  assert_int_equal(two.sac.has_neck, 1);
  assert_true(two.sac.neck_mm[2] == 3);
}

/* Checks the given keys that have no effect, in the schema's order, reset to their defaults. */
static void idle(const char *text, const char *names) {
  static ht_idle_key found[HT_CASE_KEYS_MAX];
  char list[1024] = "";
  int count;
  if (read_text(text) != HT_OK) fail_msg("%s: %s", text, ht_error_message());
  assert_int_equal(ht_case_drop_idle(&one, found, &count), HT_OK);
  for (int i = 0; i < count; i++) {
    size_t length = strlen(list);
    assert_true(found[i].why[0] != 0);
    snprintf(list + length, sizeof list - length, "%s%s", i ? " " : "",
             strrchr(found[i].name, '.') ? strrchr(found[i].name, '.') + 1 : found[i].name);
  }
  if (strcmp(list, names) != 0) fail_msg("%s: not '%s' but '%s'", text, names, list);
  assert_int_equal(ht_case_drop_idle(&one, found, &count), HT_OK);
  assert_int_equal(count, 0);
}

HT_TEST(test_idle_keys) {
  idle("scan: a\n", "");
  idle(
      "scan: a\nblood: {model: casson, viscosity_pa_s: 0.004, carreau_index: 0.4, casson_yield_pa: "
      "0.01}\n",
      "viscosity_pa_s carreau_index");
  assert_true(one.solver.viscosity_pa_s == HT_BLOOD_VISCOSITY_PA_S);
  assert_true(one.solver.blood.casson_yield_pa == 0.01);
  idle("scan: a\nblood: {viscosity_pa_s: 0.004, casson_rest_pa_s: 0.16}\n", "casson_rest_pa_s");
  idle("scan: a\noutlets: {murray_exponent: 3, mean_pressure_mmhg: 90, wave_speed_m_s: 5}\n",
       "murray_exponent mean_pressure_mmhg wave_speed_m_s");
  assert_true(one.mean_pressure_mmhg == 0 && one.solver.wave_speed_m_s == 0);
  idle("scan: a\noutlets: {model: murray, murray_exponent: 2, compliance_ml_mmhg: 1}\n",
       "compliance_ml_mmhg");
  idle("scan: a\noutlets: {model: windkessel, murray_exponent: 2, compliance_ml_mmhg: 1}\n", "");
  idle("scan: a\nflow: {waveform: aorta}\noutlets: {compliance_ml_mmhg: 1}\n", "");
  idle("scan: a\npatient: {kind: aorta, blood_pressure_mmhg: [120, 80]}\n", "");
  idle("scan: a\npatient: {kind: aorta, blood_pressure_mmhg: [120, 80]}\noutlets: {model: area}\n",
       "blood_pressure_mmhg");
  assert_true(one.patient.blood_pressure_mmhg[0] == 0);
  idle("scan: a\nflow: {cycles: 3, max_cycles: 3, samples: 9, fields_at: 0.5, steady_tolerance: "
       "1e-6}\nexport: {beat_files: all}\n",
       "samples fields_at cycles max_cycles beat_files");
  idle("scan: a\nflow: {waveform: carotid, cycles: 3, samples: 9, steady_tolerance: 1e-6, "
       "waveform_period_s: 1}\n",
       "waveform_period_s steady_tolerance");
  idle("scan: a\nflow: {waveform: flow.csv, waveform_period_s: 1}\n", "");
  idle("scan: a\nlattice: {refine: auto}\nflow: {precision: fp16}\n", "refine");
  idle("scan: a\nlattice: {refine: auto}\nblood: {model: casson}\n", "refine");
  idle("scan: a\nlattice: {refine: no, refine_across: 8}\n", "refine_across");
  idle("scan: a\nlattice: {refine_across: 8, refine_dx_plus: 9}\n", "");
  idle("scan: a\nflow: {noise_seed: 2, collision: mrt, diagonal_correction: yes}\n",
       "noise_seed diagonal_correction");
  idle("scan: a\nflow: {noise_seed: 2, inlet_noise: 0.1, diagonal_correction: no}\n", "");
  idle("mask: m.nii\nsegment: {preset: tof-mra, lower: 5, seed_mm: [1, 2, 3], bias: n4}\n"
       "region: {min_mm: [1, 2, 3], max_mm: [4, 5, 6]}\n",
       "preset lower bias");
  assert_true(isnan(one.segment.lower) && one.segment.has_region && one.segment.has_seed);
  idle("scan: a\nvessel: {points: [[1, 2, 3], [4, 5, 6]]}\nsegment: {lower: 5, upper: 9, "
       "smoothing_mm: 1, seed_mm: [1, 2, 3]}\nregion: {min_mm: [1, 2, 3], max_mm: [4, 5, 6]}\n",
       "min_mm max_mm upper seed_mm");
  assert_true(one.segment.lower == 5 && isnan(one.segment.upper));
  assert_int_equal(one.segment.has_region, 0);
  idle("scan: a\nsegment: {method: threshold, radius_mm: [1, 2]}\n", "radius_mm");
  idle("scan: a.nii.gz\nseries: \"2\"\nallow_gaps_mm: 2\nsurface_unit: mm\nphase: 2\n",
       "series allow_gaps_mm surface_unit");
  idle("scan: folder\nseries: \"2\"\nphantom_seed: 3\n", "phantom_seed");
  idle("phantom: pipe\nseries: \"2\"\nphantom_seed: 3\nphase: 2\n", "series phase");
  idle("scan: a\nsac: {find: no, neck_mm: [1, 2, 3], neck_normal: [0, 0, 1]}\n", "find");
}

/* Checks that a written file lists no key without an effect; what hemotile records is not a
 * person's. */
HT_TEST(test_written_keys_are_not_idle) {
  static ht_idle_key found[HT_CASE_KEYS_MAX];
  int count;
  assert_int_equal(read_text("scan: a\nblood: {model: casson, viscosity_pa_s: 0.004}\n"), HT_OK);
  assert_int_equal(ht_case_drop_idle(&one, found, &count), HT_OK);
  assert_int_equal(ht_case_write(other, &one, "scan.nii.gz", NULL), HT_OK);
  assert_int_equal(ht_case_read(other, &two), HT_OK);
  assert_int_equal(ht_case_drop_idle(&two, found, &count), HT_OK);
  assert_int_equal(count, 0);
  ht_case_defaults(&two);
  override("outlets.murray_exponent", "3");
  assert_int_equal(ht_case_drop_idle(&two, found, &count), HT_OK);
  assert_int_equal(count, 1);
  override("outlets.murray_exponent", "3");
  assert_int_equal(ht_case_unmark_defaults(&two), HT_OK);
  assert_int_equal(ht_case_drop_idle(&two, found, &count), HT_OK);
  assert_int_equal(count, 0);
}

HT_TEST(test_flow_given_twice) {
  static const char both[] = "scan: a\nflow: {%s}\nopenings:\n"
                             "  - {role: inlet, near_mm: [1, 2, 3], flow_ml_s: 1.0}\n";
  static const struct {
    const char *flow, *says;
  } cases[] = {{"inlet_flow_ml_s: 0.4", "1 mL/s here ('flow_ml_s'), and flow.inlet_flow_ml_s 0.4"},
               {"inlet_reynolds: 300", "by flow.inlet_reynolds 300"},
               {"inlet_flow_ml_s: 1", NULL},
               {"device: cpu", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    snprintf(text, sizeof text, both, cases[i].flow);
    assert_int_equal(read_text(text), HT_OK);
    assert_int_equal(ht_case_check(&one), cases[i].says ? HT_ERR_CASE : HT_OK);
    if (cases[i].says && !strstr(ht_error_message(), cases[i].says))
      fail_msg("%s", ht_error_message());
  }
  assert_int_equal(read_text("scan: a\nflow: {inlet_flow_ml_s: 2}\n"), HT_OK);
  two = one;
  override("flow.inlet_reynolds", "300");
  assert_true(two.inlet_flow_ml_s == 0 && two.inlet_reynolds == 300);
}

static void refused(const char *name, const char *text, const char *says) {
  assert_int_equal(ht_case_override(&two, name, text, "here", HT_ERR_USAGE), HT_ERR_USAGE);
  if (!strstr(ht_error_message(), says)) fail_msg("%s", ht_error_message());
}

/* Checks that a point's opening gets a name, and that points and positions can be taken back. */
HT_TEST(test_override_of_points) {
  assert_int_equal(
      read_text("scan: a\nvessel: {points: [[1, 2, 3], [4, 5, 6]]}\nsegment: {seed_mm: "
                "[1, 1, 1]}\nopenings:\n  - {name: outlet-1, role: outlet, point: 2, "
                "pressure_pa: 5}\n"),
      HT_OK);
  two = one;
  override("openings.left.point", "2");
  override("openings.in.point", "1");
  assert_int_equal(two.openings, 2);
  assert_string_equal(two.opening[0].name, "left");
  assert_true(two.opening[0].pressure_pa == 5 && two.opening[1].point == 1);
  override("segment.seed_mm", "");
  override("vessel.points", "");
  assert_true(!two.segment.has_seed && two.segment.points == 0 && two.openings == 0);
}

/* Checks a key of an opening as a setting of one value: it replaces what gives the same. */
HT_TEST(test_override_of_an_opening) {
  assert_int_equal(read_text("scan: a\nflow: {inlet_flow_ml_s: 2}\nopenings:\n  - {name: a.b, "
                             "role: outlet, near_mm: [1, 2, 3], pressure_pa: 5}\n"),
                   HT_OK);
  two = one;
  const ht_case_opening *opening = &two.opening[0];
  override("openings.a.b.flow_fraction", "0.25");
  assert_true(opening->flow_fraction == 0.25 && opening->pressure_pa == 5 && opening->has_near);
  char drops[80];
  ht_case_role_drops(&two, "openings.a.b.role", "wall", drops, sizeof drops);
  assert_string_equal(drops, "pressure_pa: 5, flow_fraction: 0.25");
  ht_case_role_drops(&two, "openings.a.b.role", "outlet", drops, sizeof drops);
  assert_string_equal(drops, "");
  override("openings.a.b.centre_mm", "[4, 5, 6]");
  override("openings.a.b.normal", "0 0 1");
  assert_true(opening->has_centre && opening->has_normal && !opening->has_near);
  override("openings.a.b.windkessel_mmhg_ml_s", "[1, 2, 3]");
  override("openings.a.b.windkessel_mmhg_ml_s", "");
  assert_true(!opening->has_windkessel && opening->windkessel[2] == 0);
  override("openings.a.b.role", "inlet");
  assert_true(opening->pressure_pa == 0 && opening->flow_fraction == 0 && two.inlet_flow_ml_s == 2);
  override("openings.a.b.flow_ml_s", "3");
  assert_true(opening->flow_ml_s == 3 && two.inlet_flow_ml_s == 0);
  assert_int_equal(two.openings, 1);
  override("openings.new.role", "wall");
  assert_int_equal(two.openings, 2);
  assert_string_equal(two.opening[1].name, "new");
  assert_int_equal(ht_case_check(&two), HT_ERR_CASE); /* it has no place */
  const ht_case before = two;
  refused("openings.a.b.rle", "wall", "did you mean 'role'?");
  refused("openings.role", "wall", "an opening has no setting");
  refused("openings..role", "wall", "1 to 63 characters");
  refused("openings.a.b.flow_ml_s", "2,5", "write a decimal point, not a comma");
  refused("openings.other.flow_ml_s", "-1", "allowed is above 0 up to 2000");
  assert_memory_equal(&two, &before, sizeof two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_every_key, enter, leave),
      cmocka_unit_test_setup_teardown(test_writing_round_trips, enter, leave),
      cmocka_unit_test_setup_teardown(test_a_measured_flow_is_the_only_one, enter, leave),
      cmocka_unit_test_setup_teardown(test_hash_tells_what_changed, enter, leave),
      cmocka_unit_test_setup_teardown(test_hash_of_a_run, enter, leave),
      cmocka_unit_test_setup_teardown(test_hash_knows_one_lattice, enter, leave),
      cmocka_unit_test_setup_teardown(test_empty_sections_are_defaults, enter, leave),
      cmocka_unit_test_setup_teardown(test_variables_in_paths, enter, leave),
      cmocka_unit_test_setup_teardown(test_mistakes_have_a_place, enter, leave),
      cmocka_unit_test_setup_teardown(test_contradictions, enter, leave),
      cmocka_unit_test_setup_teardown(test_where_an_opening_is_from, enter, leave),
      cmocka_unit_test_setup_teardown(test_presets_round_trip, enter, leave),
      cmocka_unit_test_setup_teardown(test_learned_is_one_of_three, enter, leave),
      cmocka_unit_test_setup_teardown(test_words_of_the_models, enter, leave),
      cmocka_unit_test_setup_teardown(test_override_as_in_a_file, enter, leave),
      cmocka_unit_test_setup_teardown(test_override_of_an_opening, enter, leave),
      cmocka_unit_test_setup_teardown(test_override_of_points, enter, leave),
      cmocka_unit_test_setup_teardown(test_idle_keys, enter, leave),
      cmocka_unit_test_setup_teardown(test_written_keys_are_not_idle, enter, leave),
      cmocka_unit_test_setup_teardown(test_flow_given_twice, enter, leave),
      cmocka_unit_test(test_options_speak_the_same_language),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
