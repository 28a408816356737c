/* The exchange between two levels on the CPU: see lattice/interface.h. Each outer node is made by
 * one thread from states that do not depend on their number. */
#include "solver/cpu/cpu_levels.h"
#include "solver/cpu/cpu_level_kernel.h"
#include "solver/cpu/cpu_state.h"
#include "solver/lattice/backend.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* What a node gains on a link across the interface: the value that comes less the one that leaves;
 * places in a copy. */
typedef struct {
  int64_t comes, leaves;
} level_link;

/* Links that one thread sums, and how many before its turn the values of one are fetched. */
enum { LINKS_TOGETHER = 1024, LINKS_AHEAD = 128 };

/* The links of one level. */
typedef struct {
  int64_t links, parts; /* parts: of LINKS_TOGETHER */
  level_link *link;
  double *gained; /* [parts] mass in this coarse step */
} level_links;

typedef struct {
  ht_cpu_levels job;
  cpu_state *coarse, *fine;
  ht_cpu_exchange exchange;
  level_links of_coarse, of_fine;
  int64_t own_nodes; /* of the coarse level alone, and no port */
  double owed;       /* mass that both levels gained and that is not taken back yet */
} cpu_coupling;

static const char *const what = "the interface of two levels";

/* ---- set-up ---- */

static void fill_side(const cpu_state *state, ht_cpu_level_side *side) {
  const ht_lattice_tables *tables = state->tables;
  const ht_cpu_parts start = {0, 0, 0};
  *side = (ht_cpu_level_side){.tiles = tables->tiling->tiles,
                              .model = tables->model,
                              .directions = tables->directions,
                              .forced = tables->forced,
                              .omega = tables->omega,
                              .nu = (1 / tables->omega - 0.5) / 3};
  for (int z = 0; z < HT_TILE_SIDE; z++)
    for (int q = 0; q < tables->directions; q++) {
      const int part = ht_c[q][2] > 0 && z == HT_TILE_SIDE - 1 ? HT_CPU_LEVEL_UP
                       : ht_c[q][2] < 0 && z == 0              ? HT_CPU_LEVEL_DOWN
                                                               : HT_CPU_LEVEL_MAIN;
      side->place[z][q] = (ht_cpu_level_place){part, (int32_t)ht_cpu_plane(&start, q, z)};
    }
}

/* The links of a node, into `to`; NULL: counts them. */
static int64_t list_links(const cpu_state *state, const ht_level_edge *edge, level_link *to) {
  const ht_lattice_tables *tables = state->tables;
  const int at = (int)(edge->node % HT_TILE_NODES);
  int64_t count = 0;
  for (uint32_t left = edge->links & HT_MOVING(tables->directions); left; left &= left - 1) {
    const int q = __builtin_ctz(left);
    int slot, local;
    ht_node_beside(at, ht_c[q][0], ht_c[q][1], ht_c[q][2], &slot, &local);
    const int64_t tile =
        tables->neighbour[HT_TILE_NEIGHBOURS * (edge->node / HT_TILE_NODES) + slot];
    if (to)
      to[count] = (level_link){place(state, HT_TILE_NODES * tile + local, ht_opposite(q)),
                               place(state, edge->node, q)};
    count++;
  }
  return count;
}

static ht_status make_links(const cpu_state *state, const ht_interface *lists, int is_fine,
                            level_links *of) {
  for (int64_t e = 0; e < lists->edges; e++)
    if (lists->edge[e].is_fine == is_fine) of->links += list_links(state, &lists->edge[e], NULL);
  of->parts = (of->links + LINKS_TOGETHER - 1) / LINKS_TOGETHER;
  HT_TRY(ht_alloc((void **)&of->link, (size_t)of->links, sizeof *of->link, what));
  HT_TRY(ht_alloc((void **)&of->gained, (size_t)of->parts, sizeof *of->gained, what));
  level_link *to = of->link;
  for (int64_t e = 0; e < lists->edges; e++)
    if (lists->edge[e].is_fine == is_fine) to += list_links(state, &lists->edge[e], to);
  return HT_OK;
}

/* The tiles whose step before an exchange nobody reads. Those with interpolated walls are left out:
 * their slip follows the flow in that step, too. */
static ht_status mark_replaced(cpu_state *fine) {
  const ht_lattice_tables *tables = fine->tables;
  HT_TRY(ht_alloc((void **)&fine->replaced, (size_t)tables->tiling->tiles, 1, what));
  for (int64_t t = 0; t < tables->tiling->tiles; t++)
    fine->replaced[t] = !(tables->tiling->inside[t] & ~tables->outer[t]) &&
                        !(fine->walls.slot && fine->walls.slot[t] >= 0);
  return HT_OK;
}

static ht_status build(cpu_coupling *made, const ht_interface *lists) {
  const ht_lattice_tables *coarse = made->coarse->tables;
  const size_t size = HT_LEVEL_VALUES * value_size(made->coarse);
  ht_cpu_levels *job = &made->job;
  job->lists = lists;
  fill_side(made->coarse, &job->coarse);
  fill_side(made->fine, &job->fine);
  made->exchange = ht_cpu_choose_exchange(coarse->precision);
  for (int64_t t = 0; t < coarse->tiling->tiles; t++)
    made->own_nodes += __builtin_popcountll(coarse->balanced[t]);
  HT_TRY(make_links(made->coarse, lists, 0, &made->of_coarse));
  HT_TRY(make_links(made->fine, lists, 1, &made->of_fine));
  HT_TRY(mark_replaced(made->fine));
  HT_TRY(ht_alloc(&job->coarse_states, (size_t)lists->coarse.states, size, what));
  return ht_alloc(&job->fine_states, (size_t)lists->fine.states, size, what);
}

