/* The speed of the blood on a picture's pixels: shared by the pictures of a flow and the animation
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

/* Interpolates the velocity linearly between the nodes, 0 at solid voxels (no slip). Returns 0 if
 * no vessel is within reach. */
int ht_velocity_at(const ht_speed_source *source, const double position_mm[3], float velocity[3]);

/* The speed at a position, m/s; `source` is an ht_speed_source. Infinite where a velocity is NaN,
 * so that no maximum hides it. */
float ht_sample_speed(const void *source, const double position_mm[3]);

typedef struct {
  double high; /* of the colour bar, m/s */
  double p999, max;
  int64_t bad; /* nodes whose speed is not a number */
} ht_speed_range;

/* Finds the range of the speed at the vessel's nodes; the colour bar ends at a round number above
 * its 99.9th percentile. HT_ERR_MEMORY. */
ht_status ht_find_speed_range(const ht_domain *domain, const ht_flow *flow, ht_speed_range *range);

/* Projects the largest speed along the panel's view, without the extensions. HT_ERR_MEMORY. */
ht_status ht_project_speed(const ht_speed_source *source, const ht_box_mm *vessel,
                           const ht_panel *panel, ht_field *speed);
/* Projects the vessel in the panel's view, for its outline. HT_ERR_MEMORY. */
ht_status ht_project_vessel(const ht_speed_source *source, const ht_box_mm *vessel,
                            const ht_panel *panel, ht_field *outline);

/* Fills the panel with the colours within the vessel and its outline. */
void ht_draw_speed(ht_canvas *canvas, const ht_panel *panel, const ht_field *speed,
                   const ht_field *vessel, double high);

/* Checks that the flow lies on the vessel's grid; if not, HT_ERR_FORMAT. */
ht_status ht_check_flow_grid(const ht_domain *domain, const ht_flow *flow);
/* Collects the openings that the domain's ports stand for. */
void ht_openings_of_ports(const ht_domain *domain, ht_openings *openings);

#ifdef __cplusplus
}
#endif
#endif
