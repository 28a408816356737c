/* The expected content of a test's file, stored next to it for a public reader (a Python script) to
 * compare. */
#ifndef HT_EXPECTED_FILE_H
#define HT_EXPECTED_FILE_H

#include "core/vessel/volume.h"
#include <stddef.h>

/* The test's own folder, made on the first call. */
const char *ht_test_folder(void);

/* Returns folder + "/" + name, valid for the next three calls. */
const char *ht_test_path(const char *name);

/* Writes bytes to a file. */
void ht_test_write(const char *path, const void *bytes, size_t size);

/* Writes PATH.grid: dimensions, spacing, origin and direction as text. */
void ht_test_write_grid(const char *path, const ht_grid *grid);

/* Makes a grid turned by three angles, with unequal spacing; left-handed on request. */
ht_grid ht_test_grid(int nx, int ny, int nz, const double angle[3], int left_handed);

/* Runs tests/export/SCRIPT with the arguments through Python. Returns its exit status. */
int ht_test_python(const char *script, const char *arguments);

/* Returns 1 if Python has the module. */
int ht_test_python_has(const char *module);

#endif
