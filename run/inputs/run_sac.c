#include "run/inputs/run_sac.h"
#include "export/files/result_files.h"
#include "run/process/console.h"
#include "core/work/jobs.h"
#include "segment/openings/main_path.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ht_run *run;
  const ht_surface *surface;
  ht_surface_links links;
  ht_vessel_path path[HT_SAC_WAYS]; /* borrowed; the first is the run's own */
  int paths;
} seeker;

static ht_status find_way(void *user) {
  ht_sac_way *of = user;
  return ht_main_path_find(of->mask, &of->openings, &of->path);
}

/* Sorts the outlets by their radius, widest first; returns their number. */
static int order_outlets(const ht_openings *openings, int order[HT_OPENINGS_MAX]) {
  int count = 0;
  for (int i = 0; i < openings->count; i++) {
    if (openings->item[i].role != HT_ROLE_OUTLET) continue;
    int at = count++;
    for (; at > 0 && openings->item[order[at - 1]].radius_mm < openings->item[i].radius_mm; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return count;
}

/* Closes all outlets but one: the main path leads to the widest open outlet, and so to each in
 * turn. */
static void keep_outlet(ht_sac_way *of, const ht_run_vessel *vessel, int outlet) {
  of->mask = &vessel->mask;
  of->openings = vessel->placed.openings;
  for (int i = 0; i < of->openings.count; i++)
    if (i != outlet && of->openings.item[i].role == HT_ROLE_OUTLET)
      of->openings.item[i].role = HT_ROLE_WALL;
}

static int is_sought(const ht_case_sac *asked) {
  return asked->find || asked->has_neck;
}

ht_status ht_run_sac_ways(const ht_case_sac *asked, const ht_run_vessel *vessel, ht_sac_ways **ways,
                          ht_job *jobs, int *count) {
  int order[HT_OPENINGS_MAX];
  *ways = NULL;
  if (!is_sought(asked)) return HT_OK;
  int outlets = order_outlets(&vessel->placed.openings, order);
  if (outlets > HT_SAC_WAYS) outlets = HT_SAC_WAYS;
  HT_TRY(ht_alloc((void **)ways, 1, sizeof **ways, "the ways to the outlets"));
  for (int i = 1; i < outlets; i++) {
    ht_sac_way *of = &(*ways)->way[(*ways)->ways++];
    keep_outlet(of, vessel, order[i]);
    jobs[(*count)++] = (ht_job){find_way, of};
  }
  return HT_OK;
}

static void take_ways(seeker *s, const ht_sac_ways *ways) {
  s->path[s->paths++] = s->run->ahead.path;
  for (int i = 0; i < ways->ways; i++)
    if (ways->way[i].path.stations > 0) s->path[s->paths++] = ways->way[i].path;
}

/* ---- the sac ---- */

static ht_status cut_at_plane(const seeker *s, ht_sac_mesh *sac, ht_sac_numbers *to) {
  const ht_case_sac *asked = &s->run->given.settings->sac;
  ht_neck_plane plane;
  memcpy(plane.origin_mm, asked->neck_mm, sizeof plane.origin_mm);
  memcpy(plane.normal, asked->neck_normal, sizeof plane.normal);
  to->by_plane = 1;
  ht_status status = ht_sac_cut(s->surface, &s->links, &plane, sac);
  if (status == HT_OK) status = ht_sac_measure(sac, &to->shape);
  to->found = status == HT_OK;
  if (status != HT_ERR_CASE) return status;
  ht_sac_mesh_free(sac);
  snprintf(to->why, sizeof to->why, "%s", ht_error_message());
  return HT_OK;
}

static ht_status search(const seeker *s, ht_sac_mesh *sac, ht_sac_numbers *to) {
  ht_sac_search found;
  const ht_sac_vessel vessel = {.surface = s->surface,
                                .links = &s->links,
                                .path = s->path,
                                .paths = s->paths,
                                .openings = &s->run->vessel.placed.openings,
                                .spacing_mm = s->run->domain.mask.grid.spacing_mm[0]};
  HT_TRY(ht_sac_find(&vessel, sac, &found));
  to->found = found.found;
  to->others = found.others;
  snprintf(to->why, sizeof to->why, "%s", found.why);
  return found.found ? ht_sac_measure(sac, &to->shape) : HT_OK;
}

/* Returns the size of a voxel of the scan; for a mask whose scan is not known, of the lattice. */
static double voxel_mm(const seeker *s) {
  double of_scan = s->run->manifest.quality.voxel_mm;
  return of_scan > 0 ? of_scan : s->run->domain.mask.grid.spacing_mm[0];
}

/* Moves the neck's plane; where it no longer cuts the sac off, by half as much, and so on. */
static ht_status move_neck(const seeker *s, const ht_neck_plane *neck, double by_mm,
                           ht_sac_moved *moved) {
  ht_status status = HT_ERR_CASE;
  for (int tries = 0; tries < 5 && status == HT_ERR_CASE; tries++, by_mm /= 2) {
    ht_neck_plane plane = *neck;
    ht_sac_mesh sac;
    for (int r = 0; r < 3; r++) plane.origin_mm[r] += by_mm * neck->normal[r];
    status = ht_sac_cut(s->surface, &s->links, &plane, &sac);
    if (status == HT_OK && ht_dot(sac.neck.normal, neck->normal) < 0) status = HT_ERR_CASE;
    if (status == HT_OK) status = ht_sac_measure(&sac, &moved->shape);
    if (status == HT_OK) moved->by_mm = fabs(by_mm);
    ht_sac_mesh_free(&sac);
  }
  return status == HT_ERR_CASE ? HT_OK : status;
}

static ht_status move_necks(const seeker *s, const ht_sac_mesh *sac, ht_sac_numbers *to) {
  if (!to->found) return HT_OK;
  HT_TRY(move_neck(s, &sac->neck, voxel_mm(s), &to->moved[HT_NECK_INTO_SAC]));
  return move_neck(s, &sac->neck, -voxel_mm(s), &to->moved[HT_NECK_TO_VESSEL]);
}

/* Warns of a coarse lattice. Rounded, because the lattice is chosen before the parent is measured
 * on it; the parent at the neck is often a little narrower than the inlet, so a tenth is
 * tolerated. */
static void warn_of_coarse(const seeker *s, const ht_sac_parent *parent) {
  double across = parent->diameter_mm / s->run->domain.mask.grid.spacing_mm[0];
  if (!(parent->diameter_mm > 0) || round(across) >= 0.9 * HT_SAC_NODES_ACROSS) return;
  ht_console_warn("%.1f lattice nodes across the vessel at the sac: the flow in the sac and the "
                  "load on its wall may be off by 40 %%; %d are needed: set more --nodes-across",
                  across, HT_SAC_NODES_ACROSS);
}

typedef struct {
  ht_sac_place place;
  const ht_flow *flow;
  ht_sac_flow *to;
} flow_inside;

static ht_status measure_flow(void *user) {
  const flow_inside *in = user;
  return ht_sac_flow_of(&in->place, in->flow, in->to);
}

static ht_status measure(const seeker *s, const ht_sac_mesh *sac, ht_sac_numbers *to) {
  const ht_solved *solved = &s->run->solved;
  const ht_wall_cycle *cycle = ht_sampled_cycle(&s->run->sampled);
  to->neck = sac->neck;
  ht_sac_parent_of(sac, &to->shape, s->path, s->paths, &to->parent);
  warn_of_coarse(s, &to->parent);
  const ht_vessel_path *path = to->parent.path >= 0 ? &s->path[to->parent.path] : NULL;
  const ht_sac_place place = {sac, &to->shape, &to->parent, path, &s->run->domain};
  flow_inside of[] = {{place, &solved->flow, &to->flow}, {place, &solved->phase, &to->phase_flow}};
  const ht_job jobs[] = {{measure_flow, &of[0]}, {measure_flow, &of[1]}};
  to->has_phase = solved->phase.velocity_m_s != NULL;
  HT_TRY(ht_jobs_run(jobs, to->has_phase ? 2 : 1));
  to->is_pulsatile = cycle != NULL;
  const ht_sac_values values = cycle
                                   ? (ht_sac_values){cycle->tawss_pa, cycle->osi, cycle->rrt_per_pa}
                                   : (ht_sac_values){.wss_pa = s->surface->wss_mag_pa};
  ht_sac_load_of(s->surface, sac, ht_sac_near_mm(&to->shape, &to->parent), &values, &to->load);
  return HT_OK;
}

ht_status ht_run_sac_find(ht_run *run, const ht_surface *surface, const ht_sac_ways *ways) {
  seeker s = {.run = run, .surface = surface};
  ht_measured *measured = &run->measured;
  if (!is_sought(&run->given.settings->sac)) return HT_OK;
  take_ways(&s, ways);
  measured->sac.is_sought = 1;
  ht_status status = ht_surface_links_make(surface, &s.links);
  if (status == HT_OK)
    status = run->given.settings->sac.has_neck
                 ? cut_at_plane(&s, &measured->sac_mesh, &measured->sac)
                 : search(&s, &measured->sac_mesh, &measured->sac);
  if (status == HT_OK) status = move_necks(&s, &measured->sac_mesh, &measured->sac);
  ht_surface_links_free(&s.links);
  return status;
}

ht_status ht_run_sac(ht_run *run, const ht_surface *surface, const ht_sac_ways *ways) {
  seeker s = {.run = run, .surface = surface};
  ht_sac_numbers *sac = &run->measured.sac;
  if (!is_sought(&run->given.settings->sac)) return HT_OK;
  take_ways(&s, ways);
  if (!sac->is_sought) HT_TRY(ht_run_sac_find(run, surface, ways));
  if (sac->found) return measure(&s, &run->measured.sac_mesh, sac);
  if (sac->by_plane) ht_console_warn("no numbers of the sac: %s", sac->why);
  return HT_OK;
}

ht_status ht_run_write_sac(const char *folder, const ht_sac_mesh *sac) {
  char path[HT_PATH_MAX];
  ht_surface shown = {.points = sac->points, .triangles = sac->triangles};
  HT_TRY(ht_path_join(path, folder, HT_FILE_SAC_STL));
  if (sac->points == 0) {
    remove(path);
    return HT_OK;
  }
  shown.triangle = sac->triangle; /* borrowed */
  HT_TRY(ht_alloc((void **)&shown.point_mm, 3 * (size_t)sac->points, sizeof(float), "the sac"));
  for (int64_t i = 0; i < 3 * sac->points; i++) shown.point_mm[i] = (float)sac->point_mm[i];
  ht_status status = ht_export_wall_stl(path, &shown);
  free(shown.point_mm);
  return status;
}
