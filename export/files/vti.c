#include "export/files/result_files.h"
#include "export/files/flow_image.h"
#include "export/files/vti.h"

/* Writes the grid. Only VTK >= 9 reads Direction (row by row); an older ParaView shows the image
 * unrotated. */
static void write_grid(ht_vtk_file *file, const ht_grid *grid) {
  const int *dim = grid->dim;
  ht_vtk_text(file, " WholeExtent=\"0 %d 0 %d 0 %d\" Origin=\"%.17g %.17g %.17g\"", dim[0] - 1,
              dim[1] - 1, dim[2] - 1, grid->origin_mm[0], grid->origin_mm[1], grid->origin_mm[2]);
  ht_vtk_text(file, " Spacing=\"%.17g %.17g %.17g\" Direction=\"", grid->spacing_mm[0],
              grid->spacing_mm[1], grid->spacing_mm[2]);
  for (int r = 0; r < 3; r++)
    for (int a = 0; a < 3; a++)
      ht_vtk_text(file, "%.17g%s", grid->direction[r][a], r + a < 4 ? " " : "\">\n");
  ht_vtk_text(file, "<Piece Extent=\"0 %d 0 %d 0 %d\">\n", dim[0] - 1, dim[1] - 1, dim[2] - 1);
}

ht_status ht_vti_write(const char *path, const ht_grid *grid, const ht_vtk_array *array,
                       int arrays) {
  ht_vtk_file file;
  HT_TRY(ht_vtk_open(path, "ImageData", &file));
  write_grid(&file, grid);
  ht_vtk_text(&file, "<PointData Vectors=\"%s\" Scalars=\"%s\">\n", array[0].name, array[1].name);
  for (int a = 0; a < arrays; a++) ht_vtk_data_array(&file, &array[a]);
  ht_vtk_text(&file, "</PointData>\n<CellData></CellData>\n</Piece>\n");
  return ht_vtk_close(&file, "ImageData");
}

ht_status ht_export_vti(const char *path, const ht_domain *domain, const ht_flow *flow,
                        const ht_grid *grid) {
  ht_flow_image image;
  HT_TRY(ht_flow_image_make(domain, flow, grid, &image));
  int64_t voxels = ht_grid_voxels(&image.grid);
  const ht_vtk_array array[] = {
      {"Float32", "velocity_m_s", 3, 3 * voxels, ht_flow_image_velocity, &image},
      {"Float32", "pressure_pa", 1, voxels, ht_flow_image_pressure, &image},
      {"UInt8", "mask", 1, voxels, ht_flow_image_mask, &image},
      {"Float32", "velocity_rms_m_s", 1, voxels, ht_flow_image_rms, &image},
      {"Float32", "tke_j_m3", 1, voxels, ht_flow_image_tke, &image},
      {"Float32", "tke_peak_j_m3", 1, voxels, ht_flow_image_tke_peak, &image},
  };
  return ht_vti_write(path, &image.grid, array, flow->tke_j_m3 ? 6 : 3);
}
