/* app/batch/cohort/cohort: cases of a table and of a folder, and the mistakes that are found before
 * anything runs. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "app/batch/batch_case.h"
#include "app/batch/batch_reason.h"
#include "app/batch/cohort/cohort.h"
#include "run/process/console.h"
#include "tests/export/expected_file.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

static const char *write_text(const char *name, const char *text) {
  const char *path = ht_test_path(name);
  ht_test_write(path, text, strlen(text));
  return path;
}

static const char *set_of(const ht_cohort_case *one, const char *name) {
  for (int s = 0; s < one->sets; s++)
    if (strncmp(one->set[s], name, strlen(name)) == 0 && one->set[s][strlen(name)] == '=')
      return one->set[s] + strlen(name) + 1;
  return NULL;
}

static void read_a_table(void **unused) {
  ht_cohort cohort;
  (void)unused;
  write_text("a.nii", "x");
  write_text("b.nii", "x");
  const char *path = write_text("t.csv", "ID;age;scan;flow.inlet_flow_ml_s;flow.cycles\n"
                                         "p-1;61;a.nii;0,5;3\n"
                                         "p-2;;b.nii;;\n");
  assert_int_equal(ht_cohort_read(path, NULL, &cohort), HT_OK);
  assert_int_equal(cohort.cases, 2);
  assert_int_equal(cohort.covariates, 1);
  assert_int_equal(cohort.covariate[0], 1);
  assert_string_equal(cohort.item[0].id, "p-1");
  assert_string_equal(set_of(&cohort.item[0], "flow.inlet_flow_ml_s"), "0.5");
  assert_string_equal(set_of(&cohort.item[0], "flow.cycles"), "3");
  assert_string_equal(set_of(&cohort.item[0], "name"), "p-1");
  assert_int_equal(set_of(&cohort.item[0], "scan")[0], '/');
  assert_null(set_of(&cohort.item[1], "flow.cycles"));
  assert_string_not_equal(cohort.item[0].hash, cohort.item[1].hash);
  ht_cohort_free(&cohort);
}

/* Reads a row with a case file of its own: in place of the base; its columns go over it. */
static void read_case_files(void **unused) {
  ht_cohort cohort;
  (void)unused;
  write_text("a.nii", "x");
  write_text("own.yaml", "scan: a.nii\nflow: {cycles: 4}\n");
  char base[256];
  snprintf(base, sizeof base, "%s", write_text("base.yaml", "lattice: {nodes_across: 12}\n"));
  const char *path = write_text("t.csv", "id,case,scan,flow.cycles,age\n"
                                         "p,own.yaml,,3,61\n"
                                         "q,,a.nii,,62\n");
  assert_int_equal(ht_cohort_read(path, base, &cohort), HT_OK);
  assert_string_equal(ht_path_name(cohort.item[0].base), "own.yaml");
  assert_string_equal(ht_path_name(cohort.item[0].input), "a.nii");
  assert_string_equal(set_of(&cohort.item[0], "flow.cycles"), "3");
  assert_null(set_of(&cohort.item[0], "scan"));
  assert_null(cohort.item[1].base);
  assert_int_equal(cohort.covariates, 1);
  char before[HT_HASH_TEXT], other[HT_HASH_TEXT];
  memcpy(before, cohort.item[0].hash, sizeof before);
  memcpy(other, cohort.item[1].hash, sizeof other);
  ht_cohort_free(&cohort);
  /* The row says cycles, too: only what holds in the end counts. */
  write_text("own.yaml", "scan: a.nii\nflow: {cycles: 5}\n");
  path = ht_test_path("t.csv");
  assert_int_equal(ht_cohort_read(path, base, &cohort), HT_OK);
  assert_string_equal(cohort.item[0].hash, before);
  ht_cohort_free(&cohort);
  write_text("own.yaml", "scan: a.nii\nflow: {cycles: 5, samples: 40}\n");
  path = ht_test_path("t.csv");
  assert_int_equal(ht_cohort_read(path, base, &cohort), HT_OK);
  assert_string_not_equal(cohort.item[0].hash, before);
  assert_string_equal(cohort.item[1].hash, other);
  ht_cohort_free(&cohort);
  write_text("own.yaml", "scan: a.nii\nflow: {cycels: 5}\n");
  path = ht_test_path("t.csv");
  assert_int_equal(ht_cohort_read(path, base, &cohort), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "cycels"));
  path = write_text("t.csv", "id,case\np,none.yaml\n");
  assert_int_equal(ht_cohort_read(path, base, &cohort), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), ":2, column case: there is no"));
}

