#include "run/lattice/run_offers.h"
#include "core/text/words.h"
#include "run/lattice/run_lattice.h"
#include "run/lattice/run_levels.h"
#include "run/lattice/run_memory.h"
#include "run/lattice/run_plan.h"
#include "run/lattice/run_time.h"
#include "run/openings/narrow_place.h"
#include "run/openings/place_known.h"
#include "run/process/console.h"
#include "solver/lattice/device_memory.h"
#include "solver/plan/collision_limits.h"
#include "solver/plan/lattice_plan.h"
#include "tiling/tiling.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Adds a sentence, and the verdict unless there is a worse one. */
__attribute__((format(printf, 3, 4))) static void
say(ht_lattice_offer *offer, ht_offer_verdict verdict, const char *format, ...) {
  const size_t length = strlen(offer->why);
  char text[200];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  snprintf(offer->why + length, sizeof offer->why - length, "%s%s", length ? " " : "", text);
  if (verdict > offer->verdict) offer->verdict = verdict;
}

/* ---- what is coarse ---- */

static void judge_place(ht_lattice_offer *offer, double across, const char *where) {
  if (!(across > 0)) return;
  if (round(across) < HT_FEWEST_NODES_ACROSS)
    say(offer, HT_OFFER_COARSE, "%.1f nodes across %s: every number is coarse below %d.", across,
        where, HT_FEWEST_NODES_ACROSS);
  else if (round(across) < HT_WALL_NODES_ACROSS)
    say(offer, HT_OFFER_COARSE,
        "%.1f nodes across %s: below %d the wall shear stress is off by more than some per cent.",
        across, where, HT_WALL_NODES_ACROSS);
}

static void judge_jet(const ht_run_measures *of, ht_lattice_offer *offer) {
  const double across = of->size.throat_mm / offer->spacing_mm;
  if (!(across > 0) || !ht_collision_is_for_jets(offer->collision)) return;
  if (round(across) < HT_THROAT_NODES_ACROSS)
    say(offer, HT_OFFER_COARSE, "%.1f nodes across the throat of a jet, which needs %d.", across,
        HT_THROAT_NODES_ACROSS);
}

/* Names the thinnest opening that this lattice closes, or through which too little blood passes. */
static void judge_openings(const ht_openings *openings, ht_lattice_offer *offer) {
  const ht_opening *thinnest = NULL;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_WALL && (!thinnest || one->radius_mm < thinnest->radius_mm))
      thinnest = one;
  }
  if (!thinnest) return;
  const double nodes = ht_place_nodes(thinnest, offer->spacing_mm);
  if (nodes < HT_OPENING_FEWEST_NODES)
    say(offer, HT_OFFER_COARSE, "'%s' has fewer than %d nodes: no blood passes there.",
        thinnest->name, HT_OPENING_FEWEST_NODES);
  else if (nodes < HT_PLACE_ENOUGH_NODES)
    say(offer, HT_OFFER_COARSE, "'%s' has some %.0f nodes: its share of the flow is uncertain.",
        thinnest->name, nodes);
}

/* Refuses what the solver would refuse: an inlet too fast for the collision; and names a throat
 * that is, which it computes. */
static void judge_speed(ht_lattice_offer *offer) {
  const char *word = ht_collision_words[offer->collision];
  if (offer->inlet_cell_reynolds > offer->cell_reynolds_max)
    say(offer, HT_OFFER_REFUSED,
        "The cell Reynolds number at the inlets and outlets is %.4g, at most %.0f with %s.",
        offer->inlet_cell_reynolds, offer->cell_reynolds_max, word);
  else if (offer->cell_reynolds > offer->cell_reynolds_max)
    say(offer, HT_OFFER_COARSE,
        "The cell Reynolds number in the throat is %.4g, more than the %.0f of %s: the flow may "
        "become "
        "unstable.",
        offer->cell_reynolds, offer->cell_reynolds_max, word);
}

static void judge(const ht_run_measures *of, const ht_lattice_offers *offers,
                  ht_lattice_offer *offer) {
  const double free_bytes = of->size.available_bytes;
  if (free_bytes > 0 && offer->bytes > free_bytes)
    say(offer, HT_OFFER_REFUSED, "It needs %s, and %s are free.",
        ht_memory_words(offer->bytes).text, ht_memory_words(free_bytes).text);
  judge_speed(offer);
  if (offers->narrow_mm > 0 && offers->narrow_mm < of->size.widest_mm)
    judge_place(offer, offer->throat_across, "the narrowest place");
  else
    judge_place(offer, offer->nodes_across, "the widest opening");
  judge_jet(of, offer);
  judge_openings(&of->vessel->placed.openings, offer);
}

/* ---- what it takes ---- */

/* How the tiles are filled: utilisation = across / (across + unfilled), as it is the tiles at the
 * wall that are not; and the voxels of the mask's box. */
typedef struct {
  double unfilled, box_voxels, across;
} box;

