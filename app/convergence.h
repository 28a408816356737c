/* How far a figure is from the one without lattice error, from three lattices of one case:
 * Richardson's extrapolation and the grid convergence index. P. J. Roache, J. Fluids Eng. 116
 * (1994) 405 and Annu. Rev. Fluid Mech. 29 (1997) 123; the observed order with two different
 * ratios: I. B. Celik et al., J. Fluids Eng. 130 (2008) 078001. */
#ifndef HT_CONVERGENCE_H
#define HT_CONVERGENCE_H

/* The finest first, in every list of three. */
enum { HT_FINE = 0, HT_MIDDLE, HT_COARSE, HT_LATTICES };

typedef enum {
  HT_CONVERGES = 0, /* each refinement changes it less, in one direction */
  HT_SETTLED,       /* it changes by less than 1e-4 of itself */
  HT_OSCILLATES,    /* up and down */
  HT_DIVERGES,      /* the finer lattices are farther apart than the coarser ones */
} ht_convergence_kind;

/* Fractions of the value, not per cent. NAN: not to be had, as everything but `kind`, `change` and
 * `spread` where it does not converge. */
typedef struct {
  ht_convergence_kind kind;
  double change[2]; /* |fine - middle| / |fine|, |middle - coarse| / |middle| */
  double spread;    /* (largest - smallest) / |fine| */
  double order;     /* observed: p of value = estimate + c * spacing^p */
  double used;      /* the order that the rest is computed with: at most 2, that of the method, as a
                       higher one would make the error look small by chance */
  double estimate;  /* of the value at spacing 0 */
  double index[2]; /* grid convergence index of the fine and the middle lattice, safety factor 1.25:
                      the true value is expected within it */
  double range;    /* index of middle / (ratio^used * index of fine): near 1 where the three lie in
                      the asymptotic range */
} ht_convergence;

/* `spacing` has to grow: spacing[HT_FINE] < spacing[HT_MIDDLE] < spacing[HT_COARSE]. */
ht_convergence ht_convergence_of(const double spacing[HT_LATTICES],
                                 const double value[HT_LATTICES]);

/* How far the value of a lattice is from the estimate, as a fraction of it, with its sign. */
double ht_convergence_off(const ht_convergence *convergence, double value);

/* The spacing at which the index would be `wanted`. NAN: cannot be said. */
double ht_convergence_spacing(const ht_convergence *convergence, double fine_spacing,
                              double wanted);

#endif
