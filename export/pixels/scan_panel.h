/* Parts shared by the two pictures of a scan with its vessel: the region, the grey window, the
 * drawing of grey values. */
#ifndef HT_SCAN_PANEL_H
#define HT_SCAN_PANEL_H

#include "export/pixels/slicing.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_field grey[3], vessel[3]; /* of each view; owned; free with ht_scan_images_free */
  double window[2];            /* values drawn black and white */
  const char *unit;            /* " HU" for CT, else "" */
} ht_scan_images;

void ht_scan_images_free(ht_scan_images *images);

/* Finds the box to show: the vessel with its surroundings (60 % of its size, at least 15 mm), and
 * the planes that show most of it. HT_ERR_VESSEL where the mask is empty or lies outside the scan;
 * HT_ERR_FORMAT where a grid is invalid. */
ht_status ht_scan_region(const ht_volume *scan, const ht_mask *mask, ht_box_mm *box,
                         double plane_mm[3]);

/* Finds the window from the grey values of `count` images and those within the vessel: from the 2nd
 * percentile of the shown values (CT: not below -200 HU) to a little above the vessel's, so that
 * the vessel is bright but not white, also next to bone or air. HT_ERR_MEMORY. */
ht_status ht_scan_window_of(const ht_volume *scan, const ht_mask *mask, const ht_field *grey,
                            int count, double window[2]);

/* Finds the window from the first `views` images, and the unit. */
ht_status ht_scan_window(const ht_volume *scan, const ht_mask *mask, int views,
                         ht_scan_images *images);

/* Writes "Grey: 4 (black) to 440 (white) HU." */
void ht_scan_grey_words(const ht_volume *scan, const double window[2], char text[96]);

/* Returns 1 if the scan is a ready mask: all values are 0 or 1. */
int ht_scan_is_mask(const ht_volume *scan);

/* Fills the panel with grey values. NaN (beyond the scan) gets the colour ht_empty. */
void ht_draw_grey(ht_canvas *canvas, const ht_panel *panel, const ht_field *field,
                  const double window[2]);

#ifdef __cplusplus
}
#endif
#endif
