/* import/: what kind of scan a DICOM series is, by its tags and the words of its descriptions. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include "core/vessel/scan_signs.h"
#include "import/dicom/sign_words.h"
#include <stdio.h>
#include <string.h>

/* Fails with the words of both, which say more than two numbers. */
static void assert_signs(const char *text, unsigned got, unsigned expected) {
  char got_words[320], expected_words[320], line[800];
  ht_scan_signs_text(got, got_words, sizeof got_words);
  ht_scan_signs_text(expected, expected_words, sizeof expected_words);
  snprintf(line, sizeof line, "\"%s\": %s; expected: %s", text, got_words, expected_words);
  if (got != expected) fail_msg("%s", line);
}

HT_TEST(words_of_descriptions) {
  static const struct {
    const char *modality, *text;
    unsigned signs;
  } table[] = {
      {"MR", "", 0},
      {"MR", "3D_TOF_multi-slab", HT_SIGN_3D | HT_SIGN_TOF},
      {"MR", "tof_fl3d_tra_p2", HT_SIGN_3D | HT_SIGN_TOF},
      {"MR", "HEAD 3DTOF", HT_SIGN_3D | HT_SIGN_TOF | HT_SIGN_HEAD},
      {"MR", "Time-of-Flight MRA", HT_SIGN_TOF | HT_SIGN_ANGIO},
      {"MR",
       "Angio Sch\xc3\xa4"
       "del",
       HT_SIGN_ANGIO | HT_SIGN_HEAD},
      {"MR", "angiografia testa", HT_SIGN_ANGIO | HT_SIGN_HEAD},
      {"MR", "T\xc3\x8aTE temps de vol", HT_SIGN_HEAD | HT_SIGN_TOF},
      {"MR", "CE-MRA Karotiden", HT_SIGN_CONTRAST | HT_SIGN_ANGIO | HT_SIGN_NECK},
      {"MR", "PC flow", HT_SIGN_PHASE_CONTRAST},
      {"MR", "MIP TOF", HT_SIGN_COMPUTED | HT_SIGN_TOF},
      {"MR", "MRV head", HT_SIGN_VEINS | HT_SIGN_HEAD},
      {"MR", "stoffwechsel", 0}, /* no word begins with "tof" */
      {"MR", "t2_tse_tra", 0},
      {"CT", "CTA Head 0.6", HT_SIGN_ANGIO | HT_SIGN_HEAD},
      {"CT", "TOF", 0}, /* of an MR only */
      {"CT", "Angio-TC aorta toracica", HT_SIGN_ANGIO | HT_SIGN_AORTA | HT_SIGN_CHEST},
      {"CT", "Supra-aortic trunks", HT_SIGN_NECK}, /* not the aorta */
      {"CT", "Abdomen art\xc3\xa9rielle", HT_SIGN_ABDOMEN | HT_SIGN_CONTRAST},
      {"CT", "Aorta nativ", HT_SIGN_AORTA | HT_SIGN_NATIVE},
      {"CT", "Abd ven\xc3\xb6s mit KM", HT_SIGN_ABDOMEN | HT_SIGN_VEINS | HT_SIGN_CONTRAST},
      {"CT", "Monoenergetic 40keV", HT_SIGN_COMPUTED},
      {"CT", "CTA runoff", HT_SIGN_ANGIO | HT_SIGN_OTHER},
      {"XA", "3DRA Prop", HT_SIGN_3D},
      {"XA", "3D Rot Head", HT_SIGN_3D | HT_SIGN_ROTATIONAL | HT_SIGN_HEAD},
      {"XA", "DynaCT", HT_SIGN_NATIVE},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    assert_signs(table[i].text, ht_signs_of_description(table[i].text, table[i].modality),
                 table[i].signs);
}

HT_TEST(parts_of_the_body) {
  static const struct {
    const char *text;
    unsigned signs;
  } table[] = {
      {"", 0},
      {"BRAIN", HT_SIGN_HEAD},
      {"HEADNECK", HT_SIGN_HEAD | HT_SIGN_NECK},
      {"CHESTABDPELVIS", HT_SIGN_CHEST | HT_SIGN_ABDOMEN},
      {"CIRCLEOFWILLIS", HT_SIGN_HEAD},
      {"THORACICAORTA", HT_SIGN_CHEST | HT_SIGN_AORTA},
      {"CSPINE", HT_SIGN_OTHER},
      {"HEART", HT_SIGN_HEART},
      {"LEG", HT_SIGN_OTHER},
      {"BREAST", 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    assert_signs(table[i].text, ht_signs_of_part(table[i].text), table[i].signs);
}

HT_TEST(agents) {
  static const char *const yes[] = {"APPLIED", "Ultravist 370", "CE", "Visipaque"};
  static const char *const no[] = {"", "NONE", "no", "without", "Nativ", "ORAL", "0"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(ht_signs_is_agent(yes[i]));
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(ht_signs_is_agent(no[i]));
}

/* The signs that the import of a series with these tags gives. */
static unsigned signs_of_series(const char *modality, const char *description,
                                const char *const *tags) {
  unsigned signs = ~0u;
  ht_import_options options = {.signs = &signs};
  ht_volume volume;
  for (int k = 0; k < 3; k++) {
    char name[32];
    dicom_image image = dicom_image_default(k);
    image.modality = modality;
    image.description = description;
    image.tags = tags;
    snprintf(name, sizeof name, "slice-%d.dcm", k);
    write_image(name, image, k);
  }
  assert_int_equal(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_OK);
  assert_string_equal(volume.modality, modality);
  ht_volume_free(&volume);
  return signs;
}

HT_TEST(tags_of_a_series) {
  const unsigned echo_3d = HT_SIGN_GRADIENT_ECHO | HT_SIGN_3D;
  static const char *const tof[] = {"ScanningSequence",
                                    "GR",
                                    "MRAcquisitionType",
                                    "3D",
                                    "AngioFlag",
                                    "Y",
                                    "RepetitionTime",
                                    "22",
                                    "BodyPartExamined",
                                    "HEAD",
                                    "ProtocolName",
                                    "TOF Neck",
                                    NULL};
  static const char *const fast[] = {
      "ScanningSequence", "GR",  "MRAcquisitionType",  "3D",       "AngioFlag", "Y",
      "RepetitionTime",   "3.2", "ContrastBolusAgent", "Gadovist", NULL};
  static const char *const spin[] = {"ScanningSequence", "SE", "ProtocolName", "TOF", NULL};
  static const char *const enhanced[] = {
      "EchoPulseSequence",
      "GRADIENT",
      "SharedFunctionalGroupsSequence[0].MRImageFrameTypeSequence[0].AcquisitionContrast",
      "TIME_OF_FLIGHT",
      "SharedFunctionalGroupsSequence[0].MRTimingAndRelatedParametersSequence[0].RepetitionTime",
      "25",
      "SharedFunctionalGroupsSequence[0].FrameAnatomySequence[0].AnatomicRegionSequence[0]."
      "CodeMeaning",
      "Brain",
      "ContrastBolusAgentSequence[0].CodeMeaning",
      "Gadolinium",
      NULL};
  static const char *const head[] = {
      "BodyPartExamined", "HEAD", "ContrastBolusAgent", "APPLIED", "ProtocolName",
      "CTA Aorta",        NULL};
  static const char *const rotation[] = {"ImageType", "DERIVED\\PRIMARY\\3DRA", NULL};
  assert_signs("tof", signs_of_series("MR", "", tof),
               echo_3d | HT_SIGN_ANGIO | HT_SIGN_TOF | HT_SIGN_HEAD | HT_SIGN_NECK);
  assert_signs("fast", signs_of_series("MR", "", fast),
               echo_3d | HT_SIGN_ANGIO | HT_SIGN_SHORT_TR | HT_SIGN_CONTRAST);
  assert_signs("spin echo", signs_of_series("MR", "like TOF", spin), 0);
  assert_signs("enhanced", signs_of_series("MR", "", enhanced),
               HT_SIGN_TOF | HT_SIGN_GRADIENT_ECHO | HT_SIGN_HEAD | HT_SIGN_CONTRAST);
  /* The protocol is that of the examination: of its words only the part of the body counts. */
  assert_signs("head", signs_of_series("CT", "Axial", head),
               HT_SIGN_HEAD | HT_SIGN_AORTA | HT_SIGN_CONTRAST);
  assert_signs("rotation", signs_of_series("XA", "", rotation), HT_SIGN_ROTATIONAL | HT_SIGN_3D);
  assert_signs("none", signs_of_series("CT", "Doe, Jane", NULL), 0);
}

HT_TEST(an_image_file_has_none) {
  unsigned signs = ~0u;
  ht_import_options options = {.signs = &signs};
  ht_volume volume;
  const nifti_file file = nifti_default();
  scan_write("TOF head.nii", &file);
  assert_int_equal(ht_import_volume(in_scratch("TOF head.nii"), &options, NULL, &volume), HT_OK);
  assert_int_equal(signs, 0);
  ht_volume_free(&volume);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_of_descriptions),
      cmocka_unit_test(parts_of_the_body),
      cmocka_unit_test(agents),
      cmocka_unit_test_setup_teardown(tags_of_a_series, scratch_set_up, scratch_tear_down),
      cmocka_unit_test_setup_teardown(an_image_file_has_none, scratch_set_up, scratch_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
