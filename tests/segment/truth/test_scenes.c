/* Random scenes (scene.h) and the segmentation from points, scored against their truth.
 *
 *   test_scenes                    checks of the scores
 *   test_scenes long [FIRST LAST]  segments the scenes of these seeds (1 to 200) from their points:
 * a row of a table for each, and a summary test_scenes seed FIRST LAST    the same from the first
 * point alone, as a seed test_scenes truth FIRST LAST   the same with the true lumen: what the
 * scores are at best
 *
 * Lengths in the tables are voxels: the scan's smallest spacing. */
#include "tests/segment/truth/scene_score.h"
#include "segment/segment.h"
#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

/* ---- Masks whose scores are known ---- */

/* The stored distance where the wall is far, the exact one near it and outside the scan. */
static double distance_at(const ht_scene *scene, const double p[3]) {
  const ht_grid *grid = &scene->scan.grid;
  double index[3], stored = 0;
  int at[3];
  ht_grid_index(grid, p, index);
  for (int a = 0; a < 3; a++) at[a] = (int)lround(index[a]);
  if (ht_voxel_in_grid(grid->dim, at))
    stored = scene->distance.values[ht_voxel_index(grid->dim, at)];
  return fabs(stored) > 3 * grid->spacing_mm[2] ? stored : ht_scene_distance(scene, p);
}

/* The lumen on a lattice `finer` times as fine as the scan, `moved` voxels along the scan's third
 * axis and `grown` voxels larger. */
static ht_mask lumen_mask(const ht_scene *scene, double finer, double moved, double grown) {
  ht_grid grid = scene->scan.grid;
  ht_mask mask;
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = (int)(grid.dim[a] * grid.spacing_mm[a] * finer / scene->voxel_mm);
    grid.spacing_mm[a] = scene->voxel_mm / finer;
  }
  ok(ht_mask_alloc(&grid, &mask));
#pragma omp parallel for
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double p[3];
    ht_grid_voxel_position(&grid, v, p);
    for (int k = 0; k < 3; k++) p[k] -= moved * scene->voxel_mm * grid.direction[k][2];
    mask.inside[v] = distance_at(scene, p) < grown * scene->voxel_mm;
  }
  return mask;
}

static ht_scene_score score_of(const ht_scene *scene, double moved, double grown) {
  ht_mask mask = lumen_mask(scene, 1, moved, grown);
  ht_scene_score score;
  ok(ht_scene_score_mask(scene, &mask, &score));
  ht_mask_free(&mask);
  return score;
}

/* A CT angiography with bone, 6 voxels across. */
enum { SEED = 119 };

/* The truth itself scores as such; a mask half a voxel larger, or moved, scores that. */
HT_TEST(known_masks_have_known_scores) {
  ht_scene scene;
  ok(ht_scene_make(SEED, NULL, &scene));
  ht_scene_score same = score_of(&scene, 0, 0), grown = score_of(&scene, 0, 0.5);
  ht_scene_score moved = score_of(&scene, 1, 0), none = score_of(&scene, 40, 0);
  assert_true(ht_scene_score_missed(&same) == 0 && same.plain > 50);
  assert_true(same.dice > 0.96 && same.surface_p95 < 0.25 && same.centre_most < 0.15);
  assert_near(same.wall_median, 0, 0.08);
  assert_near(same.wall_bias, 0, 0.04);
  assert_near(same.radius_bias, 0, 0.04);
  assert_near(same.overlap, 1, 0);
  assert_near(same.leak, 0, 0);
  assert_near(grown.wall_bias, 0.5, 0.04);
  assert_near(grown.radius_bias, 0.5, 0.04);
  assert_near(grown.surface_mean, 0.5, 0.04);
  assert_int_equal(ht_scene_score_missed(&grown), 4); /* the wall */
  /* A circle moved by d is outside the other by d^2 / (4 R) in the mean. */
  assert_near(moved.wall_bias, 0.08, 0.04);
  /* The shift is the part of the voxel that lies across the axis. */
  assert_true(moved.centre_median > 0.5 && moved.centre_median < 1.1);
  assert_int_equal(ht_scene_score_missed(&moved), 4 + 8); /* the wall and the centreline */
  assert_near(none.overlap, 0, 0);
  assert_true(none.leak > 0.9);
  assert_true(ht_scene_score_missed(&none) & 1);
  ht_scene_free(&scene);
}

/* ---- The table ---- */

typedef enum { FROM_POINTS, FROM_SEED, FROM_TRUTH } source;

static ht_status segment(const ht_scene *scene, source from, ht_mask *mask) {
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.spacing_mm = scene->voxel_mm / 1.5;
  if (from == FROM_TRUTH) {
    *mask = lumen_mask(scene, 1.5, 0, 0);
    return HT_OK;
  }
  if (from == FROM_SEED) {
    options.has_seed = 1;
    memcpy(options.seed_mm, scene->point_mm[0], sizeof options.seed_mm);
  } else {
    options.points = scene->points;
    memcpy(options.point_mm, scene->point_mm, sizeof scene->point_mm);
  }
  return ht_segment_volume(&scene->scan, &options, NULL, mask, NULL);
}

