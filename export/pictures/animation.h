/* Canvases as the frames of an animated WebP file (libwebp). */
#ifndef HT_ANIMATION_H
#define HT_ANIMATION_H

#include "export/drawing/canvas.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_animation ht_animation;

/* Begins an animation that repeats for ever; every frame has this size. HT_ERR_MEMORY. */
ht_status ht_animation_begin(int width, int height, ht_animation **animation);

/* Adds a frame that is shown for `duration_ms`. Borrows. HT_ERR_MEMORY. */
ht_status ht_animation_add(ht_animation *animation, const ht_canvas *frame, int duration_ms);

/* Writes the file, whole or not at all. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_animation_write(ht_animation *animation, const char *path);

/* Frees the animation; NULL is allowed. */
void ht_animation_free(ht_animation *animation);

#ifdef __cplusplus
}
#endif
#endif
