#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "tests/export/pictures/picture_check.h"
#include "export/drawing/font.h"
#include <dirent.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[] = "/tmp/ht-pictures-XXXXXX";

int ht_check_folder_make(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int visit(int remove_them) {
  DIR *dir = opendir(folder);
  int count = 0;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (remove_them) unlink(ht_check_path(entry->d_name));
    count++;
  }
  if (dir) closedir(dir);
  return count;
}

int ht_check_folder_remove(void **state) {
  (void)state;
  visit(1);
  return rmdir(folder);
}

int ht_check_entries(void) {
  return visit(0);
}

const char *ht_check_path(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

void ht_check_read(const char *path, ht_canvas *canvas) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  assert_true(png_image_begin_read_from_file(&image, path));
  image.format = PNG_FORMAT_RGB;
  assert_int_equal(ht_canvas_alloc((int)image.width, (int)image.height, (ht_rgb){0, 0, 0}, canvas),
                   HT_OK);
  assert_true(png_image_finish_read(&image, NULL, canvas->rgb, 0, NULL));
}

ht_rgb ht_check_pixel(const ht_canvas *canvas, double x, double y) {
  assert_true(x >= 0 && x < canvas->width && y >= 0 && y < canvas->height);
  const unsigned char *at = canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x);
  return (ht_rgb){at[0], at[1], at[2]};
}

ht_rgb ht_check_position(const ht_canvas *canvas, const ht_panel *panel, double x, double y,
                         double z) {
  double at[3] = {x, y, z}, pixel[2];
  ht_panel_pixel(panel, at, pixel);
  assert_true(pixel[0] >= panel->x && pixel[0] < panel->x + panel->width);
  assert_true(pixel[1] >= panel->y && pixel[1] < panel->y + panel->height);
  return ht_check_pixel(canvas, pixel[0], pixel[1]);
}

void ht_check_colour(ht_rgb got, ht_rgb want, int slack) {
  assert_in_range(got.r + 256, want.r + 256 - slack, want.r + 256 + slack);
  assert_in_range(got.g + 256, want.g + 256 - slack, want.g + 256 + slack);
  assert_in_range(got.b + 256, want.b + 256 - slack, want.b + 256 + slack);
}

int ht_check_grey(ht_rgb colour) {
  return (colour.r + colour.g + colour.b) / 3;
}

static int touches_ink(const ht_canvas *drawn, int x, int y) {
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      if (ht_check_grey(ht_check_pixel(drawn, x + i, y + j)) > 200) return 1;
  return 0;
}

double ht_check_letter(const ht_canvas *canvas, double x, double y, char letter) {
  const char text[2] = {letter, 0};
  ht_canvas drawn;
  int agree = 0, looked_at = 0;
  assert_int_equal(ht_canvas_alloc(40, 40, (ht_rgb){0, 0, 0}, &drawn), HT_OK);
  double left = x - 0.5 * ht_font_width(18, text) - (int)x + 20;
  ht_font_draw(&drawn, left, y - 9 - (int)y + 20, 18, (ht_rgb){255, 255, 255}, text);
  for (int j = 5; j < 35; j++)
    for (int i = 5; i < 35; i++) {
      int ink = ht_check_grey(ht_check_pixel(&drawn, i, j));
      int got = ht_check_grey(ht_check_pixel(canvas, (int)x - 20 + i, (int)y - 20 + j));
      if (ink <= 200 && (ink > 20 || !touches_ink(&drawn, i, j))) continue;
      agree += ink > 200 ? got > 180 : got < 100; /* the letter, and its rim */
      looked_at++;
    }
  ht_canvas_free(&drawn);
  return (double)agree / looked_at;
}

void ht_check_disk_limit(long bytes) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
  signal(SIGXFSZ, bytes < 0 ? SIG_DFL : SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
