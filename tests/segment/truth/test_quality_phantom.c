/* The numbers of a mask's quality on the phantoms: masks as they are found, of which none may be
 * warned about from 6 voxels across, and masks that are wrong on purpose, of which each must.
 *
 *   test_quality_phantom           the short list
 *   test_quality_phantom long      all of docs/segmentation.md, as its table */
#include "segment/quality/quality.h"
#include "tests/check.h"
#include "segment/openings/border.h"
#include "segment/openings/main_path.h"
#include "segment/surface/offset.h"
#include "tests/segment/truth/phantom_sizes.h"
#include "segment/segment.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <string.h>

typedef enum {
  AS_FOUND,
  LOW_LEVEL, /* the threshold at 0.15 of the contrast */
  WIDER,     /* the wall a voxel farther out */
  NARROWER,
  BONE, /* twice as bright as blood, next to the vessel and in the mask */
  VEIN, /* as bright as blood, next to the vessel and not in the mask */
  DAMAGES
} damage;
static const char *const damage_words[] = {
    "as found", "level too low", "1 voxel too wide", "1 voxel too narrow", "bone in it", "touched"};

/* A phantom, and its vessel as it is found. */
typedef struct {
  ht_phantom_kind kind;
  double across, noise;
  ht_phantom phantom;
  ht_mask mask;
  ht_mask_quality quality;
} found;

/* Paints a ball of the vessel's radius at its wall, a third of it in the vessel, which stays as it
 * is: a quarter along the path. */
static void paint_ball(const found *f, const ht_vessel_path *path, double value, ht_volume *scan) {
  const ht_station *at = &path->station[path->stations / 4];
  double across[2][3], centre[3], radius_mm = sqrt(at->area_mm2 / HT_PI);
  ht_span_across(at->direction, across);
  for (double far = 0; far < 4 * radius_mm; far += radius_mm / 50) {
    for (int r = 0; r < 3; r++) centre[r] = at->centre_mm[r] + far * across[1][r];
    if (ht_phantom_distance(f->kind, centre) >= 0.6 * radius_mm) break;
  }
  for (int64_t v = 0; v < ht_grid_voxels(&scan->grid); v++) {
    double p[3];
    ht_grid_voxel_position(&scan->grid, v, p);
    if (ht_distance(p, centre) < radius_mm && f->phantom.distance.values[v] >= 0)
      scan->values[v] = (float)value;
  }
}

static void find_path(const ht_mask *mask, ht_openings *openings, ht_vessel_path *path) {
  int ignored;
  ok(ht_openings_at_border(mask, openings, &ignored));
  ok(ht_openings_assign(openings));
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_INLET) openings->item[i].flow_ml_s = 1;
  ok(ht_main_path_find(mask, openings, path));
}

static void segment(const ht_volume *scan, double lower, ht_mask *mask) {
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.lower = lower;
  options.spacing_mm = scan->grid.spacing_mm[0] / 2;
  ok(ht_segment_volume(scan, &options, NULL, mask, NULL));
}

static void measure(const ht_volume *scan, const ht_mask *mask, ht_mask_quality *quality) {
  ht_openings openings;
  ht_vessel_path path;
  find_path(mask, &openings, &path);
  ok(ht_quality_measure(scan, 1, mask, &openings, &path, quality));
  ht_vessel_path_free(&path);
}

static void find(ht_phantom_kind kind, double across, double noise, found *f) {
  ht_phantom_options options;
  *f = (found){.kind = kind, .across = across, .noise = noise};
  ht_phantom_defaults(kind, &options);
  options.spacing_mm = diameter_mm[kind] / across;
  options.noise = noise;
  ok(ht_phantom_make(&options, NULL, &f->phantom));
  segment(&f->phantom.scan, NAN, &f->mask);
  measure(&f->phantom.scan, &f->mask, &f->quality);
}

static void found_free(found *f) {
  ht_mask_free(&f->mask);
  ht_phantom_free(&f->phantom);
}

static void copy_scan(const ht_volume *scan, ht_volume *copy) {
  ok(ht_volume_alloc(&scan->grid, copy));
  memcpy(copy->values, scan->values, (size_t)ht_grid_voxels(&scan->grid) * sizeof(float));
}

