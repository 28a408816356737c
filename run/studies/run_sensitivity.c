/* Runs with the wall moved inwards and outwards by half a voxel of the scan. */
#include "export/files/result_files.h"
#include "solver/plan/collision_limits.h"
#include "run/studies/run_sensitivity.h"
#include "run/run.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "segment/surface/offset.h"
#include "run/inputs/load_inputs.h"
#include "run/numbers/run_outcome.h"
#include "run/lattice/run_plan.h"
#include "run/stages/stage_dicom.h"
#include "run/stages/stage_report.h"
#include "run/numbers/summary.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double plane_inside = 0.75; /* lattice nodes from an opening to its cutting plane */

static const char *const folders[HT_WALLS] = {"thinner", "", "thicker"};

/* ---- results ---- */

static void take_outlets(const ht_flow_stats *stats, ht_wall_result *result) {
  const ht_port_result *inlet = ht_port_main_inlet(stats->port, stats->ports);
  for (int p = 0; p < stats->ports; p++) {
    const ht_port_result *port = &stats->port[p];
    if (!inlet || port->role != HT_ROLE_OUTLET) continue;
    memcpy(result->outlet[result->outlets].name, port->name, HT_NAME_MAX);
    result->outlet[result->outlets++].drop_mmhg =
        (inlet->pressure_pa - port->pressure_pa) / HT_PA_PER_MMHG;
  }
}

static void take_result(const ht_run *run, ht_wall_result *result) {
  *result = (ht_wall_result){.done = 1,
                             .steady = ht_flow_is_result(&run->solved.stats),
                             .collision = ht_run_collision(&run->solved.stats),
                             .volume_ml = ht_domain_vessel_ml(&run->domain),
                             .area_mm2 = run->measured.wall.area_mm2,
                             .wss_mean_pa = run->measured.wall.wss_mean_pa,
                             .wss_p99_pa = run->measured.wall.wss_p99_pa,
                             .tawss_mean_pa = run->measured.cycle_stats.tawss_pa.mean};
  take_outlets(&run->solved.stats, result);
}

/* ---- the case ---- */

/* Fixes an opening as in the case's own run: the other mask alone might give another one. */
static void fix_opening(const ht_case *settings, const ht_opening *placed, double spacing_mm,
                        ht_case_opening *asked) {
  memset(asked, 0, sizeof *asked);
  for (int a = 0; a < settings->openings; a++)
    if (strcmp(settings->opening[a].name, placed->name) == 0) *asked = settings->opening[a];
  memcpy(asked->name, placed->name, sizeof asked->name);
  asked->name_is_made_up = 0;
  asked->role = (int)placed->role;
  asked->flow_ml_s = settings->patient.cardiac_output_l_min > 0 ? 0 : placed->flow_ml_s;
  asked->pressure_pa = placed->pressure_pa;
  asked->has_near = 0;
  asked->has_centre = asked->has_normal = 1;
  asked->point = 0;
  asked->finds_side = 0; /* the placed normal points out */
  memcpy(asked->normal, placed->normal, sizeof asked->normal);
  double off_mm = placed->measured_off_mm; /* at a border the plane stands for the opening there */
  if (!placed->at_border && !(off_mm > 0)) off_mm -= plane_inside * spacing_mm;
  for (int r = 0; r < 3; r++)
    asked->centre_mm[r] = placed->centre_mm[r] + off_mm * placed->normal[r];
}

