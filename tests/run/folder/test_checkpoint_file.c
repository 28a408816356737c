/* run/folder/checkpoint_file: what is read is what was saved; a checkpoint that is damaged
 * anywhere, or from which a piece is read that is not there, is refused; a failed write leaves the
 * one before. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "run/folder/checkpoint_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUES = 1000 };
static const char path[] = "test_checkpoint.bin";

typedef struct {
  int64_t count;
  double value[VALUES];
  char text[12];
  int fails;
} parts;

static const ht_checkpoint_head head = {.hemotile = "1.2.3",
                                        .commit = "abc",
                                        .settings_sha256 = "01",
                                        .mask_sha256 = "23",
                                        .domain_sha256 = "45",
                                        .step = 700,
                                        .time_s = 0.1,
                                        .written = "2026-01-31T12:34:56Z"};

static ht_status move(void *user, ht_state *stream) {
  parts *of = user;
  HT_TRY(ht_state_part(stream, "first"));
  HT_TRY(ht_state_count(stream, &of->count, 0, 9));
  HT_TRY(HT_STATE_OF(stream, of->value));
  if (of->fails) return ht_fail(HT_ERR_DEVICE, "the device is gone");
  HT_TRY(ht_state_part(stream, "second"));
  return ht_state_text(stream, of->text, sizeof of->text);
}

static void fill(parts *of) {
  memset(of, 0, sizeof *of);
  of->count = 7;
  for (int i = 0; i < VALUES; i++) of->value[i] = 1.0 / (i + 1);
  strcpy(of->text, "whole");
}

static void write_one(void) {
  parts saved;
  int64_t bytes;
  fill(&saved);
  assert_int_equal(ht_checkpoint_write(path, &head, move, &saved, &bytes), HT_OK);
  assert_true(bytes > (int64_t)sizeof saved.value);
}

static void test_what_is_read(void **unused) {
  parts saved, loaded;
  ht_checkpoint from;
  (void)unused;
  write_one();
  fill(&saved);
  memset(&loaded, 0, sizeof loaded);
  assert_int_equal(ht_checkpoint_open(path, &from), HT_OK);
  assert_int_equal(from.head.step, 700);
  assert_true(from.head.time_s == 0.1);
  assert_string_equal(from.head.mask_sha256, "23");
  assert_string_equal(from.head.written, head.written);
  assert_int_equal(move(&loaded, &from.state), HT_OK);
  assert_memory_equal(&loaded, &saved, sizeof saved);
  assert_int_equal(from.left, 0);
  assert_int_equal(HT_STATE_OF(&from.state, loaded.count), HT_ERR_FORMAT); /* there is no more */
  ht_checkpoint_close(&from);
}

/* Checks another order, another size, a number out of its range. */
static void test_what_does_not_fit(void **unused) {
  ht_checkpoint from;
  double value[VALUES - 1];
  int64_t count = 0;
  (void)unused;
  write_one();
  assert_int_equal(ht_checkpoint_open(path, &from), HT_OK);
  assert_int_equal(ht_state_part(&from.state, "second"), HT_ERR_FORMAT);
  ht_checkpoint_close(&from);
  assert_int_equal(ht_checkpoint_open(path, &from), HT_OK);
  assert_int_equal(ht_state_part(&from.state, "first"), HT_OK);
  assert_int_equal(ht_state_count(&from.state, &count, 0, 6), HT_ERR_FORMAT);
  assert_int_equal(count, 0);
  assert_int_equal(HT_STATE_OF(&from.state, value), HT_ERR_FORMAT);
  ht_checkpoint_close(&from);
}

static char *read_all(long *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)*size);
  assert_int_equal(fread(bytes, 1, (size_t)*size, file), *size);
  fclose(file);
  return bytes;
}

static void write_bytes(const char *bytes, long size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
  fclose(file);
}

static void is_refused(void) {
  ht_checkpoint from;
  assert_int_equal(ht_checkpoint_open(path, &from), HT_ERR_FORMAT);
}

static void test_damage(void **unused) {
  long size;
  (void)unused;
  write_one();
  char *bytes = read_all(&size);
  for (long at = 0; at < size; at += 61) {
    write_bytes(bytes, at);
    is_refused();
    bytes[at] ^= 4;
    write_bytes(bytes, size);
    is_refused();
    bytes[at] ^= 4;
  }
  write_bytes(bytes, size - 1);
  is_refused();
  free(bytes);
}

static void test_a_failure_leaves_the_one_before(void **unused) {
  parts saved;
  int64_t bytes;
  long size, after;
  (void)unused;
  write_one();
  char *before = read_all(&size);
  fill(&saved);
  saved.fails = 1;
  assert_int_equal(ht_checkpoint_write(path, &head, move, &saved, &bytes), HT_ERR_DEVICE);
  char *now = read_all(&after);
  assert_int_equal(after, size);
  assert_memory_equal(now, before, (size_t)size);
  free(before);
  free(now);
}

static int remove_file(void **unused) {
  (void)unused;
  unlink(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_read),
      cmocka_unit_test(test_what_does_not_fit),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_a_failure_leaves_the_one_before),
  };
  return cmocka_run_group_tests(tests, NULL, remove_file);
}
