#include "solver/samples/opening_nodes.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the pressures at the openings";

/* ---- where ---- */

/* Returns the reach of an opening's section from the vessel's axis. */
static double reach_mm(const ht_opening *opening, double dx_mm) {
  return 1.5 * opening->radius_mm + dx_mm;
}

/* Weight of a node in the mean over the section: falls to 0 a voxel off the plane on either side,
 * so that the mean is that on the plane wherever it lies between the nodes. 0: it is not in the
 * section. */
static double weight_of(const ht_opening *opening, const double position_mm[3], double dx_mm) {
  double off[3];
  for (int a = 0; a < 3; a++) off[a] = position_mm[a] - opening->centre_mm[a];
  double out = ht_dot(off, opening->normal) - opening->measured_off_mm,
         along = ht_dot(off, opening->direction);
  double away2 = ht_dot(off, off) - along * along, reach = reach_mm(opening, dx_mm);
  return away2 <= reach * reach ? fmax(0, 1 - fabs(out) / dx_mm) : 0;
}

/* The voxels of a box around an opening's section, in which weight_of() can be above 0: from
 * least[] up to below most[]. */
static void box_of_section(const ht_grid *grid, const ht_opening *opening, int least[3],
                           int most[3]) {
  double middle[3], dx_mm = grid->spacing_mm[0];
  double farthest = (reach_mm(opening, dx_mm) + fabs(opening->measured_off_mm) + dx_mm) /
                    fabs(ht_dot(opening->normal, opening->direction));
  ht_grid_index(grid, opening->centre_mm, middle);
  for (int a = 0; a < 3; a++) {
    double reach = farthest / grid->spacing_mm[a] + 1;
    least[a] = (int)fmax(0, floor(middle[a] - reach));
    most[a] = (int)fmin(grid->dim[a], ceil(middle[a] + reach) + 1);
  }
}

/* Returns the number of nodes in an opening's section; `to` NULL: only counts them. Nodes of
 * another opening's extension lie beyond its plane, and are not near this one's. */
static int64_t list_section(const ht_opening *opening, const ht_flow *flow, int64_t *to,
                            double *weight) {
  const ht_grid *grid = &flow->grid;
  double position_mm[3];
  int64_t count = 0;
  int least[3], most[3], at[3];
  box_of_section(grid, opening, least, most);
  for (at[2] = least[2]; at[2] < most[2]; at[2]++)
    for (at[1] = least[1]; at[1] < most[1]; at[1]++)
      for (at[0] = least[0]; at[0] < most[0]; at[0]++) {
        int64_t v = ht_voxel_index(grid->dim, at), node = ht_flow_node(flow, v);
        if (node < 0) continue;
        ht_grid_voxel_position(grid, v, position_mm);
        double share = weight_of(opening, position_mm, grid->spacing_mm[0]);
        if (!(share > 0)) continue;
        if (to) to[count] = node, weight[count] = share;
        count++;
      }
  return count;
}

ht_status ht_opening_nodes_find(const ht_domain *domain, const ht_flow *flow,
                                ht_opening_nodes *openings) {
  int64_t count = 0;
  *openings = (ht_opening_nodes){.ports = domain->ports};
  for (int p = 0; p < domain->ports; p++) {
    const ht_port *port = &domain->port[p];
    openings->section[p] = openings->port[p] = count;
    if (port->nodes > 0) openings->port[p] += list_section(&port->opening, flow, NULL, NULL);
    count = openings->port[p] + domain->port[p].nodes;
  }
  openings->nodes = count;
  HT_TRY(ht_alloc((void **)&openings->node, (size_t)count + 1, sizeof *openings->node, what));
  HT_TRY(ht_alloc((void **)&openings->weight, (size_t)count + 1, sizeof(double), what));
  HT_TRY(ht_alloc((void **)&openings->pressure_pa, (size_t)count + 1, sizeof(float), what));
  for (int p = 0; p < domain->ports; p++) {
    const ht_port *port = &domain->port[p];
    if (port->nodes == 0) continue;
    list_section(&port->opening, flow, openings->node + openings->section[p],
                 openings->weight + openings->section[p]);
    for (int64_t i = 0; i < port->nodes; i++) {
      openings->node[openings->port[p] + i] = ht_flow_node(flow, port->node[i]);
      openings->weight[openings->port[p] + i] = 1;
    }
  }
  return HT_OK;
}

