#include "export/drawing/panel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const ht_view ht_views[3] = {
    {"axial", "from the feet", 0, 1, +1, 2, -1, {'R', 'L', 'A', 'P'}},
    {"coronal", "from the front", 0, 2, -1, 1, -1, {'R', 'L', 'H', 'F'}},
    {"sagittal", "from the left", 1, 2, -1, 0, +1, {'A', 'P', 'H', 'F'}},
};

char ht_side_letter(const double direction[3], int sign) {
  int axis = 0;
  for (int r = 1; r < 3; r++)
    if (fabs(direction[r]) > fabs(direction[axis])) axis = r;
  return "RLAPFH"[2 * axis + (sign * direction[axis] > 0)];
}

void ht_panel_pixel(const ht_panel *panel, const double position_mm[3], double pixel[2]) {
  const ht_view *view = panel->view;
  pixel[0] = panel->x + (position_mm[view->across] - panel->left_mm) / panel->mm_per_px;
  pixel[1] =
      panel->y + view->down * (position_mm[view->vertical] - panel->top_mm) / panel->mm_per_px;
}

void ht_panel_position(const ht_panel *panel, const double pixel[2], double position_mm[3]) {
  const ht_view *view = panel->view;
  position_mm[view->across] = panel->left_mm + (pixel[0] - panel->x) * panel->mm_per_px;
  position_mm[view->vertical] =
      panel->top_mm + view->down * (pixel[1] - panel->y) * panel->mm_per_px;
  position_mm[view->through] = panel->depth_mm;
}

void ht_box_of_grid(const ht_grid *grid, ht_box_mm *box) {
  for (int r = 0; r < 3; r++) box->low[r] = INFINITY, box->high[r] = -INFINITY;
  for (int corner = 0; corner < 8; corner++) {
    double index[3], at[3];
    for (int a = 0; a < 3; a++) index[a] = (corner >> a & 1) ? grid->dim[a] - 0.5 : -0.5;
    ht_grid_position(grid, index, at);
    for (int r = 0; r < 3; r++) {
      box->low[r] = fmin(box->low[r], at[r]);
      box->high[r] = fmax(box->high[r], at[r]);
    }
  }
}

/* The amount of vessel near each plane across one LPS axis. */
typedef struct {
  double low, step; /* coordinate of the first plane, distance of two */
  int planes;
  double *amount; /* [planes] */
} histogram;

static int is_vessel(uint8_t inside, int value) {
  return value ? inside == value : inside != 0;
}

static double mask_step(const ht_grid *grid) {
  return fmin(fmin(grid->spacing_mm[0], grid->spacing_mm[1]), grid->spacing_mm[2]);
}

/* Function called with the position of each vessel voxel: first for the box, then for the
 * histograms. */
typedef void (*visit_fn)(void *user, const double position[3]);

static int64_t visit_vessel(const ht_mask *mask, int value, visit_fn visit, void *user) {
  const ht_grid *grid = &mask->grid;
  int64_t found = 0, v = 0;
  for (int k = 0; k < grid->dim[2]; k++)
    for (int j = 0; j < grid->dim[1]; j++)
      for (int i = 0; i < grid->dim[0]; i++, v++) {
        if (!is_vessel(mask->inside[v], value)) continue;
        double index[3] = {i, j, k}, at[3];
        ht_grid_position(grid, index, at);
        visit(user, at);
        found++;
      }
  return found;
}

static void grow_box(void *user, const double position[3]) {
  ht_box_mm *box = user;
  for (int r = 0; r < 3; r++) {
    box->low[r] = fmin(box->low[r], position[r]);
    box->high[r] = fmax(box->high[r], position[r]);
  }
}

/* Counts a voxel for the planes up to one step away, so that an oblique lattice gives no stripes.
 */
static void count_voxel(void *user, const double position[3]) {
  histogram *h = user;
  for (int r = 0; r < 3; r++) {
    double at = (position[r] - h[r].low) / h[r].step;
    for (int p = (int)floor(at); p <= (int)floor(at) + 1; p++)
      if (p >= 0 && p < h[r].planes) h[r].amount[p] += fmax(0, 1 - fabs(p - at));
  }
}

static double best_plane(const histogram *h) {
  double most = 0, middle = 0.5 * (h->planes - 1);
  for (int p = 0; p < h->planes; p++) most = fmax(most, h->amount[p]);
  int best = -1;
  for (int p = 0; p < h->planes; p++)
    if (h->amount[p] >= 0.97 * most && (best < 0 || fabs(p - middle) < fabs(best - middle)))
      best = p;
  return h->low + h->step * (best < 0 ? middle : best);
}

