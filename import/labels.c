#define _GNU_SOURCE /* strcasestr */
#include "import/labels.h"
#include "import/image/nrrd_segments.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int by_value(const void *left, const void *right) {
  float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

enum { LABELS_MAX = 256, LABELS_SURE = 32, LABELS_FEW = 8 };

enum { SLOTS = 1024 /* a power of 2, some four times as many as there are values */ };

/* Returns the slot of the value, or the free one for it. 0 and -0 are one value. */
static int slot_of(const float *known, const int16_t slot[SLOTS], float value) {
  uint32_t bits;
  value += 0.0f;
  memcpy(&bits, &value, sizeof bits);
  uint32_t at = bits * 2654435761u >> 22; /* Fibonacci hashing to 10 bits */
  while (slot[at] && known[slot[at] - 1] != value) at = (at + 1) % SLOTS;
  return (int)at;
}

/* The distinct values in order; returns their number, up to `most` + 1 <= LABELS_MAX + 1. */
static int list_values(const ht_volume *image, int most, float *known) {
  int16_t slot[SLOTS] = {0}; /* 1 + the value's place in `known`; 0: free */
  int count = 0;
  int64_t voxels = ht_grid_voxels(&image->grid);
  for (int64_t i = 0; i < voxels && count <= most; i++) {
    float value = image->values[i];
    if (isnan(value) || (i > 0 && value == image->values[i - 1])) continue;
    int at = slot_of(known, slot, value);
    if (slot[at]) continue;
    known[count++] = value;
    slot[at] = (int16_t)count;
  }
  qsort(known, (size_t)count, sizeof *known, by_value);
  return count;
}

/* Fraction of the neighbours along i, both > 0, that differ. Labels differ at their borders only,
 * the noise of a scan nearly everywhere. */
static double unlike_neighbours(const ht_volume *image) {
  int64_t pairs = 0, unlike = 0, voxels = ht_grid_voxels(&image->grid);
  for (int64_t i = 1; i < voxels; i++) {
    float a = image->values[i - 1], b = image->values[i];
    if (!(a > 0 && b > 0)) continue;
    pairs++;
    unlike += a != b;
  }
  return pairs ? (double)unlike / (double)pairs : 0;
}

/* ---- A scan? ---- */

void ht_labels_warn_scan(const char *path, const ht_volume *volume, ht_import_notes *notes) {
  float value[LABELS_MAX + 1];
  int values = list_values(volume, LABELS_MAX, value), whole = 1;
  if (values < 2 || values > LABELS_MAX) return;
  for (int i = 0; i < values; i++) whole &= value[i] == floorf(value[i]);
  /* Noise in a scan of 8 bits makes most neighbours differ. */
  if (values > LABELS_FEW && !(whole && unlike_neighbours(volume) < 0.25)) return;
  ht_import_warn(notes,
                 "%.200s: the scan has only %d different values (%g to %g), as a mask or a label "
                 "map has: a ready vessel is given in a case file, as `mask: FILE`, with the "
                 "vessel's label alone (`series: LABEL` takes one)",
                 path, values, (double)value[0], (double)value[values - 1]);
}

/* ---- Soft edges ---- */

/* The inside has (nearly) one value, and what lies between it and 0 differs from place to place, as
 * resampling and smoothing leave it; labels are alike within. */
static int is_soft(const ht_volume *image, const float *value, int values) {
  enum { SOFT_LEAST = 8 };
  int64_t voxels = ht_grid_voxels(&image->grid), full = 0, above = 0, pairs = 0, unlike = 0;
  float most = value[values - 1];
  int positive = 0;
  for (int i = 0; i < values; i++) positive += value[i] > 0;
  if (positive < SOFT_LEAST) return 0;
  for (int64_t i = 0; i < voxels; i++) {
    float now = image->values[i], before = i > 0 ? image->values[i - 1] : 0;
    above += now > 0;
    full += now >= 0.9f * most;
    if (!(now > 0 && now < 0.9f * most && before > 0 && before < 0.9f * most)) continue;
    pairs++;
    unlike += now != before;
  }
  return (double)full >= 0.2 * (double)above && (double)unlike >= 0.6 * (double)pairs;
}

/* ---- Labels ---- */

/* Several values above 0 are several structures, or a mask with soft edges. */
static void warn_of_labels(const char *path, const float *value, int values,
                           ht_import_notes *notes) {
  int first = 0, whole = 1;
  while (first < values && !(value[first] > 0)) first++;
  for (int i = first; i < values; i++) whole &= value[i] == floorf(value[i]);
  if (values - first < 2) return;
  double least = value[first], most = value[values - 1];
  if (whole)
    ht_import_warn(notes,
                   "%.200s: the mask has %d labels (%g to %g), and all of them are taken as the "
                   "vessel: if they are different structures (artery, vein, bone), take the "
                   "vessel's label alone, as `series: %g`, or save it as a mask",
                   path, values - first, least, most, least);
  else
    ht_import_warn(notes,
                   "%.200s: the mask has %d values above 0 (%.3g to %.3g), as a smoothed or "
                   "resampled mask has, and all of them are taken as the vessel, which makes it "
                   "too wide: save it as 0 and 1, cut at half of the largest value",
                   path, values - first, least, most);
}

