#include "export/drawing/canvas.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

ht_status ht_canvas_alloc(int width, int height, ht_rgb colour, ht_canvas *canvas) {
  memset(canvas, 0, sizeof *canvas);
  HT_TRY(ht_alloc((void **)&canvas->rgb, (size_t)width * (size_t)height, 3, "the picture"));
  canvas->width = width;
  canvas->height = height;
  ht_canvas_rect(canvas, 0, 0, width, height, colour);
  return HT_OK;
}

void ht_canvas_free(ht_canvas *canvas) {
  if (!canvas) return;
  free(canvas->rgb);
  memset(canvas, 0, sizeof *canvas);
}

/* Rounds a number from 0 to 255 without a call to lround: a picture has millions of them. */
static unsigned char rounded(double value) {
  int whole = (int)value;
  return (unsigned char)(whole + (value - whole >= 0.5));
}

static unsigned char mix(unsigned char a, unsigned char b, double t) {
  return rounded(a + (b - a) * t);
}

ht_rgb ht_rgb_mix(ht_rgb a, ht_rgb b, double t) {
  if (t >= 1) return b;
  if (!(t > 0)) return a; /* also where t is no number */
  return (ht_rgb){mix(a.r, b.r, t), mix(a.g, b.g, t), mix(a.b, b.b, t)};
}

void ht_canvas_blend(ht_canvas *canvas, int x, int y, ht_rgb colour, double opacity) {
  if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height || !(opacity > 0)) return;
  unsigned char *at = canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x);
  ht_rgb mixed = ht_rgb_mix((ht_rgb){at[0], at[1], at[2]}, colour, opacity);
  at[0] = mixed.r;
  at[1] = mixed.g;
  at[2] = mixed.b;
}

void ht_canvas_rect(ht_canvas *canvas, int x, int y, int width, int height, ht_rgb colour) {
  int x0 = x > 0 ? x : 0, y0 = y > 0 ? y : 0;
  int x1 = x + width < canvas->width ? x + width : canvas->width;
  for (int j = y0; j < y + height && j < canvas->height; j++) {
    unsigned char *at = canvas->rgb + 3 * ((size_t)j * (size_t)canvas->width + (size_t)x0);
    for (int i = x0; i < x1; i++, at += 3) at[0] = colour.r, at[1] = colour.g, at[2] = colour.b;
  }
}

void ht_canvas_frame(ht_canvas *canvas, int x, int y, int width, int height, ht_rgb colour) {
  ht_canvas_rect(canvas, x, y, width, 1, colour);
  ht_canvas_rect(canvas, x, y + height - 1, width, 1, colour);
  ht_canvas_rect(canvas, x, y, 1, height, colour);
  ht_canvas_rect(canvas, x + width - 1, y, 1, height, colour);
}

/* The length of a vector. Pixels do not overflow, and hypot, which guards against that, takes
 * several times as long. */
static double length_of(double x, double y) {
  return sqrt(x * x + y * y);
}

double ht_segment_distance2(const double point[2], const double a[2], const double b[2]) {
  double along[2] = {b[0] - a[0], b[1] - a[1]}, from[2] = {point[0] - a[0], point[1] - a[1]};
  double length2 = along[0] * along[0] + along[1] * along[1];
  double t = length2 > 0 ? (from[0] * along[0] + from[1] * along[1]) / length2 : 0;
  t = t > 0 ? (t < 1 ? t : 1) : 0;
  double x = from[0] - t * along[0], y = from[1] - t * along[1];
  return x * x + y * y;
}

/* The pixels low..high of an axis that a shape between two coordinates can touch; 0 where none. */
static int pixel_range(double from, double to, int size, int *low, int *high) {
  if (!isfinite(from) || !isfinite(to) || to < 0 || from > size) return 0;
  *low = (int)fmax(floor(from), 0);
  *high = (int)fmin(ceil(to), size - 1.0);
  return *low <= *high;
}

/* The share of a pixel that a shape covers whose edge is `distance` away (> 0: outside). */
static double coverage(double distance) {
  return fmin(fmax(0.5 - distance, 0), 1);
}

void ht_canvas_line(ht_canvas *canvas, const double from[2], const double to[2], double width,
                    ht_rgb colour) {
  double reach = 0.5 * width + 1;
  int x0, x1, y0, y1;
  if (!pixel_range(fmin(from[0], to[0]) - reach, fmax(from[0], to[0]) + reach, canvas->width, &x0,
                   &x1) ||
      !pixel_range(fmin(from[1], to[1]) - reach, fmax(from[1], to[1]) + reach, canvas->height, &y0,
                   &y1))
    return;
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++) {
      double centre[2] = {x + 0.5, y + 0.5};
      double distance = sqrt(ht_segment_distance2(centre, from, to)) - 0.5 * width;
      ht_canvas_blend(canvas, x, y, colour, coverage(distance));
    }
}

void ht_canvas_disc(ht_canvas *canvas, const double centre[2], double radius, ht_rgb colour) {
  ht_canvas_line(canvas, centre, centre, 2 * radius, colour);
}

