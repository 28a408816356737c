#include "core/version.h"
#include "commit.h" /* written by the build */

const char *ht_version(void) {
  return HT_VERSION;
}

const char *ht_commit(void) {
  return HT_COMMIT;
}
