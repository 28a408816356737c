/* Reads the fuzzer's start inputs and its findings, every input in tests/fuzz/corpus, in bounded
 * time and memory. Under AddressSanitizer any fault ends the test.
 *
 * The corpus has a folder per reader. Memory: one input may make a reader request at most 4 times
 * what the file can state, and a file states at most 1032 bytes for one of its own (zlib's limit),
 * on top of what the libraries hold. */
#include "tests/check.h"
#include "tests/fuzz/fuzz_reader.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { INPUT_MAX = 1 << 20, SECONDS_MAX = 10 };

static const double base_mb =
    256; /* the libraries and their dictionaries, with a sanitizer's part */

static double peak_mb(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}

/* Seconds of the processor, not of the clock: the machine may have other work. */
static double used_s(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void run_input(const fuzz_reader *reader, const char *path) {
  static unsigned char bytes[INPUT_MAX];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  double begun_s = used_s();
  fuzz_reader_run(reader, bytes, size);
  double took_s = used_s() - begun_s, limit_mb = base_mb + 4 * 1032 * (double)size / 1e6;
  if (took_s > SECONDS_MAX) fail_msg("%s: took %.1f s", path, took_s);
  if (peak_mb() > limit_mb) fail_msg("%s: %.0f MB, allowed %.0f", path, peak_mb(), limit_mb);
}

static int run_reader(const fuzz_reader *reader) {
  char folder[512];
  struct dirent **entry;
  snprintf(folder, sizeof folder, FUZZ_CORPUS "/%s", reader->name);
  int count = scandir(folder, &entry, NULL, alphasort), inputs = 0;
  for (int i = 0; i < count; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%.255s", folder, entry[i]->d_name);
    if (entry[i]->d_name[0] != '.') run_input(reader, path), inputs++;
    free(entry[i]);
  }
  if (count >= 0) free(entry);
  return inputs;
}

HT_TEST(every_input_comes_back) {
  for (const fuzz_reader *reader = fuzz_readers; reader->name; reader++) {
    int inputs = run_reader(reader);
    printf("%-10s %d inputs\n", reader->name, inputs);
    if (inputs == 0) fail_msg("%s has no corpus", reader->name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_input_comes_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