/* The quality of the mask after the damage; the phantom stays as it is. */
static void spoil(const found *f, damage wrong, ht_mask_quality *quality) {
  ht_openings openings;
  ht_vessel_path path;
  ht_mask mask = {0};
  ht_volume scan;
  const ht_mask_quality *q = &f->quality;
  double contrast = q->blood - q->tissue, voxel = q->voxel_mm;
  copy_scan(&f->phantom.scan, &scan);
  find_path(&f->mask, &openings, &path);
  if (wrong == BONE) paint_ball(f, &path, q->blood + contrast, &scan);
  if (wrong == VEIN) paint_ball(f, &path, q->blood, &scan);
  if (wrong == LOW_LEVEL) segment(&scan, q->tissue + 0.15 * contrast, &mask);
  if (wrong == WIDER) ok(ht_mask_offset(&f->mask, &openings, NULL, voxel, NULL, &mask, NULL));
  if (wrong == NARROWER) ok(ht_mask_offset(&f->mask, &openings, NULL, -voxel, NULL, &mask, NULL));
  if (wrong == BONE) segment(&scan, q->tissue + 0.5 * contrast, &mask);
  measure(&scan, mask.inside ? &mask : &f->mask, quality);
  ht_vessel_path_free(&path);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

static void head(void) {
  printf("| phantom | voxels across | noise | mask | contrast to noise, lowest | edge, voxels | "
         "offset, voxels | no edge | leakage index, ratio | touching | bright, dark | thinnest, "
         "voxels | thin, length, volume | warnings |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void print_flags(int flags) {
  static const char *const words[] = {"no contrast", "low contrast", "too wide", "too narrow",
                                      "no edge",     "leaks",        "touches",  "bright",
                                      "dark",        "thin"};
  for (int f = 0; f < 10; f++)
    if (flags >> f & 1) printf("%s, ", words[f]);
}

/* Prints a line of the table; the warnings. */
static int judge(const found *f, damage wrong) {
  ht_mask_quality q = f->quality;
  if (wrong != AS_FOUND) spoil(f, wrong, &q);
  int flags = ht_quality_judge(&q);
  printf("| %s | %g | %g %% | %s | %.1f, %.1f | %.2f | %+.2f | %.1f %% (%.0f) | %.2f, %.1f | "
         "%.1f %% (%.0f) | %.1f %%, %.1f %% | %.1f | %.0f %%, %.0f %% | ",
         kind_words[f->kind], f->across, 100 * f->noise, damage_words[wrong], q.contrast_to_noise,
         q.lowest_contrast_to_noise, q.edge_voxels, q.offset_voxels, 100 * q.missing_share,
         q.missing.area_mm2 / (q.voxel_mm * q.voxel_mm), q.leak_index, q.leak_ratio,
         100 * q.touching_share, q.touching.area_mm2 / (q.voxel_mm * q.voxel_mm),
         100 * q.bright_share, 100 * q.dark_share, q.thinnest_voxels, 100 * q.thin_share,
         100 * q.thin_volume_share);
  print_flags(flags);
  printf("|\n");
  fflush(stdout);
  return flags;
}

static const int to_see[DAMAGES] = {0,
                                    HT_QUALITY_TOO_WIDE,
                                    HT_QUALITY_TOO_WIDE,
                                    HT_QUALITY_TOO_NARROW,
                                    HT_QUALITY_BRIGHT,
                                    HT_QUALITY_TOUCHES};

/* The aneurysm's vessel has a radius of 1.8 to 2 mm, and its axis comes no nearer to the centre of
 * the sac than 4.5 mm, at (0.5, -3.5, 0) (phantom_kinds.c). */
static void check_path(const found *f) {
  const double sac_mm[3] = {0.5, -8, 0.2};
  const double voxel_mm = f->mask.grid.spacing_mm[0];
  ht_openings openings;
  ht_vessel_path path;
  double least_mm = INFINITY;
  find_path(&f->mask, &openings, &path);
  assert_true(path.stations > 30);
  for (int s = 0; s < path.stations; s++) {
    const ht_station *at = &path.station[s];
    double away_mm = ht_distance(at->centre_mm, sac_mm), radius_mm = sqrt(at->area_mm2 / HT_PI);
    least_mm = fmin(least_mm, away_mm);
    if (away_mm < 4.6) assert_true(at->is_mixed);
    if (!at->is_mixed) assert_true(radius_mm > 1.8 - voxel_mm / 2 && radius_mm < 2 + voxel_mm / 2);
  }
  assert_near(least_mm, 4.5, voxel_mm);
  ht_vessel_path_free(&path);
}

HT_TEST(some) {
  found f;
  head();
  find(HT_PHANTOM_PIPE_OBLIQUE, 6, 0.1, &f);
  assert_int_equal(judge(&f, AS_FOUND), 0);
  found_free(&f);
  find(HT_PHANTOM_ANEURYSM, 6, 0.05, &f);
  check_path(&f);
  assert_int_equal(judge(&f, AS_FOUND), 0);
  for (int wrong = 1; wrong < DAMAGES; wrong++)
    assert_int_equal(judge(&f, (damage)wrong) & to_see[wrong], to_see[wrong]);
  found_free(&f);
}

HT_TEST(all) {
  const double across[] = {4, 6, 8, 12, 20};
  int false_alarms = 0, unseen = 0;
  head();
  for (int kind = HT_PHANTOM_PIPE_OBLIQUE; kind >= 0; kind--)
    for (int n = 0; n < 5; n++)
      for (int noise = 0; noise < 2; noise++) {
        found f;
        if (kind == HT_PHANTOM_COARCTATION && across[n] < 6) continue; /* branches of a voxel */
        find((ht_phantom_kind)kind, across[n], noise ? 0.1 : 0.05, &f);
        if (across[n] < 6) judge(&f, AS_FOUND);
        for (int wrong = 0; wrong < DAMAGES && across[n] >= 6; wrong++) {
          int flags = judge(&f, (damage)wrong);
          false_alarms += wrong == AS_FOUND && flags;
          unseen += (flags & to_see[wrong]) != to_see[wrong];
        }
        found_free(&f);
      }
  printf("from 6 voxels across: %d false alarms, %d faults not seen\n", false_alarms, unseen);
  assert_int_equal(false_alarms, 0);
  assert_int_equal(unseen, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest brief[] = {cmocka_unit_test(some)}, every[] = {cmocka_unit_test(all)};
  if (argc > 1 && strcmp(argv[1], "long") == 0) return cmocka_run_group_tests(every, NULL, NULL);
  return cmocka_run_group_tests(brief, NULL, NULL);
}
