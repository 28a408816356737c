#include "segment/segment_between.h"
#include "segment/path/at_border.h"
#include "segment/path/drop_neighbours.h"
#include "segment/path/flood_vessel.h"
#include "segment/path/left_out.h"
#include "segment/surface/levelset.h"
#include "segment/path/cut_contacts.h"
#include "segment/path/prune_branches.h"
#include "segment/path/resistance.h"
#include "segment/segment_region.h"
#include "segment/path/way.h"
#include "segment/settings/preset_guess.h"
#include "segment/voxels/quantile.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report_way(const ht_way *way, ht_segment_report *report) {
  double least = INFINITY, most = -INFINITY;
  report->points = way->points;
  report->bridges = 0;
  for (int p = 0; p < way->points; p++) {
    const ht_way_station *one = &way->station[way->at_point[p]];
    ht_segment_point *point = &report->point[p];
    memcpy(point->centre_mm, one->centre_mm, sizeof point->centre_mm);
    point->radius_mm = one->radius_mm;
    point->away_mm = way->away_mm[p];
    point->is_end = way->is_end[p];
    for (int r = 0; r < 3; r++) point->out[r] = (p == 0 ? -1 : 1) * one->tangent[r];
  }
  for (int s = 0; s < way->stations; s++) {
    double level = (way->station[s].blood + way->station[s].tissue) / 2;
    int dark = way->station[s].is_dark;
    least = fmin(least, level);
    most = fmax(most, level);
    int before = way->station[s].before;
    report->bridges += dark && (before < 0 || !way->station[before].is_dark);
  }
  report->lower = least;
  report->upper = INFINITY;
  report->components = 1;
  report->kept_fraction = 1;
  snprintf(report->method, sizeof report->method,
           "between %d points%s, above a local level of %.4g to %.4g", way->points,
           way->closed.radius_mm > 0 ? ", by the widest way"
           : way->by_brightest       ? ", by the brightest way"
                                     : "",
           least, most);
}

/* Checks that every point is in the vessel that is kept. */
static ht_status check_whole(const ht_way *way, const ht_mask *vessel) {
  for (int p = 1; p < way->points; p++) {
    int at[3];
    const double *c = way->station[way->at_point[p]].centre_mm;
    if (vessel->inside[ht_grid_nearest(&vessel->grid, c, at)]) continue;
    return ht_fail(HT_ERR_VESSEL,
                   "the vessel is interrupted between point 1 and point %d, [%.1f, %.1f, %.1f]: it "
                   "is too thin or too dark there; give a point more along it, or draw the mask by "
                   "hand",
                   p + 1, c[0], c[1], c[2]);
  }
  return HT_OK;
}

/* Moves what only touches the vessel out of it, into `others`. The caller frees these. */
static ht_status drop_others(const ht_volume *region, const ht_way *way, const int32_t *station,
                             const ht_progress *progress, ht_segment_report *report,
                             ht_mask *vessel, ht_mask *others) {
  int *parted = &report->parted;
  double *ml = &report->parted_ml;
  int64_t voxels = ht_grid_voxels(&vessel->grid);
  HT_TRY(ht_mask_alloc(&vessel->grid, others));
  memcpy(others->inside, vessel->inside, (size_t)voxels);
  HT_TRY(ht_drop_neighbours(region, way, station, vessel, parted, ml));
  HT_TRY(ht_cut_contacts(region, way, station, progress, vessel, parted, ml));
  HT_TRY(ht_drop_neighbours(region, way, station, vessel, parted, ml));
  for (int64_t v = 0; v < voxels; v++)
    if (vessel->inside[v]) others->inside[v] = 0;
  return HT_OK;
}

