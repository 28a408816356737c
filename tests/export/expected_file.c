#define _XOPEN_SOURCE 700
#include "tests/export/expected_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static void remove_folder(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) fprintf(stderr, "%s is left\n", folder);
}

const char *ht_test_folder(void) {
  if (folder[0]) return folder;
  snprintf(folder, sizeof folder, "/tmp/hemotile-export-XXXXXX");
  if (!mkdtemp(folder)) {
    perror(folder);
    exit(1);
  }
  atexit(remove_folder);
  return folder;
}

const char *ht_test_path(const char *name) {
  static char path[4][256];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", ht_test_folder(), name);
  return path[next];
}

void ht_test_write(const char *path, const void *bytes, size_t size) {
  FILE *stream = fopen(path, "wb");
  if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) {
    perror(path);
    exit(1);
  }
}

void ht_test_write_grid(const char *path, const ht_grid *grid) {
  char name[300];
  snprintf(name, sizeof name, "%s.grid", path);
  FILE *stream = fopen(name, "w");
  if (!stream) {
    perror(name);
    exit(1);
  }
  for (int a = 0; a < 3; a++) fprintf(stream, "%d ", grid->dim[a]);
  for (int a = 0; a < 3; a++) fprintf(stream, "%.17g ", grid->spacing_mm[a]);
  for (int a = 0; a < 3; a++) fprintf(stream, "%.17g ", grid->origin_mm[a]);
  for (int r = 0; r < 3; r++)
    for (int a = 0; a < 3; a++) fprintf(stream, "%.17g ", grid->direction[r][a]);
  fclose(stream);
}

ht_grid ht_test_grid(int nx, int ny, int nz, const double angle[3], int left_handed) {
  double cx = cos(angle[0]), sx = sin(angle[0]), cy = cos(angle[1]), sy = sin(angle[1]);
  double cz = cos(angle[2]), sz = sin(angle[2]);
  ht_grid grid = {{nx, ny, nz},
                  {0.513, 0.4117, 1.0 / 3},
                  {-123.456789, 98.7654321, -1234.56789},
                  {{cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz},
                   {cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz},
                   {-sy, sx * cy, cx * cy}}};
  for (int r = 0; left_handed && r < 3; r++) grid.direction[r][2] *= -1;
  return grid;
}

int ht_test_python(const char *script, const char *arguments) {
  char command[2048];
  const char *python = getenv("PYTHON");
  snprintf(command, sizeof command, "%s '%s/%s' %s", python ? python : "/usr/bin/python3",
           HT_TEST_SOURCE_DIR, script, arguments);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int ht_test_python_has(const char *module) {
  char command[512];
  const char *python = getenv("PYTHON");
  snprintf(command, sizeof command, "%s -c 'import %s' 2>/dev/null",
           python ? python : "/usr/bin/python3", module);
  return system(command) == 0;
}
