#include "core/disk/file.h"
#include "export/files/result_files.h"
#include "export/wall/wall_along.h"
#include <stdlib.h>

/* The columns after the point's place and area. */
typedef struct {
  const char *name;
  const float *values; /* [points] */
} column;

enum { COLUMNS = 12 };

static int list_columns(const ht_surface *surface, const ht_wall_cycle *cycle, column to[COLUMNS]) {
  const column all[COLUMNS] = {{"wss_pa", surface->wss_mag_pa},
                               {"pressure_pa", surface->pressure_pa},
                               {"dx_plus", surface->dx_plus},
                               {"tawss_pa", cycle ? cycle->tawss_pa : NULL},
                               {"mean_wss_magnitude_pa", cycle ? cycle->mean_wss_mag_pa : NULL},
                               {"osi", cycle ? cycle->osi : NULL},
                               {"rrt_per_pa", cycle ? cycle->rrt_per_pa : NULL},
                               {"ecap_per_pa", cycle ? cycle->ecap_per_pa : NULL},
                               {"wss_min_pa", cycle ? cycle->wss_min_pa : NULL},
                               {"wss_max_pa", cycle ? cycle->wss_max_pa : NULL},
                               {"wss_peak_magnitude_pa", cycle ? cycle->wss_peak_mag_pa : NULL},
                               {"pressure_peak_pa", cycle ? cycle->pressure_peak_pa : NULL}};
  int count = 0;
  for (int i = 0; i < COLUMNS; i++)
    if (all[i].values) to[count++] = all[i];
  return count;
}

static void put_row(FILE *stream, const ht_surface *surface, int64_t p, double area_mm2,
                    const uint8_t *in_sac, const column *of, int columns) {
  const float *at = surface->point_mm + 3 * p;
  fprintf(stream, "%.6g,%.6g,%.6g,%.6g", at[0], at[1], at[2], area_mm2);
  for (int i = 0; i < columns; i++) fprintf(stream, ",%.6g", of[i].values[p] + 0.0);
  if (in_sac) fprintf(stream, ",%d", in_sac[p]);
  fputc('\n', stream);
}

ht_status ht_export_wall_csv(const char *path, const ht_surface *surface,
                             const ht_wall_cycle *cycle, const uint8_t *in_sac) {
  column of[COLUMNS];
  float *area;
  ht_output output;
  int columns = list_columns(surface, cycle, of);
  HT_TRY(ht_alloc((void **)&area, (size_t)surface->points, sizeof *area, "the wall's table"));
  ht_wall_point_areas(surface, area);
  ht_status status = ht_output_open(path, &output);
  if (status == HT_OK) {
    fputs("x_mm,y_mm,z_mm,area_mm2", output.stream);
    for (int i = 0; i < columns; i++) fprintf(output.stream, ",%s", of[i].name);
    fputs(in_sac ? ",in_sac\n" : "\n", output.stream);
    for (int64_t p = 0; p < surface->points; p++)
      put_row(output.stream, surface, p, area[p], in_sac, of, columns);
    status = ht_output_commit(&output);
  }
  free(area);
  return status;
}
