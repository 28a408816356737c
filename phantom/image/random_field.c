#include "phantom/image/random_field.h"
#include "core/numbers/units.h"
#include <math.h>

/* The finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA 2014). */
static uint64_t scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t ht_random_stream(uint64_t seed, int which) {
  return scramble(seed + 0x51ed2701u * (uint64_t)which);
}

uint64_t ht_random_bits(uint64_t stream, uint64_t counter) {
  return scramble(scramble(stream) ^ counter);
}

double ht_random_uniform(uint64_t stream, uint64_t counter) {
  return ((double)(ht_random_bits(stream, counter) >> 11) + 0.5) / 9007199254740992.0;
}

double ht_random_normal(uint64_t stream, uint64_t counter) {
  double u = ht_random_uniform(stream, 2 * counter), v = ht_random_uniform(stream, 2 * counter + 1);
  return sqrt(-2 * log(u)) * cos(2 * HT_PI * v);
}

double ht_random_texture(uint64_t stream, const double position_mm[3], double cell_mm) {
  double w[3], sum = 0;
  int64_t base[3];
  for (int c = 0; c < 3; c++) {
    double x = position_mm[c] / cell_mm, t = x - floor(x);
    base[c] = (int64_t)floor(x);
    w[c] = t * t * (3 - 2 * t);
  }
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1;
    uint64_t key = 0;
    for (int c = 0; c < 3; c++) {
      int up = corner >> c & 1;
      weight *= up ? w[c] : 1 - w[c];
      key = key << 21 | (uint64_t)(base[c] + up + (1 << 20));
    }
    sum += weight * (2 * ht_random_uniform(stream, key) - 1);
  }
  return sum;
}

double ht_draw(ht_draws *draws, double low, double high) {
  return low + (high - low) * ht_random_uniform(draws->stream, draws->next++);
}

int ht_draw_is(ht_draws *draws, double share) {
  return ht_draw(draws, 0, 1) < share;
}