/* Makes the case of a ready mask, on the same lattice and with the same openings and flows. */
static void fix_settings(const ht_case *own, const ht_run_vessel *vessel, const char *mask,
                         ht_case *settings) {
  const ht_openings *placed = &vessel->placed.openings;
  *settings = *own;
  settings->scan[0] = settings->phantom[0] = settings->series[0] = 0;
  settings->phase = 0; /* like the series, it concerns the scan, not the mask */
  snprintf(settings->mask, sizeof settings->mask, "%s", mask);
  ht_segment_defaults(&settings->segment);
  settings->segment.nodes_across = 0;
  ht_case_keep_beats(settings);
  settings->segment.spacing_mm = vessel->mask.grid.spacing_mm[0]; /* also of an edited mask */
  settings->has_region_min = settings->has_region_max = 0;
  settings->inlet_flow_ml_s = settings->inlet_reynolds = 0;
  settings->others_wall = 1;
  settings->sensitivity = settings->dicom = 0;
  memset(settings->is_given, 0, sizeof settings->is_given); /* nobody gave this mask its settings */
  settings->openings = 0;
  for (int i = 0; i < placed->count; i++)
    if (placed->item[i].role != HT_ROLE_WALL)
      fix_opening(own, &placed->item[i], vessel->mask.grid.spacing_mm[0],
                  &settings->opening[settings->openings++]);
}

/* ---- the runs ---- */

/* Writes the moved mask. The moved wall is of the same kind as the case's own: where that follows a
 * surface, *wall is the distance from the moved surface. */
static ht_status write_mask(const ht_run *run, double offset_mm, const char *path,
                            ht_volume *wall) {
  ht_mask moved;
  const ht_triangles *surface = ht_run_walls(run);
  HT_TRY(ht_mask_offset(&run->vessel.mask, &run->vessel.placed.openings, surface, offset_mm,
                        ht_console_progress(), &moved, surface ? wall : NULL));
  ht_status status = ht_export_mask(path, &moved);
  ht_mask_free(&moved);
  return status;
}

/* Runs the mask. The caller frees *moved with ht_run_free. */
static ht_status run_mask(const ht_run *run, const char *mask, const ht_volume *wall,
                          const char *folder, int collision, ht_run **moved) {
  ht_case *settings;
  *moved = NULL;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the case"));
  fix_settings(run->given.settings, &run->vessel, mask, settings);
  settings->collision = collision;
  HT_TRY(ht_run_begin(settings, folder, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 1, moved));
  (*moved)->given.wall = wall->values ? wall : NULL;
  return ht_run_stages(*moved);
}

/* Runs with a collision that is stable. The flow in a thinner vessel is faster, often too fast for
 * one relaxation time. A shorter step does not help: the cell Reynolds number does not depend on
 * it. Several relaxation times allow twice the speed on the same lattice and change the results by
 * some 0.2 %; a finer lattice changes them by up to 7 %, as much as the wall does
 * (cli_sensitivity.sh). */
static ht_status run_as_stable(const ht_run *run, const char *mask, const ht_volume *wall,
                               const char *folder, ht_run **moved) {
  int own = ht_run_collision(&run->solved.stats),
      next = own == HT_LBGK ? HT_MRT : ht_collision_most_capable();
  ht_status status = run_mask(run, mask, wall, folder, own, moved);
  if ((status != HT_ERR_UNSTABLE && status != HT_ERR_DIVERGED) || own == next) return status;
  ht_run_free(*moved);
  ht_console_next();
  ht_console_note(
      "the flow of this vessel is too fast for --collision %s on this lattice: it is rerun with %s",
      ht_collision_words[own], ht_collision_words[next]);
  return run_mask(run, mask, wall, folder, next, moved);
}

static ht_status run_wall(const ht_run *run, int wall, ht_wall_result *result) {
  ht_run *moved = NULL;
  ht_volume distance = {0};
  char folder[HT_PATH_MAX], name[64], path[HT_PATH_MAX];
  double offset_mm = (wall == HT_THICKER ? 1 : -1) * run->measured.sensitivity.offset_mm;
  ht_console_next();
  snprintf(name, sizeof name, HT_FOLDER_SENSITIVITY "/%s", folders[wall]);
  HT_TRY(ht_run_path(run, name, folder));
  snprintf(name, sizeof name, HT_FOLDER_SENSITIVITY "/mask_%s.nii.gz", folders[wall]);
  HT_TRY(ht_run_path(run, name, path));
  ht_console_note("---- %s by %.3g mm, half a voxel of the scan: %s", folders[wall],
                  run->measured.sensitivity.offset_mm, folder);
  ht_status status = write_mask(run, offset_mm, path, &distance);
  if (status == HT_OK) status = run_as_stable(run, path, &distance, folder, &moved);
  if (status == HT_OK || status == HT_ERR_NOT_STEADY) take_result(moved, result);
  ht_run_free(moved);
  ht_volume_free(&distance);
  return status == HT_ERR_NOT_STEADY ? HT_OK : status;
}

