#include "core/vessel/rigid_move.h"
#include "core/numbers/symmetric.h"
#include "core/numbers/vector3.h"
#include <string.h>

/* Least height of a triangle of landmarks, of its longest side. */
static const double WIDE = 0.05;

static void centre_of(int count, const double (*place)[3], double centre[3]) {
  for (int a = 0; a < 3; a++) {
    centre[a] = 0;
    for (int i = 0; i < count; i++) centre[a] += place[i][a] / count;
  }
}

/* Tells whether three of the places span a triangle. */
static int is_wide(int count, const double (*place)[3]) {
  double u[3], v[3], across[3];
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      for (int k = j + 1; k < count; k++) {
        for (int a = 0; a < 3; a++)
          u[a] = place[j][a] - place[i][a], v[a] = place[k][a] - place[i][a];
        ht_cross(u, v, across);
        const double longest =
            fmax(ht_distance(place[j], place[k]), fmax(ht_length(u), ht_length(v)));
        if (longest > 0 && ht_length(across) > WIDE * longest * longest) return 1;
      }
  return 0;
}

/* Makes the rotation of a unit quaternion. */
static void turn_of(const double q[4], double turn[3][3]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double made[3][3] = {
      {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
  memcpy(turn, made, sizeof made);
}

static void find_turn(int count, const double (*from)[3], const double (*to)[3],
                      const double from_centre[3], const double to_centre[3], double turn[3][3]) {
  double s[3][3] = {{0}}, vectors[4][4];
  for (int i = 0; i < count; i++)
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        s[a][b] += (from[i][a] - from_centre[a]) * (to[i][b] - to_centre[b]);
  const double yz = s[1][2] - s[2][1], zx = s[2][0] - s[0][2], xy = s[0][1] - s[1][0];
  double n[4][4] = {{s[0][0] + s[1][1] + s[2][2], yz, zx, xy},
                    {yz, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                    {zx, s[0][1] + s[1][0], -s[0][0] + s[1][1] - s[2][2], s[1][2] + s[2][1]},
                    {xy, s[2][0] + s[0][2], s[1][2] + s[2][1], -s[0][0] - s[1][1] + s[2][2]}};
  ht_diagonalise(4, &n[0][0], &vectors[0][0]);
  int most = 0;
  for (int k = 1; k < 4; k++)
    if (n[k][k] > n[most][most]) most = k;
  const double q[4] = {vectors[0][most], vectors[1][most], vectors[2][most], vectors[3][most]};
  turn_of(q, turn);
}

ht_status ht_rigid_move_fit(int count, const double (*from_mm)[3], const double (*to_mm)[3],
                            ht_rigid_move *move) {
  double from[3], to[3];
  *move = (ht_rigid_move){.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (count < 1 || count == 2 || count > HT_LANDMARKS_MOST)
    return ht_fail(HT_ERR_CASE,
                   "%d landmarks: give one, which shifts, or three to %d, which also turn", count,
                   HT_LANDMARKS_MOST);
  if (count > 2 && !(is_wide(count, from_mm) && is_wide(count, to_mm)))
    return ht_fail(HT_ERR_CASE,
                   "the landmarks lie nearly on a line, about which they may be turned "
                   "at will: give one beside it");
  centre_of(count, from_mm, from);
  centre_of(count, to_mm, to);
  if (count > 2) find_turn(count, from_mm, to_mm, from, to, move->turn);
  ht_rigid_move_vector(move, from);
  for (int a = 0; a < 3; a++) move->shift_mm[a] = to[a] - from[a];
  for (int i = 0; i < count; i++) {
    double place[3] = {from_mm[i][0], from_mm[i][1], from_mm[i][2]};
    ht_rigid_move_place(move, place);
    move->rms_mm += ht_distance(place, to_mm[i]) * ht_distance(place, to_mm[i]) / count;
  }
  move->rms_mm = sqrt(move->rms_mm);
  return HT_OK;
}

void ht_rigid_move_vector(const ht_rigid_move *move, double vector[3]) {
  const double was[3] = {vector[0], vector[1], vector[2]};
  for (int a = 0; a < 3; a++) vector[a] = ht_dot(move->turn[a], was);
}

void ht_rigid_move_place(const ht_rigid_move *move, double place_mm[3]) {
  ht_rigid_move_vector(move, place_mm);
  for (int a = 0; a < 3; a++) place_mm[a] += move->shift_mm[a];
}
