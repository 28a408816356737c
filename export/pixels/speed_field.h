/* The speed of the blood on a picture's pixels: shared by the picture of a flow and the animation
 * of a beat. */
#ifndef HT_SPEED_FIELD_H
#define HT_SPEED_FIELD_H

#include "core/vessel/flow.h"
#include "core/vessel/openings.h"
#include "export/pixels/slicing.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_mask_source vessel;
  const ht_flow *flow;
  const ht_empty_space *space;
  int extensions; /* 1: nodes of the extensions count too */
} ht_speed_source;

/* Linear between the nodes, 0 at solid voxels (the fluid sticks to the wall). Returns 0 where no
 * vessel is within reach. */
int ht_velocity_at(const ht_speed_source *source, const double position_mm[3], float velocity[3]);

/* m/s; `source` is an ht_speed_source. Infinite where a velocity is not a number, so that no
 * maximum hides it. */
float ht_sample_speed(const void *source, const double position_mm[3]);

typedef struct {
  double high; /* of the colour bar, m/s */
  double p999, max;
  int64_t bad; /* nodes whose speed is not a number */
} ht_speed_range;

/* Of the vessel's nodes. HT_ERR_MEMORY. */
ht_status ht_find_speed_range(const ht_domain *domain, const ht_flow *flow, ht_speed_range *range);

/* The largest speed along the panel's view, extensions left out. HT_ERR_MEMORY. */
ht_status ht_project_speed(const ht_speed_source *source, const ht_box_mm *vessel,
                           const ht_panel *panel, ht_field *speed);
/* The outline of the vessel in that view. HT_ERR_MEMORY. */
ht_status ht_project_vessel(const ht_speed_source *source, const ht_box_mm *vessel,
                            const ht_panel *panel, ht_field *outline);

/* Fills the panel: the colours within the vessel, and its outline. */
void ht_draw_speed(ht_canvas *canvas, const ht_panel *panel, const ht_field *speed,
                   const ht_field *vessel, double high);

/* HT_ERR_FORMAT: the flow lies on another grid than the vessel. */
ht_status ht_check_flow_grid(const ht_domain *domain, const ht_flow *flow);
/* The openings that the domain's ports stand for. */
void ht_openings_of_ports(const ht_domain *domain, ht_openings *openings);

#ifdef __cplusplus
}
#endif
#endif
