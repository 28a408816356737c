/* Samples of a panel's pixels with their depth, so that what is nearer hides what is farther:
 * shared by the wall and by lines. Private to export/pixels. */
#ifndef HT_SAMPLE_BUFFER_H
#define HT_SAMPLE_BUFFER_H

#include "export/drawing/colormap.h"
#include "export/drawing/panel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_FINE = 2 }; /* samples a pixel along each axis */

typedef struct {
  int width, height;
  float *depth;          /* [height][width] towards the viewer, mm; -infinity: nothing. Owned */
  float *value;          /* the value that is shown. Owned */
  float *light;          /* 0 (black) to about 1.2. Owned */
  int first[2], last[2]; /* samples outside first..last (x, y) show nothing */
} ht_samples;

/* Allocates the samples of a panel. `what`: its name in the message. HT_ERR_MEMORY. The caller
 * frees, also after a failure. */
ht_status ht_samples_alloc(const ht_panel *panel, const char *what, ht_samples *samples);
void ht_samples_free(ht_samples *samples);

/* Finds the samples whose centres may lie between two coordinates; first > last if there is none.
 */
void ht_samples_range(double low, double high, int size, int *first, int *last);

/* Extends the range of samples that may show something. */
void ht_samples_cover(ht_samples *samples, int x0, int x1, int y0, int y1);

/* Puts a value at a sample if it is nearer than what is there. */
static inline void ht_samples_put(ht_samples *samples, size_t at, double depth, double value,
                                  double light) {
  if (!(depth > samples->depth[at])) return;
  samples->depth[at] = (float)depth;
  samples->value[at] = (float)value;
  samples->light[at] = (float)light;
}

/* The colour of value / high, or (`plain` 1) that of bone, in its light. */
typedef struct {
  ht_map map;
  int plain;
  double high;
} ht_sample_colours;

/* Blends the mean of each pixel's samples with the panel's image. */
void ht_samples_draw(const ht_samples *samples, ht_canvas *canvas, const ht_panel *panel,
                     ht_sample_colours colours);

#ifdef __cplusplus
}
#endif
#endif
