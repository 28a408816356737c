/* Measures the viscous dissipation of finished cases of a steady flow against the energy that the
 * blood loses: the inflow of flow x (p + density/2 u^2) less its outflow, and the work of the
 * viscous stress. The whole vessel without its extensions, and the sac beyond planes above its
 * neck. Prints the table of docs/indices.md:
 *
 *   build/bin/measure_dissipation DIR...
 *
 * Also prints the dissipation of central differences of the velocity, 0 in the solid, which the
 * exported image gives. Not a test: test_mask_walls has bars for a pipe. */
#include "run/folder/flow_file.h"
#include "core/disk/file.h"
#include "core/disk/folder_names.h"
#include "import/import.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double heights_mm[] = {0, 0.2, 0.5};
enum { HEIGHTS = sizeof heights_mm / sizeof *heights_mm, PLANES = 16 };

typedef struct {
  ht_flow flow;
  ht_flow_stats stats;
  ht_mask vessel;   /* on a grid of its own */
  uint8_t *part;    /* [voxels of the flow] 0: none; 1: looked at; 2 and more: beyond a plane */
  int64_t *waiting; /* [nodes] */
} flow_case;

/* Through the nodes' faces of one plane, out of the part; lattice areas. */
typedef struct {
  double flow, speed; /* sums of u.n and of its size */
  double head, work;  /* of u.n (p + density/2 u^2), of u.stress.n */
  double speed_head;  /* of |u.n| (p + density/2 u^2) */
} plane_sums;

static void check(ht_status status) {
  if (status == HT_OK) return;
  fprintf(stderr, "%s\n", ht_error_message());
  exit(1);
}

static void in_folder(const char *folder, const char *name, char path[HT_PATH_MAX]) {
  snprintf(path, HT_PATH_MAX, "%s/%s", folder, name);
}

static void read_case(const char *folder, flow_case *of) {
  char path[HT_PATH_MAX], hash[HT_HASH_TEXT];
  in_folder(folder, HT_FILE_FLOW, path);
  check(ht_flow_file_read(path, &of->flow, &of->stats, hash));
  in_folder(folder, HT_FILE_MASK, path);
  check(ht_import_mask(path, &of->vessel));
  check(ht_alloc((void **)&of->part, (size_t)ht_grid_voxels(&of->flow.grid), 1, "the marks"));
  check(ht_alloc((void **)&of->waiting, (size_t)of->flow.nodes, sizeof *of->waiting, "the nodes"));
}

static int64_t neighbour(const flow_case *of, int64_t voxel, int k) {
  int at[3];
  ht_voxel_place(of->flow.grid.dim, voxel, at);
  at[k / 2] += k & 1 ? 1 : -1;
  if (ht_flow_node_at(&of->flow, at) < 0) return -1;
  return ht_voxel_index(of->flow.grid.dim, at);
}

/* ---- the part that is looked at ---- */

static void mark_vessel(flow_case *of) {
  for (int64_t v = 0; v < ht_grid_voxels(&of->flow.grid); v++) {
    double at_mm[3], index[3];
    int at[3];
    of->part[v] = 0;
    if (ht_flow_node(&of->flow, v) < 0) continue;
    ht_grid_voxel_position(&of->flow.grid, v, at_mm);
    ht_grid_index(&of->vessel.grid, at_mm, index);
    for (int a = 0; a < 3; a++) at[a] = (int)lround(index[a]);
    if (!ht_voxel_in_grid(of->vessel.grid.dim, at)) continue;
    of->part[v] = of->vessel.inside[ht_voxel_index(of->vessel.grid.dim, at)] != 0;
  }
}

/* Gives the voxels joined to one, with the same mark, another. */
static void fill(flow_case *of, int64_t from, uint8_t mark) {
  uint8_t before = of->part[from];
  int64_t count = 0;
  of->part[from] = mark;
  of->waiting[count++] = from;
  while (count > 0) {
    int64_t here = of->waiting[--count];
    for (int k = 0; k < 6; k++) {
      int64_t next = neighbour(of, here, k);
      if (next < 0 || of->part[next] != before) continue;
      of->part[next] = mark;
      of->waiting[count++] = next;
    }
  }
}

/* Marks what is not looked at, by the planes that it lies beyond; returns the first free mark. */
static int mark_planes(flow_case *of) {
  int mark = 2;
  for (int64_t v = 0; v < ht_grid_voxels(&of->flow.grid) && mark < PLANES; v++)
    if (ht_flow_node(&of->flow, v) >= 0 && of->part[v] == 0) fill(of, v, (uint8_t)mark++);
  return mark;
}

/* Leaves of the vessel what lies beyond the plane, joined to the neck's middle. */
static void keep_beyond(flow_case *of, const double neck_mm[3], const double normal[3],
                        double height_mm) {
  int64_t voxels = ht_grid_voxels(&of->flow.grid), middle = -1;
  double nearest = INFINITY;
  for (int64_t v = 0; v < voxels; v++) {
    double from[3];
    if (!of->part[v]) continue;
    ht_grid_voxel_position(&of->flow.grid, v, from);
    for (int r = 0; r < 3; r++) from[r] -= neck_mm[r];
    of->part[v] = ht_dot(from, normal) > height_mm;
    if (!of->part[v] || ht_length(from) >= nearest) continue;
    nearest = ht_length(from);
    middle = v;
  }
  if (middle >= 0) fill(of, middle, PLANES);
  for (int64_t v = 0; v < voxels; v++) of->part[v] = of->part[v] == PLANES;
}

/* ---- sums ---- */

