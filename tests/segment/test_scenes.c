/* Random scenes (phantom/scene.h) and the segmentation from points, scored against their truth.
 *
 *   test_scenes                     checks of the scenes and of the scores
 *   test_scenes long [FIRST LAST]   segments the scenes of these seeds (1 to 200) from their
 * points: a row of a table for each, and a summary test_scenes seed FIRST LAST     the same from
 * the first point alone, as a seed
 *
 * Lengths in the table are voxels: the scan's smallest spacing. */
#include "scene_score.h"
#include "segment.h"
#include "vector3.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

/* ---- The short list ---- */

/* Of these seeds the first is a CT angiography with bone, the second has no disturber that takes
 * away from the lumen. */
enum { SEED_BONE = 8, SEED_PLAIN = 3 };

static void the_same_seed_makes_the_same_scene(void **state) {
  (void)state;
  ht_scene one, two;
  omp_set_num_threads(1);
  ok(ht_scene_make(SEED_BONE, NULL, &one));
  omp_set_num_threads(2);
  ok(ht_scene_make(SEED_BONE, NULL, &two));
  size_t voxels = (size_t)ht_grid_voxels(&one.scan.grid);
  assert_int_equal(voxels, ht_grid_voxels(&two.scan.grid));
  assert_memory_equal(one.scan.values, two.scan.values, voxels * sizeof(float));
  assert_memory_equal(one.truth.inside, two.truth.inside, voxels);
  assert_memory_equal(one.point_mm, two.point_mm, sizeof one.point_mm);
  assert_string_equal(one.text, two.text);
  ht_scene_free(&one);
  ht_scene_free(&two);
}

/* The lumen on a lattice 1.5 times as fine as the scan, `moved` voxels along the scan's third axis
 * and `grown` voxels larger. */
static ht_mask lumen_mask(const ht_scene *scene, double moved, double grown) {
  ht_grid grid = scene->scan.grid;
  ht_mask mask;
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = (int)(grid.dim[a] * grid.spacing_mm[a] * 1.5 / scene->voxel_mm);
    grid.spacing_mm[a] = scene->voxel_mm / 1.5;
  }
  ok(ht_mask_alloc(&grid, &mask));
#pragma omp parallel for
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double p[3];
    ht_grid_voxel_position(&grid, v, p);
    for (int k = 0; k < 3; k++) p[k] -= moved * scene->voxel_mm * grid.direction[k][2];
    mask.inside[v] = ht_scene_distance(scene, p) < grown * scene->voxel_mm;
  }
  return mask;
}

__attribute__((unused)) static ht_scene_score score_of(const ht_scene *scene, double moved, double grown) {
  ht_mask mask = lumen_mask(scene, moved, grown);
  ht_scene_score score;
  ok(ht_scene_score_mask(scene, &mask, &score));
  ht_mask_free(&mask);
  return score;
}

/* ---- The table ---- */
static double moved_by, grown_by; static int use_truth;

typedef struct {
  int scenes, found, passed, leaked, thick, off, missed;
} tally;

static void tally_print(const char *word, const tally *t) {
  if (t->scenes == 0) return;
  printf("| %s | %d | %d | %.0f %% | %d | %d | %d | %d |\n", word, t->scenes, t->passed,
         100.0 * t->passed / t->scenes, t->missed, t->leaked, t->thick, t->off);
}

static void tally_add(tally *t, int is_found, const ht_scene_score *s) {
  t->scenes++;
  t->found += is_found;
  t->passed += is_found && ht_scene_score_passes(s);
  t->missed += !is_found || s->overlap < 0.98;
  t->leaked += is_found && s->leak > 0.02;
  t->thick += is_found && s->wall_median > 0.25;
  t->off += is_found && s->centre_median > 0.5;
}

