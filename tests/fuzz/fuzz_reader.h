/* Every reader of hemotile, as something that takes bytes: for the fuzzer (fuzz_main.c) and for the
 * test of what it found before (test_fuzz_corpus.c).
 */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stddef.h>

typedef struct {
  const char *name;   /* "nifti": also the folder of its corpus */
  const char *ending; /* of the file that it reads: ".nii" */
  void (*read)(const char *path);
} fuzz_reader;

/* Ends with a NULL name. */
extern const fuzz_reader fuzz_readers[];

/* NULL where there is none. */
const fuzz_reader *fuzz_reader_find(const char *name);

/* Writes the bytes to a file of that ending in a folder of its own, and reads it. Whatever the
 * reader says is right; it only has to come back. */
void fuzz_reader_run(const fuzz_reader *reader, const void *bytes, size_t size);

#endif
