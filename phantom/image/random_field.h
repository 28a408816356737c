/* Random numbers by position, not by order: they do not depend on the threads. */
#ifndef HT_RANDOM_FIELD_H
#define HT_RANDOM_FIELD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a stream of its own for the use `which` of a seed. */
uint64_t ht_random_stream(uint64_t seed, int which);

/* Number `counter` of a stream: 64 random bits; uniform in (0, 1), and standard normal (Box &
 * Muller). */
uint64_t ht_random_bits(uint64_t stream, uint64_t counter);
double ht_random_uniform(uint64_t stream, uint64_t counter);
double ht_random_normal(uint64_t stream, uint64_t counter);

/* Smooth random texture in [-1, 1] at a place: values on a lattice of `cell_mm`, joined by cubic
 * steps. */
double ht_random_texture(uint64_t stream, const double position_mm[3], double cell_mm);

/* Numbers of a stream one after the other, for what is drawn once. */
typedef struct {
  uint64_t stream, next;
} ht_draws;

/* Draws a uniform number in (low, high); draws 1 with the probability `share`. */
double ht_draw(ht_draws *draws, double low, double high);
int ht_draw_is(ht_draws *draws, double share);

#ifdef __cplusplus
}
#endif
#endif
