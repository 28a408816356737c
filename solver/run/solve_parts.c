/* Finds how several ranks would share a domain's lattice. */
#include "solver/ranks/part_tables.h"
#include "solver/run/ports/outlet_pressure.h"
#include "solver/run/ports/port_lattice.h"
#include "solver/solver.h"

typedef struct {
  int parts;
  ht_part_figures *figures;
  int32_t *part;
} wanted;

static ht_status find_figures(void *user, const ht_lattice_tables *tables) {
  const wanted *of = user;
  return ht_part_figures_find(tables, of->parts, of->figures, of->part);
}

static ht_status look(void *user, const ht_lattice_setup *setup) {
  return ht_lattice_look(setup, find_figures, user);
}

ht_status ht_solver_parts(const ht_domain *domain, const ht_tiling *tiling,
                          const ht_solver_options *options, int parts, ht_part_figures *figures,
                          int32_t *part) {
  wanted of = {parts, figures, part};
  ht_solve_setup setup = {.domain = domain, .tiling = tiling, .options = options};
  ht_outlet_states outlets = {0};
  ht_port_drive drive = {0};
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_plan_make(domain, options, &setup.plan));
  status = ht_port_lattice_set_up(&setup, &outlets, &drive, look, &of);
done:
  ht_port_drive_free(&drive);
  ht_outlets_free(&outlets);
  ht_plan_free(&setup.plan);
  return status;
}
