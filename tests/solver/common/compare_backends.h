/* The CUDA backend against the CPU backend on one and the same case. */
#ifndef HT_COMPARE_BACKENDS_H
#define HT_COMPARE_BACKENDS_H

#include "core/vessel/domain.h"
#include "solver/lattice/lattice.h"

/* Relative L2 difference of density, velocity and stress after `steps`; the flows of the ports, the
 * momentum and the largest speed are compared too, and the inflow and a body force are changed half
 * way. */
double ht_compare_backends(ht_lattice_setup *setup, int64_t steps);

/* Compares the backends on a domain, with a uniform inflow of `speed_lu` along the ports'
 * directions. */
double ht_compare_domain(const ht_domain *domain, ht_precision precision, double tau,
                         double speed_lu, int64_t steps);

/* Allocates fields of zeros: density, velocity and stress of nodes, one array after the other. The
 * caller frees .density. */
ht_lattice_fields ht_alloc_fields(int64_t nodes);

/* Asserts of each of the three fields that it is the same as another: on the CPU to the bit, else
 * to 1e-12 (fp64) or 1e-5 of its norm, as the conditions of ports are in the run's precision, and
 * the rounding of the values, of which the stress of a uniform flow consists. */
void ht_assert_fields(const ht_lattice *lattice, ht_precision precision, int64_t nodes,
                      const ht_lattice_fields *wanted, const ht_lattice_fields *found);

/* Fills `fields` by ht_lattice_keep() and ht_lattice_visit(); or by the second alone. */
void ht_keep_fields(ht_lattice *lattice, ht_lattice_fields *fields);
void ht_visit_fields(ht_lattice *lattice, ht_lattice_fields *fields);

#endif
