/* Numbers of an aneurysm's sac in summary.json and in the short text on the terminal. */
#ifndef HT_SAC_SUMMARY_H
#define HT_SAC_SUMMARY_H

#include "export/sac/sac_flow.h"
#include "run/folder/members.h"
#include <stdio.h>

/* Shape of the sac where the neck's plane moves by a voxel of the scan, into the sac or towards the
 * vessel: there at most to where it still cuts the sac off. */
typedef struct {
  double by_mm; /* 0: it cannot move */
  ht_sac_shape shape;
} ht_sac_moved;

enum { HT_NECK_INTO_SAC = 0, HT_NECK_TO_VESSEL, HT_NECKS };

/* Numbers of the sac. Zeroed: no sac was searched for. */
typedef struct {
  int is_sought, found;
  int by_plane;  /* 1: the case gives the neck's plane */
  int others;    /* further pieces of the wall that stand out of the vessel */
  char why[512]; /* reason why there is none */
  ht_neck_plane neck;
  ht_sac_shape shape;
  ht_sac_moved moved[HT_NECKS];
  ht_sac_parent parent;
  ht_sac_flow flow, phase_flow;
  int has_phase, is_pulsatile; /* phase_flow is known; the load is that of a cycle */
  ht_sac_load load;
} ht_sac_numbers;

/* Members of the object "sac". */
extern const ht_member ht_sac_members[];

/* Prints the lines of the summary; does nothing where no sac was searched for. */
void ht_sac_print(FILE *stream, const ht_sac_numbers *sac);

#endif
