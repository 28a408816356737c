#include "export/report/page_text.h"
#include "core/disk/file.h"
#include "export/report/page_parts.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void ht_page_put_text(FILE *stream, const char *text) {
  for (; *text; text++) {
    const char *entity = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
    if (entity)
      fputs(entity, stream);
    else
      fputc(*text, stream);
  }
}

static void put_without_less(FILE *stream, const char *text, size_t size, const char *instead) {
  size_t done = 0;
  while (done < size) {
    const char *less = memchr(text + done, '<', size - done);
    size_t plain = less ? (size_t)(less - text) - done : size - done;
    fwrite(text + done, 1, plain, stream);
    done += plain;
    if (!less) break;
    fputs(instead, stream);
    done++;
  }
}

void ht_page_put_json(FILE *stream, const char *text, size_t size) {
  put_without_less(stream, text, size, "\\u003c");
}

void ht_page_put_table(FILE *stream, const char *text, size_t size) {
  put_without_less(stream, text, size, " ");
}

void ht_page_put_base64(FILE *stream, const uint8_t *bytes, size_t size) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char four[4];
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    unsigned value = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                     (left > 2 ? bytes[i + 2] : 0);
    four[0] = digit[value >> 18];
    four[1] = digit[value >> 12 & 63];
    four[2] = left > 1 ? digit[value >> 6 & 63] : '=';
    four[3] = left > 2 ? digit[value & 63] : '=';
    fwrite(four, 1, 4, stream);
  }
}

ht_status ht_page_put_block(FILE *stream, const char *name, const void *bytes, size_t size) {
  uLongf packed_size = compressBound((uLong)size);
  uint8_t *packed = NULL;
  HT_TRY(ht_alloc((void **)&packed, packed_size, 1, "the report"));
  int code = compress2(packed, &packed_size, bytes, (uLong)size, 6);
  if (code == Z_OK) {
    fprintf(stream, "<script type=\"application/octet-stream\" id=\"%s\">", name);
    ht_page_put_base64(stream, packed, packed_size);
    fputs("</script>\n", stream);
  }
  free(packed);
  if (code == Z_OK) return HT_OK;
  return ht_fail(HT_ERR_MEMORY, "not enough memory to compress %zu bytes of the report", size);
}

ht_status ht_page_read(const char *path, char **bytes, size_t *size) {
  *bytes = NULL;
  FILE *file = ht_file_open(path);
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file", path);
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  ht_status status = HT_OK;
  if (length < 0 || fseek(file, 0, SEEK_SET) != 0)
    status = ht_fail(HT_ERR_FORMAT, "%s: cannot be read", path);
  *size = length > 0 ? (size_t)length : 0;
  if (status == HT_OK) status = ht_alloc((void **)bytes, *size + 1, 1, "the report");
  if (status == HT_OK && fread(*bytes, 1, *size, file) != *size)
    status = ht_fail(HT_ERR_FORMAT, "%s: cannot be read to its end", path);
  fclose(file);
  if (status == HT_OK) return HT_OK;
  free(*bytes);
  *bytes = NULL;
  return status;
}

static const char page_head[] =
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"generator\" content=\"hemotile\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:\">\n";

void ht_page_begin(FILE *stream, const char *title, const char *heading) {
  fprintf(stream, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n%s<title>", page_head);
  ht_page_put_text(stream, title);
  fprintf(stream, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", ht_page_report_css);
  fputs("<header>\n<p class=\"notice\" role=\"note\"><strong>Not for clinical decisions.</strong> "
        "Computed with hemotile, for research.</p>\n<h1>",
        stream);
  ht_page_put_text(stream, heading);
  fputs("</h1>\n", stream);
}

void ht_page_end(FILE *stream, const char *made) {
  fputs("<footer><p><strong>Not for clinical decisions.</strong> ", stream);
  ht_page_put_text(stream, made);
  fputs("</p></footer>\n</body>\n</html>\n", stream);
}
