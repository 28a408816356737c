/* What a test put into a file, left beside it for a public reader (a Python script) to compare. */
#ifndef HT_EXPECTED_FILE_H
#define HT_EXPECTED_FILE_H

#include "core/vessel/volume.h"
#include <stddef.h>

/* A folder of this test's own; made on the first call. */
const char *ht_test_folder(void);

/* folder + "/" + name; overwritten by the next call but three. */
const char *ht_test_path(const char *name);

/* Bytes to a file. */
void ht_test_write(const char *path, const void *bytes, size_t size);

/* Writes PATH.grid: dimensions, spacing, origin and direction as text. */
void ht_test_write_grid(const char *path, const ht_grid *grid);

/* A grid turned by three angles, with unequal spacing; left-handed where asked. */
ht_grid ht_test_grid(int nx, int ny, int nz, const double angle[3], int left_handed);

/* Runs tests/export/SCRIPT with the arguments through Python: its exit status. */
int ht_test_python(const char *script, const char *arguments);

/* 1 where Python has the module. */
int ht_test_python_has(const char *module);

#endif