static ht_status find_planes(const ht_mask *mask, int value, const ht_box_mm *box,
                             double plane_mm[3]) {
  histogram h[3] = {{0, 1, 0, NULL}, {0, 1, 0, NULL}, {0, 1, 0, NULL}};
  ht_status status = HT_OK;
  for (int r = 0; r < 3; r++) {
    h[r].low = box->low[r];
    h[r].step = mask_step(&mask->grid);
    h[r].planes = (int)fmin(ceil((box->high[r] - box->low[r]) / h[r].step), 1e6) + 1;
    HT_TRY_DONE(ht_alloc((void **)&h[r].amount, (size_t)h[r].planes, sizeof(double),
                         "the planes of a picture"));
  }
  visit_vessel(mask, value, count_voxel, h);
  for (int r = 0; r < 3; r++) plane_mm[r] = best_plane(&h[r]);
done:
  for (int r = 0; r < 3; r++) free(h[r].amount);
  return status;
}

ht_status ht_vessel_extent(const ht_mask *mask, int value, ht_box_mm *box, double plane_mm[3]) {
  HT_TRY(ht_grid_check(&mask->grid));
  for (int r = 0; r < 3; r++) box->low[r] = INFINITY, box->high[r] = -INFINITY;
  if (!visit_vessel(mask, value, grow_box, box))
    return ht_fail(HT_ERR_VESSEL,
                   "the mask is empty: there is no vessel to draw; segment the scan first, or give "
                   "a mask that holds voxels other than 0");
  HT_TRY(find_planes(mask, value, box, plane_mm));
  const double *spacing = mask->grid.spacing_mm;
  double widest = fmax(fmax(spacing[0], spacing[1]), spacing[2]);
  for (int r = 0; r < 3; r++) {
    box->low[r] -= widest;
    box->high[r] += widest;
  }
  return HT_OK;
}

static double longest_side(const ht_box_mm *box) {
  double longest = 0;
  for (int r = 0; r < 3; r++) longest = fmax(longest, box->high[r] - box->low[r]);
  return longest;
}

static void grow_side(ht_box_mm *box, int r, double by) {
  box->low[r] -= by;
  box->high[r] += by;
}

void ht_box_widen(ht_box_mm *box, double part, double least_mm) {
  double margin = fmax(part * longest_side(box), least_mm);
  for (int r = 0; r < 3; r++) grow_side(box, r, margin);
}

void ht_box_clip(ht_box_mm *box, const ht_box_mm *whole) {
  for (int r = 0; r < 3; r++) {
    if (box->high[r] < whole->low[r] || box->low[r] > whole->high[r]) continue;
    box->low[r] = fmax(box->low[r], whole->low[r]);
    box->high[r] = fmin(box->high[r], whole->high[r]);
  }
}

void ht_box_balance(ht_box_mm *box) {
  double least = fmax(0.5 * longest_side(box), 1e-3);
  for (int r = 0; r < 3; r++) {
    double missing = least - (box->high[r] - box->low[r]);
    if (missing > 0) grow_side(box, r, 0.5 * missing);
  }
}

int ht_panel_height(int most) {
  const char *asked = getenv("HEMOTILE_PANEL_HEIGHT");
  int height = asked ? atoi(asked) : 0;
  return height > 0 && height < most ? height : most;
}

int ht_panels_place(const ht_box_mm *box, int width, int y, int max_height, ht_panel panel[3]) {
  double side[3], across = 0, highest = 0;
  for (int r = 0; r < 3; r++) side[r] = box->high[r] - box->low[r];
  for (int v = 0; v < 3; v++) {
    across += side[ht_views[v].across];
    highest = fmax(highest, side[ht_views[v].vertical]);
  }
  int room = width - 2 * HT_PICTURE_MARGIN - 2 * HT_PANEL_GAP;
  double scale = fmax(across / room, highest / ht_panel_height(max_height)); /* mm per pixel */
  /* The panels share the width that is left where the height is the limit: more surroundings. */
  double spare = (room - across / scale) / 3;
  int x = HT_PICTURE_MARGIN, height = (int)ceil(highest / scale);
  for (int v = 0; v < 3; v++) {
    const ht_view *view = &ht_views[v];
    int w = (int)floor(side[view->across] / scale + spare);
    double middle[2] = {0.5 * (box->low[view->across] + box->high[view->across]),
                        0.5 * (box->low[view->vertical] + box->high[view->vertical])};
    panel[v] = (ht_panel){view,
                          x,
                          y,
                          w,
                          height,
                          middle[0] - 0.5 * w * scale,
                          middle[1] - view->down * 0.5 * height * scale,
                          scale,
                          0.5 * (box->low[view->through] + box->high[view->through])};
    x += w + HT_PANEL_GAP;
  }
  return height;
}