/* Checks that a change of a setting changes the hash, a change of a covariate or of the colours
 * does not; one of the base file changes all; so does another text in a waveform's file. */
static void hash_the_settings(void **unused) {
  ht_cohort before, after;
  (void)unused;
  write_text("a.nii", "x");
  const char *path = write_text("t.csv", "id,age,scan,flow.cycles\np,61,a.nii,3\n");
  assert_int_equal(ht_cohort_read(path, NULL, &before), HT_OK);
  path = write_text("t.csv", "id,age,scan,flow.cycles\np,62,a.nii,3\n");
  assert_int_equal(ht_cohort_read(path, NULL, &after), HT_OK);
  assert_string_equal(before.item[0].hash, after.item[0].hash);
  ht_cohort_free(&after);
  const char *base = write_text("base.yaml", "lattice: {nodes_across: 12}\n");
  assert_int_equal(ht_cohort_read(path, base, &after), HT_OK);
  assert_string_not_equal(before.item[0].hash, after.item[0].hash);
  ht_cohort_free(&after);
  base = write_text("base.yaml", "# colours\nexport: {wss_colours_to_pa: 7}\n");
  path = ht_test_path("t.csv");
  assert_int_equal(ht_cohort_read(path, base, &after), HT_OK);
  assert_string_equal(before.item[0].hash, after.item[0].hash);
  assert_true(after.item[0].colours[HT_COLOURS_WSS] == 7);
  ht_cohort_free(&after);
  path = write_text("t.csv", "id,age,scan,flow.cycles\np,61,a.nii,4\n");
  assert_int_equal(ht_cohort_read(path, NULL, &after), HT_OK);
  assert_string_not_equal(before.item[0].hash, after.item[0].hash);
  ht_cohort_free(&after);
  ht_cohort_free(&before);
  write_text("beat.csv", "time_s,flow_ml_s\n0,1\n0.3,3\n0.5,2\n0.7,2\n0.9,1\n");
  path = write_text("t.csv", "id,scan,flow.waveform\np,a.nii,beat.csv\n");
  assert_int_equal(ht_cohort_read(path, NULL, &before), HT_OK);
  write_text("beat.csv", "time_s,flow_ml_s\n0,1\n0.3,4\n0.5,2\n0.7,2\n0.9,1\n");
  path = ht_test_path("t.csv");
  assert_int_equal(ht_cohort_read(path, NULL, &after), HT_OK);
  assert_string_not_equal(before.item[0].hash, after.item[0].hash);
  ht_cohort_free(&after);
  ht_cohort_free(&before);
}

