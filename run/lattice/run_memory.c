#include "run/lattice/run_memory.h"
#include "core/mpi/ranks.h"
#include "export/wall/cycle_record.h"
#include "export/wall/wall.h"
#include "solver/lattice/device.h"

/* Bytes of the wall and its records over a beat. */
static double wall_bytes(const ht_lattice_size *size, const ht_solver_options *options,
                         double wall_points, int keeps_fits) {
  const double points_a_face = 1.34; /* measured: aneurysm, 20 and 40 nodes across */
  double points = wall_points > 0 ? wall_points : points_a_face * ht_wall_faces(size);
  double bytes = wall_points > 0 ? 0 : HT_SURFACE_BYTES * points;
  if (!ht_solver_is_pulse(options)) return bytes;
  return bytes + ht_cycle_record_bytes(points, options->samples, keeps_fits);
}

ht_run_memory ht_run_memory_of(const ht_lattice_size *size, const ht_solver_options *options,
                               double wall_points, int keeps_fits) {
  ht_run_memory memory = {.host = ht_solver_host_needs(size, options)};
  int on_gpu = 0;
  if (ht_choose_device(options->device, &on_gpu) != HT_OK) on_gpu = 0;
  memory.host.lattice /= ht_ranks();
  memory.host.reading += wall_bytes(size, options, wall_points, on_gpu || keeps_fits);
  if (on_gpu)
    memory.gpu = (ht_solver_bytes(size->tiles, options->collision, options->precision) +
                  ht_wall_bytes(options, size->nodes, size->nodes_across)) /
                 ht_ranks();
  return memory;
}

/* Fitted to seven dry runs: aneurysm, coarctation and carotid (TOF), 12 to 47 nodes across; 36 to
 * 122 MB, off by up to 5. */
double ht_run_memory_before(double scan_voxels, double box_voxels, double nodes) {
  const double program = 34e6, a_scan_voxel = 5, a_box_voxel = 5.8, a_node = 36;
  return program + a_scan_voxel * scan_voxels + a_box_voxel * box_voxels + a_node * nodes;
}
