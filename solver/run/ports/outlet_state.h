/* The state of the outlets whose pressure is prescribed. Private to solver/. */
#ifndef HT_OUTLET_STATE_H
#define HT_OUTLET_STATE_H

#include "core/vessel/domain.h"
#include "solver/inflow/outlets.h"

/* Sums for the fit of an outlet's loss (outlet_loss.h): the moments' number, and their sums of
 * flow, flow |flow| and the loss, of flow^2, flow^2 |flow|, flow^4, and of the loss times flow and
 * times flow |flow|; the largest |flow|. With the rate of the inflow: of rate^2, flow and loss
 * times rate. */
typedef struct {
  double moments, flow, steep, plain, flow2, mixed, flow4, loss, loss_steep, most_m3_s;
  double rate2, flow_rate, loss_rate;
} ht_loss_sums;

/* One outlet with a Windkessel or a given pressure. A struct without pointers: a checkpoint has its
 * bytes. */
typedef struct {
  int is_plain; /* 1: a given pressure in place of the Windkessel */
  ht_windkessel model;
  double flow_m3_s;      /* out of the vessel, filtered, for the proximal resistance */
  double lag_s;          /* of the filter */
  double pressure_pa;    /* at the vessel's end */
  double loss[2];        /* from the vessel's end to the port: Pa s/m3, Pa s2/m6 */
  double offset_pa;      /* part of the loss that does not depend on the flow */
  double offset_now_pa;  /* part of offset_pa taken over so far */
  double loss_coarse;    /* loss[0] on the coarse lattice; 0: there was none */
  double loss_flow_m3_s; /* flow at which the loss is taken, filtered */
  double loss_most_m3_s; /* largest flow of the fit */
  double port_pa;        /* prescribed over the face: the pressure less the loss */
  double head_pa;        /* mean head of the blood that comes in over the face (port_drive.c) */
  ht_loss_sums sums;
} ht_outlet_state;

/* All outlets of a run. Zeroed: none. */
typedef struct {
  int ports;                            /* of the domain */
  ht_outlet_state *of[HT_OPENINGS_MAX]; /* NULL: the port's velocity is prescribed. Owned */
  int has_sponge;                       /* 1: each has a sponge before it (sponge.h) */
  int64_t interval;                     /* steps from one update of the pressures to the next */
  int64_t step;                         /* of the latest update */
} ht_outlet_states;

#endif
