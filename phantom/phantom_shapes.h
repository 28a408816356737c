/* Shapes of the phantoms, in LPS mm. Tables of control points become densely sampled tubes; voxels
 * play no part here. */
#ifndef HT_PHANTOM_SHAPES_H
#define HT_PHANTOM_SHAPES_H

#include "core/vessel/openings.h"
#include "phantom/phantom_types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_TUBE_POINTS_MAX = 640, HT_TUBE_CHUNK = 16, HT_SHAPE_TUBES_MAX = 5, HT_MERIDIAN_MAX = 8 };

/* End of a tube, where it leaves the scan. name NULL: the end lies inside another tube. */
typedef struct {
  const char *name;
  ht_role role;
  double flow_ml_s;
} ht_tube_end;

/* Precomputed values for the distance to the balls along one segment of a tube. */
typedef struct {
  double axis[3], length_mm;     /* unit vector from the segment's first point to its second */
  double taper, cosine;          /* rise of the radius along the axis, t, and sqrt(1 - t^2) */
  double middle_mm[3], reach_mm; /* a ball around the segment and its thickness */
} ht_tube_segment;

/* Union of all balls along a curve: the curve is a finely sampled polyline. */
typedef struct {
  int points;
  double point[HT_TUBE_POINTS_MAX][4];         /* x, y, z, radius */
  ht_tube_segment segment[HT_TUBE_POINTS_MAX]; /* from point i to the next; points - 1 of them */
  /* centre and radius of a ball around HT_TUBE_CHUNK segments and their thickness */
  double bound[HT_TUBE_POINTS_MAX / HT_TUBE_CHUNK + 1][4];
  double blend_mm; /* width of the fillet at the joint with the tubes before it */
  ht_tube_end end[2];
} ht_tube;

typedef struct {
  int tubes;
  ht_tube tube[HT_SHAPE_TUBES_MAX]; /* the vessel: tube 0 is the parent */
  /* A body of revolution about the z axis in place of tube 0, which is then its axis only, for the
   * openings: corners of the wall (z, radius), z rising; the same z twice is a step. 0: none. */
  int meridian_points;
  double meridian[HT_MERIDIAN_MAX][2];
  double far_mm; /* distance from tube 0 beyond which a lower bound will do; 0: always exact */
  double sac[4]; /* ball of the aneurysm; radius 0: none */
  double sac_blend_mm;
  int has_vein; /* a dimmer tube that stays clear of the vessel */
  ht_tube vein;
  double bone_mm[3], bone_radii_mm[3]; /* ellipsoid; radii 0: none */
  double box_mm[3];                    /* sides of the scan, centred at 0 */
  double spacing_mm, noise, tilt_degrees;
  double tilt_max_degrees; /* largest tilt: beyond it a vessel would leave the scan over an edge */
  double tissue, vein_value, bone_value, blood; /* HU */
  int blobs;                                    /* of soft tissue and fat in the background */
  double pipe_radius_mm;                        /* pipes only; else 0 */
  double smallest_radius_mm;                    /* of the tubes */
  double density_kg_m3, viscosity_pa_s;         /* of the blood that its flow is meant for */
  ht_narrowing narrowing;                       /* throat_diameter_mm 0: none with a truth */
} ht_shape;

/* ---- the kinds (phantom_kinds.c) ---- */

/* Name of a kind: "aneurysm", ...; NULL past the last. */
const char *ht_shape_name(int kind);

/* Returns the shape of a kind with its own sizes and flow; made on the first call, shared, never
 * freed. Safe from any thread. */
const ht_shape *ht_shape_of(ht_phantom_kind kind);

/* Fills in the kind's own values of the options that change its shape and its flow; NAN and 0 where
 * it has none. */
void ht_shape_defaults(ht_phantom_kind kind, ht_phantom_options *options);

/* Makes the shape that the options describe. HT_ERR_USAGE: an option that the kind does not take or
 * that is out of range; HT_ERR_MEMORY. The caller frees it with free(). */
ht_status ht_shape_make(const ht_phantom_options *options, ht_shape **shape);

/* ---- geometry (phantom_shapes.c) ---- */

/* Makes a turn by some degrees about an axis (unit): `direction` of a grid (Rodrigues). */
void ht_turn(const double axis[3], double degrees, double direction[3][3]);

/* Bump of a narrowing: 1 in its middle, a cosine to 0 at `half` from there. */
double ht_narrowing_bump(double from_middle, double half);

/* Makes the tube along a spline through control points (x, y, z, radius), sampled every
 * `step_mm`. */
void ht_tube_spline(ht_tube *tube, const double control[][4], int count, double step_mm);

/* Multiplies all lengths of the tube. */
void ht_tube_scale(ht_tube *tube, double by);

/* Signed distance (mm, negative inside) to the vessel; `gradient` (may be NULL) is its unit
 * gradient, pointing out of the vessel. Exact for one tube; to first order where two are blended,
 * so exact on the surface itself. Beyond far_mm of the shape a lower bound, without a gradient. */
double ht_shape_distance(const ht_shape *shape, const double position_mm[3], double gradient[3]);

/* Signed distance to one tube. Where the tube is certainly farther than `limit_mm`, returns any
 * lower bound above the limit and leaves the gradient alone. */
double ht_tube_distance(const ht_tube *tube, const double position_mm[3], double limit_mm,
                        double gradient[3]);

/* Distance to the bone's ellipsoid, to first order; 1e9 without one. */
double ht_bone_distance(const ht_shape *shape, const double position_mm[3]);

#ifdef __cplusplus
}
#endif
#endif