static void name_the_mistake(void **unused) {
  static const struct {
    const char *table, *says;
  } wrong[] = {
      {"scan\na.nii\n", "no column 'id'"},
      {"id,scan\n", "no cases"},
      {"id,scan\nx,a.nii\nx,a.nii\n", "two cases are 'x' (lines 2 and 3)"},
      {"id,scan\na/b,a.nii\n", ":2: 'a/b' cannot name"},
      {"id,scan\n..,a.nii\n", "cannot name"},
      {"id,scan\nx,none.nii\n", ":2, column scan: there is no"},
      {"id,mask\nx,\"[a.stl, b.stl]\"\n",
       "several files goes into a case file, for the column 'case'"},
      {"id,scan,flow.cycels\nx,a.nii,3\n", "did you mean 'flow.cycles'?"},
      {"id,scan,flwo.cycles\nx,a.nii,3\n", "did you mean 'flow.cycles'?"},
      {"id,scan,flow.cycles\nx,a.nii,many\n", ":2, column flow.cycles"},
      {"id,scan,Flow\nx,a.nii,3\n", "did you mean 'flow.inlet_flow_ml_s'?"},
      {"id,scan,nodes_across\nx,a.nii,12\n", "did you mean 'lattice.nodes_across'?"},
      {"id,scan,inlet flow\nx,a.nii,3\n", "did you mean 'flow.inlet_flow_ml_s'?"},
      {"id,scan,Inlet Flow [mL/s]\nx,a.nii,3\n", "did you mean 'flow.inlet_flow_ml_s'?"},
      {"id,scan,lattice nodes-across\nx,a.nii,12\n", "did you mean 'lattice.nodes_across'?"},
      {"id,scan,flow.cycles,Flow.Cycles\nx,a.nii,3,5\n",
       ":1: the column 'flow.cycles' is there twice (columns 3 and 4)"},
      {"id,scan,ID\nx,a.nii,y\n", "the column 'ID' is there twice (columns 1 and 3)"},
      {"id,scan,age,age\nx,a.nii,61,62\n", "the column 'age' is there twice"},
      {"id,scan,flow.cycles\nx,a.nii,\"3\"5\n", ":2: there is text after the end of a quoted"},
      {"id,scan\n\"x\"9,a.nii\n", ":2: there is text after the end of a quoted"},
      {"id,age\nx,61\n", ":2: case 'x'"},
      {"id,scan,flow.waveform\nx,a.nii,none.csv\n", ":2: case 'x': "},
      {"id,scan,flow.inlet_flow_ml_s,flow.inlet_reynolds\nx,a.nii,,100\ny,a.nii,1,100\n",
       ":3: flow.inlet_flow_ml_s and flow.inlet_reynolds give the same quantity"},
      {"id,scan,lattice.spacing_mm,lattice.nodes_across\nx,a.nii,0.2,20\n",
       ":2: lattice.spacing_mm and lattice.nodes_across give the same quantity"},
  };
  ht_cohort cohort;
  (void)unused;
  write_text("a.nii", "x");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *path = write_text("t.csv", wrong[i].table);
    assert_int_equal(ht_cohort_read(path, NULL, &cohort), HT_ERR_CASE);
    if (!strstr(ht_error_message(), wrong[i].says))
      fail_msg("'%s' is not in: %s", wrong[i].says, ht_error_message());
    assert_null(cohort.item);
  }
}

/* Checks that a likely setting or covariate is passed on, with a warning. */
static void warn_of_a_likely_setting(void **unused) {
  ht_cohort cohort;
  int before = ht_console_warnings();
  (void)unused;
  write_text("a.nii", "x");
  const char *path = write_text("t.csv", "id,scan,age,heart_rate\nx,a.nii,61,70\n");
  assert_int_equal(ht_cohort_read(path, NULL, &cohort), HT_OK);
  assert_int_equal(cohort.covariates, 2);
  assert_int_equal(ht_console_warnings() - before, 1);
  ht_cohort_free(&cohort);
}

/* Names all mistakes at once, each with its place. */
static void name_all_mistakes(void **unused) {
  static const char *const says[] = {
      "6 mistakes; no case was run",      "t.csv:1: there is no setting 'flow.cycels'",
      "t.csv:2, column flow.cycles",      "t.csv:3, column scan: there is no",
      "t.csv:3, column flow.cycles",      "t.csv:4: '../x' cannot name",
      "two cases are 'x' (lines 2 and 5)"};
  ht_cohort cohort;
  (void)unused;
  write_text("a.nii", "x");
  const char *path = write_text("t.csv", "id,scan,flow.cycles,flow.cycels\n"
                                         "x,a.nii,many,1\n"
                                         "y,none.nii,lots,1\n"
                                         "../x,a.nii,3,1\n"
                                         "x,a.nii,3,1\n");
  assert_int_equal(ht_cohort_read(path, NULL, &cohort), HT_ERR_CASE);
  for (size_t i = 0; i < sizeof says / sizeof *says; i++)
    if (!strstr(ht_error_message(), says[i]))
      fail_msg("'%s' is not in: %s", says[i], ht_error_message());
}

