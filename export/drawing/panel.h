/* The places of a picture's images, and the part of the patient in each.
 *
 * The three views are along the patient's own axes, whatever the axes of the scan: axial from the
 * feet and coronal from the front, both with the patient's right on the viewer's left, sagittal
 * from the patient's left. All positions are LPS, mm.
 */
#ifndef HT_PANEL_H
#define HT_PANEL_H

#include "export/drawing/canvas.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *name; /* "axial" */
  const char *from; /* where the viewer is: "from the feet" */
  int across;       /* LPS axis that runs to the right; it grows to the right in every view */
  int vertical;     /* LPS axis that runs up or down */
  int down;         /* +1: it grows downwards, -1: upwards */
  int through;      /* LPS axis along the view */
  int toward;       /* +1: it grows towards the viewer */
  char edge[4];     /* letters of the left, right, top and bottom edge */
} ht_view;

extern const ht_view ht_views[3]; /* axial, coronal, sagittal */

/* The letter of the patient's side (R L, A P, F H) that a direction, or for sign -1 the opposite
 * one, points to most. */
char ht_side_letter(const double direction[3], int sign);

/* A box along the patient's axes. */
typedef struct {
  double low[3], high[3];
} ht_box_mm;

/* An image area on a canvas. Square pixels. */
typedef struct {
  const ht_view *view;
  int x, y, width, height; /* pixels */
  double left_mm, top_mm;  /* coordinates (across, vertical) of the left and top edge */
  double mm_per_px;
  double depth_mm; /* coordinate of the slice along `through` */
} ht_panel;

/* Conversion between a position and canvas pixels. */
void ht_panel_pixel(const ht_panel *panel, const double position_mm[3], double pixel[2]);
void ht_panel_position(const ht_panel *panel, const double pixel[2], double position_mm[3]);

/* The box around all voxels (their outer faces) of a grid, in LPS. */
void ht_box_of_grid(const ht_grid *grid, ht_box_mm *box);

/* Measures the vessel: the box around the voxels whose value is `value` (0: any but 0), and for
 * each LPS axis the coordinate of the plane that shows the largest section (the one nearest to the
 * middle, where several do). HT_ERR_VESSEL where there is none. */
ht_status ht_vessel_extent(const ht_mask *mask, int value, ht_box_mm *box, double plane_mm[3]);

/* Grows the box on all sides by `part` of its longest side, at least `least_mm`. */
void ht_box_widen(ht_box_mm *box, double part, double least_mm);
/* Cuts off the part outside `whole`; a box that does not meet `whole` is unchanged. */
void ht_box_clip(ht_box_mm *box, const ht_box_mm *whole);
/* Grows the short sides to half the longest, so that the three panels balance. */
void ht_box_balance(ht_box_mm *box);

/* The greatest height of a panel, in pixels: `most`, or, for tests, the environment's
 * HEMOTILE_PANEL_HEIGHT where that is less: half of the time of a short run goes into pictures. */
int ht_panel_height(int most);

/* Places the three views side by side, from x = margin to width - margin at height y, at one common
 * scale; no panel higher than ht_panel_height(max_height). Returns the height of the row. */
int ht_panels_place(const ht_box_mm *box, int width, int y, int max_height, ht_panel panel[3]);

enum { HT_PICTURE_WIDTH = 1800, HT_PICTURE_MARGIN = 36, HT_PANEL_GAP = 24 };

#ifdef __cplusplus
}
#endif
#endif
