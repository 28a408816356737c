#include "tests/solver/common/oblique_fork.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEM = 0, ALONG, OBLIQUE, TUBES };

/* Directions out of the fork. The stem's is minus the sum of the branches', so that these mirror
 * each other. */
static const double way[TUBES][3] = {
    {-0.9486833, -0.2236068, -0.2236068}, {1, 0, 0}, {0.8, 0.4242641, 0.4242641}};
static const char *const name[TUBES] = {"inlet", "along", "oblique"};

typedef struct {
  const ht_fork_shape *shape;
  double fork[3]; /* voxel */
} place;

/* Returns the length from the fork to the vessel's end; the extension is not in it. */
static double length_of(const ht_fork_shape *shape, int tube) {
  return tube == STEM ? shape->stem : shape->branch;
}

/* The plane along x where a tube is cut. */
static int plane_of(const place *of, int tube) {
  double extension = tube == STEM ? 0 : of->shape->extension;
  return (int)lround(of->fork[0] + way[tube][0] * (length_of(of->shape, tube) + extension));
}

/* The tube whose axis is nearest, the distance from it, and how far along it. */
static int nearest(const place *of, const int at[3], double *off, double *along) {
  int found = STEM;
  *off = INFINITY;
  for (int t = 0; t < TUBES; t++) {
    double here = 0, off2 = 0;
    for (int a = 0; a < 3; a++) here += (at[a] - of->fork[a]) * way[t][a];
    here = fmax(0, here);
    for (int a = 0; a < 3; a++) off2 += pow(at[a] - of->fork[a] - here * way[t][a], 2);
    if (sqrt(off2) >= *off) continue;
    *off = sqrt(off2), *along = here, found = t;
  }
  return found;
}

static void fill(const place *of, ht_domain *domain) {
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    double off, along = 0;
    int at[3];
    ht_voxel_place(domain->mask.grid.dim, v, at);
    int tube = nearest(of, at, &off, &along);
    int beyond = way[tube][0] * (at[0] - plane_of(of, tube)) > 0;
    domain->wall_distance[v] = (float)(0.5 * of->shape->across - off);
    if (domain->wall_distance[v] <= 0 || beyond) continue;
    domain->mask.inside[v] = along > length_of(of->shape, tube) ? HT_EXTENSION : HT_VESSEL;
  }
}

static ht_status set_port(const place *of, int tube, double flow_ml_s, ht_domain *domain) {
  ht_port *port = &domain->port[tube];
  const ht_grid *grid = &domain->mask.grid;
  double radius_mm = 0.5 * of->shape->across * grid->spacing_mm[0], off, along;
  int64_t most = ht_grid_voxels(grid) / grid->dim[0];
  int at[3];
  *port = (ht_port){.inward = tube == STEM ? 1 : -1,
                    .opening = {.role = tube == STEM ? HT_ROLE_INLET : HT_ROLE_OUTLET,
                                .flow_ml_s = tube == STEM ? flow_ml_s : 0,
                                .radius_mm = radius_mm,
                                .area_mm2 = HT_PI * radius_mm * radius_mm}};
  snprintf(port->opening.name, HT_NAME_MAX, "%s", name[tube]);
  for (int a = 0; a < 3; a++) {
    port->direction[a] = -way[tube][a];
    port->opening.normal[a] = way[tube][a];
    port->opening.centre_mm[a] =
        grid->origin_mm[a] +
        grid->spacing_mm[a] * (of->fork[a] + way[tube][a] * length_of(of->shape, tube));
  }
  HT_TRY(ht_alloc((void **)&port->node, (size_t)most, sizeof(int64_t), "port"));
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    ht_voxel_place(grid->dim, v, at);
    if (!domain->mask.inside[v] || at[0] != plane_of(of, tube)) continue;
    if (nearest(of, at, &off, &along) != tube) continue;
    if (domain->mask.inside[v + port->inward])
      port->node[port->nodes++] = v;
    else
      domain->mask.inside[v] = HT_SOLID; /* a port's node needs one inside of it */
  }
  return HT_OK;
}

ht_status ht_oblique_fork_domain(const ht_fork_shape *shape, double spacing_mm, double flow_ml_s,
                                 ht_domain *domain) {
  double radius = 0.5 * shape->across, reach = shape->branch + shape->extension + 2 * radius;
  place of = {shape, {shape->stem + 2, 0, 0}};
  for (int a = 1; a < 3; a++) of.fork[a] = 2 + radius + shape->stem * -way[STEM][a];
  int side = (int)(of.fork[1] + way[OBLIQUE][1] * reach + radius) + 2;
  memset(domain, 0, sizeof *domain);
  ht_grid grid = ht_grid_make((int)(of.fork[0] + reach) + 2, side, side);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm;
  HT_TRY(ht_mask_alloc(&grid, &domain->mask));
  HT_TRY(ht_alloc((void **)&domain->wall_distance, (size_t)ht_grid_voxels(&grid), sizeof(float),
                  "the wall"));
  fill(&of, domain);
  domain->ports = TUBES;
  for (int t = 0; t < TUBES; t++) HT_TRY(set_port(&of, t, flow_ml_s, domain));
  return HT_OK;
}
