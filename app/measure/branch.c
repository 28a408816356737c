#include "app/measure/branch.h"
#include "segment/openings/front_tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ht_results *results;
  ht_front_tree tree;
  int *ways;            /* [fronts] number of openings whose way to the inlet passes it */
  int openings, wanted; /* number of ways; index of the opening */
} search;

static ht_status no_branch(const ht_openings *openings, const char *name) {
  char names[600] = "";
  size_t length = 0;
  for (int i = 0; i < openings->count && length < 500; i++)
    if (openings->item[i].role != HT_ROLE_WALL)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                                 openings->item[i].name);
  return ht_fail(HT_ERR_NOT_FOUND, "branch:%s: no opening has this name; there are: %s", name,
                 *names ? names : "none");
}

/* Counts the ways from the openings to the main inlet; returns the front of the wanted one. */
static int count_ways(search *of) {
  const ht_openings *openings = &of->results->placed.openings;
  const ht_opening *inlet = ht_openings_main_inlet(openings);
  int wanted = -1;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role == HT_ROLE_WALL) continue;
    const int front = ht_front_at(&of->tree, one->centre_mm);
    if (i == of->wanted) wanted = front;
    if (one == inlet || front < 0) continue;
    of->openings++;
    for (int at = front; at >= 0; at = of->tree.item[at].before) of->ways[at]++;
  }
  return wanted;
}

/* Marks the fronts of the branch with 1, all others with 0. */
static void mark_fronts(search *of, int wanted, uint8_t *is_of) {
  const ht_openings *openings = &of->results->placed.openings;
  const int at_inlet = &openings->item[of->wanted] == ht_openings_main_inlet(openings);
  for (int f = 0; at_inlet && f < of->tree.count; f++) is_of[f] = of->ways[f] == of->openings;
  for (int at = wanted; !at_inlet && at >= 0 && of->ways[at] == 1; at = of->tree.item[at].before)
    is_of[at] = 1;
}

/* The front on a way that a front's own way to the inlet meets first. */
static int front_on_way(const search *of, int front) {
  while (front >= 0 && of->ways[front] == 0) front = of->tree.item[front].before;
  return front;
}

/* The front of a voxel of the vessel next to a place; -1: none. */
static int front_next_to(const search *of, const double place_mm[3]) {
  const ht_geodesic *geodesic = &of->tree.geodesic;
  const int *dim = geodesic->mask->grid.dim;
  int middle[3];
  ht_grid_nearest(&geodesic->mask->grid, place_mm, middle);
  for (int k = 0; k < 28; k++) { /* the voxel itself first */
    const int n = k == 0 ? 13 : k - 1;
    const int at[3] = {middle[0] + n % 3 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n / 9 - 1};
    if (!ht_voxel_in_grid(dim, at)) continue;
    const int32_t place = geodesic->place[ht_voxel_index(dim, at)];
    if (place >= 0) return of->tree.of[place];
  }
  return -1;
}

static void mark_points(const search *of, const uint8_t *is_of, uint8_t *chosen) {
  const ht_surface *wall = &of->results->wall;
  const double inwards_mm = 0.7 * of->results->flow.grid.spacing_mm[0];
  for (int64_t p = 0; p < wall->points; p++) {
    double at_mm[3];
    for (int r = 0; r < 3; r++)
      at_mm[r] = wall->point_mm[3 * p + r] - inwards_mm * wall->normal[3 * p + r];
    const int front = front_on_way(of, front_next_to(of, at_mm));
    chosen[p] = front >= 0 && is_of[front];
  }
}

static ht_status find_branch(search *of, uint8_t *chosen) {
  const double no_outflow[HT_OPENINGS_MAX] = {0};
  uint8_t *is_of;
  HT_TRY(ht_front_tree_make(&of->results->vessel, &of->results->placed.openings, no_outflow,
                            &of->tree));
  const size_t fronts = (size_t)of->tree.count + 1;
  HT_TRY(ht_alloc((void **)&of->ways, fronts, sizeof *of->ways, "the branches"));
  HT_TRY(ht_alloc((void **)&is_of, fronts, 1, "the branches"));
  mark_fronts(of, count_ways(of), is_of);
  mark_points(of, is_of, chosen);
  free(is_of);
  return HT_OK;
}

ht_status ht_branch_points(const ht_results *results, const char *name, uint8_t *chosen) {
  const ht_openings *openings = &results->placed.openings;
  const ht_opening *named = ht_openings_named(openings, name);
  search of = {.results = results, .wanted = named ? (int)(named - openings->item) : -1};
  if (!named || named->role == HT_ROLE_WALL) return no_branch(openings, name);
  if (!results->vessel.inside)
    return ht_fail(
        HT_ERR_CASE,
        "branch:%s: mask.nii.gz is not the one that the flow was computed in, and the "
        "branches are found in it: choose the region by balls, or compute the flow again",
        name);
  ht_status status = find_branch(&of, chosen);
  free(of.ways);
  ht_front_tree_free(&of.tree);
  return status;
}
