/* The network of a vessel: its elements from the fronts between its openings (front_tree.h).
 *
 *   R  friction of a developed flow, 8 pi mu integral ds / A^2 (Poiseuille)
 *   K  in the element of the vessel's throat 1.52 density / 2 (1 / A0 - 1 / A1)^2, the turbulent
 * loss behind a stenosis of the area A0 in a vessel of A1 (Young & Tsai, J. Biomech. 6 (1973) 395;
 *      with 1 in place of 1.52 that of Borda and Carnot's sudden expansion); at an outlet the
 * dynamic pressure, density / 2 / A^2 L  density integral ds / A, at an outlet also of its flow
 * extension, whose inertia stays in what the solver computes
 *
 * A is a front's own area, accurate to a fifth, near an opening that of the opening; A0 that of the
 * throat (throat.h). Junctions lose nothing. An estimate: good enough for a start. */
#ifndef HT_VESSEL_NETWORK_H
#define HT_VESSEL_NETWORK_H

#include "core/vessel/volume.h"
#include "run/network/network.h"
#include "segment/openings/throat.h"

typedef struct {
  double density_kg_m3, viscosity_pa_s;
} ht_network_blood;

/* Makes the network of an isotropic mask with placed openings, of which a further inlet has the
 * share of its flow; without Windkessels. extension_diameters [openings->count]: lengths of the
 * flow extensions. outlet [openings->count]: the element of each outlet; -1: none. Where an opening
 * is not reached from the main inlet, or they are too many, the network has no elements.
 * HT_ERR_MEMORY. */
ht_status ht_vessel_network_make(const ht_mask *mask, const ht_openings *openings,
                                 const ht_throat *throat, const double *extension_diameters,
                                 const ht_network_blood *blood, ht_network *network, int *outlet);

#endif
