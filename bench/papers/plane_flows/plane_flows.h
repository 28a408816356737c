/* The plane flows that validation.c lists. */
#ifndef HT_PLANE_FLOWS_H
#define HT_PLANE_FLOWS_H

#include "validation/flows/validation_types.h"

ht_status ht_validate_plane_cavity(const ht_validation_options *options,
                                   ht_validation_result *result);
ht_status ht_validate_channel(const ht_validation_options *options, ht_validation_result *result);
ht_status ht_validate_cylinder(const ht_validation_options *options, ht_validation_result *result);

#endif
