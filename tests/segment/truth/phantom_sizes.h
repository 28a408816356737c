/* Constants and functions that the phantoms' tests share; include it after cmocka.h. */
#ifndef HT_PHANTOM_SIZES_H
#define HT_PHANTOM_SIZES_H

#include "phantom/phantom.h"

/* The vessel that `across` counts: the pipes', the aneurysm's parent, the descending aorta (mm). */
static const double diameter_mm[] = {[HT_PHANTOM_ANEURYSM] = 3.8,
                                     [HT_PHANTOM_COARCTATION] = 18,
                                     [HT_PHANTOM_PIPE] = 4,
                                     [HT_PHANTOM_PIPE_OBLIQUE] = 4};
static const char *const kind_words[] = {"aneurysm", "coarctation", "pipe", "pipe-oblique"};

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

#endif
