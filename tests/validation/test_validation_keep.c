/* validation/flows/validation_keep: what a stopped flow has computed comes back as it was, and what
 * is refused. */
#define _POSIX_C_SOURCE 200809L /* truncate */
#include "tests/check.h"
#include "validation/flows/validation_keep.h"
#include "validation/flows/validation_result.h"
#include <string.h>
#include <unistd.h>

static const char folder[] = "validation_keep", path[] = "validation_keep/flow.kept";
static const char whose[] = "this program --full";
static ht_validation_result result, again;
static ht_validation_keep keep;
static ht_validation_options options = {.keep = &keep};

/* A checksum for these tests: of single bytes that are changed it differs. */
static uint64_t sum;

static void *begin_sum(void) {
  sum = 7;
  return &sum;
}

static void add_to_sum(void *of, const void *bytes, size_t size) {
  assert_ptr_equal(of, &sum);
  for (size_t i = 0; i < size; i++) sum = 31 * sum + ((const unsigned char *)bytes)[i];
}

static void end_sum(void *of, char text[HT_KEPT_SUM]) {
  assert_ptr_equal(of, &sum);
  if (text) snprintf(text, HT_KEPT_SUM, "%064llx", (unsigned long long)sum);
}

static const ht_kept_sum summed = {begin_sum, add_to_sum, end_sum};

static int is_there(void) {
  return ht_file_exists(path);
}

static void begin(ht_validation_result *into) {
  memset(into, 0, sizeof *into);
  assert_int_equal(ht_validation_keep_begin(&keep, folder, "flow", whose, 0, &summed, into), HT_OK);
}

/* A part: a row, a curve and a number. */
static void do_part(ht_validation_result *of, double number) {
  const double x[] = {1, 2, 3}, y[] = {number, 5, 6};
  ht_validation_compare(of, number, 2, 0.1, "part %g", number);
  ht_validation_figure *figure = ht_validation_plot(of, "line", "a line", "x", "y");
  assert_int_equal(ht_validation_draw(figure, 1, 3, x, y, "part %g", number), HT_OK);
  ht_validation_part_end(&options, &number, sizeof number);
  assert_string_equal(keep.trouble, "");
}

static ht_status save_state(void *run, ht_state *stream) {
  return ht_state_bytes(stream, run, sizeof(int));
}

static void interrupt(void) {
  assert_int_equal(ht_validation_keep_end(&keep, HT_ERR_INTERRUPTED), HT_ERR_INTERRUPTED);
}

static void same_result(void) {
  assert_int_equal(again.rows, result.rows);
  assert_memory_equal(again.row, result.row, sizeof result.row);
  assert_int_equal(again.figures, 1);
  assert_int_equal(again.figure[0].curves, result.figure[0].curves);
  for (int c = 0; c < again.figure[0].curves; c++) {
    const ht_validation_curve *a = &again.figure[0].curve[c], *b = &result.figure[0].curve[c];
    assert_string_equal(a->label, b->label);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->y, b->y, 3 * sizeof(double));
  }
}

static void test_goes_on(void **unused) {
  (void)unused;
  int state = 42, loaded = 0;
  double number = 0;
  begin(&result);
  assert_false(keep.is_loaded || ht_validation_part_done(&options, &number, sizeof number));
  do_part(&result, 2.5);
  const ht_solve_keeping *keeping = ht_validation_part_keeping(&options, NULL);
  assert_null(keeping->resume);
  keeping->keep(keeping->user, 77, 0.5, save_state, &state);
  interrupt();

  begin(&again);
  assert_true(keep.is_loaded);
  same_result();
  assert_true(ht_validation_part_done(&options, &number, sizeof number));
  assert_true(number == 2.5 && keep.step == 77);
  assert_false(ht_validation_part_done(&options, &number, sizeof number));
  keeping = ht_validation_part_keeping(&options, NULL);
  assert_non_null(keeping->resume);
  assert_int_equal(ht_state_bytes(keeping->resume, &loaded, sizeof loaded), HT_OK);
  assert_int_equal(loaded, 42);
  do_part(&again, 3); /* a figure that was there goes on */
  assert_int_equal(again.figures, 1);
  assert_null(ht_validation_part_keeping(&options, NULL)->resume);
  assert_int_equal(ht_validation_keep_end(&keep, HT_OK), HT_OK);
  assert_false(is_there());
  ht_validation_free(&result);
  ht_validation_free(&again);
}

