/* app/batch: a batch with a simulated program whose exit code is in the case's name. Every case
 * ends once, the reasons are kept, nothing grows, and what is done stays done. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "app/batch/batch_reason.h"
#include "app/batch/batch_share.h"
#include "app/batch/batch.h"
#include "app/batch/cohort/batch_results.h"
#include "app/batch/batch_work.h"
#include "run/process/console.h"
#include "tests/export/expected_file.h"
#include "core/disk/folder_walk.h"
#include "run/folder/picture_colours.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Script of the program. ok-N: done. refused-N: 13. failed-N: 31, once; then done. full-N: 20,
 * unless it runs alone. empty-N: done, without a summary. Pictures of blank-N: 31, once; of wide-N:
 * 20, once. */
static const char script[] =
    "#!/bin/sh\n"
    "for word; do case $word in name=*) id=${word#name=};; scan=*) scan=${word#scan=};; esac; "
    "done\n"
    "folder=$(dirname \"$0\")\n"
    "if [ $1 = report ]; then\n"           /* FOLDER --speed-colours M_S --wss-colours PA */
    "  if [ -e \"$folder/meet\" ]; then\n" /* waits for another case that is drawn */
    "    touch \"$2.drawn\"\n"
    "    for i in $(seq 100); do\n"
    "      [ $(ls \"$folder/out/cases\" | grep -c drawn) -gt 1 ] && touch "
    "\"$folder/met\" && break; sleep 0.05\n"
    "    done; rm \"$2.drawn\"\n"
    "  fi\n"
    "  id=$(basename \"$2\")\n"
    "  case $id in blank*) code=31;; wide*) code=20;; *) code=;; esac\n"
    "  if [ \"$code\" ] && [ ! -e \"$2.tried\" ]; then touch \"$2.tried\"; exit $code; fi\n"
    "  echo x >>\"$folder/drew-$id\"; mkdir -p \"$2/pictures\"\n"
    "  touch \"$2/report.html\" \"$2/pictures/velocity.png\"\n"
    "  printf '{\"speed_colours_to_m_s\": %s, \"wss_colours_to_pa\": %s, \"complete\": true}' $4 "
    "$6 "
    ">\"$2/pictures/colours.json\"; exit\n"
    "fi\n"
    "echo x >>\"$folder/ran-$id\"\n"
    "case $id in\n"
    "refused*) echo \"hemotile: error: $scan: no vessel in $(basename $scan)\"; exit 13;;\n"
    "failed*) [ -e \"$folder/mend\" ] || { echo 'hemotile: error: it blew "
    "up, \"so\"'; exit 31; };;\n"
    "full*) case \"$*\" in *--max-memory*) exit 20;; esac;;\n"
    "broke*) exit 20;;\n"
    "esac\n"
    "case $id in fast*) speed=0.9;; *) speed=0.5;; esac\n"
    "case $id in empty*) exit;; esac\n"
    "mkdir -p \"$folder/out/cases/$id\"\n"
    "case \"$*\" in *--no-pictures*) ;; *) echo x >>\"$folder/drew-$id\";\n"
    "  mkdir -p \"$folder/out/cases/$id/pictures\"\n"
    "  touch \"$folder/out/cases/$id/report.html\" "
    "\"$folder/out/cases/$id/pictures/velocity.png\";; "
    "esac\n"
    "printf 'name,flow.max_velocity_m_s\\n%s,%s\\n' \"$id\" $speed "
    ">\"$folder/out/cases/$id/summary.csv\"\n";

static void write_script(char path[256]) {
  snprintf(path, 256, "%s", ht_test_path("pretend"));
  ht_test_write(path, script, strlen(script));
  assert_int_equal(chmod(path, 0755), 0);
}

/* Makes the program, and the folder of the results. */
static void make_out(char program[256], char folder[256]) {
  write_script(program);
  snprintf(folder, 256, "%s", ht_test_path("out"));
  assert_int_equal(ht_folder_make(folder), HT_OK);
}

