/* bench/: the command line, statistics, geometries and the check of `hemotile bench`. */
#include "tests/check.h"
#include "bench/measure/bench_geometry.h"
#include "bench/measure/bench_check.h"
#include "bench/measure/bench_measure.h"
#include "bench/measure/bench_options.h"
#include "bench/measure/bench_statistics.h"
#include <stdio.h>
#include <string.h>

/* ---- the command line ---- */

static ht_status parse(const char *line, ht_bench_options *options) {
  static char text[512];
  char *argv[32] = {(char *)"bench"};
  int argc = 1;
  snprintf(text, sizeof text, "%s", line);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
  return ht_bench_parse(argc, argv, options);
}

HT_TEST(nothing_typed_gives_the_defaults) {
  ht_bench_options o;
  assert_int_equal(parse("", &o), HT_OK);
  assert_int_equal(o.repeats, 5);
  assert_int_equal(o.seed, 1);
  assert_int_equal(o.device, HT_DEVICE_AUTO);
  assert_int_equal(o.geometries.count + o.layouts.count + o.size + o.wide, 0);
  assert_true(ht_bench_wants(o.precisions, ~0u, HT_FP16));
  assert_true(ht_bench_wants(o.collisions, 1u << HT_LBGK, HT_LBGK));
  assert_false(ht_bench_wants(o.collisions, 1u << HT_LBGK, HT_MRT));
}

HT_TEST(every_option_arrives) {
  ht_bench_options o;
  assert_int_equal(parse("cavity spheres --size 64 --porosity 0.3 --seed 7 --device cpu --threads "
                         "2 --precision fp64,fp16 --collision mrt --fluid all --step=propagate "
                         "--layout hemotile --repeats 9 --csv a.csv --json=b.json --wide",
                         &o),
                   HT_OK);
  assert_int_equal(o.geometries.count, 2);
  assert_string_equal(o.geometries.name[1], "spheres");
  assert_int_equal(o.size, 64);
  assert_true(o.porosity == 0.3);
  assert_int_equal(o.seed, 7);
  assert_int_equal(o.device, HT_DEVICE_CPU);
  assert_int_equal(o.threads, 2);
  assert_int_equal(o.precisions, 1u << HT_FP64 | 1u << HT_FP16);
  assert_int_equal(o.collisions, 1u << HT_MRT);
  assert_true(ht_bench_wants(o.fluids, 0, HT_QUASI_COMPRESSIBLE));
  assert_int_equal(o.steps, 1u << HT_STEP_PROPAGATE);
  assert_string_equal(o.layouts.name[0], "hemotile");
  assert_int_equal(o.repeats, 9);
  assert_string_equal(o.csv, "a.csv");
  assert_string_equal(o.json, "b.json");
  assert_true(o.wide);
}

/* Levels have a geometry and a table of their own. */
HT_TEST(levels_stand_alone) {
  ht_bench_options o;
  assert_int_equal(parse("--levels --size 32 --collision all --precision fp64", &o), HT_OK);
  assert_true(o.levels);
  assert_int_equal(parse("--levels --csv a.csv", &o), HT_ERR_USAGE);
  assert_int_equal(parse("--levels --size 12", &o), HT_ERR_USAGE);
  assert_int_equal(parse("--levels --precision fp16", &o), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "fp32 and fp64"));
}

/* An option may have the same value twice; after "--" there are no options. */
HT_TEST(order_does_not_matter) {
  ht_bench_options o;
  assert_int_equal(parse("--size 32 cavity --size=32 --precision fp64 -- spheres", &o), HT_OK);
  assert_int_equal(o.size, 32);
  assert_int_equal(o.precisions, 1u << HT_FP64);
  assert_int_equal(o.geometries.count, 2);
  assert_int_equal(parse("-- --wide", &o), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "no geometry '--wide'"));
}

HT_TEST(every_layout_is_taken_once) {
  ht_bench_options o;
  ht_bench_layout layout;
  int all = 0;
  while (ht_bench_layout_number(all, &layout)) all++;
  assert_int_equal(parse("--layout hemotile,all --layout hemotile", &o), HT_OK);
  assert_int_equal(o.layouts.count, all);
  assert_string_equal(o.layouts.name[0], HT_BENCH_PRODUCT);
}

