/* Random scenes: their geometry over many seeds, and the scan of one. */
#include "phantom/scenes/scene.h"
#include "phantom/scenes/scene_draw.h"
#include "phantom/scenes/scene_geometry.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "tests/check.h"
#include "tests/phantom/phantom_check.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 150, MANY = 3 };

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

/* ---- Over many seeds, without the images ---- */

static void check_points(const ht_scene_plan *plan, const ht_scene *scene, int *outside) {
  assert_int_equal(scene->points, 2 + plan->daughters);
  for (int i = 0; i < scene->points; i++) {
    double lumen = ht_scene_lumen_distance(plan, scene->point_mm[i], NULL);
    assert_true(lumen <= 2.5); /* 2 mm across the axis may be more where the vessel bends */
    assert_true(ht_scene_depth(&plan->grid, scene->point_mm[i]) >= 0);
    *outside += lumen > 0;
  }
}

/* The throat is as narrow as the severity says, by the radius without it. */
static void check_narrowing(const ht_scene_plan *plan) {
  const ht_tube *tube = &plan->wanted.tube[0];
  double least = HUGE_VAL, most = 0;
  for (int i = plan->span[0].from; i <= plan->span[0].to; i++) {
    least = fmin(least, tube->point[i][3]);
    most = fmax(most, tube->point[i][3]);
  }
  assert_true(plan->narrowing_percent >= 30 && plan->narrowing_percent <= 70);
  double percent = 100 * (1 - least * least / (most * most)), taper_and_fork = 100 * (1 - 0.44);
  assert_true(percent >= plan->narrowing_percent - 1);
  assert_true(percent <= 100 - (100 - plan->narrowing_percent) * (1 - taper_and_fork / 100));
}

/* Other vessels touch the wanted one, and do not run through it: less than two voxels are carved
 * off. */
static void check_others(const ht_scene_plan *plan) {
  for (int n = 0; n < plan->others; n++) {
    const ht_tube *tube = &plan->other[n].tube;
    for (int i = 0; i < tube->points; i++) {
      double lumen = ht_scene_lumen_distance(plan, tube->point[i], NULL);
      assert_true(lumen > tube->point[i][3] - 2 * plan->voxel_mm);
    }
  }
}

/* Beyond their root, branches stay clear of the vessel before them. */
static void check_branches(ht_scene_plan *plan) {
  int tubes = plan->wanted.tubes;
  for (int n = 1; n < tubes; n++) {
    const ht_tube *tube = &plan->wanted.tube[n];
    double root = 1.25 * plan->diameter_mm + 3 * tube->point[0][3];
    plan->wanted.tubes = n;
    for (int i = 0; i < tube->points; i++)
      if (ht_distance(tube->point[i], tube->point[0]) > root)
        assert_true(ht_scene_lumen_distance(plan, tube->point[i], NULL) > tube->point[i][3]);
  }
  plan->wanted.tubes = tubes;
}

static void check_plan(uint64_t seed, int kinds[], int words[], int *points, int *outside) {
  ht_scene scene = {.seed = seed};
  ht_scene_plan *plan = calloc(1, sizeof *plan);
  assert_non_null(plan);
  plan->seed = seed;
  ok(ht_scene_plan_draw(plan, &scene));
  plan->wanted.far_mm = 0;
  double across = plan->diameter_mm / plan->voxel_mm;
  assert_true(across >= 4 && across <= 20 && plan->voxel_mm >= 0.3 && plan->voxel_mm <= 1);
  assert_true(plan->has & HT_SCENE_DISTURBERS);
  assert_true(plan->span[0].from < plan->span[0].to);
  check_points(plan, &scene, outside);
  check_others(plan);
  check_branches(plan);
  if (plan->has & HT_SCENE_NARROWING) check_narrowing(plan);
  *points += scene.points;
  kinds[plan->kind]++;
  for (int n = 0; n < HT_SCENE_WORDS; n++) words[n] += plan->has >> n & 1;
  ht_scene_plan_free(plan);
}

HT_TEST(every_seed_gives_a_vessel_that_can_be_found) {
  int kinds[HT_SCENE_KINDS] = {0}, words[HT_SCENE_WORDS] = {0}, points = 0, outside = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) check_plan(seed, kinds, words, &points, &outside);
  for (int n = 0; n < HT_SCENE_KINDS; n++) assert_true(kinds[n] >= SEEDS / 5);
  for (int n = 0; n < HT_SCENE_WORDS; n++) assert_true(words[n] >= MANY);
  assert_true(outside > 0 && outside < points / 4);
}

/* ---- The scan of one: a CT angiography, 12 voxels across, with bone and nothing else ---- */

enum { SEED = 129 };

static ht_scene one;

static int make_one(void **state) {
  (void)state;
  omp_set_num_threads(1);
  return ht_scene_make(SEED, NULL, &one) != HT_OK;
}

static int free_one(void **state) {
  (void)state;
  ht_scene_free(&one);
  return 0;
}

