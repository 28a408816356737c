/* Images of a panel: values sampled at physical positions, so that scan, mask and flow on different
 * lattices, oblique or left-handed, lie on one another.
 */
#ifndef HT_SLICING_H
#define HT_SLICING_H

#include "export/pixels/empty_space.h"
#include "export/drawing/panel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The 8 voxels around a position with their weights (sum 1; 0 for a voxel beyond the grid). */
typedef struct {
  int64_t voxel[8]; /* -1: beyond the grid */
  float weight[8];
} ht_stencil;

/* A grid prepared for many look-ups. */
typedef struct {
  int dim[3];
  double row[3][3], shift[3]; /* index = row * position + shift */
} ht_lookup;

/* Finds the voxels around a position. Returns 0 if none is within reach. */
int ht_lookup_stencil(const ht_lookup *lookup, const double position_mm[3], ht_stencil *stencil);

/* A function that gives the value at a position (LPS, mm). `source` is one of the structs below, or
 * the caller's own. */
typedef float (*ht_sample_fn)(const void *source, const double position_mm[3]);

typedef struct {
  ht_lookup lookup;
  const float *values; /* borrowed */
} ht_scan_source;

typedef struct {
  ht_lookup lookup;
  const uint8_t *inside; /* borrowed */
  int value;             /* the vessel's; 0: any but 0 */
} ht_mask_source;

/* Interpolates a scan linearly; NaN beyond the scan (which reaches half a voxel beyond the outer
 * centres) and where a voxel with weight is NaN. */
float ht_sample_scan(const void *scan_source, const double position_mm[3]);
/* Interpolates a mask: 1 in the vessel, 0 outside, linear between the voxel centres; the outline is
 * at 0.5. */
float ht_sample_mask(const void *mask_source, const double position_mm[3]);
/* Interpolates a mask as ht_sample_mask; where the value is above 0, `stencil` has the voxels. */
float ht_sample_mask_at(const ht_mask_source *mask, const double position_mm[3],
                        ht_stencil *stencil);

/* Sources for the two samplers above; scan and mask are borrowed. */
ht_scan_source ht_scan_source_make(const ht_volume *scan);
ht_mask_source ht_mask_source_make(const ht_mask *mask, int value);

/* The values of a panel's pixels. */
typedef struct {
  int width, height;
  float *value; /* [height][width], owned; free with ht_field_free */
} ht_field;

void ht_field_free(ht_field *field);

/* A function that gives the position (LPS, mm) of a pixel of a field. Pixels are sampled on all
 * cores: neither this nor a sample function changes what it is given. */
typedef void (*ht_place_fn)(const void *with, int i, int j, double position_mm[3]);

/* Samples the values at the pixels' positions. HT_ERR_MEMORY. */
ht_status ht_field_sample(int width, int height, ht_place_fn place, const void *with,
                          ht_sample_fn sample, const void *source, ht_field *field);

/* Samples the slice at the panel's depth. HT_ERR_MEMORY. */
ht_status ht_field_slice(const ht_panel *panel, ht_sample_fn sample, const void *source,
                         ht_field *field);

/* The settings of a projection. All is borrowed. */
typedef struct {
  const ht_panel *panel;
  const ht_box_mm *within;
  double pitch_mm; /* between samples along the view */
  float beyond;    /* the value where the view misses the box */
  ht_sample_fn sample;
  const void *source; /* of it */
  /* Mask outside which the sample is 0; NULL: it may be nonzero anywhere. */
  const ht_mask_source *vessel;
  const ht_empty_space *space; /* the vessel mask's empty space, which is stepped over */
} ht_projection;

/* Finds the largest value along the view; NaN counts only where there is no other. A view of
 * ht_sample_mask ends where it is within the vessel. HT_ERR_MEMORY. */
ht_status ht_field_project(const ht_projection *projection, ht_field *field);

/* Chooses a projection's pitch: not coarser than `part` of the grid's voxels, so that no maximum is
 * missed, nor finer than the pixels; at most 500 samples along the longest side of the box. */
double ht_projection_pitch(const ht_panel *panel, const ht_grid *grid, double part,
                           const ht_box_mm *within);

/* Draws the line where the field crosses `level`. */
void ht_field_outline(ht_canvas *canvas, const ht_panel *panel, const ht_field *field, float level,
                      double width, ht_rgb colour);

/* Value below which `part` (0 to 1) of the finite values lie; reorders the array. 0 where there is
 * none. */
double ht_percentile(float *values, int64_t count, double part);

#ifdef __cplusplus
}
#endif
#endif
