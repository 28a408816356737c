/* A step in mm means the same tissue in scans of every orientation. */
#include "tests/segment/edit_mask.h"
#include <string.h>

/* Edits one body on a grid whose axes are permuted, flipped, or turned by angles that are no
 * multiples of 90 degrees: `turn` is the rotation of the body, index axes are order[] and sign[].
 */
static void in_orientation(const int order[3], const int sign[3], double turn,
                           const ht_edited *wanted_of) {
  const ht_grid straight = grid_of(24, 20, 28, 0.5);
  const double c = cos(turn), s = sin(turn), body[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
  ht_grid grid = straight;
  double first[3];
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = straight.dim[order[a]];
    for (int r = 0; r < 3; r++) grid.direction[r][a] = sign[a] * body[r][order[a]];
    first[order[a]] = sign[a] < 0 ? straight.dim[order[a]] - 1 : 0;
  }
  for (int r = 0; r < 3; r++) {
    grid.origin_mm[r] = straight.origin_mm[r];
    for (int a = 0; a < 3; a++) grid.origin_mm[r] += body[r][a] * 0.5 * first[a];
  }
  ht_mask base;
  ht_edited edited;
  assert_int_equal(ht_mask_alloc(&grid, &base), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    double index[3];
    ht_voxel_place(grid.dim, v, at);
    for (int a = 0; a < 3; a++)
      index[order[a]] = sign[a] < 0 ? straight.dim[order[a]] - 1 - at[a] : at[a];
    base.inside[v] = (uint8_t)is_tube(index);
  }
  assert_int_equal(ht_edited_begin(&base, NULL, &edited), HT_OK);
  /* Steps in LPS, turned with the body about the origin of the straight grid. */
  const double at[4][3] = {{15.2, 10.1, 12.3}, {13.7, 9.3, 20.4}, {10.1, 6.2, 7.3}, {1, 2, 0.3}};
  double place[4][3];
  for (int p = 0; p < 4; p++)
    for (int r = 0; r < 3; r++) {
      place[p][r] = p < 3 ? straight.origin_mm[r] : 0;
      for (int a = 0; a < 3; a++) place[p][r] += body[r][a] * (p < 3 ? 0.5 : 1) * at[p][a];
    }
  ht_edit_step disc = {HT_EDIT_ERASE,     .place_mm = place + 2, .places = 1,
                       .radius_mm = 1.27, .has_direction = 1,    .thickness_mm = 1.3};
  ht_edit_step cut = {HT_EDIT_CUT, .place_mm = place + 2, .places = 1, .has_direction = 1};
  memcpy(disc.direction, place[3], sizeof disc.direction);
  memcpy(cut.direction, place[3], sizeof cut.direction);
  apply(&edited, &(ht_edit_step){HT_EDIT_PAINT, .place_mm = place, .places = 2, .radius_mm = 1.57});
  apply(&edited, &disc);
  apply(&edited, &cut);
  apply(&edited, &(ht_edit_step){HT_EDIT_SMOOTH, .radius_mm = 0.8});
  assert_int_equal(edited.voxels, wanted_of->voxels);
  for (int z = 0; z < 28; z++)
    for (int y = 0; y < 20; y++)
      for (int x = 0; x < 24; x++) {
        const int from[3] = {x, y, z};
        int to[3];
        for (int a = 0; a < 3; a++)
          to[a] = sign[a] < 0 ? straight.dim[order[a]] - 1 - from[order[a]] : from[order[a]];
        assert_int_equal(inside_at(&edited, to[0], to[1], to[2]), inside_at(wanted_of, x, y, z));
      }
  ht_edited_free(&edited);
  ht_mask_free(&base);
}

HT_TEST(a_step_means_the_same_tissue_in_every_orientation) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited wanted = begin(&grid, is_tube);
  double place[3][3];
  place_at(&grid, 15.2, 10.1, 12.3, place[0]);
  place_at(&grid, 13.7, 9.3, 20.4, place[1]);
  place_at(&grid, 10.1, 6.2, 7.3, place[2]);
  apply(&wanted, &(ht_edit_step){HT_EDIT_PAINT, .place_mm = place, .places = 2, .radius_mm = 1.57});
  apply(&wanted,
        &(ht_edit_step){HT_EDIT_ERASE, .place_mm = place + 2, .places = 1, .radius_mm = 1.27,
                        .has_direction = 1, .direction = {1, 2, 0.3}, .thickness_mm = 1.3});
  apply(&wanted, &(ht_edit_step){HT_EDIT_CUT, .place_mm = place + 2, .places = 1,
                                 .has_direction = 1, .direction = {1, 2, 0.3}});
  apply(&wanted, &(ht_edit_step){HT_EDIT_SMOOTH, .radius_mm = 0.8});
  const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  for (int o = 0; o < 6; o++)
    for (int flips = 0; flips < 8; flips++) {
      const int sign[3] = {flips & 1 ? -1 : 1, flips & 2 ? -1 : 1, flips & 4 ? -1 : 1};
      in_orientation(orders[o], sign, flips % 3 == 0 ? 0 : 0.2 * flips, &wanted);
    }
  ht_edited_free(&wanted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_means_the_same_tissue_in_every_orientation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