HT_TEST(threads_do_not_matter) {
  ht_scene two;
  omp_set_num_threads(2);
  ok(ht_scene_make(SEED, NULL, &two));
  size_t voxels = (size_t)ht_grid_voxels(&one.scan.grid);
  assert_memory_equal(one.scan.grid.dim, two.scan.grid.dim, sizeof one.scan.grid.dim);
  assert_memory_equal(one.scan.grid.origin_mm, two.scan.grid.origin_mm, 3 * sizeof(double));
  assert_memory_equal(one.scan.values, two.scan.values, voxels * sizeof(float));
  assert_memory_equal(one.distance.values, two.distance.values, voxels * sizeof(float));
  assert_memory_equal(one.truth.inside, two.truth.inside, voxels);
  assert_memory_equal(one.point_mm, two.point_mm, sizeof one.point_mm);
  assert_string_equal(one.text, two.text);
  ht_scene_free(&two);
}

/* The volume between two planes across a bent tube is the integral of its sections along the
 * axis. */
HT_TEST(the_truth_has_the_volume_of_the_tube) {
  const ht_scene_plan *plan = one.plan;
  const ht_tube *tube = &plan->wanted.tube[0];
  const double *s = one.scan.grid.spacing_mm;
  int from = plan->span[0].from + 5, to = plan->span[0].to - 5;
  double volume = 0, counted = 0;
  assert_int_equal(one.has, HT_SCENE_BONE);
  for (int i = from; i < to; i++)
    volume += 0.5 * HT_PI * (pow(tube->point[i][3], 2) + pow(tube->point[i + 1][3], 2)) *
              ht_distance(tube->point[i], tube->point[i + 1]);
  for (int64_t v = 0; v < ht_grid_voxels(&one.scan.grid); v++) {
    double p[3];
    if (!one.truth.inside[v]) continue;
    assert_true(one.distance.values[v] < 0);
    ht_grid_voxel_position(&one.scan.grid, v, p);
    int at = ht_scene_nearest(tube, p, NULL);
    counted += at == from || at == to ? 0.5 : at > from && at < to;
  }
  assert_near(counted * s[0] * s[1] * s[2] / volume, 1, 0.01);
}

typedef struct {
  double sum, square, count;
} moments;

static void moments_add(moments *m, double value) {
  m->sum += value;
  m->square += value * value;
  m->count++;
}

static double mean(const moments *m) {
  return m->sum / m->count;
}

/* Blood, compact bone and spongy bone have their brightness; the noise is that of the plan. */
HT_TEST(each_tissue_has_its_brightness) {
  const ht_scene_plan *plan = one.plan;
  moments blood = {0}, shell = {0}, spongy = {0};
  double voxel = one.scan.grid.spacing_mm[2], contrast = plan->blood - plan->tissue;
  for (int64_t v = 0; v < ht_grid_voxels(&one.scan.grid); v++) {
    double p[3], lumen = one.distance.values[v], value = one.scan.values[v];
    ht_grid_voxel_position(&one.scan.grid, v, p);
    double bone = ht_scene_bone_distance(plan, p, lumen), deep = bone + plan->bone_shell_mm;
    if (lumen < -3 * voxel) moments_add(&blood, value);
    if (fabs(bone + 0.5 * plan->bone_shell_mm) < 0.1 * voxel) moments_add(&shell, value);
    if (deep < -3 * voxel) moments_add(&spongy, value);
    if (lumen < 0) assert_true(bone >= 0);
  }
  assert_true(blood.count > 500 && shell.count > 100 && spongy.count > 100);
  assert_near(mean(&blood), plan->blood, 0.03 * contrast);
  assert_near(mean(&spongy), plan->bone_spongy, 0.1 * contrast);
  assert_true(mean(&shell) > mean(&spongy) + 0.3 * (plan->bone_compact - plan->bone_spongy));
  double spread = sqrt(blood.square / blood.count - mean(&blood) * mean(&blood));
  assert_near(spread / (plan->noise * contrast), 1, 0.1);
}

/* The planes of the points end what counts; the axis between them counts, beyond them it does not.
 */
HT_TEST(what_counts_is_between_the_points) {
  const ht_scene_plan *plan = one.plan;
  const ht_tube *tube = &plan->wanted.tube[0];
  const ht_scene_path *path = &one.path[0];
  assert_int_equal(path->stations, plan->span[0].to - plan->span[0].from + 1);
  for (int i = 0; i < tube->points; i++) {
    double margin = 0.5 * tube->point[i][3] + plan->voxel_mm, in = HUGE_VAL;
    in = fmin(in, plan->along_mm[i] - plan->along_mm[plan->span[0].from]);
    in = fmin(in, plan->along_mm[plan->span[0].to] - plan->along_mm[i]);
    if (in < 0.9 * margin) assert_false(ht_scene_counts(&one, tube->point[i]));
    if (in > 1.1 * margin) assert_true(ht_scene_counts(&one, tube->point[i]));
  }
  assert_true(ht_scene_is_plain(&one, 0, path->stations / 2));
  for (int i = 0; i < one.points; i++) {
    int station = i ? path->stations - 1 : 0;
    double way = ht_distance(one.point_mm[i], path->station[station]);
    assert_true(way <= path->station[station][3] + 2);
  }
}

int main(void) {
  const struct CMUnitTest plans[] = {cmocka_unit_test(every_seed_gives_a_vessel_that_can_be_found)};
  const struct CMUnitTest images[] = {cmocka_unit_test(the_truth_has_the_volume_of_the_tube),
                                      cmocka_unit_test(each_tissue_has_its_brightness),
                                      cmocka_unit_test(what_counts_is_between_the_points),
                                      cmocka_unit_test(threads_do_not_matter)};
  int failed = cmocka_run_group_tests(plans, NULL, NULL);
  return failed + cmocka_run_group_tests(images, make_one, free_one);
}
