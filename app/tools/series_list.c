#include "app/tools/series_list.h"
#include "core/disk/file.h"
#include "core/formats/json.h"
#include "export/drawing/canvas.h"
#include <math.h>
#include <stdlib.h>

/* Longer side of a picture, pixels; values of which the window is found. */
enum { SIDE = 160, SAMPLES = 4096 };

/* ---- pictures ---- */

static int by_value(const void *left, const void *right) {
  const float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

/* Finds the values drawn black and white: the 1st and the 99th percentile. */
static void find_window(const ht_middle_slice *slice, float window[2]) {
  float sample[SAMPLES];
  const size_t pixels = (size_t)slice->width * (size_t)slice->height;
  const size_t step = pixels / SAMPLES + 1;
  int count = 0;
  for (size_t i = 0; i < pixels; i += step)
    if (isfinite(slice->values[i])) sample[count++] = slice->values[i];
  qsort(sample, (size_t)count, sizeof *sample, by_value);
  window[0] = count ? sample[count / 100] : 0;
  window[1] = count ? sample[count - 1 - count / 100] : 1;
  if (!(window[1] > window[0])) window[1] = window[0] + 1;
}

static void draw(const ht_middle_slice *slice, ht_canvas *canvas) {
  float window[2];
  find_window(slice, window);
  for (int y = 0; y < canvas->height; y++)
    for (int x = 0; x < canvas->width; x++) {
      const int i = (int)((int64_t)x * slice->width / canvas->width);
      const int j = (int)((int64_t)y * slice->height / canvas->height);
      const float value = slice->values[(size_t)j * (size_t)slice->width + (size_t)i];
      const float part = (value - window[0]) / (window[1] - window[0]);
      const unsigned char grey =
          isfinite(part) ? (unsigned char)(255 * fminf(fmaxf(part, 0), 1) + 0.5f) : 0;
      for (int c = 0; c < 3; c++)
        canvas->rgb[((size_t)y * (size_t)canvas->width + (size_t)x) * 3 + (size_t)c] = grey;
    }
}

static ht_status write_picture(const char *folder, int number, const ht_middle_slice *slice) {
  char path[HT_PATH_MAX], name[32];
  ht_canvas canvas;
  double size[2] = {slice->width * slice->spacing_mm[0], slice->height * slice->spacing_mm[1]};
  if (slice->width < 1 || slice->height < 1) return HT_OK;
  if (!(size[0] > 0 && size[1] > 0 && isfinite(size[0] / size[1])))
    size[0] = slice->width, size[1] = slice->height;
  const double scale = SIDE / fmax(size[0], size[1]);
  HT_TRY(ht_canvas_alloc((int)fmax(1, size[0] * scale), (int)fmax(1, size[1] * scale),
                         (ht_rgb){0, 0, 0}, &canvas));
  draw(slice, &canvas);
  snprintf(name, sizeof name, "%d.png", number);
  ht_status status = ht_path_join(path, folder, name);
  if (status == HT_OK) status = ht_canvas_write(&canvas, path);
  ht_canvas_free(&canvas);
  return status;
}

/* ---- the list ---- */

static void put_series(const ht_series *series, int number, int has_picture, ht_json *json) {
  ht_json_object(json, NULL);
  ht_json_integer(json, "number", number);
  ht_json_string(json, "format", series->format);
  ht_json_string(json, "modality", series->modality);
  ht_json_string(json, "description", series->description);
  ht_json_string(json, "stack", series->stack);
  ht_json_integer(json, "patient", series->patient);
  ht_json_integer(json, "files", series->files);
  ht_json_integer(json, "images", series->images);
  ht_json_array(json, "voxels");
  for (int a = 0; a < 3; a++) ht_json_integer(json, NULL, series->grid.dim[a]);
  ht_json_array_end(json);
  ht_json_all_measured(json, "spacing_mm", series->grid.spacing_mm, 3);
  ht_json_string(json, "aside", series->aside);
  ht_json_string(json, "note", series->note);
  ht_json_string(json, "problem", series->problem);
  ht_json_bool(json, "has_picture", has_picture);
  ht_json_object_end(json);
}

static ht_status write_list(const char *folder, const ht_series_list *list,
                            const ht_middle_slice *middle) {
  char path[HT_PATH_MAX];
  ht_output output;
  ht_json json;
  HT_TRY(ht_path_join(path, folder, "series.json"));
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_integer(&json, "taken", list->taken);
  ht_json_integer(&json, "patients", list->patients);
  ht_json_array(&json, "series");
  for (int i = 0; i < list->count; i++)
    put_series(&list->series[i], i + 1, middle[i].width > 0, &json);
  ht_json_array_end(&json);
  return ht_json_commit(&json, &output);
}

ht_status ht_series_list_write(const char *folder, const ht_series_list *list,
                               const ht_middle_slice *middle) {
  HT_TRY(ht_folder_make(folder));
  for (int i = 0; i < list->count; i++) HT_TRY(write_picture(folder, i + 1, &middle[i]));
  return write_list(folder, list, middle);
}
