#include "run/lattice/run_offers.h"
#include "core/numbers/units.h"
#include "core/text/words.h"
#include "run/lattice/run_extensions.h"
#include "run/lattice/run_lattice.h"
#include "run/lattice/run_plan.h"
#include "run/lattice/run_time.h"
#include "run/openings/narrow_place.h"
#include "run/openings/place_known.h"
#include "run/process/console.h"
#include "solver/lattice/device_memory.h"
#include "solver/plan/collision_limits.h"
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
static void judge_speed(const ht_run_measures *of, ht_lattice_offer *offer) {
  const double inlet = offer->cell_reynolds * of->size.speed_m_s /
                       fmax(of->size.speed_m_s, of->size.throat_speed_m_s);
  const char *word = ht_collision_words[offer->collision];
  if (inlet > offer->cell_reynolds_max)
    say(offer, HT_OFFER_REFUSED,
        "The cell Reynolds number at the inlet is %.4g, at most %.0f with %s.", inlet,
        offer->cell_reynolds_max, word);
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
  judge_speed(of, offer);
  if (offers->narrow_mm > 0 && offers->narrow_mm < of->size.widest_mm)
    judge_place(offer, offer->throat_across, "the narrowest place");
  else
    judge_place(offer, offer->nodes_across, "the widest opening");
  judge_jet(of, offer);
  judge_openings(&of->vessel->placed.openings, offer);
}

/* ---- what it takes ---- */

/* Returns the measures with the extensions that the jet of a narrowing lengthens. */
static ht_vessel_size extended(const ht_run_measures *of) {
  const ht_openings *openings = &of->vessel->placed.openings;
  const ht_extend_options usual = ht_run_usual_extensions(of->settings);
  double diameters[HT_OPENINGS_MAX];
  ht_vessel_size size = of->size;
  if (ht_run_extension_lengths(of->settings, of->vessel, diameters) != HT_OK) return size;
  for (int i = 0; i < openings->count; i++) {
    const double r = openings->item[i].radius_mm;
    if (openings->item[i].role != HT_ROLE_OUTLET) continue;
    size.volume_mm3 += (diameters[i] - usual.outlet_diameters) * 2 * r * HT_PI * r * r;
  }
  return size;
}

static void price(const ht_run_measures *of, const ht_vessel_size *size, double *copy_rate,
                  ht_lattice_offer *offer) {
  const ht_solver_options options = ht_run_options_at(of, offer->spacing_mm);
  double least_pa_s, most_pa_s;
  ht_run_estimate estimate;
  ht_solver_estimate(size, &options, offer->spacing_mm, &estimate);
  const ht_run_time takes =
      ht_run_expected_time(&options, estimate.nodes, estimate.steps, copy_rate);
  ht_blood_range(&options.blood, options.viscosity_pa_s, &least_pa_s, &most_pa_s);
  offer->fluid_nodes = estimate.nodes;
  offer->steps = estimate.steps;
  offer->bytes = estimate.bytes;
  offer->on_gpu = estimate.on_gpu;
  offer->seconds = takes.rate > 0 ? takes.seconds : 0;
  offer->collision = options.collision;
  offer->cell_reynolds = 1e-3 * offer->spacing_mm * options.density_kg_m3 / least_pa_s *
                         fmax(size->speed_m_s, size->throat_speed_m_s);
  offer->cell_reynolds_max = ht_collision_limits_of(options.collision)->cell_reynolds_max;
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

ht_status ht_run_offer_lattices(const ht_run_measures *of, int least, int most, double *copy_rate,
                                ht_lattice_offers *offers) {
  double measured = 0;
  memset(offers, 0, sizeof *offers);
  if (!of->has_flow) return ht_fail(HT_ERR_CASE, "%s", ht_error_message());
  measure_narrow(of, offers);
  offers->auto_across = ht_run_auto_nodes_across(of);
  offers->mask_across = ht_run_nodes_across(of->vessel);
  const ht_vessel_size size = extended(of);
  for (int across = least; across <= most && offers->count < HT_OFFERS_MAX; across++) {
    ht_lattice_offer *offer = &offers->offer[offers->count++];
    offer->nodes_across = across;
    offer->spacing_mm = of->size.widest_mm / across;
    offer->inlet_across = offers->inlet_mm / offer->spacing_mm;
    offer->throat_across = offers->narrow_mm / offer->spacing_mm;
    price(of, &size, copy_rate ? copy_rate : &measured, offer);
    judge(of, offers, offer);
  }
  return HT_OK;
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
    ht_console_note("  %4.0f %5.1f   %8.2g  %9s  %8.2g  %s%s", offer->nodes_across,
                    offer->throat_across, offer->fluid_nodes, ht_memory_words(offer->bytes).text,
                    offer->steps, offer->seconds > 0 ? time : "",
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
  ht_json_measured(json, "seconds", offer->seconds);
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
