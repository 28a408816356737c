/* Openings: where blood enters and leaves the vessel. Found by segment/ or given in the case file.
 */
#ifndef HT_OPENINGS_H
#define HT_OPENINGS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* HT_OPENING_STEEPEST_DEGREES: the largest angle between a vessel's direction and an opening's
 * normal. HT_OPENING_FEWEST_NODES: nodes of the smallest section that blood can pass on a lattice,
 * 2 x 2. */
enum {
  HT_OPENINGS_MAX = 64,
  HT_NAME_MAX = 64,
  HT_OPENING_STEEPEST_DEGREES = 78,
  HT_OPENING_FEWEST_NODES = 4
};

typedef enum {
  HT_ROLE_NONE = 0, /* not decided yet */
  HT_ROLE_INLET,    /* velocity prescribed (flow_ml_s) */
  HT_ROLE_OUTLET,   /* pressure prescribed (pressure_pa) */
  HT_ROLE_WALL,     /* closed: treated as wall */
} ht_role;

typedef struct {
  char name[HT_NAME_MAX]; /* "inlet", "outlet-1"; unique in the list */
  ht_role role;
  double centre_mm[3];    /* LPS; centroid of the section on the cut plane */
  double normal[3];       /* LPS unit vector of the cut plane, pointing out of the vessel */
  double direction[3];    /* LPS unit vector along the vessel, pointing out; equals normal where the
                             plane lies across the vessel, oblique to it at a border and at a plane
                             that is turned against the vessel */
  double measured_off_mm; /* distance beyond the centre, along the normal, of the plane on which the
                             pressure is measured: the end of the scan or the plane of the case,
                             where the lattice has the section up to a spacing away. 0 as a rule */
  double area_mm2;  /* area of the section across the vessel (ht_opening_plane_mm2: on the plane) */
  double radius_mm; /* of the circle with that area: sqrt(area / pi) */
  double even_mm2;  /* inlet: area across the vessel where it is even, one to six diameters inside
                       the opening (even_section.h); 0: not measured */
  int at_border;    /* 1: the image or region ends here; 0: a plane placed inside the mask */
  double flow_ml_s; /* inlet: volume flow into the vessel; 0 until set */
  double pressure_pa;   /* outlet: gauge pressure; with a Windkessel the pressure beyond it */
  double flow_fraction; /* outlet: share of the flow out, where shares are given; 0: not given */
  double windkessel[3]; /* outlet: proximal resistance in Pa s/m3, compliance in m3/Pa, distal
                           resistance in Pa s/m3; all 0: not given */
  double windkessel_start_pa; /* pressure in its compliance at the start; 0: as at the mean flow */
  double cut_off; /* at a border: share of the section that lies on other faces of the grid, where
                     a vessel leaves over an edge; that part is closed. 0 as a rule */
} ht_opening;

typedef struct {
  int count;
  ht_opening item[HT_OPENINGS_MAX];
} ht_openings;

/* Returns the area of the section on the cut plane, which is larger than the one across the vessel
 * where the plane is turned against it: area / |normal . direction|. */
double ht_opening_plane_mm2(const ht_opening *opening);

/* Returns the angle between the cut plane's normal and the vessel, 0 to 90. */
double ht_opening_turn_degrees(const ht_opening *opening);

/* Returns the length along the vessel that the cut plane reaches to either side of its centre:
 * radius * tan(turn). 0 where normal and direction are not set. */
double ht_opening_overhang_mm(const ht_opening *opening);

/* Returns the distance of a place (LPS, mm) from the line through the centre along the vessel, or
 * along the normal where the direction is not set. */
double ht_opening_side_mm(const ht_opening *opening, const double place_mm[3]);

/* Sets area and radius by the area of the section on the cut plane, its normal and the direction.
 */
void ht_opening_set_plane_mm2(ht_opening *opening, double plane_mm2);

/* Inserts a copy, largest area first; of equal ones the earlier stays first. 0: the list is
 * full. */
int ht_openings_insert(ht_openings *openings, const ht_opening *opening);

/* Returns the opening of that name; NULL: there is none. */
const ht_opening *ht_openings_named(const ht_openings *openings, const char *name);

/* Returns 1 where the flow of an inlet makes it the main inlet in place of another. Of flows that
 * are equal to 1 % the first stays: which one is larger on a lattice or a mask is chance. */
static inline int ht_is_larger_inflow(double flow, double other) {
  return flow > 1.01 * other;
}

/* Returns the main inlet: that of the largest mean flow (ht_is_larger_inflow); where none has a
 * flow yet, the first. NULL: there is no inlet. */
const ht_opening *ht_openings_main_inlet(const ht_openings *openings);

/* Returns "inlet", "outlet", "wall" or "none". */
const char *ht_role_name(ht_role role);
extern const char *const ht_role_words[];

#ifdef __cplusplus
}
#endif
#endif
