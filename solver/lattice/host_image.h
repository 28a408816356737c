/* The values of a lattice, or of a rank's part, on the host: the fields of nodes are read from
 * them, and new values are made in them. Private to solver/.
 *
 * The state of a backend that stores values itself (CPU, CUDA) begins with its image. The
 * functions below take that state, so such a backend uses them as its own slots. What differs is in
 * ht_value_access. With interpolated walls a rank's part needs the other ranks: the mass that walls
 * have added in tiles at its border and, to undo walls, the values there. Then all ranks call each
 * function, in the same order; if one has no memory for it, all fail. */
#ifndef HT_HOST_IMAGE_H
#define HT_HOST_IMAGE_H

#include "solver/lattice/marked_nodes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moves stored values between the device and the host. HT_ERR_DEVICE, HT_ERR_MEMORY. */
typedef struct {
  /* Copies the distribution functions to the host, [tiles][directions][64], float, or double in
   * fp64. Values of solid nodes are 0. Walls are not interpolated yet. */
  ht_status (*download)(void *state, void *values);
  /* Replaces the distribution functions; clears what diagonal.h has of the steps before. */
  ht_status (*upload)(void *state, const void *values);
  /* Copies the slip of every wall link, as used in the last step: [wall_links]. */
  ht_status (*download_slip)(void *state, double *slip);
  /* (optional) Prepares the reading of image->marked.of. */
  ht_status (*mark)(void *state, const ht_marked_values *marked);
  /* Reads the values, then the slips, of image->marked.of: [values + links]. */
  ht_status (*read_marked)(void *state, double *values);
} ht_value_access;

typedef struct {
  const ht_lattice_tables *tables; /* borrowed */
  const ht_value_access *access;
  int finds_fields; /* 1: the device finds the fields; the copy here is freed after new values */
  void *values;     /* [tiles][directions][64], walls applied; NULL: none */
  double *slip;     /* [wall_links] */
  double *given;    /* [wall_tiles] mass that their links added */
  int64_t step;     /* of the values; -1: of none */
  ht_marked_nodes marked;
  /* (of a rank's part, else NULL) Sends what others read of [values] or [given], and receives what
   * this part reads of theirs; [given] also as the numbers of 8 bytes that a device has. */
  void (*exchange)(void *user, ht_cross_kind kind, void *values);
  void *user;
} ht_host_image;

/* Sets an image without values. */
void ht_host_image_begin(const ht_lattice_tables *tables, const ht_value_access *access,
                         ht_host_image *image);

/* Frees the values; ht_host_image_end(): all. */
void ht_host_image_drop(void *state);
void ht_host_image_end(ht_host_image *image);

/* Brings the present values to the image, unless it has those of `step` (-1: in any case). */
ht_status ht_host_image_fetch(void *state, int64_t step);

/* Slots of ht_backend: brings the present values and shows the wanted tiles; replaces the values;
 * chooses nodes, and reads them. */
ht_status ht_host_image_visit(void *state, int64_t step, const double *coefficient,
                              const ht_visitor *visitor);
ht_status ht_host_image_fill(void *state, int64_t step, const ht_filler *filler);
ht_status ht_host_image_mark(void *state, int64_t count, const int64_t *node);
ht_status ht_host_image_read_marked(void *state, const double *coefficient,
                                    ht_lattice_fields *fields);

#ifdef __cplusplus
}
#endif
#endif
