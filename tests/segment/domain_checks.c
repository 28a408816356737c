#include "tests/check.h"
#include "tests/segment/domain_checks.h"
#include "tests/segment/tube_mask.h"
#include <stdlib.h>
#include <string.h>

static void place(const ht_grid *grid, int64_t v, int at[3]) {
  at[0] = (int)(v % grid->dim[0]);
  at[1] = (int)(v / grid->dim[0] % grid->dim[1]);
  at[2] = (int)(v / grid->dim[0] / grid->dim[1]);
}

static uint8_t value_at(const ht_mask *mask, int x, int y, int z) {
  const int *dim = mask->grid.dim;
  if (x < 0 || y < 0 || z < 0 || x >= dim[0] || y >= dim[1] || z >= dim[2]) return 0;
  return mask->inside[x + dim[0] * (y + (int64_t)dim[1] * z)];
}

static int64_t neighbour(const ht_grid *grid, int64_t v, int k) {
  return v + (k % 3 - 1) + grid->dim[0] * ((k / 3 % 3 - 1) + (int64_t)grid->dim[1] * (k / 9 - 1));
}

static int sides(int k) {
  return abs(k % 3 - 1) + abs(k / 3 % 3 - 1) + abs(k / 9 - 1);
}

/* Gives `value` to `mark` over the voxels that are connected to v and have the wanted value (0: any
 * fluid), over faces (reach 1) or also edges and corners (reach 3). The rim of the grid is solid.
 */
static void spread(const ht_mask *mask, int64_t v, int wanted, int reach, int value, int *mark) {
  int64_t *todo = malloc((size_t)ht_grid_voxels(&mask->grid) * sizeof *todo), count = 0;
  assert_non_null(todo);
  mark[v] = value;
  todo[count++] = v;
  while (count > 0) {
    int64_t from = todo[--count];
    for (int k = 0; k < 27; k++) {
      int64_t to = neighbour(&mask->grid, from, k);
      if (sides(k) > reach || mark[to] || !mask->inside[to]) continue;
      if (wanted && mask->inside[to] != wanted) continue;
      mark[to] = value;
      todo[count++] = to;
    }
  }
  free(todo);
}

static int *marks(const ht_mask *mask) {
  int *mark = calloc((size_t)ht_grid_voxels(&mask->grid), sizeof *mark);
  assert_non_null(mark);
  return mark;
}

/* ---- grid and vessel ---- */

static void check_grid(const ht_mask *mask, const ht_domain *domain, int shift[3]) {
  const ht_grid *grid = &domain->mask.grid;
  double from[3];
  ht_grid_index(grid, mask->grid.origin_mm, from);
  for (int a = 0; a < 3; a++) {
    shift[a] = (int)lround(from[a]);
    assert_near(from[a], shift[a], 1e-6);
    assert_true(shift[a] >= 1 && shift[a] + mask->grid.dim[a] < grid->dim[a]);
  }
  assert_memory_equal(grid->spacing_mm, mask->grid.spacing_mm, sizeof grid->spacing_mm);
  assert_memory_equal(grid->direction, mask->grid.direction, sizeof grid->direction);
  for (int64_t v = 0, voxels = ht_grid_voxels(grid); v < voxels; v++) {
    int at[3], rim = 0;
    if (!domain->mask.inside[v]) continue;
    place(grid, v, at);
    for (int a = 0; a < 3; a++) rim |= at[a] == 0 || at[a] == grid->dim[a] - 1;
    if (rim) fail_msg("%d %d %d is not solid", at[0], at[1], at[2]);
  }
}

static void check_vessel(const ht_mask *mask, const ht_domain *domain, const int shift[3]) {
  const ht_grid *grid = &domain->mask.grid;
  for (int64_t v = 0, voxels = ht_grid_voxels(grid); v < voxels; v++) {
    int at[3], beside = 0, value = domain->mask.inside[v];
    place(grid, v, at);
    int drawn = value_at(mask, at[0] - shift[0], at[1] - shift[1], at[2] - shift[2]) != 0;
    if (value > HT_EXTENSION || (value && (value == HT_VESSEL) != drawn))
      fail_msg("%d %d %d is %d, in the mask %d", at[0], at[1], at[2], value, drawn);
    if (value || !drawn) continue;
    for (int k = 0; k < 27; k++)
      beside |= sides(k) == 1 && domain->mask.inside[neighbour(grid, v, k)];
    if (beside) fail_msg("vessel at %d %d %d is missing", at[0], at[1], at[2]);
  }
}

static void check_connected(const ht_domain *domain) {
  int *mark = marks(&domain->mask);
  for (int p = 0; p < domain->ports; p++)
    if (!mark[domain->port[p].node[0]])
      spread(&domain->mask, domain->port[p].node[0], 0, 1, 1, mark);
  for (int64_t v = 0, voxels = ht_grid_voxels(&domain->mask.grid); v < voxels; v++)
    assert_int_equal(domain->mask.inside[v] != 0, mark[v]);
  free(mark);
}

