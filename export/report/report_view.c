#define _POSIX_C_SOURCE 200809L
#include "export/report/page_text.h"
#include "export/report/report.h"
#include "export/report/report_scan.h"
#include "export/lines/streamlines.h"
#include "export/report/thin_mesh.h"
#include "core/numbers/units.h"
#include "export/report/view_block.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of points of the wall in the page. */
enum { MOST_POINTS = 60000 };

typedef struct {
  const ht_report_scene *scene;
  ht_thin_mesh mesh;
} wall;

static const float *wall_point(const void *user, int64_t i) {
  const wall *of = user;
  return of->scene->surface->point_mm + 3 * (int64_t)of->mesh.of[i];
}

/* A quantity on the wall. */
typedef struct {
  const char *id, *label, *unit, *about;
  const float *values; /* [surface->points]; NULL: left out */
  double factor;       /* to the unit */
  int from_zero;       /* the colour bar begins at 0 and ends where 99 % of the wall has less */
  double end;          /* > 0: the bar ends here */
} quantity;

typedef struct {
  const wall *of;
  const quantity *shown;
} shown_quantity;

static float value_of(const void *user, int64_t i) {
  const shown_quantity *of = user;
  return (float)(of->shown->factor * of->shown->values[of->of->mesh.of[i]]);
}

static ht_status put_quantity(ht_view_out *out, const wall *of, const quantity *shown) {
  const shown_quantity user = {of, shown};
  ht_wall_spread spread;
  if (!shown->values) return HT_OK;
  ht_json_object(out->json, NULL);
  ht_json_string(out->json, "id", shown->id);
  ht_json_string(out->json, "label", shown->label);
  ht_json_string(out->json, "unit", shown->unit);
  ht_json_string(out->json, "about", shown->about);
  if (shown->from_zero) {
    ht_surface_spread(of->scene->surface, shown->values, &spread);
    ht_json_number(out->json, "bar_low", 0);
    ht_json_number(out->json, "bar_high", shown->end > 0 ? shown->end : shown->factor * spread.p99);
  }
  ht_status status = ht_view_put_values(out, "values", of->mesh.points, value_of, &user);
  ht_json_object_end(out->json);
  return status;
}

static ht_status put_quantities(ht_view_out *out, const wall *of) {
  const ht_surface *surface = of->scene->surface;
  const ht_wall_cycle none = {0}, *cycle = of->scene->cycle ? of->scene->cycle : &none;
  const double mmhg = 1 / HT_PA_PER_MMHG, stress = of->scene->wss_high_pa;
  int pulses = of->scene->cycle != NULL;
  const quantity all[] = {
      {"tawss", "Wall shear stress over the beat (TAWSS)", "Pa",
       "Time average of the magnitude of the wall shear stress.", cycle->tawss_pa, 1, 1, stress},
      {"wss", pulses ? "Magnitude of the mean wall shear stress" : "Wall shear stress", "Pa",
       pulses ? "Magnitude of the mean vector: small where the stress turns to and fro."
              : "Friction of the blood on the wall.",
       surface->wss_mag_pa, 1, 1, stress},
      {"osi", "Oscillatory shear index (OSI)", "",
       "No unit. 0: the stress keeps its direction; 0.5: it turns to and fro.", cycle->osi, 1, 1,
       0.5},
      {"rrt", "Relative residence time (RRT)", "1/Pa", "1 / ((1 - 2 OSI) TAWSS).",
       cycle->rrt_per_pa, 1, 1, 0},
      {"ecap", "Endothelial cell activation potential (ECAP)", "1/Pa", "OSI / TAWSS.",
       cycle->ecap_per_pa, 1, 1, 0},
      {"wss_peak", "Wall shear stress at the largest inflow", "Pa", "At one moment of the beat.",
       cycle->wss_peak_mag_pa, 1, 1, stress},
      {"pressure", pulses ? "Mean pressure" : "Pressure", "mmHg", "Gauge pressure on the wall.",
       surface->pressure_pa, mmhg, 0, 0},
      {"pressure_peak", "Pressure at the largest inflow", "mmHg",
       "Gauge pressure on the wall at one moment of the beat.", cycle->pressure_peak_pa, mmhg, 0,
       0},
      {"dx_plus", "Lattice spacing in wall units (dx+)", "",
       "No unit. Above 5 the lattice is too coarse for the wall shear stress.", surface->dx_plus, 1,
       1, 0},
  };
  ht_json_array(out->json, "quantities");
  for (size_t q = 0; q < sizeof all / sizeof *all; q++) HT_TRY(put_quantity(out, of, &all[q]));
  ht_json_array_end(out->json);
  return HT_OK;
}