static ht_status measure_box(const ht_run_measures *of, const ht_domain *domain, box *to) {
  ht_tiling tiling = {0};
  HT_TRY(ht_tiling_build(&domain->mask, NULL, &tiling));
  to->across = of->size.widest_mm / domain->mask.grid.spacing_mm[0];
  to->unfilled = to->across * (1 / tiling.utilisation - 1);
  to->box_voxels = (double)ht_grid_voxels(&of->vessel->mask.grid);
  ht_tiling_free(&tiling);
  return HT_OK;
}

static void price_memory(const ht_run_measures *of, const box *box,
                         const ht_solver_options *options, double of_levels,
                         ht_lattice_offer *offer) {
  const double across = offer->nodes_across, finer = across / box->across;
  const double tiles =
      of_levels * offer->fluid_nodes / HT_TILE_NODES * (1 + box->unfilled / across);
  const ht_lattice_size size = {(int64_t)tiles + 1, offer->fluid_nodes, across};
  const ht_run_memory memory = ht_run_memory_of(&size, options, 0, 0);
  offer->on_gpu = memory.gpu > 0;
  offer->bytes = offer->on_gpu
                     ? memory.gpu
                     : ht_run_memory_before(of->scan_voxels, box->box_voxels * pow(finer, 3),
                                            offer->fluid_nodes) +
                           memory.host.lattice + memory.host.reading;
}

/* Returns what the lattice's levels take over one spacing. */
static ht_refine_cost price_levels(const ht_run_measures *of, const ht_refine_vessel *sections,
                                   const ht_lattice_plan *plan, const ht_solver_options *options,
                                   double spacing_mm) {
  char why[HT_LEVELS_WHY];
  const ht_levels_plan at = {options, spacing_mm, plan->tau, plan->inlet_cell_reynolds};
  const ht_refine_rules rules = ht_run_refine_rules(of->settings, &at, why);
  return ht_refine_cost_at(sections, &rules);
}

static void price(const ht_run_measures *of, const box *box, const ht_refine_vessel *sections,
                  const ht_lattice_plan *plan, ht_solver_options *options, double *copy_rate,
                  ht_lattice_offer *offer) {
  options->collision = plan->collision;
  const ht_refine_cost cost = price_levels(of, sections, plan, options, offer->spacing_mm);
  const double steps = ht_run_steps_after(&plan->coarse, options, cost.updates, plan->steps);
  const ht_run_time takes =
      ht_run_expected_time(options, plan->nodes, cost.updates * steps, copy_rate);
  offer->updates = cost.updates;
  offer->is_from_coarse = plan->coarse.applies;
  offer->fluid_nodes = plan->nodes;
  offer->steps = plan->steps;
  offer->seconds = takes.rate > 0 ? takes.seconds : 0;
  offer->longest_s =
      offer->seconds *
      ht_run_most_steps(&plan->coarse, options, cost.updates, plan->steps, plan->most_steps) /
      steps;
  offer->collision = plan->collision;
  offer->inlet_cell_reynolds = plan->inlet_cell_reynolds;
  offer->cell_reynolds = fmax(plan->inlet_cell_reynolds, plan->throat_cell_reynolds);
  offer->cell_reynolds_max = ht_collision_limits_of(plan->collision)->cell_reynolds_max;
  price_memory(of, box, options, cost.nodes, offer);
}

static void measure_narrow(const ht_run_measures *of, ht_lattice_offers *offers) {
  ht_narrow_place place[HT_OPENINGS_MAX];
  const ht_run_vessel *vessel = of->vessel;
  const ht_opening *inlet = ht_openings_main_inlet(&vessel->placed.openings);
  const int count = ht_narrow_places(&vessel->mask, &vessel->placed.openings, place);
  offers->inlet_mm = inlet ? 2 * inlet->radius_mm : 0;
  offers->narrow_mm = of->size.throat_mm;
  for (int i = 0; i < count; i++) {
    const double mm = place[i].across * vessel->mask.grid.spacing_mm[0];
    if (!(offers->narrow_mm > 0) || mm < offers->narrow_mm) offers->narrow_mm = mm;
  }
}

static ht_status fill(const ht_run_measures *of, const ht_domain *domain, double *copy_rate,
                      ht_lattice_offers *offers) {
  ht_solver_options options = ht_run_options(of->settings, &of->vessel->placed.openings);
  double spacing_mm[HT_OFFERS_MAX];
  ht_lattice_plan plan[HT_OFFERS_MAX];
  ht_throat throat;
  box box;
  HT_TRY(ht_run_flow_options(of->settings, of->vessel, &options, &throat));
  for (int i = 0; i < offers->count; i++) spacing_mm[i] = offers->offer[i].spacing_mm;
  HT_TRY(ht_lattice_plans(domain, &options, of->settings->collision < 0, offers->count, spacing_mm,
                          plan));
  HT_TRY(measure_box(of, domain, &box));
  ht_refine_vessel sections;
  const ht_status status = ht_run_refine_vessel(of->settings, of->vessel,
                                                &of->vessel->placed.openings, domain, &sections);
  /* The longest first: where that measures the machine's speed, all offers have it. */
  for (int i = offers->count - 1; status == HT_OK && i >= 0; i--) {
    price(of, &box, &sections, &plan[i], &options, copy_rate, &offers->offer[i]);
    judge(of, offers, &offers->offer[i]);
  }
  ht_refine_vessel_free(&sections);
  return status;
}

