#include "backend.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

double ht_inflow_share(int64_t step, int64_t ramp_steps) {
  if (step >= ramp_steps) return 1;
  return 0.5 * (1 - cos(HT_PI * (double)(step + 1) / (double)ramp_steps));
}

void ht_drive_fill(const ht_lattice_tables *tables, int64_t step, double *coefficient) {
  coefficient[0] = ht_inflow_share(step, tables->ramp_steps);
  if (tables->columns > 1) tables->drive(tables->drive_user, step, coefficient + 1);
}

static int compare_node(const void *wanted, const void *port) {
  int64_t x = *(const int64_t *)wanted, y = ((const ht_port_node *)port)->node;
  return (x > y) - (x < y);
}

int64_t ht_find_port_node(const ht_lattice_tables *tables, int64_t node) {
  const ht_port_node *found = tables->port_nodes == 0
                                  ? NULL
                                  : bsearch(&node, tables->port_node, (size_t)tables->port_nodes,
                                            sizeof *found, compare_node);
  return found ? found - tables->port_node : -1;
}