static ht_status segment(const ht_scene *scene, int from_seed, ht_mask *mask) {
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.spacing_mm = scene->voxel_mm / 1.5;
  if (from_seed) {
    options.has_seed = 1;
    memcpy(options.seed_mm, scene->point_mm[0], sizeof options.seed_mm);
  } else {
    options.points = scene->points;
    memcpy(options.point_mm, scene->point_mm, sizeof scene->point_mm);
  }
  return ht_segment_volume(&scene->scan, &options, NULL, mask, NULL);
}

static ht_status true_mask(const ht_scene *scene, ht_mask *mask) { *mask = lumen_mask(scene,moved_by,grown_by); return HT_OK; }
static void head(void) {
  printf(
      "| scene | | Dice | surface, mean | 95 %% | wall, median | wall, bias | leak | radius bias "
      "| overlap | centre, median | most | "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void row(const ht_scene *scene, int is_found, const ht_scene_score *s) {
  printf("| %d | %s | ", (int)scene->seed, scene->text);
  if (is_found)
    printf("%.3f | %.2f | %.2f | %.2f | %+.2f | %.1f %% (%.2f mL) | %+.2f | %.0f %% | %.2f | %.2f "
           "| %s |\n",
           s->dice, s->surface_mean, s->surface_p95, s->wall_median, s->wall_bias, 100 * s->leak,
           s->leak_ml, s->radius_bias, 100 * s->overlap, s->centre_median, s->centre_most,
           ht_scene_score_passes(s) ? "" : "missed");
  else
    printf("none: %s | | | | | | | | | | missed |\n", ht_error_message());
  fflush(stdout);
}

static void all_scenes(int first, int last, int from_seed) {
  tally all = {0}, by_kind[HT_SCENE_KINDS] = {{0}}, with[HT_SCENE_WORDS] = {{0}};
  const char *const kind_words[] = {"CTA", "TOF", "3DRA"};
  head();
  for (int seed = first; seed <= last; seed++) {
    ht_scene scene;
    ht_mask mask = {0};
    ht_scene_score score = {0};
    ok(ht_scene_make((uint64_t)seed, NULL, &scene));
    int is_found = use_truth ? true_mask(&scene,&mask)==HT_OK : segment(&scene, from_seed, &mask) == HT_OK;
    if (is_found) ok(ht_scene_score_mask(&scene, &mask, &score));
    row(&scene, is_found, &score);
    tally_add(&all, is_found, &score);
    tally_add(&by_kind[scene.kind], is_found, &score);
    for (int n = 0; n < HT_SCENE_WORDS; n++)
      if (scene.has >> n & 1) tally_add(&with[n], is_found, &score);
    ht_mask_free(&mask);
    ht_scene_free(&scene);
  }
  printf("\n| scenes with | scenes | pass | share | not found or not whole | leak | wall off | "
         "centreline off |\n|---|---|---|---|---|---|---|---|\n");
  tally_print("all", &all);
  for (int n = 0; n < HT_SCENE_KINDS; n++) tally_print(kind_words[n], &by_kind[n]);
  for (int n = 0; n < HT_SCENE_WORDS; n++) tally_print(ht_scene_words[n], &with[n]);
}

static int range[2] = {1, 200}, by_seed;

static void the_table(void **state) {
  (void)state;
  all_scenes(range[0], range[1], by_seed);
}

int main(int argc, char **argv) {
  const struct CMUnitTest brief[] = {cmocka_unit_test(the_same_seed_makes_the_same_scene)};
  const struct CMUnitTest every[] = {cmocka_unit_test(the_table)};
  if (argc < 2) return cmocka_run_group_tests(brief, NULL, NULL);
  by_seed = strcmp(argv[1], "seed") == 0;
  if (argc>5) { use_truth=1; moved_by=atof(argv[4]); grown_by=atof(argv[5]); }
  for (int n = 0; n < 2 && argc > n + 2; n++) range[n] = atoi(argv[n + 2]);
  return cmocka_run_group_tests(every, NULL, NULL);
}
