#include "export/dicom/plain_pdf.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <hpdf.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Sizes on the page in points, 1/72 inch. */
static const float width = 595, height = 842, margin = 40, title_size = 14, text_size = 8,
                   line_height = 10.5f;
enum { COLUMNS = 107 }; /* of Courier: 0.6 of its size each */

typedef struct {
  HPDF_Doc pdf;
  HPDF_Font bold, fixed, sans;
  HPDF_Page page;
  float y;
  HPDF_STATUS error; /* the first */
} document;

/* 1 after a failed allocation: libharu reports only the error that follows from it. */
static _Thread_local int lacked;

static void *give(HPDF_UINT bytes) {
  void *memory = malloc(bytes);
  if (!memory) lacked = 1;
  return memory;
}

static void keep_error(HPDF_STATUS error, HPDF_STATUS detail, void *user) {
  document *of = user;
  if (error == HPDF_ZLIB_ERROR && (int)detail == Z_MEM_ERROR) lacked = 1;
  if (!of->error) of->error = error;
}

/* Converts UTF-8 to Latin-1. */
static void latin(const char *from, size_t length, char *to, size_t size) {
  size_t n = 0;
  for (size_t i = 0; i < length && n + 1 < size; i++) {
    unsigned char c = (unsigned char)from[i];
    if ((c & 0xc0) == 0x80) continue; /* continues the previous character */
    int two = (c == 0xc2 || c == 0xc3) && i + 1 < length;
    int value = c < 0x80 ? c : two ? (c & 3) << 6 | (from[i + 1] & 0x3f) : '?';
    to[n++] = (char)(value < 0x20 || (value >= 0x7f && value < 0xa0) ? ' ' : value);
  }
  to[n] = 0;
}

static void put(document *of, HPDF_Font font, float size, float x, float y, const char *text) {
  HPDF_Page_BeginText(of->page);
  HPDF_Page_SetFontAndSize(of->page, font, size);
  HPDF_Page_TextOut(of->page, x, y, text);
  HPDF_Page_EndText(of->page);
}

static void begin_page(document *of) {
  of->page = HPDF_AddPage(of->pdf);
  HPDF_Page_SetWidth(of->page, width);
  HPDF_Page_SetHeight(of->page, height);
  of->y = height - margin;
}

static void put_line(document *of, const char *line, size_t length) {
  char text[COLUMNS + 1];
  if (of->y < margin) begin_page(of);
  latin(line, length, text, sizeof text);
  put(of, of->fixed, text_size, margin, of->y, text);
  of->y -= line_height;
}

/* The part of a line that fits, to its last blank. */
static size_t fitting(const char *line, size_t length) {
  size_t cut = COLUMNS;
  if (length <= COLUMNS) return length;
  while (cut > COLUMNS / 2 && line[cut] != ' ') cut--;
  return line[cut] == ' ' ? cut : COLUMNS;
}

static void put_text(document *of, const char *text) {
  while (*text && !of->error) {
    size_t length = strcspn(text, "\n"), fits = fitting(text, length);
    put_line(of, text, fits);
    text += fits;
    if (fits == length && *text) text++;
    if (fits < length) text += strspn(text, " ");
  }
}

/* Decodes a PNG file: libharu's own reader does not tell a lack of memory from a damaged file. */
static ht_status read_pixels(const char *picture, png_image *png, unsigned char **rgb) {
  if (png_image_begin_read_from_file(png, picture)) {
    const png_color white = {255, 255, 255};
    png->format = PNG_FORMAT_RGB;
    HT_TRY(ht_alloc((void **)rgb, PNG_IMAGE_SIZE(*png), 1, "a picture of the report"));
    if (png_image_finish_read(png, &white, *rgb, 0, NULL)) return HT_OK;
  }
  HT_TRY(ht_check_reason(picture, png->message));
  return ht_fail(HT_ERR_FORMAT, "%s: the picture cannot be read: %s", picture, png->message);
}

