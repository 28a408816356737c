/* segment/settings: the preset by a scan's signs and values; the words of the signs. */
#include "tests/check.h"
#include "segment/settings/preset_guess.h"
#include <stdio.h>
#include <string.h>

enum { SIDE = 10, VOXELS = SIDE * SIDE * SIDE };

/* A tenth of the voxels are air, half tissue, the others as bright as `bright`. */
static float values[VOXELS];

static ht_volume scan_of(const char *modality, float air, float tissue, float bright) {
  ht_volume scan = {.grid = ht_grid_make(SIDE, SIDE, SIDE), .values = values};
  snprintf(scan.modality, sizeof scan.modality, "%s", modality);
  for (int v = 0; v < VOXELS; v++) values[v] = v % 10 == 0 ? air : v % 10 < 6 ? tissue : bright;
  return scan;
}

#define GRADIENT (HT_SIGN_3D | HT_SIGN_GRADIENT_ECHO)

static const struct {
  const char *modality;
  unsigned signs;
  ht_segment_preset preset;
  const char *why;
} table[] = {
    /* MR */
    {"MR", HT_SIGN_TOF, HT_PRESET_TOF_MRA, "MR, time of flight"},
    {"MR", HT_SIGN_TOF | HT_SIGN_HEAD | HT_SIGN_CONTRAST, HT_PRESET_TOF_MRA, "head"},
    {"MR", GRADIENT | HT_SIGN_ANGIO | HT_SIGN_NECK, HT_PRESET_TOF_MRA, "neck, angiography, 3D"},
    {"MR", 0, HT_PRESET_NONE, "MR; they do not say"},
    {"MR", GRADIENT | HT_SIGN_HEAD, HT_PRESET_NONE, "do not say"}, /* T1 of the brain */
    {"MR", GRADIENT | HT_SIGN_ANGIO, HT_PRESET_NONE, "head or the neck"},
    {"MR", GRADIENT | HT_SIGN_ANGIO | HT_SIGN_ABDOMEN, HT_PRESET_NONE, "head or the neck"},
    {"MR", HT_SIGN_TOF | HT_SIGN_OTHER, HT_PRESET_NONE, "head or the neck"},
    {"MR", GRADIENT | HT_SIGN_ANGIO | HT_SIGN_NECK | HT_SIGN_CONTRAST, HT_PRESET_NONE, "do not"},
    {"MR", GRADIENT | HT_SIGN_ANGIO | HT_SIGN_NECK | HT_SIGN_SHORT_TR, HT_PRESET_NONE, "longer"},
    {"MR", HT_SIGN_TOF | HT_SIGN_VEINS, HT_PRESET_NONE, "other than the arteries"},
    {"MR", HT_SIGN_TOF | HT_SIGN_COMPUTED, HT_PRESET_NONE, "other than the arteries"},
    {"MR", HT_SIGN_ANGIO | HT_SIGN_PHASE_CONTRAST | GRADIENT | HT_SIGN_HEAD, HT_PRESET_NONE,
     "other than the arteries"},
    {"MR", HT_SIGN_AORTA | HT_SIGN_ANGIO | HT_SIGN_CONTRAST, HT_PRESET_NONE, "do not say"},
    /* CT */
    {"CT", HT_SIGN_HEAD | HT_SIGN_CONTRAST, HT_PRESET_CTA_HEAD, "CT, head, contrast agent"},
    {"CT", HT_SIGN_HEAD | HT_SIGN_NECK | HT_SIGN_ANGIO, HT_PRESET_CTA_HEAD, "neck"},
    {"CT", HT_SIGN_AORTA | HT_SIGN_CONTRAST, HT_PRESET_CTA_AORTA, "aorta"},
    {"CT", HT_SIGN_CHEST | HT_SIGN_ABDOMEN | HT_SIGN_ANGIO, HT_PRESET_CTA_AORTA, "abdomen"},
    {"CT", HT_SIGN_AORTA | HT_SIGN_HEART | HT_SIGN_ANGIO, HT_PRESET_CTA_AORTA, "heart"},
    {"CT", 0, HT_PRESET_NONE, "no contrast agent"},
    {"CT", HT_SIGN_HEAD, HT_PRESET_NONE, "no contrast agent"},
    {"CT", HT_SIGN_HEAD | HT_SIGN_CONTRAST | HT_SIGN_NATIVE, HT_PRESET_NONE, "no contrast agent"},
    {"CT", HT_SIGN_CONTRAST, HT_PRESET_NONE, "head and neck alone"},
    {"CT", HT_SIGN_ABDOMEN | HT_SIGN_CONTRAST, HT_PRESET_NONE, "head and neck alone"},
    {"CT", HT_SIGN_HEART | HT_SIGN_ANGIO, HT_PRESET_NONE, "head and neck alone"},
    {"CT", HT_SIGN_NECK | HT_SIGN_CHEST | HT_SIGN_ANGIO, HT_PRESET_NONE, "head and neck alone"},
    {"CT", HT_SIGN_AORTA | HT_SIGN_OTHER | HT_SIGN_ANGIO, HT_PRESET_NONE, "head and neck alone"},
    {"CT", HT_SIGN_AORTA | HT_SIGN_ANGIO | HT_SIGN_VEINS, HT_PRESET_NONE, "other than arteries"},
    {"CT", HT_SIGN_HEAD | HT_SIGN_ANGIO | HT_SIGN_COMPUTED, HT_PRESET_NONE, "other than arteries"},
    /* XA */
    {"XA", HT_SIGN_ROTATIONAL | HT_SIGN_3D, HT_PRESET_3DRA, "XA, 3D, rotational"},
    {"XA", HT_SIGN_HEAD | HT_SIGN_ANGIO, HT_PRESET_NONE, "rotational angiography"},
    {"XA", HT_SIGN_ROTATIONAL | HT_SIGN_NATIVE, HT_PRESET_NONE, "rotational angiography"},
    /* others */
    {"US", HT_SIGN_HEAD | HT_SIGN_CONTRAST, HT_PRESET_NONE, "there is no preset for it"},
    {"", HT_SIGN_TOF, HT_PRESET_NONE, "values look like those of a CT"},
};

