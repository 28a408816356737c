/* A step of the correction of a mask as a line of JSON:
 *
 *   {"step": "paint", "places_mm": [[27.1, -14.8, -38]], "radius_mm": 1.5, "direction": [0, 0, 1]}
 *
 * Places are rounded to a micrometre, other numbers to 1e-6, so that a step means the same before
 * it is written and after. */
#ifndef HT_STEP_TEXT_H
#define HT_STEP_TEXT_H

#include "segment/edit/edit_step.h"
#include <libfyaml.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a step of one line and checks it. HT_ERR_USAGE: the message names the key. The caller frees
 * with ht_edit_step_free. */
ht_status ht_edit_step_parse(const char *text, size_t length, ht_edit_step *step);

/* Reads a step of a mapping. Errors as above. */
ht_status ht_edit_step_take(struct fy_node *mapping, ht_edit_step *step);

/* Writes the line, without its end. */
void ht_edit_step_write(const ht_edit_step *step, FILE *stream);

#endif