/* Finds the voxels of the vessel between the points; `region` becomes the field of its wall. */
static ht_status vessel_between(const ht_grid *scan, ht_volume *region,
                                const ht_segment_options *options, ht_way *way,
                                const ht_progress *progress, ht_segment_report *report,
                                ht_mask *vessel) {
  int32_t *station;
  ht_mask others = {0};
  size_t voxels = (size_t)ht_grid_voxels(&region->grid);
  report->parted = 0;
  report->parted_ml = 0;
  HT_TRY(ht_way_measure(region, options->point_mm, 0, way));
  HT_TRY(ht_way_refine(region, options->point_mm, progress, way));
  HT_TRY(ht_way_measure(region, options->point_mm, 1, way));
  HT_TRY(ht_alloc((void **)&station, voxels, sizeof *station, "the vessel's stations"));
  ht_status status = ht_flood_vessel(region, way, progress, vessel, station);
  if (status == HT_OK)
    status = drop_others(region, way, station, progress, report, vessel, &others);
  if (status == HT_OK)
    status = ht_prune_branches(way, station, options->branch_diameters, vessel, report);
  if (status == HT_OK) status = ht_left_out_find(region, way, station, &others, vessel, report);
  if (status == HT_OK) ht_way_close_border(scan, way, station, region, vessel, report);
  ht_mask_free(&others);
  free(station);
  if (status == HT_OK) status = check_whole(way, vessel);
  if (status == HT_OK) report_way(way, report);
  return status;
}

/* Tells whether the vessel reaches a side of the box that is not the scan's. */
static int is_cut(const ht_grid *scan, const ht_box *box, const ht_mask *vessel) {
  ht_box own = ht_box_of_mask(vessel);
  for (int a = 0; a < 3; a++) {
    int low = own.first[a] == 0 && box->first[a] > 0;
    int high = own.last[a] == vessel->grid.dim[a] - 1 && box->last[a] < scan->dim[a] - 1;
    if (low || high) return 1;
  }
  return 0;
}

/* Finds all of the vessel between the points, in a box that does not cut it. */
static ht_status box_between(const ht_volume *scan, const ht_segment_options *options, ht_way *way,
                             const ht_progress *progress, ht_segment_report *report,
                             ht_volume *region, ht_mask *vessel) {
  const double bytes_a_voxel = 20, most = 16;
  int cut = 1;
  for (double widened = 1; cut && widened <= most; widened *= 2) {
    ht_box box;
    ht_mask_free(vessel);
    ht_volume_free(region);
    HT_TRY(ht_way_box(&scan->grid, way, widened, &box));
    HT_TRY(ht_segment_check_memory(
        &scan->grid, &box, bytes_a_voxel,
        "give points closer together, or resample the scan to larger voxels"));
    HT_TRY(ht_segment_smooth_region(scan, &box, options, progress, region));
    HT_TRY(vessel_between(&scan->grid, region, options, way, progress, report, vessel));
    cut = is_cut(&scan->grid, &box, vessel);
  }
  return HT_OK;
}

/* Tells whether the scan is a CT: by its tags, or by its values. */
static int is_ct(const ht_volume *scan) {
  return scan->modality[0] ? strcmp(scan->modality, "CT") == 0 : ht_values_are_hounsfield(scan);
}

/* Tells whether the scan is an MR: by its tags, the preset, or its values. */
static int is_mr(const ht_volume *scan, const ht_segment_options *options) {
  if (scan->modality[0]) return strcmp(scan->modality, "MR") == 0;
  if (options->preset > HT_PRESET_NONE) return options->preset == HT_PRESET_TOF_MRA;
  return ht_values_are_mr(scan);
}

/* A vessel between points. Owns all. */
typedef struct {
  ht_way way;
  ht_segment_report report;
  ht_volume region; /* the field of its wall */
  ht_mask vessel;
} between;

static void between_free(between *found) {
  ht_mask_free(&found->vessel);
  ht_volume_free(&found->region);
  ht_way_free(&found->way);
}

/* `other`: NULL, or a way that is not the vessel's (way.h). */
static ht_status find_between(const ht_volume *scan, const ht_segment_options *options,
                              const ht_way *other, const ht_progress *progress, between *found) {
  ht_way *way = &found->way;
  HT_TRY(ht_way_find(scan, options->point_mm, options->points, other, progress, way));
  const int mr = is_mr(scan, options);
  way->bright = mr ? HT_WAY_BRIGHT_MR : HT_WAY_BRIGHT;
  found->report.may_be_mr = !mr && !is_ct(scan) && options->preset <= HT_PRESET_NONE;
  if (way->coarse.values) scan = &way->coarse;
  return box_between(scan, options, way, progress, &found->report, &found->region, &found->vessel);
}

/* Looks for a longer way through blood where the cheapest one crosses from one vessel to another
 * through the dark between them. Another error of that is none of what was asked. */
