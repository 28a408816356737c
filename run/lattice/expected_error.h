/* Errors that were measured on lattices of so many nodes across the narrowest place (the widest
 * opening, where there is no narrowing): what a coarser lattice costs. They are of one vessel each,
 * examples and no bounds: other vessels differ. Between two measured lattices the error is that of
 * the coarser one; of fewer nodes than were measured it is not known. The measurements:
 * docs/validation.md#what-a-coarser-lattice-costs. */
#ifndef HT_EXPECTED_ERROR_H
#define HT_EXPECTED_ERROR_H

/* Kinds of a flow: laminar, without and with a narrowing; with a jet, which runs with cumulants. */
typedef enum { HT_FLOW_EVEN, HT_FLOW_NARROW, HT_FLOW_JET, HT_FLOW_KINDS } ht_flow_kind;

typedef struct {
  double percent;     /* 0: not known */
  const char *source; /* what was measured, a constant; NULL: not known */
} ht_expected_error;

/* Returns the error of the pressure drop. */
ht_expected_error ht_expected_drop_error(ht_flow_kind kind, double nodes_across);

/* Returns the error of the wall shear stress where it is high. */
ht_expected_error ht_expected_wss_error(ht_flow_kind kind, double nodes_across);

#endif