/* Makes a cohort; with `word` all ids begin with it. */
static void make_cohort_named(const char *word, int cases, ht_cohort *cohort) {
  const char *path = ht_test_path("t.csv");
  ht_test_write(ht_test_path("DOE_JANE.nii"), "x", 1);
  FILE *file = fopen(path, "w");
  fputs("id,scan,age\n", file);
  for (int i = 0; i < cases; i++)
    fprintf(file, "%s-%d,DOE_JANE.nii,%d\n",
            word           ? word
            : i % 50 == 7  ? "refused"
            : i % 50 == 9  ? "failed"
            : i % 50 == 11 ? "full"
                           : "ok",
            i, i);
  fclose(file);
  assert_int_equal(ht_cohort_read(path, NULL, cohort), HT_OK);
}

static void make_cohort(int cases, ht_cohort *cohort) {
  make_cohort_named(NULL, cases, cohort);
}

static int count_one(void *user, const char *name) {
  (void)name;
  ++*(int *)user;
  return 0;
}

static int open_files(void) {
  int count = 0;
  assert_int_equal(ht_folder_walk("/proc/self/fd", count_one, &count), 0);
  return count;
}

/* Counts how often the program did `what` with the case: "ran", "drew". */
static int times(const char *what, const char *id) {
  char name[96], line[16];
  int count = 0;
  snprintf(name, sizeof name, "%s-%s", what, id);
  FILE *file = fopen(ht_test_path(name), "r");
  while (file && fgets(line, sizeof line, file)) count++;
  if (file) fclose(file);
  return count;
}

static int times_run(const char *id) {
  return times("ran", id);
}

static void read_records(const ht_cohort *cohort, ht_case_record *record) {
  int changed;
  assert_int_equal(ht_batch_state_read(ht_test_path("out/batch.csv"), cohort, record, &changed),
                   HT_OK);
}

static void check_ends(const ht_cohort *cohort, const ht_case_record *record, int mended) {
  for (int i = 0; i < cohort->cases; i++) {
    const char *id = cohort->item[i].id;
    const int refused = strncmp(id, "refused", 7) == 0, failed = strncmp(id, "failed", 6) == 0;
    const int full = strncmp(id, "full", 4) == 0;
    assert_int_equal(record[i].state, refused             ? HT_CASE_REFUSED
                                      : failed && !mended ? HT_CASE_FAILED
                                                          : HT_CASE_DONE);
    assert_int_equal(times_run(id), full || (failed && mended) ? 2 : 1);
    if (refused) assert_string_equal(record[i].message, "(the scan): no vessel in (the scan)");
    if (failed && !mended) assert_string_equal(record[i].message, "it blew up, \"[removed]\"");
  }
}

/* Checks that the name of a folder of one letter does not match every such letter of the message,
 * and that the label is not replaced again. */
static void hide_names_alone(void **unused) {
  (void)unused;
  char reason[512] = "in/a: a scan; in/ab, the a and (in/a)";
  ht_cohort_case one = {.input = "in/a"};
  ht_batch_hide_paths(&one, reason);
  assert_string_equal(reason, "(the scan): a scan; in/ab, the a and ((the scan))");
  one.input = "in/scan";
  snprintf(reason, sizeof reason, "in/scan: scans, scan 'scan'");
  ht_batch_hide_paths(&one, reason);
  assert_string_equal(reason, "(the scan): scans, scan 'scan'");
}

/* Checks that a reason that is passed on has nothing from a header, a path or a file. */
static void hide_what_is_quoted(void **unused) {
  (void)unused;
  char set[] = "flow.waveform=/data/Doe/beat of Jane.csv";
  ht_cohort_case one = {.input = "/data/DOE JANE", .base = "/data/x.yaml", .sets = 1, .set = {set}};
  char reason[512] = "/data/DOE JANE: several series:";
  ht_batch_hide_paths(&one, reason);
  assert_string_equal(reason, "(the scan): several series:");
  snprintf(reason, sizeof reason,
           "/data/DOE JANE/IM Jane.dcm: the series \"head O'Doe \"7.4.31\"\" is odd; 'Doe's 2 x'");
  ht_batch_hide_paths(&one, reason);
  assert_null(strstr(reason, "Jane"));
  assert_null(strstr(reason, "Doe"));
  assert_null(strstr(reason, "7.4"));
  assert_non_null(strstr(reason, "(the scan)"));
  snprintf(reason, sizeof reason, "/data/Doe/beat of Jane.csv:3: column 'Jane' in /else/Doe.nii");
  ht_batch_hide_paths(&one, reason);
  assert_string_equal(reason, "(a file):3: column '[removed]' in [path]");
  snprintf(reason, sizeof reason,
           "/data/x.yaml:2: flow.cycles must be a number, not '3x'; "
           "'outlet-2' has 'flow_ml_s'");
  ht_batch_hide_paths(&one, reason);
  assert_string_equal(reason, "(the case file):2: flow.cycles must be a number, not '[removed]'; "
                              "'outlet-2' has 'flow_ml_s'");
}

