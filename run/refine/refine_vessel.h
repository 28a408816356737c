/* The sections of a vessel before its flow, and the cells that belong to each: what the rules for a
 * coarser lattice are applied to (refine_rules.h).
 *
 * Sections are the fronts between two distances from the main inlet (front_tree.h), of cells of
 * HT_REFINE_CELL voxels along each axis: where a lattice may be coarser, the vessel is many voxels
 * wide. A dead end is at least as wide as the section that it hangs on, so that a bump of the wall
 * is none. */
#ifndef HT_REFINE_VESSEL_H
#define HT_REFINE_VESSEL_H

#include "core/vessel/domain.h"
#include "run/refine/refine_rules.h"
#include "segment/openings/throat.h"

enum { HT_REFINE_CELL = 2 };

/* Throat diameters before a throat that belong to it. */
enum { HT_REFINE_BEFORE = 1 };

/* A flow that is planned: mean flows and the throat's, and the peak over the mean. All are
 * borrowed. */
typedef struct {
  const ht_openings *openings; /* of the vessel, with roles, and flows of the inlets */
  const double *outflow_ml_s;  /* [openings->count] of the outlets */
  const ht_throat *throat;
  double peak_of_mean;
  double jet_diameters;  /* reach of a jet, in diameters of its throat (ht_refine_jet_mm) */
  double kinematic_m2_s; /* of the blood */
} ht_refine_flow;

typedef struct {
  ht_mask cells;   /* HT_SOLID, HT_VESSEL or HT_EXTENSION, by most of a cell's voxels. Owned */
  uint16_t *depth; /* [cells] from the wall, thirds of a cell. Owned, as the next two */
  int32_t *of;     /* [cells] section of a vessel's cell; -1: none */
  ht_refine_section *section; /* [sections] */
  int sections;
  ht_refine_end end[HT_OPENINGS_MAX]; /* [ends] the domain's ports */
  int ends;
} ht_refine_vessel;

/* Finds the sections of a domain. No sections: there is no inlet or no flow. HT_ERR_MEMORY. The
 * caller frees, also after a failure. */
ht_status ht_refine_vessel_make(const ht_domain *domain, const ht_refine_flow *flow,
                                ht_refine_vessel *vessel);
void ht_refine_vessel_free(ht_refine_vessel *vessel);

/* Returns the distance from the wall of the middle of a cell, mm. */
double ht_refine_depth_mm(const ht_refine_vessel *vessel, int64_t cell);

/* What levels take, over one spacing. */
typedef struct {
  double updates, nodes;
} ht_refine_cost;

/* Returns the cost of levels by these rules, 1 where they do not pay: an estimate by the sections
 * alone, for lattices that are not made. */
ht_refine_cost ht_refine_cost_at(const ht_refine_vessel *vessel, const ht_refine_rules *rules);

#endif
