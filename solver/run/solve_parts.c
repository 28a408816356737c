/* Finds how several ranks would share a domain's lattice. */
#include "solver/ranks/part_tables.h"
#include "solver/run/solve_drive.h"
#include "solver/solver.h"

typedef struct {
  int parts;
  ht_part_figures *figures;
  int32_t *part;
} wanted;

static ht_status look(void *user, const ht_lattice_tables *tables) {
  const wanted *of = user;
  return ht_part_figures_find(tables, of->parts, of->figures, of->part);
}

ht_status ht_solver_parts(const ht_domain *domain, const ht_tiling *tiling,
                          const ht_solver_options *options, int parts, ht_part_figures *figures,
                          int32_t *part) {
  wanted of = {parts, figures, part};
  ht_solve_run run = {
      .domain = domain, .tiling = tiling, .options = options, .look = look, .look_user = &of};
  for (int p = 0; p < HT_OPENINGS_MAX; p++) run.inflow_factor[p] = 1;
  HT_TRY(ht_plan_make(domain, options, &run.plan));
  ht_status status = ht_solve_make_lattice(&run);
  ht_solve_free_drive(&run);
  ht_plan_free(&run.plan);
  return status;
}