/* Checks that only the batch's own request makes a case wait again: one that a person ended has
 * failed, else it would be started again for ever. */
static void judge_an_end(void **unused) {
  (void)unused;
  assert_int_equal(ht_case_state_of(HT_ERR_INTERRUPTED, 1), HT_CASE_WAITING);
  assert_int_equal(ht_case_state_of(128 + SIGTERM, 1), HT_CASE_WAITING);
  assert_int_equal(ht_case_state_of(HT_ERR_INTERRUPTED, 0), HT_CASE_FAILED);
  assert_int_equal(ht_case_state_of(128 + SIGSEGV, 1), HT_CASE_FAILED);
  assert_int_equal(ht_case_state_of(HT_ERR_FORMAT, 1), HT_CASE_REFUSED);
  assert_int_equal(ht_case_state_of(HT_ERR_NOT_STEADY, 0), HT_CASE_FAILED);
  assert_int_equal(ht_case_state_of(HT_OK, 1), HT_CASE_DONE);
}

static void list_the_gpus(void **unused) {
  const ht_cohort cohort = {.cases = 100};
  const ht_batch_options options = {.jobs = 3};
  (void)unused;
  setenv("CUDA_VISIBLE_DEVICES", "2,GPU-7c1f, 5", 1);
  ht_batch_share share = ht_batch_share_of(&cohort, &options);
  assert_int_equal(share.gpus, 3);
  assert_string_equal(share.gpu[0], "2");
  assert_string_equal(share.gpu[1], "GPU-7c1f");
  assert_string_equal(share.gpu[2], "5");
  setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  share = ht_batch_share_of(&cohort, &options);
  assert_int_equal(share.gpus, 0);
  unsetenv("CUDA_VISIBLE_DEVICES");
}

static ht_status run_quietly(const ht_batch_options *options, ht_cohort *cohort) {
  const ht_status status = ht_batch_run(cohort, options);
  ht_cohort_free(cohort);
  return status;
}

/* Runs a batch in a process of its own, killed after a while; returns its number of cases that were
 * done. */
static void run_and_kill(const ht_batch_options *options, ht_cohort *cohort, int after_ms) {
  const pid_t pid = fork();
  if (pid == 0) _exit((int)run_quietly(options, cohort));
  const struct timespec moment = {0, after_ms * 1000000L};
  int how;
  nanosleep(&moment, NULL);
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, &how, 0), pid);
}

static int is_half(void *unused, const char *name) {
  (void)unused;
  return strstr(name, ".part") != NULL;
}

/* Kills at random moments: the state is complete each time, and what it calls done runs no more. */
static void survive_kills(void **unused) {
  enum { CASES = 40, KILLS = 20, MOST_MS = 100 };
  static ht_case_record record[CASES];
  int done[CASES] = {0};
  char program[256], folder[256];
  ht_cohort cohort;
  (void)unused;
  make_out(program, folder);
  make_cohort_named("kill", CASES, &cohort);
  const ht_batch_options options = {.folder = folder, .program = program, .jobs = 3};
  remove(ht_test_path("out/batch.csv"));
  srand(7);
  for (int k = 0; k < KILLS; k++) {
    run_and_kill(&options, &cohort, 20 + rand() % MOST_MS);
    read_records(&cohort, record);
    for (int i = 0; i < CASES; i++) {
      if (done[i]) assert_int_equal(record[i].state, HT_CASE_DONE);
      if (done[i]) assert_int_equal(times_run(cohort.item[i].id), done[i]);
      if (record[i].state == HT_CASE_DONE) done[i] = times_run(cohort.item[i].id);
    }
  }
  assert_int_equal(ht_batch_run(&cohort, &options), HT_OK);
  read_records(&cohort, record);
  for (int i = 0; i < CASES; i++) {
    assert_int_equal(record[i].state, HT_CASE_DONE);
    if (done[i]) assert_int_equal(times_run(cohort.item[i].id), done[i]);
    assert_true(times_run(cohort.item[i].id) > 0);
  }
  assert_int_equal(ht_folder_walk(folder, is_half, NULL), 0);
  ht_cohort_free(&cohort);
}