ht_status ht_run_offer_lattices(const ht_run_measures *of, const ht_domain *domain, int least,
                                int most, double *copy_rate, ht_lattice_offers *offers) {
  double measured = 0;
  memset(offers, 0, sizeof *offers);
  if (!of->has_flow) return ht_fail(HT_ERR_CASE, "%s", ht_error_message());
  measure_narrow(of, offers);
  offers->auto_across = ht_run_auto_nodes_across(of);
  offers->mask_across = ht_run_nodes_across(of->vessel);
  for (int across = least; across <= most && offers->count < HT_OFFERS_MAX; across++) {
    ht_lattice_offer *offer = &offers->offer[offers->count++];
    offer->nodes_across = across;
    offer->spacing_mm = of->size.widest_mm / across;
    offer->inlet_across = offers->inlet_mm / offer->spacing_mm;
    offer->throat_across = offers->narrow_mm / offer->spacing_mm;
  }
  return fill(of, domain, copy_rate ? copy_rate : &measured, offers);
}

/* ---- as text and as JSON ---- */

void ht_run_tell_offers(const ht_lattice_offers *offers) {
  static const int shown[] = {12, 16, 20, 24, 32, 48, 64};
  char time[32];
  ht_console_note("other lattices, about: nodes across the widest opening, the narrowest place; "
                  "fluid nodes, memory, steps, time");
  for (int i = 0; i < offers->count; i++) {
    const ht_lattice_offer *offer = &offers->offer[i];
    int is_shown = 0;
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
      is_shown |= offer->nodes_across == shown[k];
    if (!is_shown) continue;
    ht_duration_words(offer->seconds, time);
    ht_console_note("  %4.0f %5.1f   %8.2g  %9s  %8.2g  %s%s%s%s", offer->nodes_across,
                    offer->throat_across, offer->fluid_nodes, ht_memory_words(offer->bytes).text,
                    offer->steps, offer->seconds > 0 ? time : "",
                    offer->is_from_coarse ? ", begins on a coarser lattice" : "",
                    offer->updates < 1 ? ", on levels" : "",
                    offer->verdict == HT_OFFER_REFUSED  ? "  (refused)"
                    : offer->verdict == HT_OFFER_COARSE ? "  (coarse)"
                                                        : "");
  }
}

static void put_offer(ht_json *json, const ht_lattice_offer *offer) {
  static const char *const verdicts[] = {"fine", "coarse", "refused"};
  ht_json_object(json, NULL);
  ht_json_measured(json, "nodes_across", offer->nodes_across);
  ht_json_measured(json, "spacing_mm", offer->spacing_mm);
  ht_json_measured(json, "inlet_across", offer->inlet_across);
  ht_json_measured(json, "throat_across", offer->throat_across);
  ht_json_measured(json, "fluid_nodes", offer->fluid_nodes);
  ht_json_measured(json, "steps", offer->steps);
  ht_json_measured(json, "share_of_updates", offer->updates);
  ht_json_measured(json, "seconds", offer->seconds);
  ht_json_measured(json, "longest_s", offer->longest_s);
  ht_json_measured(json, "memory_mb", 1e-6 * offer->bytes);
  ht_json_string(json, "collision", ht_collision_words[offer->collision]);
  ht_json_measured(json, "cell_reynolds", offer->cell_reynolds);
  ht_json_string(json, "verdict", verdicts[offer->verdict]);
  ht_json_string(json, "why", offer->why);
  ht_json_object_end(json);
}

void ht_run_offers_json(ht_json *json, const ht_run_measures *of, const ht_lattice_offers *offers) {
  ht_device_memory device;
  ht_json_measured(json, "widest_mm", of->size.widest_mm);
  ht_json_measured(json, "inlet_mm", offers->inlet_mm);
  ht_json_measured(json, "narrowest_mm", offers->narrow_mm);
  ht_json_measured(json, "reynolds", of->reynolds);
  ht_json_measured(json, "inlet_peak_m_s", of->size.speed_m_s);
  ht_json_measured(json, "throat_peak_m_s", of->size.throat_speed_m_s);
  ht_json_measured(json, "auto_nodes_across", offers->auto_across);
  ht_json_measured(json, "mask_nodes_across", offers->mask_across);
  ht_json_measured(json, "free_mb", 1e-6 * of->size.available_bytes);
  if (ht_device_memory_describe(of->settings->solver.device, &device) == HT_OK)
    ht_json_string(json, "device", device.name);
  else
    ht_json_string(json, "problem", ht_error_message());
  ht_json_array(json, "lattices");
  for (int i = 0; i < offers->count; i++) put_offer(json, &offers->offer[i]);
  ht_json_array_end(json);
}