ht_status ht_cpu_couple(void *coarse, void *fine, const ht_interface *lists, void **coupling) {
  cpu_coupling *made;
  *coupling = NULL;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, what));
  made->coarse = coarse;
  made->fine = fine;
  ht_status status = build(made, lists);
  if (status == HT_OK)
    *coupling = made->coarse->finer = made;
  else
    ht_cpu_decouple(made);
  return status;
}

void ht_cpu_decouple(void *coupling) {
  cpu_coupling *made = coupling;
  if (!made) return;
  made->coarse->finer = NULL;
  free(made->job.coarse_states);
  free(made->job.fine_states);
  free(made->of_coarse.link);
  free(made->of_coarse.gained);
  free(made->of_fine.link);
  free(made->of_fine.gained);
  free(made);
}

/* ---- steps ---- */

/* The mass that links [first, behind) bring; `all`: their number, up to which they are fetched. */
#define SUM_LINKS(type)                                                                            \
  static double sum_##type(const type *values, const level_link *link, int64_t first,              \
                           int64_t behind, int64_t all) {                                          \
    double sum = 0;                                                                                \
    for (int64_t i = first; i < behind; i++) {                                                     \
      const level_link *ahead = &link[i + LINKS_AHEAD < all ? i + LINKS_AHEAD : i];                \
      __builtin_prefetch(values + ahead->comes);                                                   \
      __builtin_prefetch(values + ahead->leaves);                                                  \
      sum += (double)values[link[i].comes] - (double)values[link[i].leaves];                       \
    }                                                                                              \
    return sum;                                                                                    \
  }
SUM_LINKS(float)
SUM_LINKS(double)

/* Adds what a level gains in the next step. Parts of a fixed size, so that threads do not
 * matter. */
static void count_links(const cpu_state *state, level_links *of) {
  const void *values = state->copy[state->current];
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t p = 0; p < of->parts; p++) {
    const int64_t first = p * LINKS_TOGETHER, left = of->links - first;
    const int64_t behind = first + (left < LINKS_TOGETHER ? left : LINKS_TOGETHER);
    of->gained[p] += state->tables->precision == HT_FP64
                         ? sum_double(values, of->link, first, behind, of->links)
                         : sum_float(values, of->link, first, behind, of->links);
  }
}

static void set_side(const cpu_state *state, ht_cpu_level_side *side) {
  side->values = state->copy[state->current];
  memcpy(side->force, state->tables->acceleration, sizeof side->force);
}

/* Does a stage's entries, a run of them in each of the calling threads. */
static void do_stage(const cpu_coupling *made, ht_cpu_level_stage stage) {
  const ht_interface *lists = made->job.lists;
  const int64_t entries[HT_CPU_LEVEL_STAGES] = {lists->fine.reads,     lists->coarse.reads,
                                                lists->fine.guesses,   lists->blocks,
                                                lists->coarse.guesses, lists->cells};
  const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
  made->exchange(&made->job, stage, entries[stage] * thread / threads,
                 entries[stage] * (thread + 1) / threads);
}

static void exchange(cpu_coupling *made) {
  set_side(made->coarse, &made->job.coarse);
  set_side(made->fine, &made->job.fine);
#pragma omp parallel num_threads(made->coarse->threads)
  for (int stage = 0; stage < HT_CPU_LEVEL_STAGES; stage++) {
    do_stage(made, (ht_cpu_level_stage)stage);
#pragma omp barrier
  }
  count_links(made->coarse, &made->of_coarse);
  count_links(made->fine, &made->of_fine);
  made->fine->is_replaced = 0;
}

static double take_gained(level_links *of) {
  double sum = 0;
  for (int64_t p = 0; p < of->parts; p++) {
    sum += of->gained[p];
    of->gained[p] = 0;
  }
  return sum;
}

/* Takes a part of what both levels gained from the values at rest of the coarse level's own nodes,
 * but for ports.
 * What an outer node of the fine level gains, its own nodes lose. */
static void give_back(cpu_coupling *made) {
  const cpu_state *state = made->coarse;
  const uint64_t *own = state->tables->balanced;
  void *values = state->copy[state->current];
  made->owed += 8 * take_gained(&made->of_coarse) - take_gained(&made->of_fine);
  const double taken = made->owed / HT_LEVEL_STEPS;
  const double share = taken / (8 * (double)made->own_nodes);
  made->owed -= taken;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    for (uint64_t left = own[t]; left; left &= left - 1) {
      const int64_t at = place(state, HT_TILE_NODES * t + __builtin_ctzll(left), 0);
      if (state->tables->precision == HT_FP64)
        ((double *)values)[at] -= share;
      else
        ((float *)values)[at] -= (float)share;
    }
}

static void balance(cpu_coupling *made) {
  count_links(made->fine, &made->of_fine);
  made->fine->is_replaced = 1;
  give_back(made);
}

ht_status ht_cpu_step_finer(void *coupling, int64_t step) {
  cpu_coupling *made = coupling;
  HT_TRY(ht_backend_cpu.step(made->fine, 2 * step, 1));
  exchange(made);
  HT_TRY(ht_backend_cpu.step(made->fine, 2 * step + 1, 1));
  balance(made);
  return HT_OK;
}

/* ---- the whole state ---- */

ht_status ht_cpu_transfer_levels(void *coupling, ht_state *stream) {
  cpu_coupling *made = coupling;
  HT_TRY(ht_state_part(stream, "interface"));
  return HT_STATE_OF(stream, made->owed);
}

ht_status ht_cpu_owed_levels(void *coupling, double *mass) {
  *mass = ((const cpu_coupling *)coupling)->owed;
  return HT_OK;
}