static void run_many_cases(void **unused) {
  enum { CASES = 150, JOBS = 16 };
  static ht_case_record record[CASES];
  char program[256], folder[256];
  ht_cohort cohort;
  (void)unused;
  make_out(program, folder);
  make_cohort(CASES, &cohort);
  ht_batch_options options = {.folder = folder, .program = program, .jobs = JOBS};
  const int before = open_files();
  assert_int_equal(ht_batch_run(&cohort, &options), HT_ERR_BATCH);
  assert_int_equal(open_files(), before);
  read_records(&cohort, record);
  check_ends(&cohort, record, 0);
  /* Again: nothing is left to do. */
  assert_int_equal(ht_batch_run(&cohort, &options), HT_ERR_BATCH);
  read_records(&cohort, record);
  check_ends(&cohort, record, 0);
  /* The failed ones again. */
  ht_test_write(ht_test_path("mend"), "x", 1);
  options.retry = HT_RETRY_FAILED;
  assert_int_equal(ht_batch_run(&cohort, &options), HT_ERR_BATCH);
  read_records(&cohort, record);
  check_ends(&cohort, record, 1);
  /* One row per case, with its covariate and its number. */
  ht_csv table;
  assert_int_equal(ht_csv_read(ht_test_path("out/cohort.csv"), &table), HT_OK);
  assert_int_equal(table.rows, CASES + 1);
  const int age = ht_csv_column(&table, "age"),
            speed = ht_csv_column(&table, "flow.max_velocity_m_s");
  assert_string_equal(ht_csv_cell(&table, 1, age), "0");
  assert_string_equal(ht_csv_cell(&table, 1, speed), "0.5");
  assert_string_equal(ht_csv_cell(&table, 8, speed), "");
  ht_csv_free(&table);
  ht_cohort_free(&cohort);
}

static void assert_has_line(const char *path, const char *line) {
  char text[512];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(text, sizeof text, file)) {
    text[strcspn(text, "\n")] = 0;
    if (strcmp(text, line) == 0) {
      fclose(file);
      return;
    }
  }
  fclose(file);
  fail_msg("'%s' is not in %s", line, path);
}

/* Checks that a done case without its results runs again, and is not "done" with an empty row; a
 * covariate that a spreadsheet would compute is a text. */
