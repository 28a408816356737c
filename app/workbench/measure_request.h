/* A request of the page to measure. */
#ifndef HT_MEASURE_REQUEST_H
#define HT_MEASURE_REQUEST_H

#include "app/measure/place.h"

typedef struct {
  ht_measure_place place; /* text NULL: none. Owned */
  char name[HT_NAME_MAX]; /* "": the measurement is not kept */
} ht_measure_request;

/* Reads {"plane": [x, y, z] or [x, y, z, nx, ny, nz], "station": mm, "balls": [x, y, z, r, x, ...],
 * "region": "sac", "wall" or "branch:NAME", "name": text}, at most one place; LPS, mm.
 * HT_ERR_USAGE: the text is no such object; HT_ERR_MEMORY. Free it also after a failure. */
ht_status ht_measure_request_read(const char *text, size_t length, ht_measure_request *request);
void ht_measure_request_free(ht_measure_request *request);

/* Returns HT_ERR_USAGE where the request has no place. */
ht_status ht_measure_request_has_place(const ht_measure_request *request);

#endif