/* A message names the wrong value and the allowed ones. */
HT_TEST(mistakes_are_told) {
  static const struct {
    const char *line, *says;
  } mistakes[] = {
      {"cube", "cavity, vessels, vessels-small, spheres, square-channel, round-channel"},
      {"--precision fp8", "'fp8'; allowed is fp32, fp64, fp16 or all"},
      {"--precision fp64,", "''; allowed"},
      {"--collision bgk", "lbgk, mrt, cumulant or all"},
      {"--fluid water", "incompressible, quasi-compressible or all"},
      {"--step jump", "flow, read-write, propagate or all"},
      {"--layout soa", "allowed is hemotile"},
      {"--device gpu", "auto, cpu, cuda"},
      {"--repeats 4", "from 5 to"},
      {"--porosity 1.5", "from 0.01 to 0.9"},
      {"--size 4x", "'4x'"},
      {"--threads 0", "from 1 to"},
      {"--table 10", "3, 4, 5, 6, 7, 8, 9 or fig19"},
      {"--csv", "--csv needs a value"},
      {"--presicion fp64", "did you mean '--precision'"},
      {"--wide=1", "--wide takes no value"},
      {"--sise=4", "unknown option '--sise'; did you mean '--size'?"},
      {"--csv=", "--csv needs a value"},
      {"--copy-mib 1.5", "a whole number from 1 to 1048576"},
      {"--compare=hemotile", "two layouts"},
      {"--compare hemotile", "two layouts"},
      {"--compare hemotile hemotile", "different"},
      {"--compare all hemotile", "single layouts"},
      {"cavity --table 3", "leave GEOMETRY"},
      {"--csv speed --json speed", "both name speed"},
      {"--size 8 cavity --size=9", "--size 8 and --size 9: give one of them"},
      {"--compare hemotile hemotile-compact --compare hemotile hemotile-walls",
       "--compare hemotile-compact and --compare hemotile-walls: give one of them"},
  };
  ht_bench_options o;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    assert_int_equal(parse(mistakes[i].line, &o), HT_ERR_USAGE);
    if (!strstr(ht_error_message(), mistakes[i].says))
      fail_msg("%s: '%s' is not in '%s'", mistakes[i].line, mistakes[i].says, ht_error_message());
  }
}

/* ---- statistics ---- */

