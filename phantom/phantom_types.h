/* Kinds of phantoms, and a phantom with its truth. */
#ifndef HT_PHANTOM_TYPES_H
#define HT_PHANTOM_TYPES_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

typedef enum {
  HT_PHANTOM_ANEURYSM, /* saccular aneurysm on a curved artery (3D rotational angiography like) */
  HT_PHANTOM_COARCTATION,  /* aortic arch with coarctation and three branches (CT angiography like)
                            */
  HT_PHANTOM_PIPE,         /* straight pipe along z; Poiseuille */
  HT_PHANTOM_PIPE_OBLIQUE, /* the same pipe, at an angle to every axis */
  HT_PHANTOM_FDA_NOZZLE,   /* the FDA's benchmark nozzle along z, sudden expansion at z = 0 */
  HT_PHANTOM_STENOSIS,     /* straight pipe along z with a cosine narrowing, also off its axis */
  HT_PHANTOM_KINDS
} ht_phantom_kind;

/* Narrowing of a vessel. The severity in per cent of the area: 100 (1 - (throat / reference)^2) of
 * the diameters. */
typedef struct {
  double severity_area_percent, severity_diameter_percent;
  double reference_diameter_mm; /* of the vessel that the severity refers to: coarctation: the
                                   descending aorta at the diaphragm; else before the narrowing */
  double throat_diameter_mm;    /* 0: no narrowing */
  double throat_centre_mm[3];   /* LPS */
  double eccentricity_percent;  /* distance of the throat's centre from the vessel's axis, of the
                                   reference diameter */
  /* Throat at the mean flow; 0 where branches before it take a part of the flow: */
  double throat_velocity_m_s, throat_reynolds;
} ht_narrowing;

typedef struct {
  ht_phantom_kind kind;
  uint64_t seed;     /* of noise and background */
  double spacing_mm; /* in-plane spacing of the scan; 0: the kind's own; slices are 1.25 times as
                        thick */
  double noise; /* standard deviation as a fraction of the vessel's contrast; < 0: the kind's own */
  double tilt_degrees; /* obliqueness of the slices to the body's axes; NaN: the kind's own */
  /* Options of the vessel and its flow; kinds without such a thing refuse it. */
  double severity_percent; /* of a narrowing, of the area: see ht_narrowing; NaN: the kind's own */
  double eccentricity_percent; /* see ht_narrowing; NaN: the kind's own */
  int is_child;                /* 1: the coarctation of a child: every length 10.9 / 20 times */
  double flow_ml_s;            /* mean flow of the inlet; 0: the kind's own */
  double reynolds; /* instead of the flow: Reynolds number of the nozzle's throat, of the pipe
                      before a stenosis;
                                            0: not given */
} ht_phantom_options;

typedef struct {
  ht_volume scan; /* partial volume, blur, noise, background tissue */
  ht_mask truth;  /* voxels of the scan's grid whose centre is in the vessel */
  /* True centre, direction, radius and roles, with the flow of the ready case. */
  ht_openings openings;
  ht_volume distance; /* signed, to the true surface: mm, negative inside; on the scan's grid */
  double pipe_radius_mm, pipe_length_mm; /* pipes only; else 0 */
  ht_narrowing narrowing;
  double density_kg_m3, viscosity_pa_s; /* of the blood that the flow is meant for */
} ht_phantom;

#endif
