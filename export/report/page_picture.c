#include "export/report/page_picture.h"
#include "export/report/page_text.h"
#include "core/vessel/volume.h"
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>

enum { LARGE = 560000 }; /* bytes */
static const float quality = 85;

/* libwebp's method: half of the default's time; the files are 1 to 3 % larger. */
enum { METHOD = 2 };

/* Encodes a picture into `webp`, which stays empty if libwebp does not accept it. */
static void shrink(const uint8_t *rgb, const png_image *image, WebPMemoryWriter *webp) {
  WebPConfig config;
  WebPPicture picture;
  if (image->width > WEBP_MAX_DIMENSION || image->height > WEBP_MAX_DIMENSION) return;
  if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, quality) || !WebPPictureInit(&picture))
    return;
  config.method = METHOD;
  picture.width = (int)image->width;
  picture.height = (int)image->height;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = webp;
  if (!WebPPictureImportRGB(&picture, rgb, 3 * picture.width) || !WebPEncode(&config, &picture))
    WebPMemoryWriterClear(webp);
  WebPPictureFree(&picture);
}

/* Converts the picture to WebP; empty if that fails. */
static ht_status make_webp(const char *bytes, size_t size, WebPMemoryWriter *webp) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  uint8_t *rgb = NULL;
  if (!png_image_begin_read_from_memory(&image, bytes, size)) return HT_OK;
  image.format = PNG_FORMAT_RGB;
  ht_status status = ht_alloc((void **)&rgb, PNG_IMAGE_SIZE(image), 1, "a picture of the report");
  if (status == HT_OK && png_image_finish_read(&image, NULL, rgb, 0, NULL))
    shrink(rgb, &image, webp);
  png_image_free(&image);
  free(rgb);
  return status;
}

ht_status ht_page_put_picture(FILE *stream, const char *bytes, size_t size) {
  WebPMemoryWriter webp;
  WebPMemoryWriterInit(&webp);
  if (size > LARGE) HT_TRY(make_webp(bytes, size, &webp));
  fputs(webp.size > 0 ? "data:image/webp;base64," : "data:image/png;base64,", stream);
  ht_page_put_base64(stream, webp.size > 0 ? webp.mem : (const uint8_t *)bytes,
                     webp.size > 0 ? webp.size : size);
  WebPMemoryWriterClear(&webp);
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