static void compute_what_is_gone(void **unused) {
  static ht_case_record record[3];
  char program[256], folder[256];
  ht_cohort cohort;
  (void)unused;
  make_out(program, folder);
  ht_test_write(ht_test_path("DOE_JANE.nii"), "x", 1);
  const char *table = ht_test_path("gone.csv");
  static const char rows[] = "id,scan,-age,note\ngone-1,DOE_JANE.nii,-3.5,=1+1\n"
                             "gone-2,DOE_JANE.nii,-3+5,@x\ngone-3,DOE_JANE.nii,5 %,-\n";
  ht_test_write(table, rows, strlen(rows));
  assert_int_equal(ht_cohort_read(table, NULL, &cohort), HT_OK);
  ht_batch_options options = {.folder = folder, .program = program, .jobs = 1};
  assert_int_equal(ht_batch_run(&cohort, &options), HT_OK);
  assert_has_line(ht_test_path("out/cohort.csv"),
                  "id,state,exit_code,seconds,message,'-age,note,name,flow.max_velocity_m_s");
  ht_csv out;
  static const char *const cells[3][2] = {{"-3.5", "'=1+1"}, {"'-3+5", "'@x"}, {"5 %", "-"}};
  assert_int_equal(ht_csv_read(ht_test_path("out/cohort.csv"), &out), HT_OK);
  for (int row = 0; row < 3; row++)
    for (int c = 0; c < 2; c++)
      assert_string_equal(ht_csv_cell(&out, row + 1, 5 + c), cells[row][c]);
  ht_csv_free(&out);
  assert_int_equal(remove(ht_test_path("out/cases/gone-1/summary.csv")), 0);
  ht_test_write(ht_test_path("out/cases/gone-2/summary.csv"), "", 0); /* as from a full disk */
  assert_int_equal(ht_batch_run(&cohort, &options), HT_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(times_run(cohort.item[i].id), i < 2 ? 2 : 1);
  ht_cohort_free(&cohort);
  make_cohort_named("empty", 1, &cohort);
  assert_int_equal(ht_batch_run(&cohort, &options), HT_ERR_BATCH);
  read_records(&cohort, record);
  assert_int_equal(record[0].state, HT_CASE_FAILED);
  assert_non_null(strstr(record[0].message, "cases/empty-0/summary.csv"));
  ht_cohort_free(&cohort);
}

/* Checks what a killed batch leaves: running cases wait again, done ones stay, and so does a case
 * whose settings are the same. */
static void go_on_after_a_kill(void **unused) {
  static ht_case_record record[4];
  ht_cohort cohort;
  int changed;
  (void)unused;
  make_cohort(4, &cohort);
  for (int i = 0; i < 4; i++) {
    record[i] = (ht_case_record){.state = i == 0 ? HT_CASE_DONE : HT_CASE_RUNNING, .tries = 1};
    memcpy(record[i].hash, cohort.item[i].hash, sizeof record[i].hash);
  }
  record[3].hash[0] ^= 1;
  record[3].state = HT_CASE_DONE;
  const char *path = ht_test_path("batch.csv");
  assert_int_equal(ht_batch_state_write(path, &cohort, record), HT_OK);
  memset(record, 0xff, sizeof record);
  assert_int_equal(ht_batch_state_read(path, &cohort, record, &changed), HT_OK);
  assert_int_equal(changed, 1);
  assert_int_equal(record[0].state, HT_CASE_DONE);
  assert_int_equal(record[1].state, HT_CASE_WAITING);
  assert_int_equal(record[3].state, HT_CASE_WAITING);
  assert_int_equal(record[3].tries, 0);
  assert_int_equal(record[3].changed, 1);
  assert_int_equal(record[1].changed, 0);
  ht_test_write(path, "id,state\nx,done\n", 16);
  assert_int_equal(ht_batch_state_read(path, &cohort, record, &changed), HT_ERR_FORMAT);
  ht_cohort_free(&cohort);
}

/* Checks the ends that a case's pictures have now. */
static void check_colours(const char *id, double speed_m_s, double wss_pa, int drawn) {
  char name[96];
  ht_picture_colours colours;
  snprintf(name, sizeof name, "out/cases/%s", id);
  assert_int_equal(ht_picture_colours_read(ht_test_path(name), &colours), 1);
  assert_int_equal(colours.complete, 1);
  assert_near(colours.speed_m_s, speed_m_s, 1e-9);
  assert_near(colours.wss_pa, wss_pa, 1e-9);
  assert_int_equal(times("drew", id), drawn);
}

static ht_status try_to_draw(const char *rows, int own_colours) {
  char program[256], folder[256], text[512];
  ht_cohort cohort;
  make_out(program, folder);
  snprintf(text, sizeof text, "id,scan,export.wss_colours_to_pa\n%s", rows);
  ht_test_write(ht_test_path("t.csv"), text, strlen(text));
  ht_test_write(ht_test_path("DOE_JANE.nii"), "x", 1);
  assert_int_equal(ht_cohort_read(ht_test_path("t.csv"), NULL, &cohort), HT_OK);
  const ht_batch_options options = {
      .folder = folder, .program = program, .jobs = 2, .own_colours = own_colours};
  return run_quietly(&options, &cohort);
}

static void draw(const char *rows, int own_colours) {
  assert_int_equal(try_to_draw(rows, own_colours), HT_OK);
}

static void drawn_by_run(const char *id, const char *wss) {
  char name[96], text[96];
  snprintf(name, sizeof name, "out/cases/%s/pictures/colours.json", id);
  remove(ht_test_path(name));
  snprintf(name, sizeof name, "out/cases/%s/case.yaml", id);
  snprintf(text, sizeof text, "export:\n  wss_colours_to_pa: %s\n", wss);
  ht_test_write(ht_test_path(name), text, strlen(text));
}

/* Checks that the cohort's page links the report of each case, and shows a picture of it. */
static void draw_what_is_gone(void **unused) {
  static const char rows[] = "page-1,DOE_JANE.nii,\npage-2,DOE_JANE.nii,\npage-3,DOE_JANE.nii,\n";
  static const char *const ids[] = {"page-1", "page-2", "page-3"};
  (void)unused;
  remove(ht_test_path("out/batch.csv"));
  draw(rows, 0);
  assert_int_equal(remove(ht_test_path("out/cases/page-1/report.html")), 0);
  assert_int_equal(remove(ht_test_path("out/cases/page-2/pictures/velocity.png")), 0);
  draw(rows, 0);
  for (int i = 0; i < 3; i++) {
    check_colours(ids[i], 0.5, 0, i < 2 ? 2 : 1);
    assert_int_equal(times_run(ids[i]), 1); /* the flow is not computed again for it */
  }
  assert_int_equal(access(ht_test_path("out/cases/page-1/report.html"), R_OK), 0);
}

/* Checks that pictures are drawn once, at the end; those of a single case by its run. They are
 * drawn again only where their range changes. */
static void give_all_the_same_colours(void **unused) {
  static const char one[] = "hue-1,DOE_JANE.nii,\n",
                    two[] = "hue-1,DOE_JANE.nii,\nhue-2,DOE_JANE.nii,7\n",
                    three[] = "hue-1,DOE_JANE.nii,\nhue-2,DOE_JANE.nii,7\nfast-3,DOE_JANE.nii,\n",
                    other[] = "hue-1,DOE_JANE.nii,\nhue-2,DOE_JANE.nii,8\nfast-3,DOE_JANE.nii,\n";
  ht_picture_colours half;
  (void)unused;
  remove(ht_test_path("out/batch.csv"));
  draw(one, 0);
  assert_int_equal(times("drew", "hue-1"), 1); /* there is nothing to compare it with */
  draw(two, 0);
  check_colours("hue-1", 0.5, 0, 2);
  check_colours("hue-2", 0.5, 7, 1); /* its row gives an end */
  draw(two, 0);
  check_colours("hue-1", 0.5, 0, 2);
  draw(three, 0);
  check_colours("hue-1", 1, 0, 3); /* 98th percentile 0.884, rounded up */
  check_colours("fast-3", 1, 0, 1);
  /* One that was stopped between two pictures. */
  assert_int_equal(ht_picture_colours_read(ht_test_path("out/cases/hue-1"), &half), 1);
  half.complete = 0;
  assert_int_equal(ht_picture_colours_write(ht_test_path("out/cases/hue-1"), &half), HT_OK);
  draw(three, 0);
  check_colours("hue-1", 1, 0, 4);
  check_colours("fast-3", 1, 0, 1);
  draw(three, 1);
  check_colours("hue-1", 0, 0, 5);
  check_colours("hue-2", 0, 7, 3);
  /* Another end in its row: it is drawn, and does not run. */
  draw(other, 1);
  check_colours("hue-1", 0, 0, 5);
  check_colours("hue-2", 0, 8, 4);
  /* Without colours.json its pictures are as its run drew them. */
  drawn_by_run("hue-2", "8");
  draw(other, 1);
  assert_int_equal(times("drew", "hue-2"), 4);
  drawn_by_run("hue-2", "auto");
  draw(other, 1);
  check_colours("hue-2", 0, 8, 5);
  assert_int_equal(times_run("hue-1"), 1);
  assert_int_equal(times_run("hue-2"), 1);
}

/* Checks that a case whose pictures fail is reported, and that the same command draws them; where
 * memory was short they are drawn once more, alone. In their own colours the runs draw. */
static void draw_what_is_missing(void **unused) {
  static const char rows[] = "blank-1,DOE_JANE.nii,\nwide-2,DOE_JANE.nii,\nplain-3,DOE_JANE.nii,\n";
  (void)unused;
  remove(ht_test_path("out/batch.csv"));
  assert_int_equal(try_to_draw(rows, 0), HT_ERR_BATCH);
  assert_non_null(strstr(ht_error_message(), "the pictures of 1 are not drawn"));
  assert_int_equal(times("drew", "blank-1"), 0);
  check_colours("wide-2", 0.5, 0, 1);
  check_colours("plain-3", 0.5, 0, 1);
  draw(rows, 0);
  check_colours("blank-1", 0.5, 0, 1);
  check_colours("wide-2", 0.5, 0, 1);
  for (int i = 0; i < 2; i++) assert_int_equal(times_run(i ? "wide-2" : "blank-1"), 1);
  draw("self-1,DOE_JANE.nii,\nself-2,DOE_JANE.nii,\n", 1);
  assert_int_equal(times("drew", "self-1"), 1);
}

static void write_program(const char *name, const char *text) {
  ht_test_write(ht_test_path(name), text, strlen(text));
  assert_int_equal(chmod(ht_test_path(name), 0755), 0);
}

/* Simulates Slurm: sbatch runs the tasks before it returns, squeue knows none. */
static void pretend_slurm(void) {
  static const char sbatch[] = "#!/bin/sh\n"
                               "for word; do case $word in --array=*) last=${word#--array=0-};; "
                               "esac; done\n"
                               "for task in $(seq 0 $last); do SLURM_ARRAY_TASK_ID=$task bash "
                               "\"$word\"; done\n"
                               "echo 7\n";
  char path[1024];
  write_program("bin/sbatch", sbatch);
  write_program("bin/squeue", "#!/bin/sh\n");
  snprintf(path, sizeof path, "%s:%s", ht_test_path("bin"), getenv("PATH"));
  setenv("PATH", path, 1);
}

/* Checks that pictures are drawn several at a time where the batch waits for a cluster, as without
 * one; a task that ends for lack of memory has failed, because no share of this machine limited
 * it. */
static void draw_beside_each_other_after_slurm(void **unused) {
  static ht_case_record record[2];
  char program[256], folder[256];
  ht_cohort cohort;
  (void)unused;
  make_out(program, folder);
  assert_int_equal(ht_folder_make(ht_test_path("bin")), HT_OK);
  pretend_slurm();
  remove(ht_test_path("out/batch.csv"));
  make_cohort_named("meet", 2, &cohort);
  ht_test_write(ht_test_path("meet"), "x", 1);
  const ht_batch_options options = {.folder = folder, .program = program, .jobs = 2, .slurm = ""};
  assert_int_equal(ht_batch_run(&cohort, &options), HT_OK);
  assert_int_equal(access(ht_test_path("met"), F_OK), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(times("drew", cohort.item[i].id), 1);
  ht_cohort_free(&cohort);
  make_cohort_named("broke", 1, &cohort);
  assert_int_equal(ht_batch_run(&cohort, &options), HT_ERR_BATCH);
  read_records(&cohort, record);
  assert_int_equal(record[0].state, HT_CASE_FAILED);
  assert_int_equal(times_run("broke-0"), 1);
  ht_cohort_free(&cohort);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(give_all_the_same_colours),
      cmocka_unit_test(draw_what_is_missing),
      cmocka_unit_test(draw_what_is_gone),
      cmocka_unit_test(judge_an_end),
      cmocka_unit_test(hide_names_alone),
      cmocka_unit_test(hide_what_is_quoted),
      cmocka_unit_test(list_the_gpus),
      cmocka_unit_test(run_many_cases),
      cmocka_unit_test(compute_what_is_gone),
      cmocka_unit_test(survive_kills),
      cmocka_unit_test(go_on_after_a_kill),
      cmocka_unit_test(draw_beside_each_other_after_slurm),
  };
  ht_console_begin(1, "test_batch");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