void ht_canvas_ring(ht_canvas *canvas, const double centre[2], double radius, double width,
                    ht_rgb colour) {
  double reach = radius + width;
  int x0, x1, y0, y1;
  if (!pixel_range(centre[0] - reach, centre[0] + reach, canvas->width, &x0, &x1) ||
      !pixel_range(centre[1] - reach, centre[1] + reach, canvas->height, &y0, &y1))
    return;
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++) {
      double distance = length_of(x + 0.5 - centre[0], y + 0.5 - centre[1]) - radius;
      ht_canvas_blend(canvas, x, y, colour, coverage(fabs(distance) - 0.5 * width));
    }
}

/* Signed distance of a point from the edge a-b of a triangle with the corners in order; the sign of
 * `turn` says which side is inside. */
static double edge_distance(const double point[2], const double a[2], const double b[2],
                            double turn) {
  double along[2] = {b[0] - a[0], b[1] - a[1]};
  double cross = along[0] * (point[1] - a[1]) - along[1] * (point[0] - a[0]);
  return -cross * turn / fmax(length_of(along[0], along[1]), 1e-9);
}

static void fill_triangle(ht_canvas *canvas, double corner[3][2], ht_rgb colour) {
  double turn = (corner[1][0] - corner[0][0]) * (corner[2][1] - corner[0][1]) -
                (corner[1][1] - corner[0][1]) * (corner[2][0] - corner[0][0]);
  int range[2][2], size[2] = {canvas->width, canvas->height};
  for (int a = 0; a < 2; a++) {
    double low = fmin(fmin(corner[0][a], corner[1][a]), corner[2][a]);
    double high = fmax(fmax(corner[0][a], corner[1][a]), corner[2][a]);
    if (!pixel_range(low - 1, high + 1, size[a], &range[a][0], &range[a][1])) return;
  }
  for (int y = range[1][0]; y <= range[1][1]; y++)
    for (int x = range[0][0]; x <= range[0][1]; x++) {
      double centre[2] = {x + 0.5, y + 0.5}, farthest = -1e9;
      for (int c = 0; c < 3; c++)
        farthest = fmax(farthest,
                        edge_distance(centre, corner[c], corner[(c + 1) % 3], turn > 0 ? 1 : -1));
      ht_canvas_blend(canvas, x, y, colour, coverage(farthest));
    }
}

void ht_canvas_arrow(ht_canvas *canvas, const double from[2], const double to[2], double width,
                     ht_rgb colour) {
  double along[2] = {to[0] - from[0], to[1] - from[1]}, length = length_of(along[0], along[1]);
  if (!(length > 0)) return;
  double head = fmin(4.2 * width, 0.7 * length);
  for (int a = 0; a < 2; a++) along[a] *= head / length;
  double neck[2] = {to[0] - along[0], to[1] - along[1]};
  double corner[3][2] = {{to[0], to[1]},
                         {neck[0] - 0.45 * along[1], neck[1] + 0.45 * along[0]},
                         {neck[0] + 0.45 * along[1], neck[1] - 0.45 * along[0]}};
  ht_canvas_line(canvas, from, neck, width, colour);
  fill_triangle(canvas, corner, colour);
}

/* The reason of a failure and the place to return to: libpng reports by callbacks. */
typedef struct {
  jmp_buf back;
  char reason[120];
} png_trouble;

static void on_error(png_structp png, png_const_charp reason) {
  png_trouble *trouble = png_get_error_ptr(png);
  strncpy(trouble->reason, reason, sizeof trouble->reason - 1);
  longjmp(trouble->back, 1);
}

static void on_warning(png_structp png, png_const_charp reason) {
  (void)png;
  (void)reason;
}

/* Writes the rows with one filter and level 2: the files are 18 % larger than with libpng's
 * defaults (six filters tried per row, level 6), and written in a fifth of the time. */
static void write_rows(png_structp png, png_infop info, const ht_canvas *canvas) {
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_set_compression_level(png, 2);
  png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)canvas->height, 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < canvas->height; y++)
    png_write_row(png, canvas->rgb + 3 * (size_t)y * (size_t)canvas->width);
  png_write_end(png, info);
}

static int write_png(FILE *stream, const ht_canvas *canvas, png_trouble *trouble) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, trouble, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    strcpy(trouble->reason, "not enough memory");
  } else if (setjmp(trouble->back) == 0) {
    png_init_io(png, stream);
    write_rows(png, info, canvas);
    png_destroy_write_struct(&png, &info);
    return 0;
  }
  png_destroy_write_struct(&png, &info);
  return 1;
}

ht_status ht_canvas_write(const ht_canvas *canvas, const char *path) {
  ht_output output;
  png_trouble trouble;
  memset(&trouble, 0, sizeof trouble);
  HT_TRY(ht_output_open(path, &output));
  /* A stream in error (a full disk) makes the commit fail with the system's reason. */
  if (write_png(output.stream, canvas, &trouble) == 0 || ferror(output.stream))
    return ht_output_commit(&output);
  ht_output_abandon(&output);
  HT_TRY(ht_check_reason(path, trouble.reason));
  return ht_fail(HT_ERR_WRITE, "%s: the PNG picture cannot be written: %s", path, trouble.reason);
}
