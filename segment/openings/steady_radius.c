#include "segment/openings/steady_radius.h"
#include <math.h>

/* Necks of saccular aneurysms are up to about two diameters of their vessel long, and the sections
 * on both sides of the neck are still too large. */
static const double least_radii = 6;

/* Lowers the radius until the stretch around `at` that has it is long enough. */
static double steady_at(int count, const double *along, const double *radius, int at) {
  double least = radius[at];
  for (int low = at, high = at;;) {
    while (low > 0 && radius[low - 1] >= least) low--;
    while (high < count - 1 && radius[high + 1] >= least) high++;
    double length = along[high] - along[low];
    if (low == 0 || high == count - 1 || length >= least_radii * least) return least;
    double next = fmax(radius[low - 1], radius[high + 1]);
    if (length >= least_radii * next) return length / least_radii;
    if (!(next < least)) return least; /* not a number */
    least = next;
  }
}

void ht_steady_radius(int count, const double *along, const double *radius, double *steady) {
  for (int i = 0; i < count; i++) steady[i] = steady_at(count, along, radius, i);
}
