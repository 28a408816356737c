#include "run/lattice/within_choice.h"
#include "run/case/schema.h"
#include "run/case/time_span.h"
#include "run/lattice/run_plan.h"
#include "run/openings/narrow_place.h"
#include "run/openings/place_known.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ACROSS = 150, FEWEST_BEATS = 3, FEWEST_TUNED = 5 };

static const double of_memory = 0.75; /* share of the machine's, as in run_lattice.c */

const double ht_within_times_s[HT_WITHIN_TIMES] = {900, 3600};

int ht_within_flows(const ht_case *settings) {
  return settings->sensitivity ? 3 : 1;
}

/* ---- what the lattices take ---- */

/* Returns the case with fewer beats. The flow's own choice decides how many count. */
static void with_beats(const ht_case *from, int beats, ht_case *to) {
  *to = *from;
  if (!(to->within_s > 0)) to->within_s = 1;
  to->has_within_choice = 1;
  to->within_choice[0] = to->within_s;
  to->within_choice[1] = 0;
  to->within_choice[2] = beats;
}

static int is_given(const ht_case *settings, const char *section, const char *key) {
  return settings->is_given[ht_key_find(ht_case_keys, section, key) - ht_case_keys];
}

/* Returns a smaller number of beats; 0: the case does not leave them open. Windkessels that are
 * tuned need two beats to tune after, between the first and the last two. */
static int fewer_beats(const ht_run_measures *of, const ht_solver_options *options) {
  const int least = of->vessel->physiology.is_all ? FEWEST_TUNED : FEWEST_BEATS;
  const int adds = options->max_cycles > least + HT_LEAST_BEATS - 1;
  if (!ht_solver_is_pulse(options) || ht_case_within_beats(of->settings) > 0) return 0;
  if (is_given(of->settings, "flow", "cycles") || is_given(of->settings, "flow", "max_cycles"))
    return 0;
  return options->cycles > least || adds ? least : 0;
}

static ht_status offer(const ht_run_measures *of, const ht_domain *domain, int way,
                       ht_within_table *table) {
  const ht_solver_options options = ht_run_options(of->settings, &of->vessel->placed.openings);
  const int pulses = ht_solver_is_pulse(&options);
  table->beats[way] = pulses ? options.cycles : 0;
  table->most_beats[way] = pulses ? (int)fmax(options.cycles, options.max_cycles) : 0;
  return ht_run_offer_lattices(of, domain, HT_WITHIN_FIRST_ACROSS, MOST_ACROSS, NULL,
                               &table->offers[way]);
}

static ht_status offer_fewer(const ht_run_measures *of, const ht_domain *domain, int beats,
                             ht_within_table *table) {
  ht_case *settings;
  ht_run_measures fewer = *of;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the case"));
  with_beats(of->settings, beats, settings);
  fewer.settings = settings;
  const ht_status status = offer(&fewer, domain, HT_BEATS_FEWER, table);
  if (status == HT_OK) table->ways = HT_BEATS_WAYS;
  free(settings);
  return status;
}

static const ht_opening *thinnest(const ht_openings *openings) {
  const ht_opening *found = NULL;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_WALL && (!found || one->radius_mm < found->radius_mm)) found = one;
  }
  return found;
}

/* Fills in the narrowest place and the thinnest opening. */
static void describe_vessel(const ht_run_measures *of, const ht_lattice_offers *offers,
                            ht_within_table *table) {
  const double narrow_mm = offers->narrow_mm;
  const int is_narrow = narrow_mm > 0 && narrow_mm < of->size.widest_mm;
  table->least_mm = is_narrow ? narrow_mm : of->size.widest_mm;
  table->least = !is_narrow                        ? "the widest opening"
                 : narrow_mm == of->size.throat_mm ? "the fastest place"
                                                   : "the narrowest place";
  table->branch = thinnest(&of->vessel->placed.openings);
}

ht_status ht_within_table_make(const ht_run_measures *of, const ht_domain *domain,
                               double wanted_across, ht_within_table *table) {
  const ht_solver_options options = ht_run_options(of->settings, &of->vessel->placed.openings);
  const int fewer = fewer_beats(of, &options);
  memset(table, 0, sizeof *table);
  table->wanted_across = wanted_across;
  table->ways = 1;
  HT_TRY(offer(of, domain, HT_BEATS_USUAL, table));
  if (fewer > 0) HT_TRY(offer_fewer(of, domain, fewer, table));
  describe_vessel(of, &table->offers[0], table);
  return HT_OK;
}

/* ---- the choice ---- */

