/* run/record/quality_record: the record of a mask's quality is read back, unknown numbers, too. */
#define _POSIX_C_SOURCE 200809L
#include "tests/run/members_text.h"

#include "run/record/quality_record.h"
#include <string.h>

static const ht_member quality[] = {
    {.key = "quality", .type = HT_MEMBER_OBJECT, .inner = ht_quality_members}, {0}};

/* Makes a record in which all that is not set is NaN. */
static ht_mask_quality unknown(void) {
  ht_mask_quality quality;
  double *value = (double *)&quality;
  for (size_t n = 0; n < sizeof quality / sizeof *value; n++) value[n] = NAN;
  quality.voxel_mm = 0.5;
  quality.has_values = 1;
  quality.path_mm = 0;
  quality.missing.area_mm2 = quality.touching.area_mm2 = 0;
  quality.bright.volume_mm3 = quality.dark.volume_mm3 = 0;
  return quality;
}

HT_TEST(test_known) {
  ht_mask_quality from = unknown(), to = {0};
  from.contrast_to_noise = 12.5;
  from.longest_mm = 1.25;
  from.missing_share = 0.0125;
  from.missing.area_mm2 = 3.25;
  from.missing.at = (ht_quality_place){{1.5, -2.25, 3}, 17.5};
  from.path_mm = 42;
  from.thin_share = 0.25;
  from.thinnest_at = (ht_quality_place){{4, 5, 6}, 8};
  there_and_back(quality, &from, &to);
  assert_float_equal(to.contrast_to_noise, 12.5, 0);
  assert_float_equal(to.longest_mm, 1.25, 0);
  assert_float_equal(to.missing_share, 0.0125, 1e-15);
  assert_float_equal(to.missing.area_mm2, 3.25, 0);
  assert_float_equal(to.missing.at.centre_mm[1], -2.25, 0);
  assert_float_equal(to.missing.at.along_mm, 17.5, 0);
  assert_float_equal(to.path_mm, 42, 0);
  assert_float_equal(to.thin_share, 0.25, 0);
  assert_float_equal(to.thinnest_at.along_mm, 8, 0);
  assert_true(isnan(to.edge_mm) && isnan(to.leak_ratio) && isnan(to.dark.at.centre_mm[0]));
  assert_int_equal(ht_quality_judge(&to), ht_quality_judge(&from));
}

HT_TEST(test_none) {
  ht_mask_quality from, to;
  memset(&from, 0, sizeof from);
  memset(&to, 0, sizeof to);
  there_and_back(quality, &from, &to);
  assert_float_equal(to.voxel_mm, 0, 0);
}

HT_TEST(test_words) {
  char text[320];
  ht_mask_quality quality = unknown();
  quality.contrast_to_noise = 120.4; /* not "1.2e+02" */
  quality.edge_voxels = 1.31;
  ht_quality_words(&quality, text, sizeof text);
  assert_string_equal(text, "contrast to noise 120, edge 1.3 voxels wide");
  quality.has_values = 0;
  quality.thinnest_voxels = 3.25;
  quality.thin_volume_share = 0.999;
  ht_quality_words(&quality, text, sizeof text);
  assert_string_equal(text, "thinnest 3.2 voxels across, 99.9 % of the volume below 4 voxels");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_none),
                                     cmocka_unit_test(test_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
