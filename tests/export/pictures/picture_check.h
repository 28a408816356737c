/* Helpers for tests of pictures: a folder of their own, a PNG read back, a full disk. */
#ifndef HT_PICTURE_CHECK_H
#define HT_PICTURE_CHECK_H

#include "export/drawing/canvas.h"
#include "export/drawing/panel.h"

/* A fresh folder of this program, made and removed; NAME within it, valid until the next call. */
int ht_check_folder_make(void **state);
int ht_check_folder_remove(void **state);
const char *ht_check_path(const char *name);
int ht_check_entries(void); /* files in the folder, hidden ones too */

/* Decodes a PNG with libpng's simplified reader; the test fails where it cannot. The caller frees
 * with ht_canvas_free. */
void ht_check_read(const char *path, ht_canvas *canvas);

ht_rgb ht_check_pixel(const ht_canvas *canvas, double x, double y);
/* The colour at a position of the patient. */
ht_rgb ht_check_position(const ht_canvas *canvas, const ht_panel *panel, double x, double y,
                         double z);
void ht_check_colour(ht_rgb got, ht_rgb want, int slack);
int ht_check_grey(ht_rgb colour); /* the mean of its three parts */

/* The share (0 to 1) of the pixels of an orientation letter centred there, in size 18, and of its
 * dark rim that agree with the font's. */
double ht_check_letter(const ht_canvas *canvas, double x, double y, char letter);

/* Limits the size of files to `bytes`, as on a disk that is nearly full; -1: no limit. */
void ht_check_disk_limit(long bytes);

#endif
