/* The lattice error of a figure, estimated from three lattices of one case: Richardson extrapolation and the grid convergence index. P. J. Roache, J. Fluids Eng. 116
 * (1994) 405 and Annu. Rev. Fluid Mech. 29 (1997) 123; the observed order with two different
 * ratios: I. B. Celik et al., J. Fluids Eng. 130 (2008) 078001. */
#ifndef HT_CONVERGENCE_H
#define HT_CONVERGENCE_H

/* Every list of three starts with the finest lattice. */
enum { HT_FINE = 0, HT_MIDDLE, HT_COARSE, HT_LATTICES };

typedef enum {
  HT_CONVERGES = 0, /* each refinement changes it less, in one direction */
  HT_SETTLED,       /* it changes by less than 1e-4 of its value */
  HT_OSCILLATES,    /* the two refinements change it in opposite directions */
  HT_DIVERGES,      /* the second refinement changes it more than the first */
} ht_convergence_kind;

/* Fractions of the value, not per cent. NAN: unavailable. Only `kind`, `change` and `spread` are available unless `kind` is HT_CONVERGES. */
typedef struct {
  ht_convergence_kind kind;
  double change[2]; /* |fine - middle| / |fine|, |middle - coarse| / |middle| */
  double spread;    /* (largest - smallest) / |fine| */
  double order;     /* observed: p of value = estimate + c * spacing^p */
  double used;      /* the order used below: the observed one, at most 2 (the order of the method): a higher one makes the error look small by chance */
  double estimate;  /* of the value at spacing 0 */
  double index[2]; /* grid convergence index of the fine and the middle lattice, safety factor 1.25:
                      the true value is expected within it */
  double range;    /* index of middle / (ratio^used * index of fine): near 1 if the three lattices are in the asymptotic range */
} ht_convergence;

/* Analyses a figure on three lattices. `spacing` (any unit) must increase: spacing[HT_FINE] < spacing[HT_MIDDLE] < spacing[HT_COARSE]. */
ht_convergence ht_convergence_of(const double spacing[HT_LATTICES],
                                 const double value[HT_LATTICES]);

/* Signed deviation of a lattice's value from the estimate, as a fraction of the estimate. */
double ht_convergence_off(const ht_convergence *convergence, double value);

/* The spacing with the index `wanted`, in the unit of `fine_spacing`. NAN: unavailable. */
double ht_convergence_spacing(const ht_convergence *convergence, double fine_spacing,
                              double wanted);

#endif
