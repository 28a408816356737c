#include "import/flow_correction/flow_corrected.h"
#include <stdlib.h>
#include <string.h>

void ht_flow_corrected_free(ht_flow_corrected *done) {
  if (!done) return;
  free(done->noise);
  memset(done, 0, sizeof *done);
}
