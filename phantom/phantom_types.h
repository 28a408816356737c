/* The kinds of phantoms, and a phantom with its truth. */
#ifndef HT_PHANTOM_TYPES_H
#define HT_PHANTOM_TYPES_H

#include "openings.h"
#include "volume.h"

typedef enum {
  HT_PHANTOM_ANEURYSM, /* saccular aneurysm on a curved artery (3D rotational angiography like) */
  HT_PHANTOM_COARCTATION,  /* aortic arch with coarctation and three branches (CT angiography like)
                            */
  HT_PHANTOM_PIPE,         /* straight pipe along z; Poiseuille */
  HT_PHANTOM_PIPE_OBLIQUE, /* the same pipe, at an angle to every axis */
} ht_phantom_kind;

typedef struct {
  ht_phantom_kind kind;
  uint64_t seed;     /* of noise and background */
  double spacing_mm; /* in-plane spacing of the scan; 0: the kind's own; slices are 1.25 times as
                        thick */
  double noise; /* standard deviation as a fraction of the vessel's contrast; < 0: the kind's own */
  double tilt_degrees; /* obliqueness of the slices to the body's axes; NaN: the kind's own */
} ht_phantom_options;

typedef struct {
  ht_volume scan; /* partial volume, blur, noise, background tissue */
  ht_mask truth;  /* voxels of the scan's grid whose centre is in the vessel */
  /* True: centre, direction, radius, roles, with the flow of the ready case. */
  ht_openings openings;
  ht_volume distance; /* signed, to the true surface: mm, negative inside; on the scan's grid */
  double pipe_radius_mm, pipe_length_mm; /* pipes only; else 0 */
} ht_phantom;

#endif
