/* Published velocities in lid-driven cavities, and how far a computed flow is from them:
 *   the plane cavity at Re 100, 400, 1000, 3200, 5000: Ghia, Ghia & Shin, J. Comput. Phys. 48
 * (1982) 387, the cube with rigid end walls at Re 1000: Albensoeder & Kuhlmann, J. Comput. Phys.
 * 206 (2005) 536. Takes a velocity field on a plane, from any solver. */
#ifndef HT_CAVITY_REFERENCE_H
#define HT_CAVITY_REFERENCE_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_CAVITY_MOST = 1024 }; /* nodes along a side */
typedef enum { HT_CAVITY_PLANE = 0, HT_CAVITY_CUBE } ht_cavity_kind;

/* The flow on the plane of the lid's motion, in the middle of a cube. The lid is at the top (y = 1)
 * and moves along +x. Nodes lie half a spacing off the walls, at (i + 1/2) / n, as half-way
 * bounce-back has it. */
typedef struct {
  int n;                  /* at least 4, at most HT_CAVITY_MOST */
  double lid_speed;       /* in the units of the velocity */
  const double *velocity; /* [n][n][2], x fastest; borrowed */
} ht_cavity_plane;

/* The velocity on a centre line over the lid's, by cubic interpolation between nodes and walls.
 * along_lid: that along the lid at height `at` on x = 1/2; else that across it at x = `at` on y =
 * 1/2. */
double ht_cavity_at(const ht_cavity_plane *plane, int along_lid, double at);

/* The published points of a centre line, in our coordinates, between the walls. */
enum { HT_CAVITY_POINTS = 32 };
typedef struct {
  int count; /* 0: nothing published for this kind and Reynolds number */
  double at[HT_CAVITY_POINTS], value[HT_CAVITY_POINTS];
} ht_cavity_points;

/* Reads the published points. HT_ERR_MEMORY. */
ht_status ht_cavity_published(ht_cavity_kind kind, int reynolds, int along_lid,
                              ht_cavity_points *points);

typedef struct {
  int points;  /* compared; 0: nothing is published, the rest is then NAN */
  double u, v; /* sqrt(sum |computed - published|^2 / sum |published|^2) over the points inside, of
                  the velocity along the lid and across it */
  double most; /* largest difference, over the lid's speed */
  double rms;  /* over the points of both lines, over the lid's speed */
} ht_cavity_error;

/* Compares a plane with the published values. HT_ERR_MEMORY. */
ht_status ht_cavity_compare(const ht_cavity_plane *plane, ht_cavity_kind kind, int reynolds,
                            ht_cavity_error *error);

/* Extremes on the centre lines, over the lid's speed, by the same interpolation. */
typedef struct {
  double u_least, v_most, v_least;
} ht_cavity_extremes;

void ht_cavity_find_extremes(const ht_cavity_plane *plane, ht_cavity_extremes *extremes);

/* The plane cavity at Re 100 and 1000, by a spectral method: Botella & Peyret, Comput. Fluids 27
 * (1998) 421. Ghia's values differ from these by up to 3 %. 0 if there are none. */
int ht_cavity_known_extremes(int reynolds, ht_cavity_extremes *extremes);

/* Distance between two computed flows: sqrt(mean |a - b|^2) of both velocities at 32 places of the
 * centre lines, over the lid's speed. */
double ht_cavity_apart(const ht_cavity_plane *a, const ht_cavity_plane *b);

#ifdef __cplusplus
}
#endif
#endif
