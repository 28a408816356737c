/* Labelled volumes: the same bits for a seed whatever the threads, labels that fit the distance and
 * the scan, and every kind within some seeds. */
#include "phantom/labelled/labelled.h"
#include "phantom/labelled/labelled_draw.h"
#include "tests/check.h"
#include <omp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EDGE = 40, VOXELS = EDGE * EDGE * EDGE, COUNT = 6, SEEDS = 400 };

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

static char *written(int threads, size_t *size) {
  char path[] = "test_labelled-XXXXXX";
  close(mkstemp(path));
  omp_set_num_threads(threads);
  ok(ht_labelled_write(path, 5, COUNT, EDGE, NULL));
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  *size = 64 + COUNT * (4 * (size_t)VOXELS + 32);
  char *bytes = malloc(*size + 1);
  assert_int_equal(fread(bytes, 1, *size + 1, stream), *size);
  fclose(stream);
  unlink(path);
  return bytes;
}

static void test_a_seed_gives_the_same_bits_on_any_number_of_threads(void **state) {
  (void)state;
  size_t one_size, two_size;
  char *one = written(1, &one_size), *two = written(2, &two_size);
  assert_int_equal(one_size, two_size);
  assert_memory_equal(one, two, one_size);
  ht_labelled volume;
  ok(ht_labelled_make(7, EDGE, &volume)); /* the third */
  const char *record = one + 64 + 2 * (4 * (size_t)VOXELS + 32);
  assert_memory_equal(record, volume.scan, 2 * (size_t)VOXELS);
  assert_memory_equal(record + 2 * (size_t)VOXELS, volume.label, VOXELS);
  assert_memory_equal(record + 3 * (size_t)VOXELS, volume.distance, VOXELS);
  ht_labelled_free(&volume);
  free(one);
  free(two);
}

/* A voxel is a vessel's where its distance is negative; its neighbours' distances are those that
 * voxels can have: one step changes it by no more than the widest voxel. */
static void test_labels_fit_the_distance(void **state) {
  (void)state;
  int64_t vessels = 0, bright = 0, unseen = 0, either = 0, labelled = 0;
  for (uint64_t seed = 40; seed < 52; seed++) {
    ht_labelled volume;
    ok(ht_labelled_make(seed, EDGE, &volume));
    double narrow = fmin(volume.spacing_mm[0], fmin(volume.spacing_mm[1], volume.spacing_mm[2]));
    double most = 1.5 * HT_LABELLED_PER_VOXEL * volume.spacing_mm[0] / narrow + 2, sum = 0, all = 0;
    int64_t arteries = 0, dim = 0;
    for (int i = 0; i < VOXELS; i++) {
      int is_unseen = volume.label[i] == HT_LABEL_UNSEEN;
      int is_either = volume.label[i] == HT_LABEL_EITHER;
      int is_vessel =
          volume.label[i] == HT_LABEL_ARTERY || volume.label[i] == HT_LABEL_VESSEL || is_either;
      assert_true(volume.label[i] < HT_LABELS || is_unseen || is_either);
      either += is_either;
      unseen += is_unseen;
      labelled += is_vessel && volume.has & HT_LABELLED_NO_CONTRAST;
      if (!is_unseen) assert_int_equal(is_vessel, volume.distance[i] < 0);
      if (i % EDGE) assert_true(abs(volume.distance[i] - volume.distance[i - 1]) <= most);
      vessels += is_vessel;
      all += volume.scan[i];
      dim += volume.label[i] == HT_LABEL_VESSEL;
      if (volume.label[i] != HT_LABEL_ARTERY) continue;
      sum += volume.scan[i];
      arteries++;
    }
    assert_true(volume.whole[0] < volume.whole[1]);
    assert_true(dim == 0 || arteries >= VOXELS / 1000); /* else nobody can say that it is dim */
    bright += arteries > 0 && sum / (double)arteries > all / VOXELS;
    ht_labelled_free(&volume);
  }
  assert_true(vessels > VOXELS / 10);
  assert_true(either > 0 && unseen > 0 && unseen < vessels / 5);
  assert_int_equal(labelled, 0); /* blood without agent is no vessel */
  assert_true(bright >= 8);      /* of twelve, not all with an artery */
}

/* By the plans alone: they cost little. */
static void test_every_kind_appears(void **state) {
  (void)state;
  int found[HT_LABELLED_KINDS] = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    ht_labelled_plan *plan;
    ok(ht_labelled_plan_make(seed, 64, &plan));
    for (int kind = 0; kind < HT_LABELLED_KINDS; kind++) found[kind] += plan->has >> kind & 1;
    for (int i = 0; i < plan->vessels.count; i++) {
      const ht_tube_node *node = &plan->vessels.node[i];
      assert_true(isfinite(node->r) && node->r > 0.1f && node->r < 32);
      assert_true(i > 0 || !node->joined);
      if (node->joined) assert_int_equal(node->tube, node[-1].tube);
    }
    ht_labelled_plan_free(plan);
  }
  for (int kind = 0; kind < HT_LABELLED_KINDS; kind++) {
    if (found[kind] < SEEDS / 100) fail_msg("kind %d: %d of %d", kind, found[kind], SEEDS);
  }
}

static void test_sizes_out_of_range_are_refused(void **state) {
  (void)state;
  ht_labelled volume;
  assert_int_equal(ht_labelled_make(1, 8, &volume), HT_ERR_USAGE);
  assert_null(volume.scan);
  assert_int_equal(ht_labelled_write("unused", 1, 0, EDGE, NULL), HT_ERR_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_seed_gives_the_same_bits_on_any_number_of_threads),
      cmocka_unit_test(test_labels_fit_the_distance),
      cmocka_unit_test(test_every_kind_appears),
      cmocka_unit_test(test_sizes_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