static ht_status find_around(const ht_volume *scan, const ht_segment_options *options,
                             const ht_progress *progress, between *found) {
  char crosses[1024];
  ht_way crossing = found->way;
  snprintf(crosses, sizeof crosses, "%s", ht_error_message());
  memset(&found->way, 0, sizeof found->way);
  ht_status status = find_between(scan, options, &crossing, progress, found);
  ht_way_free(&crossing);
  if (status == HT_ERR_VESSEL || (status == HT_OK && found->report.bridges > 0))
    return ht_fail(HT_ERR_VESSEL, "%s", crosses);
  return status;
}

/* Looks for a way through wide vessels, which take most of the blood, where the way found runs
 * through a thin one from one wide vessel to another. */
static ht_status find_wider(const ht_volume *scan, const ht_segment_options *options,
                            const ht_progress *progress, between *found) {
  const double clearly = 0.6; /* of the resistance */
  between other = {.report = found->report};
  if (!ht_way_is_thin(&found->way, ht_mean_spacing(&scan->grid), &found->way.closed)) return HT_OK;
  ht_status status = find_between(scan, options, &found->way, progress, &other);
  double known = ht_way_resistance(&found->way), now = ht_way_resistance(&other.way);
  if (status == HT_OK && other.report.bridges == 0 && now < clearly * known) {
    between_free(found);
    *found = other;
    return HT_OK;
  }
  between_free(&other);
  return status == HT_ERR_MEMORY || status == HT_ERR_INTERRUPTED ? status : HT_OK;
}

static double median_blood(const ht_way *way, double *list) {
  for (int s = 0; s < way->stations; s++) list[s] = way->station[s].blood;
  ht_sort_values(list, way->stations);
  return list[way->stations / 2];
}

/* Requires that the blood is as bright as a person says, or in a CT as with a contrast agent. */
static ht_status check_bright(const ht_volume *scan, const ht_segment_options *options,
                              const ht_way *way) {
  const double least_hu = 100;
  double *list;
  HT_TRY(ht_alloc((void **)&list, (size_t)way->stations, sizeof *list, "the blood on the way"));
  double blood = median_blood(way, list);
  free(list);
  if (!isnan(options->lower) && blood < options->lower)
    return ht_fail(HT_ERR_VESSEL,
                   "the blood between the points has %.4g, less than segment.lower, %.4g: put the "
                   "points into the vessel, or give a smaller segment.lower",
                   blood, options->lower);
  if (!isnan(options->lower) || !(blood < least_hu) || !is_ct(scan)) return HT_OK;
  return ht_fail(
      HT_ERR_VESSEL,
      "the blood between the points has %.0f HU, less than %.0f, as in a CT without "
      "contrast agent (30 to 60), which does not show the vessel's wall: take the series "
      "with contrast agent, or draw the mask by hand; if the blood that you mean is so "
      "dim, give the least value that it has, as segment.lower",
      blood, least_hu);
}

static ht_status surface_of_way(const ht_volume *scan, const ht_segment_options *options,
                                const ht_progress *progress, ht_segment_report *report,
                                ht_isosurface *surface) {
  between found = {.report = *report};
  ht_status status = find_between(scan, options, NULL, progress, &found);
  if (status == HT_ERR_VESSEL && found.way.crosses)
    status = find_around(scan, options, progress, &found);
  if (status == HT_OK) status = find_wider(scan, options, progress, &found);
  if (status == HT_OK) status = ht_way_check_border(&scan->grid, &found.way);
  if (status == HT_OK) status = check_bright(scan, options, &found.way);
  if (status == HT_OK) status = ht_segment_crop_to_vessel(&found.region, &found.vessel);
  if (status == HT_OK) ht_isosurface_of_level(&found.region, &found.vessel, 0, INFINITY, surface);
  *report = found.report;
  between_free(&found);
  return status;
}

static ht_status refine_between(ht_isosurface *surface, const ht_progress *progress,
                                ht_segment_report *report) {
  char found[sizeof report->method];
  memcpy(found, report->method, sizeof found);
  snprintf(report->method, sizeof report->method, "level set, %.*s", (int)sizeof found - 12, found);
  return ht_levelset_refine(surface, progress);
}

ht_status ht_segment_between(const ht_volume *scan, const ht_segment_options *options,
                             ht_segment_method method, const ht_progress *progress,
                             ht_segment_report *report, ht_isosurface *surface) {
  HT_TRY(surface_of_way(scan, options, progress, report, surface));
  return method == HT_SEGMENT_LEVELSET ? refine_between(surface, progress, report) : HT_OK;
}
