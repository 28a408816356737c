/* Writes volumes as DICOM series, each with the contents that a reader has to find, for
 * check_dicom_series.py.
 *
 *   write_series DIR
 */
#include "core/disk/file.h"
#include "phantom/phantom.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* DIR/NAME.txt: modality, dim, spacing, origin, direction (rows); DIR/NAME.f32: the values. */
static ht_status write_expected(const char *dir, const char *name, const ht_volume *volume) {
  const ht_grid *g = &volume->grid;
  char path[HT_PATH_MAX];
  ht_output output;
  snprintf(path, sizeof path, "%s/%s.txt", dir, name);
  HT_TRY(ht_output_open(path, &output));
  fprintf(output.stream, "%s\n%d %d %d\n", volume->modality, g->dim[0], g->dim[1], g->dim[2]);
  fprintf(output.stream, "%.17g %.17g %.17g\n", g->spacing_mm[0], g->spacing_mm[1],
          g->spacing_mm[2]);
  fprintf(output.stream, "%.17g %.17g %.17g\n", g->origin_mm[0], g->origin_mm[1], g->origin_mm[2]);
  for (int r = 0; r < 3; r++)
    fprintf(output.stream, "%.17g %.17g %.17g\n", g->direction[r][0], g->direction[r][1],
            g->direction[r][2]);
  HT_TRY(ht_output_commit(&output));
  snprintf(path, sizeof path, "%s/%s.f32", dir, name);
  HT_TRY(ht_output_open(path, &output));
  fwrite(volume->values, sizeof(float), (size_t)ht_grid_voxels(g), output.stream);
  return ht_output_commit(&output);
}

static ht_status write_both(const char *dir, const char *name, const ht_volume *volume) {
  char folder[HT_PATH_MAX];
  HT_TRY(write_expected(dir, name, volume));
  HT_TRY(ht_path_join(folder, dir, name));
  return ht_dicom_write_series(folder, volume, "hemotile phantom aneurysm", 1);
}

static ht_status write_phantom(const char *dir) {
  ht_phantom_options options;
  ht_phantom phantom;
  ht_phantom_defaults(HT_PHANTOM_ANEURYSM, &options);
  options.spacing_mm = 1; /* small */
  HT_TRY(ht_phantom_make(&options, NULL, &phantom));
  ht_status status = write_both(dir, "phantom", &phantom.scan);
  ht_phantom_free(&phantom);
  return status;
}

/* Fractions, which 16 bits cannot hold exactly, on a left-handed grid, of an MR scanner; odd sizes,
 * so that the pixels of a slice are an odd number of values. */
static ht_status write_fractions(const char *dir, const char *name, double low, double high) {
  ht_grid grid = ht_grid_make(7, 3, 5);
  ht_volume volume;
  const double spacing[3] = {0.46875, 0.7, 1.0 / 3}, origin[3] = {-101.3, 22.75, 1e-5};
  memcpy(grid.spacing_mm, spacing, sizeof spacing);
  memcpy(grid.origin_mm, origin, sizeof origin);
  grid.direction[0][0] = grid.direction[1][1] = cos(0.3);
  grid.direction[1][0] = sin(0.3);
  grid.direction[0][1] = -sin(0.3);
  grid.direction[2][2] = -1;
  HT_TRY(ht_volume_alloc(&grid, &volume));
  for (int v = 0; v < 105; v++)
    volume.values[v] = (float)(low + (high - low) * 0.5 * (1 + sin(v * v)));
  snprintf(volume.modality, sizeof volume.modality, "MR");
  ht_status status = write_both(dir, name, &volume);
  ht_volume_free(&volume);
  return status;
}

static ht_status write_all(const char *dir) {
  HT_TRY(write_phantom(dir));
  HT_TRY(write_fractions(dir, "fractions", -0.02, 0.05));
  HT_TRY(write_fractions(dir, "wide", -1e6, 3e6));
  return write_fractions(dir, "constant", 4.5, 4.5);
}

int main(int argc, char **argv) {
  ht_status status =
      argc == 2 ? write_all(argv[1]) : ht_fail(HT_ERR_USAGE, "usage: write_series DIR");
  if (status != HT_OK) fprintf(stderr, "write_series: %s\n", ht_error_message());
  return (int)status;
}
