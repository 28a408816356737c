#include "domain.h"
#include <stdlib.h>
#include <string.h>

void ht_domain_free(ht_domain *domain) {
  if (!domain) return;
  ht_mask_free(&domain->mask);
  free(domain->wall_distance);
  for (int p = 0; p < HT_OPENINGS_MAX; p++) free(domain->port[p].node);
  memset(domain, 0, sizeof *domain);
}
