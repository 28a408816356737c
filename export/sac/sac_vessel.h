/* The vessel that is searched for a sac. */
#ifndef HT_SAC_VESSEL_H
#define HT_SAC_VESSEL_H

#include "core/vessel/openings.h"
#include "core/vessel/vessel_path.h"
#include "export/sac/sac.h"

/* The vessel's wall, paths and openings, all borrowed. */
typedef struct {
  const ht_surface *surface;
  const ht_surface_links *links;
  const ht_vessel_path *path; /* [paths] the ways from the inlet to the outlets */
  int paths;
  const ht_openings *openings; /* those closed as wall too; may be NULL */
  double spacing_mm;           /* of the lattice */
} ht_sac_vessel;

#endif