HT_TEST(a_table_of_signs) {
  char why[400];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    ht_volume scan = scan_of(table[i].modality, -1000, 40, 400);
    ht_segment_preset got = ht_preset_guess(&scan, table[i].signs, why, sizeof why);
    if (got != table[i].preset || !strstr(why, table[i].why))
      fail_msg("row %d: preset %s because %s; expected %s because %s", (int)i,
               ht_segment_preset_words[got], why, ht_segment_preset_words[table[i].preset],
               table[i].why);
  }
}

/* Tags that say CT, above values that are none. */
HT_TEST(values_can_object) {
  char why[400];
  ht_volume scan = scan_of("CT", 0, 40, 900);
  assert_int_equal(ht_preset_guess(&scan, HT_SIGN_AORTA | HT_SIGN_ANGIO, why, sizeof why),
                   HT_PRESET_NONE);
  assert_non_null(strstr(why, "no value is below 0"));
}

/* What may be a CT is no MR. */
HT_TEST(mr_is_recognised_by_its_values) {
  ht_volume scan = scan_of("", 7, 120, 500);
  assert_true(ht_values_are_mr(&scan));
  scan = scan_of("", 0, 0, 500); /* clipped */
  assert_false(ht_values_are_mr(&scan));
  scan = scan_of("", -7, 120, 500);
  assert_false(ht_values_are_mr(&scan));
  scan = scan_of("", 24, 1064, 1324); /* Hounsfield units with 1024 added */
  assert_false(ht_values_are_mr(&scan));
  scan = scan_of("", 940, 1064, 1324); /* the same without air */
  assert_false(ht_values_are_mr(&scan));
  scan = scan_of("", 0.007F, 0.12F, 0.5F);
  assert_false(ht_values_are_mr(&scan));
}

HT_TEST(hounsfield_units_are_recognised) {
  char why[400];
  ht_volume scan = scan_of("", -1000, 40, 300);
  assert_true(ht_values_are_hounsfield(&scan));
  scan = scan_of("", 0, 40, 300); /* no air */
  assert_false(ht_values_are_hounsfield(&scan));
  scan = scan_of("", -1000, 600, 900); /* no tissue */
  assert_false(ht_values_are_hounsfield(&scan));
  scan = scan_of("", -3024, 40, 300); /* padding is no air */
  assert_false(ht_values_are_hounsfield(&scan));
  assert_int_equal(ht_preset_guess(&scan, 0, why, sizeof why), HT_PRESET_NONE);
  assert_string_equal(why, "the file does not say what kind of scan it is");
}

HT_TEST(signs_have_words) {
  char text[320];
  ht_scan_signs_text(0, text, sizeof text);
  assert_string_equal(text, "");
  ht_scan_signs_text(HT_SIGN_HEART | HT_SIGN_TOF, text, sizeof text);
  assert_string_equal(text, "heart or lungs, time of flight");
  for (unsigned bit = HT_SIGN_HEAD; bit <= HT_SIGN_COMPUTED; bit <<= 1) {
    ht_scan_signs_text(bit, text, sizeof text);
    assert_true(text[0]);
    assert_int_equal(ht_scan_signs_parse(text), bit);
  }
  const unsigned all = 2 * HT_SIGN_COMPUTED - 1;
  ht_scan_signs_text(all, text, sizeof text);
  assert_int_equal(ht_scan_signs_parse(text), all); /* it was not cut */
  assert_int_equal(ht_scan_signs_parse("head, of a later version, 3D"), HT_SIGN_HEAD | HT_SIGN_3D);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_of_signs), cmocka_unit_test(values_can_object),
      cmocka_unit_test(mr_is_recognised_by_its_values),
      cmocka_unit_test(hounsfield_units_are_recognised), cmocka_unit_test(signs_have_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