/* Tries a wall position. One that cannot be run is a result; a signal, a full disk or a lost device
 * is an error. */
static ht_status try_wall(const ht_run *run, int wall, ht_wall_result *result) {
  ht_status status = run_wall(run, wall, result);
  if (status == HT_OK || status == HT_ERR_INTERRUPTED || status == HT_ERR_WRITE ||
      status == HT_ERR_DEVICE)
    return status;
  memset(result, 0, sizeof *result);
  snprintf(result->message, sizeof result->message, "%.*s", (int)sizeof result->message - 1,
           ht_error_message());
  return HT_OK;
}

/* Measures half the edge of a cube with the volume of a voxel. */
static ht_status measure_voxel(ht_run *run) {
  HT_TRY(ht_need_scan(run));
  const double *mm = run->imported.scan.grid.spacing_mm;
  run->measured.sensitivity.offset_mm = cbrt(mm[0] * mm[1] * mm[2]) / 2;
  return HT_OK;
}

/* Frees what the summary no longer needs: the runs need the memory. */
static void free_large(ht_run *run) {
  ht_volume_free(&run->imported.scan);
  ht_mask_free(&run->imported.drawn);
  ht_run_drop_domain(run);
  ht_flow_free(&run->solved.flow);
  ht_flow_free(&run->solved.phase);
  ht_wall_cycle_free(&run->sampled.cycle);
  ht_wall_moments_free(&run->sampled.moments);
}

static ht_status run_walls(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FOLDER_SENSITIVITY, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(try_wall(run, HT_THINNER, &run->measured.sensitivity.wall[HT_THINNER]));
  HT_TRY(try_wall(run, HT_THICKER, &run->measured.sensitivity.wall[HT_THICKER]));
  ht_sensitivity_measure(&run->measured.sensitivity);
  return HT_OK;
}

/* Goes back to the case: later messages belong to it again. */
static ht_status go_back(ht_run *run) {
  char path[HT_PATH_MAX];
  ht_console_next();
  ht_interrupt_folder(run->given.folder, ht_folder_sweep);
  HT_TRY(ht_run_path(run, HT_FILE_LOG, path));
  HT_TRY(ht_console_log(path));
  ht_console_warnings_to(&run->warnings);
  return HT_OK;
}

ht_status ht_run_sensitivity(ht_run *run) {
  char path[HT_PATH_MAX], message[1024];
  if (!run->given.settings->sensitivity) return HT_OK;
  HT_TRY(measure_voxel(run));
  take_result(run, &run->measured.sensitivity.wall[HT_AS_IS]);
  free_large(run);
  ht_status status = run_walls(run);
  snprintf(message, sizeof message, "%s", ht_error_message());
  HT_TRY(go_back(run));
  if (status != HT_OK) {
    ht_console_hint("the results of the case itself are complete in %s; only the runs with the "
                    "wall moved are missing: `hemotile export %s --sensitivity` repeats them",
                    run->given.folder, run->given.typed);
    return ht_fail(status, "%s", message);
  }
  HT_TRY(ht_run_path(run, HT_FILE_SUMMARY, path));
  HT_TRY(ht_summary_write(path, run));
  if (run->given.no_pictures) return HT_OK;
  HT_TRY(ht_run_write_report(&run->given, &run->view));
  return ht_run_dicom_report(run);
}
