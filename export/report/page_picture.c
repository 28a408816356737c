#include "page_picture.h"
#include "page_text.h"
#include "volume.h"
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>

enum { LARGE = 500000 }; /* bytes */
static const float quality = 85;

/* 0 where it is no picture that libwebp takes. */
static size_t shrink(const uint8_t *rgb, const png_image *image, uint8_t **webp) {
  if (image->width > WEBP_MAX_DIMENSION || image->height > WEBP_MAX_DIMENSION) return 0;
  return WebPEncodeRGB(rgb, (int)image->width, (int)image->height, 3 * (int)image->width, quality,
                       webp);
}

/* The picture as WebP, *length 0: it cannot be made. */
static ht_status make_webp(const char *bytes, size_t size, uint8_t **webp, size_t *length) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  uint8_t *rgb = NULL;
  *length = 0;
  if (!png_image_begin_read_from_memory(&image, bytes, size)) return HT_OK;
  image.format = PNG_FORMAT_RGB;
  ht_status status = ht_alloc((void **)&rgb, PNG_IMAGE_SIZE(image), 1, "a picture of the report");
  if (status == HT_OK && png_image_finish_read(&image, NULL, rgb, 0, NULL))
    *length = shrink(rgb, &image, webp);
  png_image_free(&image);
  free(rgb);
  return status;
}

ht_status ht_page_put_picture(FILE *stream, const char *bytes, size_t size) {
  uint8_t *webp = NULL;
  size_t length = 0;
  if (size > LARGE) HT_TRY(make_webp(bytes, size, &webp, &length));
  fputs(length > 0 ? "data:image/webp;base64," : "data:image/png;base64,", stream);
  ht_page_put_base64(stream, length > 0 ? webp : (const uint8_t *)bytes,
                     length > 0 ? length : size);
  WebPFree(webp);
  return HT_OK;
}

ht_status ht_page_put_figure(FILE *stream, const char *path, const char *name,
                             const char *caption) {
  char *bytes;
  size_t size;
  HT_TRY(ht_page_read(path, &bytes, &size));
  fputs("<figure><img loading=\"lazy\" alt=\"", stream);
  ht_page_put_text(stream, name);
  fputs(": ", stream);
  ht_page_put_text(stream, caption);
  fputs("\" src=\"", stream);
  ht_status status = ht_page_put_picture(stream, bytes, size);
  fputs("\"><figcaption><b>", stream);
  ht_page_put_text(stream, name);
  fputs(":</b> ", stream);
  ht_page_put_text(stream, caption);
  fputs("</figcaption></figure>\n", stream);
  free(bytes);
  return status;
}
