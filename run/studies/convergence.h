/* Lattice error of a value, from three lattices of one case: Richardson's extrapolation and the
 * grid convergence index. P. J. Roache, J. Fluids Eng. 116 (1994) 405 and Annu. Rev. Fluid Mech. 29
 * (1997) 123; the observed order with two different ratios: I. B. Celik et al., J. Fluids Eng. 130
 * (2008) 078001. */
#ifndef HT_CONVERGENCE_H
#define HT_CONVERGENCE_H

/* Lattices, the finest first, in every list of three. */
enum { HT_FINE = 0, HT_MIDDLE, HT_COARSE, HT_LATTICES };

typedef enum {
  HT_CONVERGES = 0, /* each refinement changes the value less, in one direction */
  HT_SETTLED,       /* the three differ by at most 1e-4 of the value; or by 0.5 %, in no order: the
                       staircase wall and the moment at which a run stops may do this */
  HT_OSCILLATES,    /* up and down, by more */
  HT_DIVERGES,      /* the finer lattices are farther apart than the coarser ones, by more */
} ht_convergence_kind;

/* Fractions of the value, not per cent. NAN: unavailable, as are all but `kind`, `change` and
 * `spread` for a value that does not converge. */
typedef struct {
  ht_convergence_kind kind;
  double change[2]; /* |fine - middle| / |fine|, |middle - coarse| / |middle| */
  double spread;    /* (largest - smallest) / |fine| */
  double order;     /* observed: p of value = estimate + c * spacing^p */
  double used; /* order for the members below: `order`, but at most 2, that of the method; a higher
                  one would make the error look small by chance */
  double estimate; /* estimate of the value at spacing 0 */
  double index[2]; /* grid convergence index of the fine and the middle lattice, safety factor 1.25:
                      the true value should lie within it */
  double range; /* index of middle / (ratio^used * index of fine): near 1 where all three lattices
                   lie in the asymptotic range */
} ht_convergence;

/* Computes the convergence; `spacing` has to grow: spacing[HT_FINE] < spacing[HT_MIDDLE] <
 * spacing[HT_COARSE]. */
ht_convergence ht_convergence_of(const double spacing[HT_LATTICES],
                                 const double value[HT_LATTICES]);

/* Returns (value - estimate) / estimate, for the value of a lattice. */
double ht_convergence_off(const ht_convergence *convergence, double value);

/* Returns the spacing at which the index would be `wanted`. NAN: unavailable. */
double ht_convergence_spacing(const ht_convergence *convergence, double fine_spacing,
                              double wanted);

#endif