/* Writes a byte for each moment and point, as in ht_wall_moments. */
static ht_status put_moments(ht_view_out *out, const wall *of) {
  const ht_wall_moments *moments = of->scene->moments;
  int64_t points = of->mesh.points;
  uint8_t *steps = NULL;
  if (moments->moments == 0 || moments->points != of->scene->surface->points) return HT_OK;
  HT_TRY(ht_alloc((void **)&steps, (size_t)moments->moments, (size_t)points, "the report's view"));
  ht_json_object(out->json, "moments");
  ht_json_array(out->json, "time_s");
  for (int m = 0; m < moments->moments; m++) ht_json_number(out->json, NULL, moments->time_s[m]);
  ht_json_array_end(out->json);
  ht_json_array(out->json, "highest_pa");
  for (int m = 0; m < moments->moments; m++) {
    ht_json_number(out->json, NULL, (double)moments->highest_pa[m]);
    for (int64_t p = 0; p < points; p++)
      steps[m * points + p] = moments->step[m * moments->points + of->mesh.of[p]];
  }
  ht_json_array_end(out->json);
  ht_status status = ht_view_put_bytes(out, steps, moments->moments * points);
  ht_json_object_end(out->json);
  free(steps);
  return status;
}

static void put_openings(ht_view_out *out, const ht_openings *openings) {
  ht_json_array(out->json, "openings");
  for (int o = 0; o < openings->count; o++) {
    const ht_opening *opening = &openings->item[o];
    if (opening->role != HT_ROLE_INLET && opening->role != HT_ROLE_OUTLET) continue;
    ht_json_object(out->json, NULL);
    ht_json_string(out->json, "name", opening->name);
    ht_json_string(out->json, "role", ht_role_name(opening->role));
    ht_json_all_measured(out->json, "centre_mm", opening->centre_mm, 3);
    ht_json_all_measured(out->json, "direction", opening->direction, 3);
    ht_json_measured(out->json, "radius_mm", opening->radius_mm);
    ht_json_object_end(out->json);
  }
  ht_json_array_end(out->json);
}

static ht_status put_wall(ht_view_out *out, const ht_report_scene *scene) {
  wall of = {.scene = scene};
  HT_TRY(ht_thin_mesh_make(scene->surface, MOST_POINTS, &of.mesh));
  ht_json_integer(out->json, "surface_points", scene->surface->points);
  ht_status status;
  HT_TRY_DONE(ht_view_put_points(out, "points", of.mesh.points, wall_point, &of));
  HT_TRY_DONE(ht_view_put_indices(out, "triangles", 3 * of.mesh.triangles, of.mesh.triangle));
  HT_TRY_DONE(put_quantities(out, &of));
  HT_TRY_DONE(put_moments(out, &of));
done:
  ht_thin_mesh_free(&of.mesh);
  return status;
}

/* ---- the streamlines ---- */

enum { MOST_LINE_POINTS = 40000 };

static const float *line_point(const void *user, int64_t i) {
  const ht_streamlines *lines = user;
  return lines->point_mm + 3 * i;
}

static float line_speed(const void *user, int64_t i) {
  const ht_streamlines *lines = user;
  return lines->speed_m_s[i];
}

static ht_status put_lines(ht_view_out *out, const ht_report_scene *scene,
                           const ht_streamlines *lines) {
  ht_json_object(out->json, "streamlines");
  if (scene->flow_time_s >= 0) ht_json_measured(out->json, "time_s", scene->flow_time_s);
  if (scene->speed_high_m_s > 0) ht_json_number(out->json, "bar_high", scene->speed_high_m_s);
  ht_status status = ht_view_put_points(out, "points", lines->points, line_point, lines);
  if (status == HT_OK) status = ht_view_put_indices(out, "first", lines->lines + 1, lines->first);
  if (status == HT_OK)
    status = ht_view_put_values(out, "speed_m_s", lines->points, line_speed, lines);
  ht_json_object_end(out->json);
  return status;
}

