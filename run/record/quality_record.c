#include "run/record/quality_record.h"
#include <math.h>
#include <string.h>

/* A measured number, which may be unknown; a share, written in per cent; a place. */
#define KNOWN .options = HT_SIX_DIGITS | HT_ABSENT_NAN
#define NUMBER(key, field)                                                                         \
  { HT_MEMBER(ht_mask_quality, key, field), KNOWN }
#define PERCENT(key, field)                                                                        \
  { HT_MEMBER(ht_mask_quality, key, field), KNOWN, .times = 100 }
#define PLACE(key, field, members)                                                                 \
  { HT_OBJECT(ht_mask_quality, key, field, members) }

static const ht_member value_members[] = {
    NUMBER("blood", blood),
    NUMBER("tissue", tissue),
    NUMBER("noise", noise),
    NUMBER("contrast_to_noise", contrast_to_noise),
    NUMBER("lowest_contrast_to_noise", lowest_contrast_to_noise),
    NUMBER("edge_width_mm", edge_mm),
    NUMBER("edge_width_voxels", edge_voxels),
    NUMBER("wall_outside_edge_voxels", offset_voxels),
    PERCENT("wall_without_edge_percent", missing_share),
    PERCENT("level_percent", level),
    NUMBER("leakage_index", leak_index),
    NUMBER("leakage_percent_per_unit", leak_index_per_unit),
    NUMBER("leakage_ratio", leak_ratio),
    PERCENT("wall_touching_percent", touching_share),
    PERCENT("too_bright_percent", bright_share),
    PERCENT("too_dark_percent", dark_share),
    {0},
};

static const ht_member place_members[] = {
    {HT_MEMBER(ht_quality_place, "centre_mm", centre_mm), KNOWN | HT_DECIDES},
    {HT_MEMBER(ht_quality_place, "along_mm", along_mm), KNOWN},
    {0},
};

static const ht_member patch_members[] = {
    {HT_MEMBER(ht_quality_patch, "area_mm2", area_mm2), .options = HT_SIX_DIGITS},
    {HT_MEMBER(ht_quality_patch, "centre_mm", at.centre_mm), KNOWN | HT_DECIDES},
    {HT_MEMBER(ht_quality_patch, "along_mm", at.along_mm), KNOWN},
    {0},
};

static const ht_member lump_members[] = {
    {HT_MEMBER(ht_quality_lump, "volume_mm3", volume_mm3), .options = HT_SIX_DIGITS},
    {HT_MEMBER(ht_quality_lump, "centre_mm", at.centre_mm), KNOWN | HT_DECIDES},
    {HT_MEMBER(ht_quality_lump, "along_mm", at.along_mm), KNOWN},
    {0},
};

const ht_member ht_quality_members[] = {
    {HT_MEMBER(ht_mask_quality, "scan_voxel_mm", voxel_mm), .options = HT_SIX_DIGITS | HT_DECIDES},
    {HT_MEMBER(ht_mask_quality, "scan_voxel_longest_mm", longest_mm), .options = HT_SIX_DIGITS},
    {HT_MEMBER(ht_mask_quality, "has_scan", has_values), .options = HT_BOOL},
    {HT_GROUP(value_members), HT_FLAG(ht_mask_quality, has_values)},
    {HT_MEMBER(ht_mask_quality, "path_mm", path_mm), .options = HT_SIX_DIGITS},
    NUMBER("thin_mm", thin_mm),
    PERCENT("thin_percent_of_path", thin_share),
    NUMBER("thinnest_diameter_mm", thinnest_mm),
    NUMBER("thinnest_voxels", thinnest_voxels),
    PERCENT("thin_percent_of_volume", thin_volume_share),
    PLACE("lowest_contrast_at", lowest_at, place_members),
    PLACE("without_edge", missing, patch_members),
    PLACE("touching", touching, patch_members),
    PLACE("too_bright", bright, lump_members),
    PLACE("too_dark", dark, lump_members),
    PLACE("thinnest_at", thinnest_at, place_members),
    {0},
};

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