/* A flow that diverged keeps the parts before it, and not the state. */
static void test_diverged(void **unused) {
  (void)unused;
  int state = 1;
  for (int parts = 0; parts < 2; parts++) {
    begin(&result);
    if (parts) do_part(&result, 1);
    const ht_solve_keeping *keeping = ht_validation_part_keeping(&options, NULL);
    keeping->keep(keeping->user, 5, 0.5, save_state, &state);
    assert_true(is_there());
    assert_int_equal(ht_validation_keep_end(&keep, HT_ERR_DIVERGED), HT_ERR_DIVERGED);
    ht_validation_free(&result);
    assert_int_equal(is_there(), parts);
  }
  begin(&again);
  assert_int_equal(keep.parts, 1);
  assert_null(keep.file);
  interrupt();
  ht_validation_free(&again);
}

static ht_status open_with(const char *name, int restart, const ht_kept_sum *by) {
  memset(&again, 0, sizeof again);
  ht_status status = ht_validation_keep_begin(&keep, folder, "flow", name, restart, by, &again);
  ht_validation_free(&again);
  return ht_validation_keep_end(&keep, status == HT_OK ? HT_ERR_INTERRUPTED : status);
}

static ht_status open_as(const char *name, int restart) {
  return open_with(name, restart, &summed);
}

/* Flips the lowest bit of a byte. */
static void change_byte(long at) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, at, SEEK_SET), 0);
  const int byte = getc(file);
  assert_int_equal(fseek(file, at, SEEK_SET), 0);
  putc(byte ^ 1, file);
  fclose(file);
}

/* Each byte is under the checksum, the numbers of a curve, too; a build that has no checksum takes
 * the file as it is. */
static void test_sees_a_changed_byte(void **unused) {
  (void)unused;
  begin(&result);
  do_part(&result, 1);
  interrupt();
  ht_validation_free(&result);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const long size = ftell(file);
  fclose(file);
  for (long at = 0; at < size; at += at < size - 100 ? size / 40 : 7) {
    change_byte(at);
    assert_int_equal(open_as(whose, 0), HT_ERR_FORMAT);
    assert_non_null(strstr(ht_error_message(), "begin anew with --restart"));
    change_byte(at);
    assert_int_equal(open_as(whose, 0), HT_ERR_INTERRUPTED);
  }
  assert_int_equal(open_with(whose, 0, NULL), HT_ERR_INTERRUPTED);
  assert_int_equal(open_as(whose, 1), HT_ERR_INTERRUPTED);
}

static void test_refuses(void **unused) {
  (void)unused;
  begin(&result);
  do_part(&result, 1);
  interrupt();
  ht_validation_free(&result);
  assert_int_equal(open_as("this program --quick", 0), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "--restart"));
  assert_true(is_there());
  assert_int_equal(open_as(whose, 0), HT_ERR_INTERRUPTED);
  for (int size = 0; size < 2000; size += 101) {
    assert_int_equal(truncate(path, 2000 - size), 0);
    assert_int_equal(open_as(whose, 0), HT_ERR_FORMAT);
  }
  assert_int_equal(open_as("this program --quick", 1), HT_ERR_INTERRUPTED);
  assert_false(is_there());
}

/* Flows without a file run as ever. */
static void test_keeps_nothing(void **unused) {
  (void)unused;
  const ht_validation_options none = {.keep = NULL};
  double number = 1;
  assert_false(ht_validation_part_done(&none, &number, sizeof number));
  assert_null(ht_validation_part_keeping(&none, NULL));
  ht_validation_part_end(&none, &number, sizeof number);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_goes_on), cmocka_unit_test(test_diverged),
      cmocka_unit_test(test_refuses), cmocka_unit_test(test_sees_a_changed_byte),
      cmocka_unit_test(test_keeps_nothing)};
  (void)unlink(path);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
