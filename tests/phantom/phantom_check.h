/* Assertions of the phantoms' tests. Include after cmocka.h. */
#ifndef HT_PHANTOM_CHECK_H
#define HT_PHANTOM_CHECK_H

#include "phantom/phantom.h"
#include <math.h>
#include <string.h>

/* ht_phantom_make refuses these options with a message that has `word`, and leaves nothing. */
static inline void assert_refused(const ht_phantom_options *options, const char *word) {
  ht_phantom phantom;
  memset(&phantom, 0xff, sizeof phantom);
  assert_int_equal(ht_phantom_make(options, NULL, &phantom), HT_ERR_USAGE);
  if (!strstr(ht_error_message(), word)) fail_msg("'%s' lacks '%s'", ht_error_message(), word);
  assert_null(phantom.scan.values);
  ht_phantom_free(&phantom);
}

#endif
