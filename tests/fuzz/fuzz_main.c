/* The entry of libFuzzer. FUZZ_READER names the reader (fuzz_reader.c); scripts/fuzz.sh runs it. */
#include "tests/fuzz/fuzz_reader.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const fuzz_reader *reader;
  if (!reader) {
    const char *name = getenv("FUZZ_READER");
    reader = fuzz_reader_find(name ? name : "");
    if (!reader) {
      fprintf(stderr, "FUZZ_READER names no reader: see tests/fuzz/fuzz_reader.c\n");
      exit(2);
    }
  }
  fuzz_reader_run(reader, bytes, size);
  return 0;
}