/* ---- ports ---- */

/* The node's neighbours: in its plane only its own port's, outside nothing, inside fluid. */
static void check_node(const ht_domain *domain, const int *port_of, int p, int64_t v) {
  const ht_port *port = &domain->port[p];
  for (int k = 0; k < 27; k++) {
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    int64_t there = neighbour(&domain->mask.grid, v, k);
    int inward = step[port->axis] * port->inward, fluid = domain->mask.inside[there] != 0;
    if (inward < 0 && fluid) fail_msg("'%s' has fluid outside", port->opening.name);
    if (inward == 0 && fluid) assert_int_equal(port_of[there], p + 1);
    if (inward > 0 && sides(k) == 1 && !fluid)
      fail_msg("'%s' has a node without one inside", port->opening.name);
  }
}

static void check_port(const ht_domain *domain, int p, int *port_of) {
  const ht_port *port = &domain->port[p];
  const ht_grid *grid = &domain->mask.grid;
  double outward[3];
  int first[3], at[3];
  assert_true(port->nodes >= HT_OPENING_FEWEST_NODES);
  assert_true(abs(port->inward) == 1);
  ht_grid_from_lps(grid, port->opening.direction, outward);
  for (int a = 0; a < 3; a++) assert_near(outward[a] + port->direction[a], 0, 1e-9);
  assert_true(port->direction[port->axis] * port->inward > 0.57);
  place(grid, port->node[0], first);
  for (int64_t i = 0; i < port->nodes; i++) {
    place(grid, port->node[i], at);
    assert_int_equal(at[port->axis], first[port->axis]);
    assert_int_equal(domain->mask.inside[port->node[i]], HT_EXTENSION);
    assert_int_equal(port_of[port->node[i]], 0);
    port_of[port->node[i]] = p + 1;
  }
  for (int64_t i = 0; i < port->nodes; i++) check_node(domain, port_of, p, port->node[i]);
}

/* ---- extensions ---- */

/* The cut plane's distance to a voxel, outward, voxels. */
static double beyond(const ht_domain *domain, int p, int64_t v) {
  const ht_grid *grid = &domain->mask.grid;
  const ht_opening *opening = &domain->port[p].opening;
  int at[3];
  double mm[3], sum = 0;
  place(grid, v, at);
  ht_grid_position(grid, (double[3]){at[0], at[1], at[2]}, mm);
  for (int r = 0; r < 3; r++) sum += (mm[r] - opening->centre_mm[r]) * opening->normal[r];
  return sum / grid->spacing_mm[0];
}

static void check_extension_voxel(const ht_domain *domain, int64_t v, int p) {
  int held = 0;
  if (p < 0) fail_msg("an extension has no port");
  assert_true(beyond(domain, p, v) > 0);
  for (int k = 0; k < 27; k++) {
    int64_t there = neighbour(&domain->mask.grid, v, k);
    uint8_t value = domain->mask.inside[there];
    held += sides(k) == 1 && value;
    if (value == HT_VESSEL && fabs(beyond(domain, p, there)) > 1.8)
      fail_msg("the extension of '%s' touches other vessel", domain->port[p].opening.name);
  }
  if (held < 2) fail_msg("an extension voxel has %d neighbours only", held);
}

static void check_extensions(const ht_domain *domain) {
  int *mark = marks(&domain->mask);
  for (int p = 0; p < domain->ports; p++) {
    if (mark[domain->port[p].node[0]]) fail_msg("two extensions touch");
    spread(&domain->mask, domain->port[p].node[0], HT_EXTENSION, 3, p + 1, mark);
  }
  for (int64_t v = 0, voxels = ht_grid_voxels(&domain->mask.grid); v < voxels; v++)
    if (domain->mask.inside[v] == HT_EXTENSION) check_extension_voxel(domain, v, mark[v] - 1);
  free(mark);
}

int *ht_extension_marks(const ht_domain *domain, int p) {
  int *mark = marks(&domain->mask);
  spread(&domain->mask, domain->port[p].node[0], HT_EXTENSION, 3, 1, mark);
  return mark;
}

int64_t ht_extension_voxels(const ht_domain *domain, int p) {
  int *mark = ht_extension_marks(domain, p);
  int64_t count = 0;
  for (int64_t v = 0, voxels = ht_grid_voxels(&domain->mask.grid); v < voxels; v++)
    count += mark[v];
  free(mark);
  return count;
}

void ht_check_domain(const ht_mask *mask, const ht_domain *domain) {
  int shift[3], *port_of = marks(&domain->mask);
  check_grid(mask, domain, shift);
  check_vessel(mask, domain, shift);
  for (int p = 0; p < domain->ports; p++) check_port(domain, p, port_of);
  check_connected(domain);
  check_extensions(domain);
  free(port_of);
}