/* Numbers of scenes: of a kind, that pass, and that miss each bar. */
typedef struct {
  int scenes, passed, missed[HT_SCENE_BARS];
} tally;

static void tally_add(tally *t, unsigned missed) {
  t->scenes++;
  t->passed += !missed;
  for (int n = 0; n < HT_SCENE_BARS; n++) t->missed[n] += missed >> n & 1;
}

static void tally_print(const char *word, const tally *t) {
  if (t->scenes == 0) return;
  printf("| %s | %d | %d | %.0f %% |", word, t->scenes, t->passed, 100.0 * t->passed / t->scenes);
  for (int n = 0; n < HT_SCENE_BARS; n++) printf(" %d |", t->missed[n]);
  printf("\n");
}

static void tally_head(void) {
  printf("\n| scenes with | scenes | pass | share |");
  for (int n = 0; n < HT_SCENE_BARS; n++) printf(" %s |", ht_scene_bar_words[n]);
  printf("\n|---|---|---|---|");
  for (int n = 0; n < HT_SCENE_BARS; n++) printf("---|");
  printf("\n");
}

static void head(void) {
  printf(
      "| seed | scene | Dice | surface, mean | surface, 95 %% | wall, median | wall, bias | leak "
      "| radius bias | overlap | centre, median | centre, most | missed |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void row(const ht_scene *scene, const ht_scene_score *s) {
  printf("| %d | %s | %.3f | %.2f | %.2f | %.2f | %+.2f | %.1f %% | ", (int)scene->seed,
         scene->text, s->dice, s->surface_mean, s->surface_p95, s->wall_median, s->wall_bias,
         100 * s->leak);
  if (s->plain > 0)
    printf("%+.2f | %.0f %% | %.2f | %.2f |", s->radius_bias, 100 * s->overlap, s->centre_median,
           s->centre_most);
  else
    printf("| %.0f %% | | |", 100 * s->overlap);
  for (int n = 0; n < HT_SCENE_BARS; n++)
    if (ht_scene_score_missed(s) >> n & 1) printf(" %s", ht_scene_bar_words[n]);
  printf(" |\n");
}

/* Prints the row of a scene; which bars it misses. */
static unsigned judge(const ht_scene *scene, source from) {
  ht_mask mask = {0};
  ht_scene_score score = {0};
  if (segment(scene, from, &mask) != HT_OK) {
    printf("| %d | %s | %s ||||||||||| %s |\n", (int)scene->seed, scene->text, ht_error_message(),
           ht_scene_bar_words[0]);
    return 1;
  }
  ok(ht_scene_score_mask(scene, &mask, &score));
  row(scene, &score);
  ht_mask_free(&mask);
  return ht_scene_score_missed(&score);
}

static const double least_share = 0.95; /* of the scenes, that pass every bar */

static void all_scenes(int first, int last, source from) {
  tally all = {0}, by_kind[HT_SCENE_KINDS] = {{0}}, with[HT_SCENE_WORDS] = {{0}};
  head();
  for (int seed = first; seed <= last; seed++) {
    ht_scene scene;
    ok(ht_scene_make((uint64_t)seed, NULL, &scene));
    unsigned missed = judge(&scene, from);
    fflush(stdout);
    tally_add(&all, missed);
    tally_add(&by_kind[scene.kind], missed);
    for (int n = 0; n < HT_SCENE_WORDS; n++)
      if (scene.has >> n & 1) tally_add(&with[n], missed);
    ht_scene_free(&scene);
  }
  tally_head();
  tally_print("all", &all);
  for (int n = 0; n < HT_SCENE_KINDS; n++) tally_print(ht_scene_kind_words[n], &by_kind[n]);
  for (int n = 0; n < HT_SCENE_WORDS; n++) tally_print(ht_scene_words[n], &with[n]);
  if (from == FROM_TRUTH) assert_int_equal(all.passed, all.scenes);
  if (from == FROM_POINTS) assert_true(all.passed >= least_share * all.scenes);
}

static int range[2] = {1, 200};
static source asked;

HT_TEST(the_table) {
  all_scenes(range[0], range[1], asked);
}

int main(int argc, char **argv) {
  const struct CMUnitTest brief[] = {cmocka_unit_test(known_masks_have_known_scores)};
  const struct CMUnitTest every[] = {cmocka_unit_test(the_table)};
  if (argc < 2) return cmocka_run_group_tests(brief, NULL, NULL);
  if (strcmp(argv[1], "seed") == 0) asked = FROM_SEED;
  if (strcmp(argv[1], "truth") == 0) asked = FROM_TRUTH;
  for (int n = 0; n < 2 && argc > n + 2; n++) range[n] = atoi(argv[n + 2]);
  return cmocka_run_group_tests(every, NULL, NULL);
}
