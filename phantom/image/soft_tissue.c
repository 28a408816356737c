#include "phantom/image/soft_tissue.h"
#include "phantom/image/padded_image.h"
#include "phantom/image/random_field.h"
#include "core/numbers/vector3.h"

enum { SEED_COARSE = 1, SEED_FINE = 2, SEED_BLOBS = 5 };

void ht_soft_tissue_scatter(ht_soft_tissue *tissue, const double box_mm[3], const double delta[2]) {
  ht_draws draws = {ht_random_stream(tissue->seed, SEED_BLOBS), 0};
  for (int i = 0; i < tissue->blobs; i++) {
    ht_soft_blob *blob = &tissue->blob[i];
    for (int c = 0; c < 3; c++) blob->centre[c] = ht_draw(&draws, -0.5, 0.5) * 1.1 * box_mm[c];
    blob->radius = ht_draw(&draws, 1.2, 3.8) * tissue->scale;
    blob->delta = ht_draw(&draws, delta[0], delta[1]);
  }
}

static double blob_share(const ht_soft_blob *blob, const double p[3], double edge) {
  double x = p[0] - blob->centre[0], y = p[1] - blob->centre[1], z = p[2] - blob->centre[2];
  double square = x * x + y * y + z * z, reach = blob->radius + edge;
  return square < reach * reach ? ht_partial_share(sqrt(square) - blob->radius, edge) : 0;
}

double ht_soft_tissue_at(const ht_soft_tissue *tissue, const double position_mm[3]) {
  uint64_t coarse = ht_random_stream(tissue->seed, SEED_COARSE);
  uint64_t fine = ht_random_stream(tissue->seed, SEED_FINE);
  double value = tissue->value;
  value += tissue->coarse * ht_random_texture(coarse, position_mm, 7.3 * tissue->scale);
  value += tissue->fine * ht_random_texture(fine, position_mm, 2.9 * tissue->scale);
  for (int i = 0; i < tissue->blobs; i++)
    value += tissue->blob[i].delta * blob_share(&tissue->blob[i], position_mm, tissue->scale);
  return value;
}