void ht_opening_nodes_free(ht_opening_nodes *openings) {
  free(openings->node);
  free(openings->weight);
  free(openings->pressure_pa);
  memset(openings, 0, sizeof *openings);
}

/* ---- pressures ---- */

/* tile * 64 + local of a number in the flow; `first`: the number of each tile's first node. */
static int64_t place_of(const ht_tiling *tiling, const int64_t *first, int64_t number) {
  int64_t low = 0, high = tiling->tiles;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    if (first[middle] <= number)
      low = middle;
    else
      high = middle;
  }
  uint64_t left = tiling->inside[low];
  for (int64_t skip = number - first[low]; skip > 0; skip--) left &= left - 1;
  return HT_TILE_NODES * low + __builtin_ctzll(left);
}

ht_status ht_opening_nodes_mark(const ht_tiling *tiling, ht_lattice *lattice,
                                ht_opening_nodes *openings) {
  int64_t *first = NULL, *node = NULL;
  HT_TRY(ht_tiling_first_nodes(tiling, &first));
  ht_status status = ht_alloc((void **)&node, (size_t)openings->nodes + 1, sizeof *node, what);
  for (int64_t i = 0; i < openings->nodes && status == HT_OK; i++)
    node[i] = place_of(tiling, first, openings->node[i]);
  if (status == HT_OK) status = ht_lattice_mark(lattice, openings->nodes, node);
  openings->is_marked = status == HT_OK;
  free(first);
  free(node);
  return status;
}

float ht_stored_pressure_pa(const ht_units *units, double reference_pa, double density_lu) {
  return (float)(reference_pa + ht_units_pressure_pa(units, 1 + density_lu));
}

ht_status ht_opening_nodes_read(ht_lattice *lattice, const ht_units *units, double reference_pa,
                                ht_opening_nodes *openings) {
  ht_lattice_fields fields = {0};
  HT_TRY(ht_alloc((void **)&fields.density, (size_t)openings->nodes + 1, sizeof(double), what));
  ht_status status = ht_lattice_read_marked(lattice, &fields);
  for (int64_t i = 0; i < openings->nodes && status == HT_OK; i++)
    openings->pressure_pa[i] = ht_stored_pressure_pa(units, reference_pa, fields.density[i]);
  free(fields.density);
  return status;
}

void ht_opening_nodes_take(const ht_flow *flow, ht_opening_nodes *openings) {
  for (int64_t i = 0; i < openings->nodes; i++)
    openings->pressure_pa[i] = flow->pressure_pa[openings->node[i]];
}

/* Weighted mean over `count` nodes from `first` on. */
static double mean(const ht_opening_nodes *openings, int64_t first, int64_t count) {
  double sum = 0, weights = 0;
  for (int64_t i = first; i < first + count; i++) {
    sum += openings->weight[i] * openings->pressure_pa[i];
    weights += openings->weight[i];
  }
  return count > 0 ? sum / weights : 0;
}

void ht_opening_pressures(const ht_opening_nodes *openings, double *pressure_pa) {
  ht_port_pressures(openings, pressure_pa);
  for (int p = 0; p < openings->ports; p++) {
    int64_t first = openings->section[p], nodes = openings->port[p] - first;
    if (nodes > 0) pressure_pa[p] = mean(openings, first, nodes);
  }
}

void ht_port_pressures(const ht_opening_nodes *openings, double *pressure_pa) {
  for (int p = 0; p < openings->ports; p++) {
    int64_t first = openings->port[p];
    int64_t end = p + 1 < openings->ports ? openings->section[p + 1] : openings->nodes;
    pressure_pa[p] = mean(openings, first, end - first);
  }
}
