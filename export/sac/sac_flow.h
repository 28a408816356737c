/* The flow into an aneurysm's sac, and the load on its wall, compared with those of the parent
 * vessel.
 *
 * The flow is a field at one moment, or the mean of a beat: of a pulsatile flow the numbers are
 * then those of the mean field, not means of the numbers over the beat.
 *
 * "Near parent": the vessel's fluid or wall outside the sac, no farther from the neck's rim than
 * 10 mm (Cebral et al., AJNR 32 (2011) 145) or the parent's diameter, whichever is more; the rim
 * counts as a circle with the neck's width.
 */
#ifndef HT_SAC_FLOW_H
#define HT_SAC_FLOW_H

#include "core/vessel/flow.h"
#include "export/sac/sac_find.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Spacings across the parent from which on the flow into the sac of the phantom stays within 15 %
 * from lattice to lattice: docs/indices.md. */
#define HT_SAC_NODES_ACROSS 20

/* The largest distance from the neck's centroid that counts as the near parent, mm. */
double ht_sac_near_mm(const ht_sac_shape *shape, const ht_sac_parent *parent);

/* The flow of a sac; an unknown number is NAN. Inflow concentration index and ratio of the viscous
 * dissipations: Mut et al., Int. J. Numer. Meth. Biomed. Eng. 27 (2011) 822 and Cebral et al., AJNR
 * 32 (2011) 145. */
typedef struct {
  double inflow_ml_s;    /* Q_in: mean of inflow and outflow through the neck's plane */
  double neck_imbalance; /* (in - out) / Q_in. At one moment of a pulse: the flow that the lattice's
                            fluid, which is compressible, stores in the sac, V dp/dt / (density c^2)
                            with its speed of sound c (docs/notes/solver/sound.md). In a steady flow
                            or the mean of a beat: the error of sampling the plane */
  double parent_flow_ml_s;     /* Q_v, through the section upstream of the neck */
  double inflow_share;         /* Q_in / Q_v */
  double inflow_area_mm2;      /* A_in, of the neck where blood goes in */
  double inflow_concentration; /* (Q_in / Q_v) / (A_in / A_neck) */
  double turnover_s;           /* volume / Q_in: how long the inflow takes to fill the sac */
  double mean_speed_m_s, highest_speed_m_s; /* in the sac */
  double dissipation_uw; /* viscous dissipation in the sac, 1e-6 W: the sum of 2 mu e:e,
                            e without its trace */
  double dissipation_w_m3, parent_dissipation_w_m3; /* its density, in the sac and near it */
  double dissipation_ratio;                         /* the first over the second */
  double core_length_mm; /* of all vortex cores (vortex_core.h) of at least half the neck's
                            width: Byrne, Mut & Cebral, AJNR 35 (2014) 333 */
  /* Losses between the vessel's sections up- and downstream of the neck, from mean pressure and
   * mean velocity of each, e = p + density/2 v^2: known where their flows differ by less than 10 %.
   */
  double energy_loss_uw;            /* Q_v (e1 - e2), 1e-6 W: Qian et al., AJNR 32 (2011) 1948 */
  double pressure_loss_coefficient; /* (e1 - e2) / (density/2 v1^2): Takao et al., Stroke 43
                                       (2012) 1436 */
} ht_sac_flow;

/* The sac and its vessel; all borrowed. */
typedef struct {
  const ht_sac_mesh *mesh;
  const ht_sac_shape *shape;
  const ht_sac_parent *parent;
  const ht_vessel_path *path; /* the parent's path; NULL: there is none */
  const ht_domain *domain;    /* of the flow: its extensions are no part of the parent */
} ht_sac_place;

/* Measures the flow of a sac. With shear-thinning blood the dissipation is not known: the stress
 * does not tell the viscosity. HT_ERR_MEMORY. */
ht_status ht_sac_flow_of(const ht_sac_place *place, const ht_flow *flow, ht_sac_flow *result);

/* Wall shear stress on the sac, by area; for a pulsatile flow, TAWSS. */
typedef struct {
  double mean_pa, max_pa;
  double parent_mean_pa, parent_deviation_pa; /* of the near parent's wall */
  double normalised_mean, normalised_max; /* over the parent's mean (Xiang et al., Stroke 42 (2011)
                                             144) */
  double low_area_percent; /* below 10 % of the parent's mean: Jou et al., AJNR 29 (2008) 1761 */
  /* Indices of Mut 2011 and Cebral 2011: high is above the parent's mean + 1 standard deviation,
   * low below the mean - 1; F is the stress summed over an area A, a of the whole sac. */
  double shear_concentration; /* (F_high / F_a) / (A_high / A_a); NAN: nothing is high */
  double low_shear_percent;   /* A_low / A_a */
  double low_shear_index;     /* (F_low / F_a) (A_low / A_a) */
  double osi_mean, osi_max;   /* NAN: a steady flow */
  double rrt_mean_per_pa;     /* of points that are not still; NAN: a steady flow */
} ht_sac_load;

/* Values on the wall, [surface->points]; the last two may be NULL. */
typedef struct {
  const float *wss_pa, *osi, *rrt_per_pa;
} ht_sac_values;

void ht_sac_load_of(const ht_surface *surface, const ht_sac_mesh *sac, double near_mm,
                    const ht_sac_values *values, ht_sac_load *load);

#ifdef __cplusplus
}
#endif
#endif