static ht_status load_picture(document *of, const char *picture, HPDF_Image *image) {
  png_image png = {.version = PNG_IMAGE_VERSION};
  unsigned char *rgb = NULL;
  ht_status status = read_pixels(picture, &png, &rgb);
  if (status == HT_OK)
    *image = HPDF_LoadRawImageFromMem(of->pdf, rgb, png.width, png.height, HPDF_CS_DEVICE_RGB, 8);
  png_image_free(&png);
  free(rgb);
  return status;
}

/* Puts a picture on a page, as large as the page allows, with its aspect ratio. */
static ht_status put_picture(document *of, const char *picture, const char *caption) {
  char text[COLUMNS + 1];
  HPDF_Image image = NULL;
  begin_page(of);
  HT_TRY(load_picture(of, picture, &image));
  if (!image) return HT_OK; /* of->error tells why */
  float wide = (float)HPDF_Image_GetWidth(image), high = (float)HPDF_Image_GetHeight(image);
  float room_x = width - 2 * margin, room_y = height - 2 * margin - 2 * line_height;
  float scale = room_x / wide < room_y / high ? room_x / wide : room_y / high;
  latin(caption, strlen(caption), text, sizeof text);
  put(of, of->sans, text_size + 2, margin, of->y, text);
  HPDF_Page_DrawImage(of->page, image, margin, of->y - line_height - scale * high, scale * wide,
                      scale * high);
  return HT_OK;
}

/* Returns the document's first error as a status. */
static ht_status check(const document *of, const char *path) {
  if (lacked) return ht_fail(HT_ERR_MEMORY, "%s: not enough memory for the PDF document", path);
  if (!of->error) return HT_OK;
  return ht_fail(HT_ERR_INTERNAL, "%s: libharu cannot make the PDF document (0x%04x)", path,
                 (unsigned)of->error);
}

static ht_status compose(document *of, const char *path, const ht_pdf_page *from) {
  char title[COLUMNS + 1];
  of->bold = HPDF_GetFont(of->pdf, "Helvetica-Bold", "WinAnsiEncoding");
  of->sans = HPDF_GetFont(of->pdf, "Helvetica", "WinAnsiEncoding");
  of->fixed = HPDF_GetFont(of->pdf, "Courier", "WinAnsiEncoding");
  HPDF_SetCompressionMode(of->pdf, HPDF_COMP_ALL);
  latin(from->title, strlen(from->title), title, sizeof title);
  HPDF_SetInfoAttr(of->pdf, HPDF_INFO_TITLE, title);
  HPDF_SetInfoAttr(of->pdf, HPDF_INFO_CREATOR, "hemotile");
  begin_page(of);
  put(of, of->bold, title_size, margin, of->y - title_size, title);
  of->y -= 3 * title_size;
  put_text(of, from->text);
  for (int n = 0; n < from->pictures && !of->error; n++)
    HT_TRY(put_picture(of, from->picture[n], from->caption[n]));
  return check(of, path);
}

static ht_status save(document *of, const char *path) {
  unsigned char piece[65536];
  ht_output output;
  HPDF_SaveToStream(of->pdf);
  HPDF_ResetStream(of->pdf);
  HT_TRY(check(of, path));
  HT_TRY(ht_output_open(path, &output));
  for (HPDF_UINT32 got = sizeof piece; got == sizeof piece;) {
    HPDF_STATUS read = HPDF_ReadFromStream(of->pdf, piece, &got);
    if (read != HPDF_OK && read != HPDF_STREAM_EOF) break;
    if (fwrite(piece, 1, got, output.stream) != got) break; /* commit tells the reason */
  }
  return ht_output_commit(&output);
}

ht_status ht_plain_pdf(const char *path, const ht_pdf_page *page) {
  document of = {.y = 0};
  lacked = 0;
  of.pdf = HPDF_NewEx(keep_error, give, free, 0, &of);
  if (!of.pdf) return ht_fail(HT_ERR_MEMORY, "%s: not enough memory for the PDF document", path);
  ht_status status = compose(&of, path, page);
  if (status == HT_OK) status = save(&of, path);
  HPDF_Free(of.pdf);
  return status;
}
