#include "export/pixels/scan_panel.h"
#include "export/drawing/annotate.h"
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

void ht_scan_images_free(ht_scan_images *images) {
  if (!images) return;
  for (int v = 0; v < 3; v++) {
    ht_field_free(&images->grey[v]);
    ht_field_free(&images->vessel[v]);
  }
}

ht_status ht_scan_region(const ht_volume *scan, const ht_mask *mask, ht_box_mm *box,
                         double plane_mm[3]) {
  static const char letter[] = "xyz";
  ht_box_mm whole;
  HT_TRY(ht_grid_check(&scan->grid));
  HT_TRY(ht_vessel_extent(mask, 0, box, plane_mm));
  ht_box_of_grid(&scan->grid, &whole);
  for (int r = 0; r < 3; r++)
    if (box->high[r] < whole.low[r] || box->low[r] > whole.high[r])
      return ht_fail(
          HT_ERR_VESSEL,
          "the mask lies outside the scan: along %c (patient coordinates, mm) it reaches "
          "from %.1f to %.1f, the scan from %.1f to %.1f; is it the mask of another scan?",
          letter[r], box->low[r], box->high[r], whole.low[r], whole.high[r]);
  ht_box_widen(box, 0.3, 15); /* 60 % larger */
  ht_box_clip(box, &whole);
  ht_box_balance(box);
  return HT_OK;
}

/* Collects the scan values at up to 100 000 voxels of the vessel. */
static ht_status vessel_values(const ht_volume *scan, const ht_mask *mask, float **values,
                               int64_t *count) {
  enum { MOST = 100000 };
  ht_scan_source source = ht_scan_source_make(scan);
  int64_t every = ht_mask_count(mask) / MOST + 1, seen = 0, voxels = ht_grid_voxels(&mask->grid);
  HT_TRY(ht_alloc((void **)values, MOST, sizeof(float), "the window of a picture"));
  *count = 0;
  for (int64_t v = 0; v < voxels && *count < MOST; v++) {
    if (!mask->inside[v] || seen++ % every) continue;
    double at[3];
    ht_grid_voxel_position(&mask->grid, v, at);
    (*values)[(*count)++] = ht_sample_scan(&source, at);
  }
  return HT_OK;
}

static ht_status image_values(const ht_field *grey, int images, float **values, int64_t *count) {
  size_t total = 0, filled = 0;
  for (int v = 0; v < images; v++) total += (size_t)grey[v].width * (size_t)grey[v].height;
  HT_TRY(ht_alloc((void **)values, total, sizeof(float), "the window of a picture"));
  for (int v = 0; v < images; v++) {
    size_t size = (size_t)grey[v].width * (size_t)grey[v].height;
    memcpy(*values + filled, grey[v].value, size * sizeof(float));
    filled += size;
  }
  *count = (int64_t)total;
  return HT_OK;
}

static int is_ct(const ht_volume *scan) {
  return strcmp(scan->modality, "CT") == 0;
}

ht_status ht_scan_window_of(const ht_volume *scan, const ht_mask *mask, const ht_field *grey,
                            int count, double window[2]) {
  const double air_hu = -200; /* darker than fat: of no interest here */
  float *inside = NULL, *image = NULL;
  int64_t inside_count = 0, image_count = 0;
  ht_status status = HT_OK;
  HT_TRY_DONE(vessel_values(scan, mask, &inside, &inside_count));
  HT_TRY_DONE(image_values(grey, count, &image, &image_count));
  double vessel = ht_percentile(inside, inside_count, 0.98);
  double low = ht_percentile(image, image_count, 0.02);
  double high = ht_percentile(image, image_count, 0.998);
  if (is_ct(scan)) low = fmax(low, fmin(air_hu, vessel));
  high = fmax(vessel, fmin(high, vessel + 0.25 * (vessel - low)));
  window[0] = low;
  window[1] = high > low ? high : low + 1;
done:
  free(inside);
  free(image);
  return status;
}

ht_status ht_scan_window(const ht_volume *scan, const ht_mask *mask, int views,
                         ht_scan_images *images) {
  images->unit = is_ct(scan) ? " HU" : "";
  return ht_scan_window_of(scan, mask, images->grey, views, images->window);
}

int ht_scan_is_mask(const ht_volume *scan) {
  int64_t voxels = ht_grid_voxels(&scan->grid);
  for (int64_t v = 0; v < voxels; v++)
    if (scan->values[v] != 0 && scan->values[v] != 1) return 0;
  return 1;
}

void ht_draw_grey(ht_canvas *canvas, const ht_panel *panel, const ht_field *field,
                  const double window[2]) {
  for (int j = 0; j < field->height; j++)
    for (int i = 0; i < field->width; i++) {
      float value = field->value[(size_t)j * (size_t)field->width + (size_t)i];
      double part = fmin(fmax((value - window[0]) / (window[1] - window[0]), 0), 1);
      unsigned char grey = (unsigned char)lround(255 * part);
      ht_canvas_blend(canvas, panel->x + i, panel->y + j,
                      isfinite(value) ? (ht_rgb){grey, grey, grey} : ht_empty, 1);
    }
}

void ht_scan_grey_words(const ht_volume *scan, const double window[2], char text[96]) {
  snprintf(text, 96, "Grey: %.3g (black) to %.3g (white)%s.", window[0], window[1],
           is_ct(scan) ? " HU" : "");
}
