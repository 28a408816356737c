/* What a run takes on lattices of several resolutions, and what each of them resolves: for the
 * choice of one before the run. */
#ifndef HT_RUN_OFFERS_H
#define HT_RUN_OFFERS_H

#include "core/formats/json.h"
#include "core/vessel/domain.h"
#include "run/lattice/run_measures.h"

typedef enum {
  HT_OFFER_FINE,   /* every number is as good as the method */
  HT_OFFER_COARSE, /* some numbers are not; `why` says which */
  HT_OFFER_REFUSED /* a run would end before its flow; `why` says why */
} ht_offer_verdict;

typedef struct {
  double nodes_across, spacing_mm;    /* of the widest opening */
  double inlet_across, throat_across; /* nodes across the main inlet, and the narrowest place; 0:
                                         not known */
  double fluid_nodes, steps, seconds; /* seconds 0: not known */
  double
      updates; /* node updates on the lattice's levels over those on one spacing; 1: it has one */
  int is_from_coarse; /* 1: it begins from the flow on a lattice of twice the spacing */
  double longest_s;   /* where its beats do not repeat, or it does not come to rest; 0: not known */
  double bytes;       /* of the machine, all that the run holds at most while the flow
                         is computed; on_gpu: of the GPU, for the lattice */
  int on_gpu;
  ht_collision collision;
  double inlet_cell_reynolds, cell_reynolds,
      cell_reynolds_max; /* the second: of the fastest place */
  ht_offer_verdict verdict;
  char why[400]; /* sentences; "" where it is fine */
} ht_lattice_offer;

enum { HT_OFFERS_MAX = 200 };

typedef struct {
  double inlet_mm, narrow_mm; /* diameters of the main inlet, and of the narrowest place; 0: not
                                 known */
  double auto_across;         /* nodes across that `auto` would take; 0: it would refuse the flow */
  double mask_across;         /* of the mask that was measured */
  int count;
  ht_lattice_offer offer[HT_OFFERS_MAX];
} ht_lattice_offers;

/* Fills the offers for lattices with `least` to `most` nodes across the widest opening, one for
 * each whole number. `domain`: of the vessel's mask; the steps and the collision are those that the
 * run plans with it (solver/plan/lattice_plan.h). *copy_rate as ht_run_expected_time. HT_ERR_CASE,
 * with what is missing: the flow of an inlet is not known; errors of ht_lattice_plans. */
ht_status ht_run_offer_lattices(const ht_run_measures *of, const ht_domain *domain, int least,
                                int most, double *copy_rate, ht_lattice_offers *offers);

/* Prints some of them as a table, one line each, as notes. */
void ht_run_tell_offers(const ht_lattice_offers *offers);

/* Adds them to the current JSON object, with the vessel's measures and the device. */
void ht_run_offers_json(ht_json *json, const ht_run_measures *of, const ht_lattice_offers *offers);

#endif
