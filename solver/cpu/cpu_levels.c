/* The exchange between two levels on the CPU: see lattice/interface.h. Each outer node is made by
 * one thread from states that do not depend on their number. */
#include "solver/cpu/cpu_levels.h"
#include "solver/cpu/cpu_state.h"
#include "solver/kernels/nodes.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ht_interface *lists; /* borrowed */
  cpu_state *coarse, *fine;
  void *coarse_states, *fine_states; /* [states][HT_LEVEL_VALUES] float, or double in fp64 */
  double *crossed;                   /* [edges] mass gained from the other level, fine volumes */
  int64_t steps,
      own_nodes; /* coarse steps since `crossed` was 0; nodes of the coarse level alone */
} cpu_levels;

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "solver/kernels/level_node.h"
#include "solver/cpu/cpu_level_nodes.h"
#undef HT_REAL
#undef HT_NODE
#define HT_REAL       double
#define HT_NODE(name) name##_f64
#include "solver/kernels/level_node.h"
#include "solver/cpu/cpu_level_nodes.h"
#undef HT_REAL
#undef HT_NODE

static const char *const what = "the interface of two levels";

ht_status ht_cpu_couple(void *coarse, void *fine, const ht_interface *lists, void **coupling) {
  cpu_levels *made;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, what));
  *made = (cpu_levels){.lists = lists, .coarse = coarse, .fine = fine};
  for (int64_t t = 0; t < made->coarse->tables->tiling->tiles; t++)
    made->own_nodes += __builtin_popcountll(made->coarse->tables->own[t]);
  const size_t size = HT_LEVEL_VALUES * value_size(made->coarse);
  ht_status status = ht_alloc(&made->coarse_states, (size_t)lists->coarse.states, size, what);
  if (status == HT_OK)
    status = ht_alloc(&made->fine_states, (size_t)lists->fine.states, size, what);
  if (status == HT_OK)
    status = ht_alloc((void **)&made->crossed, (size_t)lists->edges, sizeof(double), what);
  if (status != HT_OK) {
    ht_cpu_decouple(made);
    made = NULL;
  }
  *coupling = made;
  return status;
}

void ht_cpu_decouple(void *coupling) {
  cpu_levels *levels = coupling;
  if (!levels) return;
  free(levels->coarse_states);
  free(levels->fine_states);
  free(levels->crossed);
  free(levels);
}

ht_status ht_cpu_exchange_levels(void *coupling) {
  const cpu_levels *levels = coupling;
  if (levels->coarse->tables->precision == HT_FP64)
    exchange_levels_f64(levels);
  else
    exchange_levels_f32(levels);
  return HT_OK;
}

/* Sums in the order of the edges, so that threads do not matter. */
static void give_back(cpu_levels *levels) {
  double sum = 0;
  if (++levels->steps < HT_LEVEL_EVERY) return;
  for (int64_t e = 0; e < levels->lists->edges; e++) {
    sum += levels->crossed[e];
    levels->crossed[e] = 0;
  }
  levels->steps = 0;
  const double share = sum / (8 * (double)levels->own_nodes);
  if (levels->coarse->tables->precision == HT_FP64)
    take_share_f64(levels, share);
  else
    take_share_f32(levels, share);
}

ht_status ht_cpu_balance_levels(void *coupling) {
  cpu_levels *levels = coupling;
  if (levels->coarse->tables->precision == HT_FP64)
    balance_levels_f64(levels);
  else
    balance_levels_f32(levels);
  give_back(levels);
  return HT_OK;
}
