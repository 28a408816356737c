/* Phase offset of a measured flow. Private to import/. */
#ifndef HT_PHASE_OFFSET_H
#define HT_PHASE_OFFSET_H

#include "import/flow_correction/flow_corrected.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fits a polynomial of order 1 or 2 over the image to the mean velocity of still tissue, and
 * subtracts it. Does nothing, and leaves done->still 0, where there is too little of it, or too
 * few time points to tell it from blood. `vessel` [nz][ny][nx]: 1 is no still tissue; NULL: not
 * known. */
ht_status ht_flow_subtract_offset(ht_measured_flow *flow, int order, const uint8_t *vessel,
                                  ht_flow_corrected *done);

/* Finds the terms of the polynomial at a voxel: 1, x, y, z, and of order 2 their products (x from
 * -1 to 1 over the grid, y and z alike; without z for a plane). Returns their number, at most 10.
 */
int ht_offset_terms(const ht_grid *grid, int order, const int at[3], double term[10]);

#ifdef __cplusplus
}
#endif
#endif