/* *from: the least value of the vessel; 0: all above it. */
static ht_status check_values(const char *path, const ht_volume *image, ht_import_notes *notes,
                              float *from) {
  float value[LABELS_MAX + 1];
  int values = list_values(image, LABELS_MAX, value);
  if (values <= LABELS_MAX && is_soft(image, value, values)) {
    *from = value[values - 1] / 2;
    ht_import_warn(notes,
                   "%.200s: the mask has %d values up to %g, soft edges as of a smoothed or "
                   "resampled mask: it is cut at half of the largest (%g); to cut it elsewhere, "
                   "save it as 0 and 1",
                   path, values, 2 * (double)*from, (double)*from);
    return HT_OK;
  }
  warn_of_labels(path, value, values, notes);
  if (values <= LABELS_SURE) return HT_OK;
  if (values <= LABELS_MAX && unlike_neighbours(image) < 0.5) return HT_OK;
  return ht_fail(
      HT_ERR_FORMAT,
      "%s: this is not a mask: it has %s%d different values. A mask is 0 outside and a "
      "label > 0 in the vessel: give a scan as `scan:`, and apply a threshold to a map of "
      "probabilities first",
      path, values > LABELS_MAX ? "more than " : "", values > LABELS_MAX ? LABELS_MAX : values);
}

/* "1, 2, 7" */
static void list_labels(const ht_volume *image, char text[256]) {
  float value[LABELS_MAX + 1];
  int values = list_values(image, LABELS_MAX, value), shown = 0;
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < values && i < LABELS_MAX && used < 200; i++)
    if (value[i] > 0)
      used +=
          (size_t)snprintf(text + used, 256 - used, "%s%g", shown++ ? ", " : "", (double)value[i]);
  if (values > LABELS_MAX || used >= 200) snprintf(text + used, 256 - used, ", ...");
}

static ht_status no_voxel(const char *path, const ht_volume *image, const ht_label *label) {
  char labels[256];
  if (!label->is_chosen)
    return ht_fail(HT_ERR_VESSEL, "%s: the mask is empty: no voxel is > 0", path);
  list_labels(image, labels);
  return ht_fail(HT_ERR_VESSEL, "%s: no voxel has the label %g (series:); its labels are %s", path,
                 (double)label->value, labels[0] ? labels : "none");
}

ht_status ht_labels_mask(const char *path, const ht_volume *image, const ht_label *label,
                         ht_import_notes *notes, ht_mask *mask) {
  int64_t voxels = ht_grid_voxels(&image->grid), inside = 0;
  float from = 0;
  if (!label->is_chosen) HT_TRY(check_values(path, image, notes, &from));
  HT_TRY(ht_mask_alloc(&image->grid, mask));
  for (int64_t i = 0; i < voxels; i++) {
    float value = image->values[i];
    int is_in = label->is_chosen ? value == label->value : from > 0 ? value >= from : value > 0;
    inside += mask->inside[i] = (unsigned char)is_in;
  }
  if (inside) return HT_OK;
  ht_mask_free(mask);
  return no_voxel(path, image, label);
}

/* ---- the requested label ---- */

static ht_status no_segment(const char *path, const char *wish, const ht_nrrd_segments *of) {
  char names[512] = "";
  size_t used = 0;
  for (int i = 0; i < of->count && used < 400; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%s\" (%d)", i ? ", " : "",
                             of->segment[i].name, of->segment[i].value);
  return ht_fail(
      HT_ERR_VESSEL,
      "%s: \"%.60s\" is no single label or segment of this mask (series:): %s%s; give one "
      "of them, by its %s",
      path, wish, of->count ? "its segments are " : "it has labels without names", names,
      of->count ? "name" : "number");
}

static int is_number(const char *wish) {
  return wish[strspn(wish, "0123456789")] == 0;
}

/* The segment of that name, or the only one with this in its name or with this value; -1: none. */
static int find_segment(const ht_nrrd_segments *of, const char *wish) {
  int found = -1, count = 0;
  for (int i = 0; i < of->count; i++)
    if (strcasecmp(of->segment[i].name, wish) == 0) return i;
  for (int i = 0; i < of->count; i++) {
    int fits = is_number(wish) ? of->segment[i].value == atoi(wish)
                               : strcasestr(of->segment[i].name, wish) != NULL;
    if (fits) found = i, count++;
  }
  return count == 1 ? found : -1;
}

ht_status ht_label_find(const char *path, const char *wish, int images, ht_label *label) {
  ht_nrrd_segments of;
  memset(label, 0, sizeof *label);
  HT_TRY(ht_nrrd_segments_read(path, &of));
  label->is_layered = of.count > 0 && images > 1;
  if (!wish || !wish[0]) {
    if (!label->is_layered) return HT_OK;
    return no_segment(path, "", &of);
  }
  label->is_chosen = 1;
  if (of.count == 0 && is_number(wish)) {
    label->value = (float)atoi(wish);
    return HT_OK;
  }
  int found = find_segment(&of, wish);
  if (found < 0) return no_segment(path, wish, &of);
  label->value = (float)of.segment[found].value;
  label->layer = label->is_layered ? of.segment[found].layer : 0;
  if (label->layer < images) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: damaged: the segment \"%s\" lies in layer %d of %d", path,
                 of.segment[found].name, label->layer + 1, images);
}
