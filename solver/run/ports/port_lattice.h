/* The lattice of a run with its ports and sponges. Private to solver/. */
#ifndef HT_PORT_LATTICE_H
#define HT_PORT_LATTICE_H

#include "solver/inflow/sponge.h"
#include "solver/lattice/lattice.h"
#include "solver/run/ports/port_drive.h"

/* Receives the setup of a lattice, whose arrays it may use until it returns. */
typedef ht_status (*ht_use_lattice_setup)(void *user, const ht_lattice_setup *setup);

/* Makes the sponge of the outlets whose nodes are of this domain's grid; none where outlets have
 * none. HT_ERR_MEMORY. Owned by the caller; ht_sponge_free. */
ht_status ht_port_sponge_make(const ht_domain *domain, const ht_outlet_states *outlets,
                              ht_sponge *sponge);

/* Makes the outlets and the drive, and gives `use` the setup of the lattice that has them: of
 * several levels the coarsest's, with the ports of all. The lattice calls the drive, so these three
 * stay where they are as long as it lives. HT_ERR_MEMORY; as ht_windkessel_make and `use`. Outlets
 * and drive are to be freed also after a failure. */
ht_status ht_port_lattice_set_up(const ht_solve_setup *setup, ht_outlet_states *outlets,
                                 ht_port_drive *drive, ht_use_lattice_setup use, void *user);

#endif