/* Writes the streamlines with points two spacings apart; further where they would be too many. */
static ht_status put_streamlines(ht_view_out *out, const ht_report_scene *scene) {
  double(*seed_mm)[3] = NULL, apart_mm = scene->flow->grid.spacing_mm[0];
  ht_streamlines lines = {0};
  HT_TRY(ht_alloc((void **)&seed_mm, HT_STREAMLINE_SEEDS, sizeof *seed_mm, "streamlines"));
  int seeds = ht_streamline_seeds(scene->domain, seed_mm);
  ht_status status = HT_OK;
  do {
    ht_streamlines_free(&lines);
    apart_mm *= 2;
    status = ht_streamlines_trace(scene->domain, scene->flow, (const double(*)[3])seed_mm, seeds,
                                  apart_mm, &lines);
  } while (status == HT_OK && lines.points > MOST_LINE_POINTS);
  if (status == HT_OK && lines.lines > 0) status = put_lines(out, scene, &lines);
  ht_streamlines_free(&lines);
  free(seed_mm);
  return status;
}

/* ---- the scan ---- */

static const double scan_margin_mm = 6;
enum { MOST_VOXELS = 1500000 };

static ht_status put_scan(ht_view_out *out, const ht_report_scene *scene) {
  ht_report_scan part;
  if (!scene->scan || !scene->scan->values) return HT_OK;
  HT_TRY(ht_report_scan_make(scene->scan, scene->surface, scan_margin_mm, MOST_VOXELS, &part));
  const ht_grid *grid = &part.grid;
  const double dim[3] = {grid->dim[0], grid->dim[1], grid->dim[2]};
  ht_json_object(out->json, "scan");
  ht_json_numbers(out->json, "dim", dim, 3);
  ht_json_numbers(out->json, "spacing_mm", grid->spacing_mm, 3);
  ht_json_numbers(out->json, "origin_mm", grid->origin_mm, 3);
  ht_json_numbers(out->json, "direction", grid->direction[0], 9);
  ht_json_number(out->json, "low", part.low);
  ht_json_number(out->json, "high", part.high);
  ht_status status = ht_view_put_bytes(out, part.shade, ht_grid_voxels(grid));
  ht_json_object_end(out->json);
  ht_report_scan_free(&part);
  return status;
}

static ht_status put_scene(ht_view_out *out, const ht_report_scene *scene) {
  ht_json_object(out->json, NULL);
  ht_status status = put_wall(out, scene);
  put_openings(out, scene->openings);
  if (status == HT_OK) status = put_streamlines(out, scene);
  if (status == HT_OK) status = put_scan(out, scene);
  ht_json_object_end(out->json);
  return status;
}

/* Writes the blocks and then their description, which is known only once they are written. */
static ht_status put_view(FILE *stream, const ht_report_scene *scene) {
  char *text = NULL;
  size_t size = 0;
  FILE *words = open_memstream(&text, &size);
  if (!words) return ht_fail(HT_ERR_MEMORY, "not enough memory for the report");
  ht_json json = {words, 0, 1};
  ht_view_out out = {stream, &json, 0};
  ht_status status = put_scene(&out, scene);
  if (fclose(words) != 0 && status == HT_OK)
    status = ht_fail(HT_ERR_MEMORY, "not enough memory for the report");
  if (status == HT_OK) {
    fputs("<script type=\"application/json\" id=\"data-view\">", stream);
    ht_page_put_json(stream, text, size);
    fputs("</script>", stream);
  }
  free(text);
  return status;
}

ht_status ht_report_view_make(const ht_report_scene *scene, ht_report_view *view) {
  memset(view, 0, sizeof *view);
  FILE *stream = open_memstream(&view->text, &view->size);
  if (!stream) return ht_fail(HT_ERR_MEMORY, "not enough memory for the report");
  ht_status status = put_view(stream, scene);
  if (fclose(stream) != 0 && status == HT_OK)
    status = ht_fail(HT_ERR_MEMORY, "not enough memory for the report");
  if (status != HT_OK) ht_report_view_free(view);
  return status;
}

void ht_report_view_free(ht_report_view *view) {
  if (!view) return;
  free(view->text);
  memset(view, 0, sizeof *view);
}
