/* The flows that validation.c lists. Private to validation/. */
#ifndef HT_VALIDATION_FLOWS_H
#define HT_VALIDATION_FLOWS_H

#include "validation/flows/validation_types.h"

ht_status ht_validate_cube_cavity(const ht_validation_options *options,
                                  ht_validation_result *result);
ht_status ht_validate_pipe(const ht_validation_options *options, ht_validation_result *result);
ht_status ht_validate_stenosis(const ht_validation_options *options, ht_validation_result *result);
ht_status ht_validate_fda_nozzle(const ht_validation_options *options,
                                 ht_validation_result *result);
ht_status ht_validate_carreau(const ht_validation_options *options, ht_validation_result *result);
ht_status ht_validate_womersley(const ht_validation_options *options, ht_validation_result *result);
ht_status ht_validate_slow_pipe(const ht_validation_options *options, ht_validation_result *result);
ht_status ht_validate_windkessel(const ht_validation_options *options,
                                 ht_validation_result *result);
ht_status ht_validate_fda_turbulent(const ht_validation_options *options,
                                    ht_validation_result *result);
ht_status ht_validate_jet_slab(const ht_validation_options *options, ht_validation_result *result);
ht_status ht_validate_taylor_green(const ht_validation_options *options,
                                   ht_validation_result *result);
ht_status ht_validate_turbulent_pipe(const ht_validation_options *options,
                                     ht_validation_result *result);

#endif
