#include "export/pixels/speed_field.h"
#include "export/drawing/annotate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ht_rgb wall_line = {190, 198, 207};

static void velocity_in(const ht_speed_source *source, const ht_stencil *stencil,
                        float velocity[3]) {
  memset(velocity, 0, 3 * sizeof(float));
  for (int c = 0; c < 8; c++) {
    int64_t voxel = stencil->voxel[c];
    if (voxel < 0 || !(stencil->weight[c] > 0)) continue;
    if (!source->extensions && source->vessel.inside[voxel] != HT_VESSEL) continue;
    int64_t node = ht_flow_node(source->flow, voxel);
    for (int r = 0; node >= 0 && r < 3; r++)
      velocity[r] += stencil->weight[c] * source->flow->velocity_m_s[3 * node + r];
  }
}

int ht_velocity_at(const ht_speed_source *source, const double position_mm[3], float velocity[3]) {
  ht_stencil stencil;
  memset(velocity, 0, 3 * sizeof(float));
  if (!ht_lookup_stencil(&source->vessel.lookup, position_mm, &stencil)) return 0;
  velocity_in(source, &stencil, velocity);
  return 1;
}

float ht_sample_speed(const void *source, const double position_mm[3]) {
  const ht_speed_source *flow = source;
  ht_stencil stencil;
  float u[3];
  if (ht_sample_mask_at(&flow->vessel, position_mm, &stencil) <= 0) return 0;
  velocity_in(flow, &stencil, u);
  float speed = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  return isfinite(speed) ? speed : INFINITY;
}

ht_status ht_find_speed_range(const ht_domain *domain, const ht_flow *flow, ht_speed_range *range) {
  int64_t count = 0, voxels = ht_grid_voxels(&domain->mask.grid);
  float *speed;
  memset(range, 0, sizeof *range);
  HT_TRY(ht_alloc((void **)&speed, (size_t)flow->nodes, sizeof(float), "the range of a picture"));
  for (int64_t v = 0; v < voxels && count < flow->nodes; v++) {
    if (domain->mask.inside[v] != HT_VESSEL || ht_flow_node(flow, v) < 0) continue;
    const float *u = flow->velocity_m_s + 3 * ht_flow_node(flow, v);
    speed[count] = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    range->bad += !isfinite(speed[count]);
    count++;
  }
  range->p999 = ht_percentile(speed, count, 0.999);
  range->max = ht_percentile(speed, count, 1);
  range->high = ht_nice_above(range->p999);
  free(speed);
  return HT_OK;
}

/* The projection along the panel's view of a sample that is 0 outside the vessel. */
static ht_projection along_view(const ht_speed_source *source, const ht_box_mm *vessel,
                                const ht_panel *panel) {
  return (ht_projection){.panel = panel,
                         .within = vessel,
                         .pitch_mm = ht_projection_pitch(panel, &source->flow->grid, 0.6, vessel),
                         .vessel = &source->vessel,
                         .space = source->space};
}

ht_status ht_project_speed(const ht_speed_source *source, const ht_box_mm *vessel,
                           const ht_panel *panel, ht_field *speed) {
  ht_projection of = along_view(source, vessel, panel);
  ht_speed_source inner = *source;
  inner.extensions = 0;
  of.sample = ht_sample_speed;
  of.source = &inner;
  return ht_field_project(&of, speed);
}

ht_status ht_project_vessel(const ht_speed_source *source, const ht_box_mm *vessel,
                            const ht_panel *panel, ht_field *outline) {
  ht_projection of = along_view(source, vessel, panel);
  of.sample = ht_sample_mask;
  of.source = &source->vessel;
  return ht_field_project(&of, outline);
}

void ht_draw_speed(ht_canvas *canvas, const ht_panel *panel, const ht_field *speed,
                   const ht_field *vessel, double high) {
  ht_canvas_rect(canvas, panel->x, panel->y, panel->width, panel->height, ht_empty);
  for (int j = 0; j < panel->height; j++)
    for (int i = 0; i < panel->width; i++) {
      size_t at = (size_t)j * (size_t)panel->width + (size_t)i;
      double value = speed->value[at];
      if (!(vessel->value[at] >= 0.5f)) continue;
      ht_canvas_blend(canvas, panel->x + i, panel->y + j,
                      ht_map_colour(HT_MAP_VIRIDIS, isfinite(value) ? value / high : NAN), 1);
    }
  ht_field_outline(canvas, panel, vessel, 0.5f, 1.3, wall_line);
}

void ht_openings_of_ports(const ht_domain *domain, ht_openings *openings) {
  openings->count = 0;
  for (int p = 0; p < domain->ports && p < HT_OPENINGS_MAX; p++)
    openings->item[openings->count++] = domain->port[p].opening;
}

ht_status ht_check_flow_grid(const ht_domain *domain, const ht_flow *flow) {
  HT_TRY(ht_grid_check(&domain->mask.grid));
  for (int a = 0; a < 3; a++)
    if (flow->grid.dim[a] != domain->mask.grid.dim[a])
      return ht_fail(HT_ERR_FORMAT,
                     "the flow lies on another grid than the vessel (%d voxels along axis %d, the "
                     "vessel has %d): solve the flow again for this mask",
                     flow->grid.dim[a], a, domain->mask.grid.dim[a]);
  return HT_OK;
}
