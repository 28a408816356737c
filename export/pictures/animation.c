#include "export/pictures/animation.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <webp/encode.h>
#include <webp/mux.h>

struct ht_animation {
  WebPAnimEncoder *encoder;
  WebPConfig config;
  int width, height, end_ms;
};

static ht_status failed(const char *why) {
  return ht_fail(HT_ERR_MEMORY, "the animation cannot be encoded: %s", why);
}

/* Quality of the lossy frames: text stays sharp, and a frame is some 20 kB. */
static const float quality = 80;
enum { METHOD = 2 }; /* 0: fast .. 6: small. 2 is half the time of 4 and 5 % larger */

ht_status ht_animation_begin(int width, int height, ht_animation **animation) {
  ht_animation *made;
  WebPAnimEncoderOptions options;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the animation"));
  int known = WebPAnimEncoderOptionsInit(&options) && WebPConfigInit(&made->config);
  made->config.quality = quality;
  made->config.method = METHOD;
  made->config.use_sharp_yuv = 1; /* thin lines of colour */
  made->config.thread_level = 1;
  made->width = width;
  made->height = height;
  if (known) made->encoder = WebPAnimEncoderNew(width, height, &options);
  *animation = made;
  if (made->encoder) return HT_OK;
  ht_animation_free(made);
  *animation = NULL;
  return failed("libwebp does not start");
}

ht_status ht_animation_add(ht_animation *animation, const ht_canvas *frame, int duration_ms) {
  WebPPicture picture;
  if (frame->width != animation->width || frame->height != animation->height)
    return ht_fail(HT_ERR_INTERNAL, "a frame of %d x %d pixels, not %d x %d", frame->width,
                   frame->height, animation->width, animation->height);
  if (!WebPPictureInit(&picture)) return failed("libwebp does not start");
  picture.use_argb = 1;
  picture.width = frame->width;
  picture.height = frame->height;
  int added =
      WebPPictureImportRGB(&picture, frame->rgb, 3 * frame->width) &&
      WebPAnimEncoderAdd(animation->encoder, &picture, animation->end_ms, &animation->config);
  WebPPictureFree(&picture);
  if (!added) return failed(WebPAnimEncoderGetError(animation->encoder));
  animation->end_ms += duration_ms;
  return HT_OK;
}

static ht_status write_bytes(const char *path, const WebPData *data) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fwrite(data->bytes, 1, data->size, output.stream);
  return ht_output_commit(&output);
}

ht_status ht_animation_write(ht_animation *animation, const char *path) {
  WebPData data = {NULL, 0};
  int made = WebPAnimEncoderAdd(animation->encoder, NULL, animation->end_ms, NULL) &&
             WebPAnimEncoderAssemble(animation->encoder, &data);
  if (!made) return failed(WebPAnimEncoderGetError(animation->encoder));
  ht_status status = write_bytes(path, &data);
  WebPDataClear(&data);
  return status;
}

void ht_animation_free(ht_animation *animation) {
  if (!animation) return;
  WebPAnimEncoderDelete(animation->encoder); /* NULL is allowed */
  free(animation);
}