static void list_a_folder(void **unused) {
  ht_cohort cohort;
  char folder[256];
  (void)unused;
  snprintf(folder, sizeof folder, "%s", ht_test_path("scans"));
  assert_int_equal(ht_folder_make(folder), HT_OK);
  assert_int_equal(ht_cohort_read(folder, NULL, &cohort), HT_ERR_NOT_FOUND);
  write_text("scans/b two.nii.gz", "x");
  write_text("scans/a.nrrd", "x");
  write_text("scans/notes.txt", "x");
  /* A path may hold a patient's name: the ids are hashes, the same each time. */
  char id[HT_CASE_ID_MAX];
  setenv("XDG_CONFIG_HOME", ht_test_path("config"), 1);
  assert_int_equal(ht_cohort_read(folder, NULL, &cohort), HT_OK);
  assert_int_equal(cohort.cases, 2);
  snprintf(id, sizeof id, "%s", cohort.item[1].id);
  assert_int_equal(strncmp(id, "file-", 5), 0);
  assert_int_equal(strspn(id + 5, "0123456789abcdef"), 12);
  assert_int_equal(strlen(id), 17);
  assert_string_not_equal(id, cohort.item[0].id);
  ht_cohort_free(&cohort);
  assert_int_equal(ht_cohort_read(folder, NULL, &cohort), HT_OK);
  assert_string_equal(cohort.item[1].id, id);
  ht_cohort_free(&cohort);
  char base[256];
  snprintf(base, sizeof base, "%s", write_text("named.yaml", "keep_identity: yes\n"));
  assert_int_equal(ht_cohort_read(folder, base, &cohort), HT_OK);
  assert_int_equal(cohort.cases, 2);
  assert_string_equal(cohort.item[0].id, "a");
  assert_string_equal(cohort.item[1].id, "b_two");
  ht_cohort_free(&cohort);
  /* The results of a batch next to the scans are no case; a letter of two bytes is one sign. */
  assert_int_equal(ht_folder_make(ht_test_path("scans/out")), HT_OK);
  write_text("scans/out/batch.csv", "x");
  write_text("scans/\xC3\xBC.nii", "x");
  assert_int_equal(ht_cohort_read(folder, base, &cohort), HT_OK);
  assert_int_equal(cohort.cases, 3);
  assert_string_equal(cohort.item[2].id, "_");
  ht_cohort_free(&cohort);
  write_text("scans/a.mha", "x");
  assert_int_equal(ht_cohort_read(folder, base, &cohort), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "two scans give both the id 'a'"));
}

/* Reads capitals of a spreadsheet; a column `Name` stays a covariate. */
static void read_capitals(void **unused) {
  ht_cohort cohort;
  (void)unused;
  write_text("a.nii", "x");
  const char *path = write_text("t.csv", "Id,Scan,Flow.Cycles,Name\np,a.nii,3,n\n");
  assert_int_equal(ht_cohort_read(path, NULL, &cohort), HT_OK);
  assert_string_equal(set_of(&cohort.item[0], "flow.cycles"), "3");
  assert_non_null(set_of(&cohort.item[0], "scan"));
  assert_int_equal(cohort.covariates, 1);
  ht_cohort_free(&cohort);
}

/* Checks that the batch's own share gives way where the table gives the setting: none is given
 * twice. */
static void give_no_setting_twice(void **unused) {
  static const char text[] = "id,scan,flow.threads,max_memory_gb\na,DOE_JANE.nii,3,2\n"
                             "b,DOE_JANE.nii,,\n";
  static const char *const own[] = {"--threads", "--max-memory"};
  const ht_batch_options options = {.folder = "out", .program = "hemotile"};
  ht_cohort cohort;
  (void)unused;
  write_text("DOE_JANE.nii", "x");
  assert_int_equal(ht_cohort_read(write_text("t.csv", text), NULL, &cohort), HT_OK);
  static ht_batch_work work;
  work = (ht_batch_work){
      .cases = {.cohort = &cohort}, .options = &options, .share = {.threads = 1, .memory_gb = 1}};
  for (int number = 0; number < 2; number++) {
    ht_batch_command command;
    int found = 0;
    assert_int_equal(ht_batch_make_command(&work, number, 1, &command), HT_OK);
    for (char **word = command.word; *word; word++)
      for (int o = 0; o < 2; o++) found += strcmp(*word, own[o]) == 0;
    assert_int_equal(found, 2 * number);
  }
  ht_cohort_free(&cohort);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(read_case_files),       cmocka_unit_test(read_a_table),
      cmocka_unit_test(hash_the_settings),     cmocka_unit_test(name_the_mistake),
      cmocka_unit_test(name_all_mistakes),     cmocka_unit_test(warn_of_a_likely_setting),
      cmocka_unit_test(list_a_folder),         cmocka_unit_test(read_capitals),
      cmocka_unit_test(give_no_setting_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