/* Returns 1 where a lattice keeps the vessel open and can be run, by the memory in all. */
static int is_usable(const ht_run_measures *of, const ht_within_table *table,
                     const ht_lattice_offer *one) {
  if (one->inlet_cell_reynolds > one->cell_reynolds_max || !(one->seconds > 0)) return 0;
  if (of->size.total_bytes > 0 && one->bytes > of_memory * of->size.total_bytes) return 0;
  if (table->least_mm / one->spacing_mm < HT_WITHIN_LEAST_ACROSS) return 0;
  return !table->branch ||
         ht_place_nodes(table->branch, one->spacing_mm) >= HT_OPENING_FEWEST_NODES;
}

/* Finds the finest usable lattice, none finer than wanted, that takes at most `seconds`; NULL:
 * none. seconds 0: the one that takes least, which need not be the coarsest: that may have no
 * coarse start. */
static const ht_lattice_offer *search(const ht_run_measures *of, const ht_within_table *table,
                                      int way, double seconds) {
  const ht_lattice_offers *offers = &table->offers[way];
  const ht_lattice_offer *found = NULL;
  for (int i = 0; i < offers->count; i++) {
    const ht_lattice_offer *one = &offers->offer[i];
    if (one->nodes_across > table->wanted_across || !is_usable(of, table, one)) continue;
    if (seconds > 0 ? one->longest_s <= seconds : !found || one->longest_s < found->longest_s)
      found = one;
  }
  return found;
}

/* Returns the offer of the wanted lattice, or of the next finer one; NULL: it is beyond the table.
 */
static const ht_lattice_offer *wanted_of(const ht_within_table *table) {
  const int at = (int)ceil(table->wanted_across - 1e-6) - HT_WITHIN_FIRST_ACROSS;
  return at < table->offers[0].count ? &table->offers[0].offer[at < 0 ? 0 : at] : NULL;
}

ht_within ht_within_choose(const ht_run_measures *of, const ht_within_table *table,
                           double limit_s) {
  const double seconds = HT_WITHIN_OF_FLOW * limit_s;
  const ht_lattice_offer *wanted = wanted_of(table);
  ht_within chosen = {.limit_s = limit_s, .fits = 1, .is_wanted = 1, .offer = wanted};
  if (wanted && wanted->longest_s <= seconds) return chosen;
  chosen.is_wanted = 0;
  chosen.offer = search(of, table, HT_BEATS_USUAL, seconds);
  if (table->ways > 1 && (!chosen.offer || chosen.offer->verdict != HT_OFFER_FINE)) {
    const ht_lattice_offer *fewer = search(of, table, HT_BEATS_FEWER, seconds);
    if (fewer && (!chosen.offer || fewer->nodes_across > chosen.offer->nodes_across)) {
      chosen.offer = fewer;
      chosen.way = HT_BEATS_FEWER;
    }
  }
  if (!chosen.offer) {
    chosen.fits = 0;
    chosen.offer = search(of, table, HT_BEATS_USUAL, 0);
    const ht_lattice_offer *fewer = table->ways > 1 ? search(of, table, HT_BEATS_FEWER, 0) : NULL;
    if (fewer && (!chosen.offer || fewer->longest_s < chosen.offer->longest_s)) {
      chosen.offer = fewer;
      chosen.way = HT_BEATS_FEWER;
    }
  }
  return chosen;
}

/* ---- for a page ---- */

void ht_within_json(ht_json *json, const ht_run_measures *of, const ht_lattice_offers *offers) {
  ht_within_table *table;
  if (ht_alloc((void **)&table, 1, sizeof *table, "the lattices") != HT_OK) return;
  table->offers[HT_BEATS_USUAL] = *offers;
  table->wanted_across = MOST_ACROSS;
  describe_vessel(of, offers, table);
  const int flows = ht_within_flows(of->settings);
  ht_json_number(json, "unasked_s", HT_WITHIN_UNASKED_S);
  ht_json_integer(json, "flows", flows);
  ht_json_number(json, "chosen_across", ht_case_within_across(of->settings));
  ht_json_array(json, "within");
  for (int i = 0; i < HT_WITHIN_TIMES; i++) {
    char limit[HT_TIME_SPAN_TEXT];
    const ht_lattice_offer *one =
        search(of, table, HT_BEATS_USUAL, HT_WITHIN_OF_FLOW * ht_within_times_s[i] / flows);
    ht_time_span_put(ht_within_times_s[i], limit);
    ht_json_object(json, NULL);
    ht_json_string(json, "time", limit);
    ht_json_number(json, "seconds", ht_within_times_s[i]);
    if (one) ht_json_number(json, "nodes_across", one->nodes_across);
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
  free(table);
}