static void add_face(const flow_case *of, int64_t voxel, int k, int64_t other, plane_sums *to) {
  double lattice[3] = {0}, normal[3];
  lattice[k / 2] = k & 1 ? 1 : -1;
  ht_grid_to_lps(&of->flow.grid, lattice, normal);
  for (int side = 0; side < 2; side++) {
    int64_t node = ht_flow_node(&of->flow, side ? other : voxel);
    const float *v = of->flow.velocity_m_s + 3 * node, *s = of->flow.stress_pa + 6 * node;
    double u[3] = {v[0], v[1], v[2]}, along = 0.5 * ht_dot(u, normal);
    double head = of->flow.pressure_pa[node] + 0.5 * of->flow.density_kg_m3 * ht_dot(u, u);
    const double on[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
    for (int r = 0; r < 3; r++) to->work += 0.5 * u[r] * ht_dot(on[r], normal);
    to->flow += along, to->speed += fabs(along);
    to->head += along * head, to->speed_head += fabs(along) * head;
  }
}

/* 2 mu e:e of central differences, times the square of the spacing. */
static double of_differences(const flow_case *of, int64_t voxel) {
  double slope[3][3] = {{0}}, trace = 0, sum = 0;
  for (int k = 0; k < 6; k++) {
    int64_t other = neighbour(of, voxel, k);
    for (int r = 0; r < 3 && other >= 0; r++)
      slope[r][k / 2] +=
          (k & 1 ? 0.5 : -0.5) * of->flow.velocity_m_s[3 * ht_flow_node(&of->flow, other) + r];
  }
  for (int a = 0; a < 3; a++) trace += slope[a][a] / 3;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) sum += pow((slope[a][b] + slope[b][a]) / 2 - (a == b) * trace, 2);
  return 2 * of->flow.viscosity_pa_s * sum;
}

/* The port's flow, out of the vessel, nearest to what the faces count. */
static double flow_of(const ht_flow_stats *stats, double faces_ml_s) {
  double best = INFINITY;
  for (int i = 0; i < stats->ports; i++) {
    double out = stats->port[i].flow_ml_s * (stats->port[i].role == HT_ROLE_INLET ? -1 : 1);
    if (fabs(out - faces_ml_s) < fabs(best - faces_ml_s)) best = out;
  }
  return best;
}

/* uW. Faces along the lattice count a little more or less flow than there is: the difference
 * carries the plane's mean head. */
static double lost_through(const plane_sums *p, double area_mm2, double known_ml_s) {
  double more = known_ml_s - p->flow * area_mm2;
  return -p->head * area_mm2 - more * p->speed_head / p->speed + p->work * area_mm2;
}

static void measure(flow_case *of, int is_sac, const char *what) {
  double mm = of->flow.grid.spacing_mm[0], nodes = 0, by_stress = 0, by_velocity = 0, lost = 0;
  plane_sums plane[PLANES] = {{0}};
  int marks = mark_planes(of);
  for (int64_t v = 0; v < ht_grid_voxels(&of->flow.grid); v++) {
    if (of->part[v] != 1) continue;
    nodes++;
    by_stress += ht_flow_dissipation_w_m3(&of->flow, ht_flow_node(&of->flow, v));
    by_velocity += of_differences(of, v);
    for (int k = 0; k < 6; k++) {
      int64_t other = neighbour(of, v, k);
      if (other >= 0 && of->part[other] != 1) add_face(of, v, k, other, &plane[of->part[other]]);
    }
  }
  for (int i = 2; i < marks; i++)
    if (plane[i].speed > 0)
      lost += lost_through(&plane[i], mm * mm,
                           is_sac ? 0 : flow_of(&of->stats, plane[i].flow * mm * mm));
  by_stress *= 1e-3 * mm * mm * mm;
  by_velocity *= 1e3 * mm;
  printf("  %-28s %8.0f nodes, lost %8.4f uW; dissipation by stress %8.4f (%+5.1f %%), by "
         "differences %8.4f (%+5.1f %%)\n",
         what, nodes, lost, by_stress, 100 * (by_stress / lost - 1), by_velocity,
         100 * (by_velocity / lost - 1));
}

static void measure_sac(const char *folder, flow_case *of) {
  char path[HT_PATH_MAX], what[64];
  double neck_mm[3], normal[3];
  ht_yaml summary;
  in_folder(folder, HT_FILE_SUMMARY, path);
  check(ht_yaml_read(path, HT_ERR_FORMAT, &summary));
  struct fy_node *sac = ht_yaml_get(summary.root, "sac");
  int found = sac && ht_yaml_numbers(sac, "neck_mm", neck_mm, 3) &&
              ht_yaml_numbers(sac, "neck_normal", normal, 3);
  for (int i = 0; found && i < HEIGHTS; i++) {
    mark_vessel(of);
    keep_beyond(of, neck_mm, normal, heights_mm[i]);
    snprintf(what, sizeof what, "sac from %.1f mm above neck", heights_mm[i]);
    measure(of, 1, what);
  }
  ht_yaml_free(&summary);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    flow_case of = {.part = NULL};
    read_case(argv[i], &of);
    printf("%s: spacing %.4f mm, tau %.4f, %s\n", argv[i], of.flow.grid.spacing_mm[0], of.stats.tau,
           of.stats.collision);
    mark_vessel(&of);
    measure(&of, 0, "vessel");
    measure_sac(argv[i], &of);
    free(of.part);
    free(of.waiting);
    ht_mask_free(&of.vessel);
    ht_flow_free(&of.flow);
  }
  return 0;
}