HT_TEST(the_median_is_the_middle) {
  double odd[] = {5, 1, 4, 2, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
  ht_bench_statistic s = ht_bench_summarize(odd, 5);
  assert_true(s.median == 3 && s.low == 1 && s.high == 5);
  assert_near(ht_bench_spread(&s), 4.0 / 3, 1e-15);
  s = ht_bench_summarize(even, 4);
  assert_true(s.median == 2.5 && s.low == 1 && s.high == 4);
  s = ht_bench_summarize(one, 1);
  assert_true(s.median == 7 && ht_bench_spread(&s) == 0);
  s = ht_bench_summarize(one, 0);
  assert_true(isnan(s.median));
}

/* ---- geometries ---- */

static void make(const char *name, int size, double porosity, uint64_t seed,
                 ht_bench_domain *domain) {
  ht_bench_geometry geometry;
  assert_int_equal(ht_bench_geometry_choose(name, size, porosity, seed, &geometry), HT_OK);
  assert_int_equal(ht_bench_domain_make(&geometry, domain), HT_OK);
}

HT_TEST(the_same_seed_gives_the_same_mask) {
  static const char *const names[] = {"vessels", "vessels-small", "spheres"};
  for (int i = 0; i < 3; i++) {
    ht_bench_domain one, again, other;
    make(names[i], 60, 0.3, 3, &one);
    make(names[i], 60, 0.3, 3, &again);
    make(names[i], 60, 0.3, 4, &other);
    size_t voxels = (size_t)ht_grid_voxels(&one.mask.grid);
    assert_memory_equal(one.mask.inside, again.mask.inside, voxels);
    assert_memory_not_equal(one.mask.inside, other.mask.inside, voxels);
    ht_bench_domain_free(&one);
    ht_bench_domain_free(&again);
    ht_bench_domain_free(&other);
  }
}

/* One sphere more or less, of a radius of up to 10 in a box of 96 (vessels: thinner). */
HT_TEST(the_porosity_is_what_was_asked_for) {
  ht_bench_domain domain;
  for (int i = 1; i <= 9; i += 4) {
    make("spheres", 96, 0.1 * i, 1, &domain);
    assert_near(domain.porosity, 0.1 * i, 4200.0 / (96 * 96 * 96));
    ht_bench_domain_free(&domain);
    make("vessels", 96, 0.1 * i, 1, &domain);
    assert_near(domain.porosity, 0.1 * i, 0.01);
    ht_bench_domain_free(&domain);
  }
}

HT_TEST(channels_have_a_million_nodes) {
  static const struct {
    const char *name;
    int size;
  } channels[] = {{"square-channel", 4}, {"square-channel", 128}, {"round-channel", 5}};
  for (int i = 0; i < 3; i++) {
    ht_bench_domain domain;
    int size = channels[i].size;
    make(channels[i].name, size, 0, 1, &domain);
    assert_near((double)domain.tiling.nodes, 1e6, 0.5 * size * size + 1);
    ht_bench_domain_free(&domain);
  }
  ht_bench_geometry geometry;
  assert_int_equal(ht_bench_geometry_choose("round-channel", 129, 0, 1, &geometry), HT_ERR_USAGE);
}

HT_TEST(too_large_a_box_says_how_large) {
  ht_bench_geometry geometry;
  ht_bench_domain domain;
  assert_int_equal(ht_bench_geometry_choose("cavity", 30000, 0, 1, &geometry), HT_OK);
  assert_int_equal(ht_bench_domain_make(&geometry, &domain), HT_ERR_MEMORY);
  assert_non_null(strstr(ht_error_message(), "GB"));
}

/* ---- the check ---- */

HT_TEST(the_product_passes_its_check) {
  for (int i = 0; ht_bench_geometry_number(i); i += 2)
    for (int p = HT_FP32; p <= HT_FP64; p++) {
      ht_bench_model model = {.layout = HT_BENCH_PRODUCT, .precision = (ht_precision)p};
      double error;
      assert_int_equal(
          ht_bench_check(ht_bench_geometry_number(i), &model, HT_DEVICE_CPU, 2, &error), HT_OK);
      assert_true(error <= ht_bench_tolerance((ht_precision)p));
      if (p == HT_FP32) assert_true(error > 0);
    }
}

/* Two models in turns, as --compare does: the ratio is that of the speeds, pair by pair. */
HT_TEST(a_pair_is_timed_in_turns) {
  ht_bench_options o;
  ht_bench_setting setting;
  ht_bench_domain domain;
  ht_bench_row row[2];
  const ht_bench_model model[2] = {{.layout = HT_BENCH_PRODUCT, .precision = HT_FP64},
                                   {.layout = HT_BENCH_PRODUCT, .precision = HT_FP32}};
  assert_int_equal(parse("--device cpu --copy-mib 1 --seconds 0.001 --threads 1", &o), HT_OK);
  assert_int_equal(ht_bench_begin(&o, &setting), HT_OK);
  make("cavity", 16, 0, 1, &domain);
  assert_int_equal(ht_bench_measure(&setting, &domain, model, 2, row), HT_OK);
  for (int i = 0; i < 2; i++) {
    assert_true(row[i].nodes == 4096 && !row[i].wrong && row[i].steps % 2 == 0);
    assert_true(row[i].mflups.low > 0 && row[i].mflups.low <= row[i].mflups.median);
    assert_true(row[i].copy.median > 0 && row[i].of_copy > 0 && isnan(row[i].of_datasheet));
    assert_true(row[i].bytes_a_node > 19 * (i == 0 ? 8 : 4));
  }
  assert_true(isnan(row[0].ratio.median));
  assert_true(row[1].ratio.low >= row[1].mflups.low / row[0].mflups.high * (1 - 1e-12));
  assert_true(row[1].ratio.high <= row[1].mflups.high / row[0].mflups.low * (1 + 1e-12));
  ht_bench_domain_free(&domain);
  ht_bench_end(&setting);
}

HT_TEST(models_have_names_and_bytes) {
  char name[16];
  ht_bench_model model = {.layout = HT_BENCH_PRODUCT,
                          .precision = HT_FP16,
                          .collision = HT_MRT,
                          .fluid = HT_QUASI_COMPRESSIBLE};
  ht_bench_model_name(&model, name);
  assert_string_equal(name, "mrt-quasi");
  assert_true(ht_bench_model_bytes(&model) == 76);
  model.precision = HT_FP64;
  model.step = HT_STEP_READ_WRITE;
  ht_bench_model_name(&model, name);
  assert_string_equal(name, "read-write");
  assert_true(ht_bench_model_bytes(&model) == 304);
  model.collision = HT_CUMULANT;
  assert_true(ht_bench_model_bytes(&model) == 432);
  model.step = HT_STEP_FLOW;
  ht_bench_model_name(&model, name);
  assert_string_equal(name, "cumulant");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_typed_gives_the_defaults),
      cmocka_unit_test(every_option_arrives),
      cmocka_unit_test(order_does_not_matter),
      cmocka_unit_test(levels_stand_alone),
      cmocka_unit_test(every_layout_is_taken_once),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(the_median_is_the_middle),
      cmocka_unit_test(the_same_seed_gives_the_same_mask),
      cmocka_unit_test(the_porosity_is_what_was_asked_for),
      cmocka_unit_test(channels_have_a_million_nodes),
      cmocka_unit_test(too_large_a_box_says_how_large),
      cmocka_unit_test(the_product_passes_its_check),
      cmocka_unit_test(a_pair_is_timed_in_turns),
      cmocka_unit_test(models_have_names_and_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
