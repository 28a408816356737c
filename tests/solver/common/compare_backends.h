/* The CUDA backend against the CPU backend on one and the same case. */
#ifndef HT_COMPARE_BACKENDS_H
#define HT_COMPARE_BACKENDS_H

#include "domain.h"
#include "lattice.h"

/* Relative L2 difference of density, velocity and stress after `steps`; the flows of the ports, the
 * momentum and the largest speed are compared too, and the inflow and a body force are changed half
 * way. */
double ht_compare_backends(ht_lattice_setup *setup, int64_t steps);

/* The same for a domain, with a uniform inflow of `speed_lu` along the ports' directions. */
double ht_compare_domain(const ht_domain *domain, ht_precision precision, double tau,
                         double speed_lu, int64_t steps);

#endif
