/* Streamlines of the measured flow and of the computed one as the scan shows it: velocities at the
 * scan's voxels, interpolated at the nodes of the lattice. */
#include "app/compare/measured/judge_pictures.h"
#include "export/pictures/pictures.h"
#include "export/pixels/speed_field.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the streamlines";

/* Interpolates [voxels of the scan][3] at the vessel's nodes; 0 outside the scan. */
static void interpolate(const ht_judged *of, const float *voxel_m_s, ht_flow *flow) {
  const ht_grid *scan = &of->measured.grid;
  memset(flow->velocity_m_s, 0, 3 * (size_t)flow->nodes * sizeof(float));
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++) {
    const int64_t node = of->results.vessel.inside[v] ? ht_flow_node(flow, v) : -1;
    double at_mm[3], index[3];
    if (node < 0) continue;
    ht_grid_voxel_position(&flow->grid, v, at_mm);
    ht_grid_index(scan, at_mm, index);
    for (int corner = 0; corner < 8; corner++) {
      double weight = 1;
      int at[3];
      for (int a = 0; a < 3; a++) {
        const double low = floor(index[a]), up = corner >> a & 1;
        at[a] = (int)(low + up);
        weight *= up > 0 ? index[a] - low : 1 - (index[a] - low);
      }
      if (!ht_voxel_in_grid(scan->dim, at)) continue;
      const float *from = voxel_m_s + 3 * ht_voxel_index(scan->dim, at);
      for (int r = 0; r < 3; r++) flow->velocity_m_s[3 * node + r] += (float)(weight * from[r]);
    }
  }
}

static void take_measured(const ht_judged *of, float *voxel_m_s) {
  memset(voxel_m_s, 0, 3 * (size_t)ht_grid_voxels(&of->measured.grid) * sizeof *voxel_m_s);
  for (int t = 0; t < of->measured.times; t++)
    for (int64_t v = 0; v < ht_grid_voxels(&of->measured.grid); v++) {
      double one[3];
      ht_measured_velocity(&of->measured, t, v, one);
      for (int r = 0; r < 3; r++) voxel_m_s[3 * v + r] += (float)(of->weight[t] * one[r]);
    }
}

static ht_status take_computed(const ht_judged *of, float *voxel_m_s) {
  const ht_scan_voxels *voxels = &of->voxels;
  float *mean_m_s;
  HT_TRY(ht_alloc((void **)&mean_m_s, 3 * (size_t)voxels->count, sizeof *mean_m_s, what));
  ht_scan_voxels_velocity(voxels, &of->results.flow, of->results.vessel.inside, mean_m_s);
  memset(voxel_m_s, 0, 3 * (size_t)ht_grid_voxels(&voxels->scan) * sizeof *voxel_m_s);
  for (int64_t i = 0; i < voxels->count; i++)
    for (int r = 0; r < 3; r++)
      voxel_m_s[3 * voxels->voxel[i] + r] = (float)(ht_judged_blood(of, i) * mean_m_s[3 * i + r]);
  free(mean_m_s);
  return HT_OK;
}

/* Makes the domain that the pictures need: the vessel with its openings, without extensions. */
static void make_domain(const ht_judged *of, ht_domain *domain) {
  const ht_openings *openings = &of->results.placed.openings;
  *domain = (ht_domain){.mask = of->results.vessel};
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_INLET || openings->item[i].role == HT_ROLE_OUTLET)
      domain->port[domain->ports++].opening = openings->item[i];
}

static ht_status draw(const char *measured, const char *computed, const ht_judged *of,
                      const ht_picture_text *text, ht_flow *flow, ht_domain *domain,
                      float *voxel_m_s) {
  ht_picture_text with = *text;
  char name[2][96];
  snprintf(name[0], sizeof name[0], "%s, measured", text->name);
  snprintf(name[1], sizeof name[1], "%s, computed, as the scan shows it", text->name);
  ht_speed_range range[2];
  make_domain(of, domain);
  take_measured(of, voxel_m_s);
  interpolate(of, voxel_m_s, flow);
  HT_TRY(ht_find_speed_range(domain, flow, &range[0]));
  HT_TRY(take_computed(of, voxel_m_s));
  interpolate(of, voxel_m_s, flow);
  HT_TRY(ht_find_speed_range(domain, flow, &range[1]));
  with.speed_high_m_s = fmax(range[0].high, range[1].high);
  with.name = name[1];
  HT_TRY(ht_picture_streamlines(computed, domain, flow, &with));
  take_measured(of, voxel_m_s);
  interpolate(of, voxel_m_s, flow);
  with.name = name[0];
  return ht_picture_streamlines(measured, domain, flow, &with);
}

ht_status ht_judge_streamlines(const char *measured, const char *computed, const ht_judged *judged,
                               const ht_picture_text *text) {
  ht_flow flow = judged->results.flow;
  ht_domain *domain = NULL;
  float *voxel_m_s = NULL;
  const size_t voxels = (size_t)ht_grid_voxels(&judged->measured.grid);
  flow.velocity_m_s = NULL;
  ht_status status;
  HT_TRY_DONE(ht_alloc((void **)&flow.velocity_m_s, 3 * (size_t)flow.nodes, sizeof(float), what));
  HT_TRY_DONE(ht_alloc((void **)&voxel_m_s, 3 * voxels, sizeof *voxel_m_s, what));
  HT_TRY_DONE(ht_alloc((void **)&domain, 1, sizeof *domain, what));
  HT_TRY_DONE(draw(measured, computed, judged, text, &flow, domain, voxel_m_s));
done:
  free(flow.velocity_m_s);
  free(voxel_m_s);
  free(domain);
  return status;
}
