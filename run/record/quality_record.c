#include "run/record/quality_record.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct {
  const char *key;
  size_t offset;
  int is_share; /* written in per cent */
} member;

#define MEMBER(key, name)                                                                          \
  { key, offsetof(ht_mask_quality, name), 0 }
#define PERCENT(key, name)                                                                         \
  { key, offsetof(ht_mask_quality, name), 1 }

static const member of_values[] = {
    MEMBER("blood", blood),
    MEMBER("tissue", tissue),
    MEMBER("noise", noise),
    MEMBER("contrast_to_noise", contrast_to_noise),
    MEMBER("lowest_contrast_to_noise", lowest_contrast_to_noise),
    MEMBER("edge_width_mm", edge_mm),
    MEMBER("edge_width_voxels", edge_voxels),
    MEMBER("wall_outside_edge_voxels", offset_voxels),
    PERCENT("wall_without_edge_percent", missing_share),
    PERCENT("level_percent", level),
    MEMBER("leakage_index", leak_index),
    MEMBER("leakage_percent_per_unit", leak_index_per_unit),
    MEMBER("leakage_ratio", leak_ratio),
    PERCENT("wall_touching_percent", touching_share),
    PERCENT("too_bright_percent", bright_share),
    PERCENT("too_dark_percent", dark_share),
    {NULL, 0, 0},
};

static const member of_shape[] = {
    MEMBER("path_mm", path_mm),
    MEMBER("thin_mm", thin_mm),
    PERCENT("thin_percent_of_path", thin_share),
    MEMBER("thinnest_diameter_mm", thinnest_mm),
    MEMBER("thinnest_voxels", thinnest_voxels),
    PERCENT("thin_percent_of_volume", thin_volume_share),
    {NULL, 0, 0},
};

static const struct {
  const char *key, *size_key;
  size_t offset;
  ptrdiff_t size; /* offset of its area or volume; < 0: it has none */
} places[] = {
    {"lowest_contrast_at", NULL, offsetof(ht_mask_quality, lowest_at), -1},
    {"without_edge", "area_mm2", offsetof(ht_mask_quality, missing.at),
     offsetof(ht_mask_quality, missing.area_mm2)},
    {"touching", "area_mm2", offsetof(ht_mask_quality, touching.at),
     offsetof(ht_mask_quality, touching.area_mm2)},
    {"too_bright", "volume_mm3", offsetof(ht_mask_quality, bright.at),
     offsetof(ht_mask_quality, bright.volume_mm3)},
    {"too_dark", "volume_mm3", offsetof(ht_mask_quality, dark.at),
     offsetof(ht_mask_quality, dark.volume_mm3)},
    {"thinnest_at", NULL, offsetof(ht_mask_quality, thinnest_at), -1},
};
enum { PLACES = sizeof places / sizeof *places };

static void members_json(ht_json *json, const member *all, const ht_mask_quality *quality) {
  for (; all->key; all++) {
    double value = *(const double *)((const char *)quality + all->offset);
    ht_json_measured(json, all->key, all->is_share ? 100 * value : value);
  }
}

static void place_json(ht_json *json, int n, const ht_mask_quality *quality) {
  const ht_quality_place *at = (const ht_quality_place *)((const char *)quality + places[n].offset);
  if (!isfinite(at->centre_mm[0])) return;
  ht_json_object(json, places[n].key);
  if (places[n].size >= 0)
    ht_json_measured(json, places[n].size_key,
                     *(const double *)((const char *)quality + places[n].size));
  ht_json_all_measured(json, "centre_mm", at->centre_mm, 3);
  ht_json_measured(json, "along_mm", at->along_mm);
  ht_json_object_end(json);
}

void ht_quality_json(ht_json *json, const ht_mask_quality *quality) {
  if (!(quality->voxel_mm > 0)) return;
  ht_json_object(json, "quality");
  ht_json_measured(json, "scan_voxel_mm", quality->voxel_mm);
  ht_json_measured(json, "scan_voxel_longest_mm", quality->longest_mm);
  ht_json_bool(json, "has_scan", quality->has_values);
  if (quality->has_values) members_json(json, of_values, quality);
  members_json(json, of_shape, quality);
  for (int n = 0; n < PLACES; n++) place_json(json, n, quality);
  ht_json_object_end(json);
}

static void read_members(struct fy_node *from, const member *all, ht_mask_quality *quality) {
  for (; all->key; all++) {
    double *value = (double *)((char *)quality + all->offset);
    if (!ht_yaml_number(from, all->key, value)) *value = NAN;
    if (all->is_share) *value /= 100;
  }
}

static void read_place(struct fy_node *from, int n, ht_mask_quality *quality) {
  ht_quality_place *at = (ht_quality_place *)((char *)quality + places[n].offset);
  struct fy_node *node = ht_yaml_get(from, places[n].key);
  *at = (ht_quality_place){{NAN, NAN, NAN}, NAN};
  if (!node) return;
  ht_yaml_numbers(node, "centre_mm", at->centre_mm, 3);
  ht_yaml_number(node, "along_mm", &at->along_mm);
  if (places[n].size >= 0)
    ht_yaml_number(node, places[n].size_key, (double *)((char *)quality + places[n].size));
}

void ht_quality_read(struct fy_node *root, ht_mask_quality *quality) {
  struct fy_node *from = ht_yaml_get(root, "quality");
  memset(quality, 0, sizeof *quality);
  if (!from) return;
  ht_yaml_number(from, "scan_voxel_mm", &quality->voxel_mm);
  ht_yaml_number(from, "scan_voxel_longest_mm", &quality->longest_mm);
  ht_yaml_bool(from, "has_scan", &quality->has_values);
  read_members(from, of_values, quality);
  read_members(from, of_shape, quality);
  for (int n = 0; n < PLACES; n++) read_place(from, n, quality);
  if (isnan(quality->path_mm)) quality->path_mm = 0;
}

/* Adds a number where it is known, after ", " if something is there already. */
static void add(char *text, size_t size, const char *format, double value) {
  size_t used = strlen(text);
  if (!isfinite(value)) return;
  if (used && *format != ' ') used += (size_t)snprintf(text + used, size - used, ", ");
  if (used < size) snprintf(text + used, size - used, format, value);
}

void ht_quality_words(const ht_mask_quality *q, char *text, size_t size) {
  *text = 0;
  if (q->has_values) {
    add(text, size, "contrast to noise %.3g", q->contrast_to_noise);
    add(text, size, " (lowest %.3g)", q->lowest_contrast_to_noise);
    add(text, size, "edge %.1f voxels wide", q->edge_voxels);
    double off = fabs(q->offset_voxels) < 0.05 ? 0 : q->offset_voxels; /* no "-0.0" */
    add(text, size, "wall %+.1f voxels from it", off);
    add(text, size, "no edge on %.3g %%", 100 * q->missing_share);
    add(text, size, "leakage index %.3g", q->leak_index);
    add(text, size, "touching on %.3g %%", 100 * q->touching_share);
  }
  add(text, size, "thinnest %.1f voxels across", q->thinnest_voxels);
  add(text, size, "%.3g %% of the volume below 4 voxels", 100 * q->thin_volume_share);
}
