#include "run/lattice/within_text.h"
#include "core/text/words.h"
#include "export/wall/wall.h"
#include "run/lattice/expected_error.h"
#include "run/refine/refine_rules.h"
#include "solver/plan/collision_limits.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double narrow = 0.8; /* of the widest opening's diameter, as narrow_place.h */

__attribute__((format(printf, 2, 3))) static void add(char text[HT_WITHIN_TEXT], const char *format,
                                                      ...) {
  const size_t length = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + length, HT_WITHIN_TEXT - length, format, values);
  va_end(values);
}

/* Returns dx+ that is planned in the vessel's fastest place, at the beat's peak; 0: not known. */
static double planned_dx_plus(const ht_run_measures *of, double spacing_mm) {
  return ht_planned_dx_plus(of->size.throat_speed_m_s, of->size.throat_mm,
                            ht_solver_least_kinematic(&of->settings->solver), spacing_mm);
}

void ht_within_nodes_text(const ht_run_measures *of, const ht_within_table *table,
                          const ht_within *chosen, char text[HT_WITHIN_TEXT]) {
  const double finer = table->wanted_across / chosen->offer->nodes_across;
  const double spacing_mm = chosen->offer->spacing_mm;
  const double least = table->least_mm / spacing_mm, inlet = chosen->offer->inlet_across;
  text[0] = 0;
  add(text, "%.0f nodes across the widest opening instead of %.0f", chosen->offer->nodes_across,
      table->wanted_across);
  if (table->least_mm < 0.95 * of->size.widest_mm)
    add(text, ", %.1f across %s (%.1f mm) instead of %.1f", least, table->least, table->least_mm,
        finer * least);
  if (inlet > 0 && inlet < 0.95 * chosen->offer->nodes_across)
    add(text, ", %.1f across the inlet instead of %.1f", inlet, finer * inlet);
  if (table->branch && 2 * table->branch->radius_mm < 0.95 * of->size.widest_mm) {
    const double branch = 2 * table->branch->radius_mm / spacing_mm;
    add(text, ", %.1f across '%s' instead of %.1f", branch, table->branch->name, finer * branch);
  }
  if (chosen->way == HT_BEATS_FEWER)
    add(text, ", %d to %d beats instead of %d to %d", table->beats[HT_BEATS_FEWER],
        table->most_beats[HT_BEATS_FEWER], table->beats[HT_BEATS_USUAL],
        table->most_beats[HT_BEATS_USUAL]);
}

static void add_error(const char *what, const ht_expected_error *error, char text[HT_WITHIN_TEXT]) {
  if (error->percent > 0)
    add(text, "%s some %g %% (%s)", what, error->percent, error->source);
  else
    add(text, "%s not known", what);
}

void ht_within_errors_text(const ht_run_measures *of, const ht_within_table *table,
                           const ht_within *chosen, char text[HT_WITHIN_TEXT]) {
  const double dx_plus = planned_dx_plus(of, chosen->offer->spacing_mm);
  const int is_jet = ht_collision_is_for_jets(chosen->offer->collision);
  const ht_flow_kind kind = is_jet                                          ? HT_FLOW_JET
                            : table->least_mm < narrow * of->size.widest_mm ? HT_FLOW_NARROW
                                                                            : HT_FLOW_EVEN;
  const double across = kind == HT_FLOW_EVEN ? chosen->offer->nodes_across
                                             : table->least_mm / chosen->offer->spacing_mm;
  const ht_expected_error drop = ht_expected_drop_error(kind, across);
  const ht_expected_error wss = ht_expected_wss_error(kind, across);
  text[0] = 0;
  if (dx_plus > 0)
    add(text, "dx+ %.2g planned at the fastest place%s; ", dx_plus,
        dx_plus > HT_DX_PLUS_COARSE ? ", above 5: the wall shear stress is off there" : "");
  add_error("error expected of the pressure drop", &drop, text);
  add_error(", of the wall shear stress", &wss, text);
}
