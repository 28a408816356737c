#include "run/lattice/within.h"
#include "core/text/words.h"
#include "run/lattice/run_extensions.h"
#include "run/lattice/run_lattice.h"
#include "run/lattice/within_text.h"
#include "run/openings/place_flows.h"
#include "run/process/console.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Plan after the tiles over the one before the choice, at most. */
static const double may_differ = 1.5;

/* A plan before the vessel is on its lattice refuses what is so many times too long. */
static const double beyond = 8;

/* ---- the choice of a run ---- */

/* Returns the share of the time that this flow may take: others of the same command follow it. */
static double share_of(const ht_given *given) {
  return (given->share > 0 ? given->share : 1) / ht_within_flows(given->settings);
}

/* Returns the nodes across the widest opening without a limit; 0: the flow is refused. */
static double wanted_across(const ht_run_measures *of) {
  const ht_segment_options *asked = &of->settings->segment;
  if (asked->spacing_mm > 0) return of->size.widest_mm / asked->spacing_mm;
  return asked->nodes_across > 0 ? asked->nodes_across : ht_run_auto_nodes_across(of);
}

/* Returns the least time into which a lattice fits, with `share` of it: in whole minutes, below two
 * of them in tens of seconds. */
static double least_time_s(const ht_within *chosen, double share) {
  const double least_s = chosen->offer->longest_s / (HT_WITHIN_OF_FLOW * share);
  const double step_s = least_s < 120 ? 10 : 60;
  return step_s * ceil(least_s / step_s);
}

static ht_status refuse_all(const ht_run_measures *of, const ht_within_table *table,
                            const ht_within *chosen, double share) {
  char limit[HT_TIME_SPAN_TEXT], least[HT_TIME_SPAN_TEXT];
  ht_time_span_put(of->settings->within_s, limit);
  if (!chosen->offer)
    return ht_fail(HT_ERR_TIME,
                   "no lattice as coarse as lattice.within (%s) needs can be run with this flow: "
                   "give more time, or `within: no`",
                   limit);
  ht_time_span_put(least_time_s(chosen, share), least);
  return ht_fail(
      HT_ERR_TIME,
      "no lattice fits into the %s of lattice.within on this machine: of those that keep "
      "the vessel open the fastest has %.0f nodes across the widest opening, %.1f "
      "across %s, and needs --within %s, or a machine with a GPU",
      limit, chosen->offer->nodes_across, table->least_mm / chosen->offer->spacing_mm, table->least,
      least);
}

static void keep(const ht_within_table *table, const ht_within *chosen, ht_case *settings) {
  settings->has_within_choice = 1;
  settings->within_choice[0] = settings->within_s;
  settings->within_choice[1] = chosen->is_wanted ? 0 : chosen->offer->nodes_across;
  settings->within_choice[2] = chosen->way == HT_BEATS_FEWER ? table->beats[HT_BEATS_FEWER] : 0;
}

/* Makes the flow's openings and its domain for the vessel just found; its mask is the run's. */
static ht_status build_found(const ht_run *run, ht_run_vessel *vessel, ht_domain *domain) {
  const ht_case *settings = run->given.settings;
  HT_TRY(ht_place_flows(settings, &vessel->placed.openings));
  HT_TRY(ht_place_windkessels(settings, &vessel->placed.openings, &vessel->physiology));
  return ht_run_build_domain(settings, vessel, ht_run_walls(run), 1, domain);
}

/* Measures the vessel just found and makes its table, which the caller frees; NULL: the flow is not
 * known or refused, which a later stage reports. `vessel`: a copy of the run's, which gets the
 * flow, and which the measures point into. */
static ht_status plan_found(const ht_run *run, ht_run_vessel *vessel, ht_run_measures *of,
                            ht_within_table **table) {
  ht_domain domain = {0};
  *table = NULL;
  const int mark = ht_console_warnings(), was_quiet = ht_console_set_quiet(1);
  const int is_known = build_found(run, vessel, &domain) == HT_OK;
  ht_console_drop_warnings(mark, ht_console_warnings());
  ht_console_set_quiet(was_quiet);
  ht_run_measure(run->given.settings, vessel, ht_mask_ml(&vessel->mask), of);
  const double wanted = is_known && of->has_flow ? wanted_across(of) : 0;
  ht_status status = HT_OK;
  if (wanted > 0) status = ht_alloc((void **)table, 1, sizeof **table, "the lattices");
  if (*table) status = ht_within_table_make(of, &domain, wanted, *table);
  ht_domain_free(&domain);
  return status;
}

static ht_status choose(const ht_run_measures *of, double share, const ht_within_table *table,
                        ht_case *settings) {
  const ht_within chosen = ht_within_choose(of, table, settings->within_s * share);
  if (!chosen.fits) return refuse_all(of, table, &chosen, share);
  keep(table, &chosen, settings);
  return HT_OK;
}

ht_status ht_run_choose_within(ht_run *run) {
  ht_run_vessel vessel = run->vessel;
  ht_run_measures of;
  ht_within_table *table;
  if (!ht_case_within_chooses(run->given.settings)) return HT_OK;
  ht_status status = plan_found(run, &vessel, &of, &table);
  if (status == HT_OK && table)
    status = choose(&of, share_of(&run->given), table, run->given.settings);
  free(table);
  return status;
}

/* Warns of what is lost on the lattice with `across` nodes, 0: as without a time, with `beats`. */
static void warn_of_loss(const ht_run_measures *of, ht_within_table *table, double across,
                         int beats) {
  const ht_solver_options *usual = &of->settings->solver;
  char limit[HT_TIME_SPAN_TEXT], nodes[HT_WITHIN_TEXT], errors[HT_WITHIN_TEXT];
  const double taken = across > 0 ? across : table->wanted_across;
  const int at =
      (int)fmin(fmax(0, round(taken) - HT_WITHIN_FIRST_ACROSS), table->offers[0].count - 1);
  const ht_within kept = {.way = beats > 0, .offer = &table->offers[0].offer[at]};
  table->beats[HT_BEATS_FEWER] = table->beats[HT_BEATS_USUAL]; /* with those of the choice */
  table->most_beats[HT_BEATS_FEWER] = table->most_beats[HT_BEATS_USUAL];
  table->beats[HT_BEATS_USUAL] = usual->cycles;
  table->most_beats[HT_BEATS_USUAL] = (int)fmax(usual->cycles, usual->max_cycles);
  ht_time_span_put(of->settings->within_s, limit);
  ht_within_nodes_text(of, table, &kept, nodes);
  ht_within_errors_text(of, table, &kept, errors);
  ht_console_warn("within %s: %s", limit, nodes); /* one would be longer than a warning may be */
  ht_console_warn("within %s: %s", limit, errors);
}

ht_status ht_run_tell_within(const ht_run *run) {
  const double across = ht_case_within_across(run->given.settings);
  const int beats = ht_case_within_beats(run->given.settings);
  ht_run_vessel vessel = run->vessel;
  ht_run_measures of;
  ht_within_table *table;
  if (!(across > 0) && beats == 0) return HT_OK;
  const ht_status status = plan_found(run, &vessel, &of, &table);
  if (status == HT_OK && table) warn_of_loss(&of, table, across, beats);
  free(table);
  return status;
}

/* ---- the limit ---- */

typedef struct {
  char lines[3800], words[200];
} shorter_texts;

int ht_run_allows(const ht_run *run, double seconds) {
  const ht_case *settings = run->given.settings;
  const double all_s = seconds / share_of(&run->given);
  if (settings->within_s < 0 || run->given.repeats) return 1;
  if (!(settings->within_s > 0)) return all_s <= HT_WITHIN_UNASKED_S;
  return all_s <= (ht_case_within_chooses(settings) ? 1 : may_differ) * settings->within_s;
}

/* Adds what a time gives to both texts: a line with the command and all that is lost, and a few
 * words for the one line of a batch's table. */
static void add_time(const ht_run_measures *of, const ht_within_table *table,
                     const ht_within *chosen, double share, const char *command,
                     shorter_texts *to) {
  const size_t length = strlen(to->lines), used = strlen(to->words);
  char limit[HT_TIME_SPAN_TEXT], nodes[HT_WITHIN_TEXT], errors[HT_WITHIN_TEXT];
  ht_time_span_put(round(chosen->limit_s / share), limit);
  ht_within_nodes_text(of, table, chosen, nodes);
  ht_within_errors_text(of, table, chosen, errors);
  snprintf(to->lines + length, sizeof to->lines - length, "\n  %s --within %s  # %s. %s", command,
           limit, nodes, errors);
  snprintf(to->words + used, sizeof to->words - used, " %s (%.0f nodes across instead of %.0f),",
           limit, chosen->offer->nodes_across, table->wanted_across);
}

/* Describes what 15 minutes and an hour give, where the flow takes longer; if nothing fits into the
 * hour, a time into which something does, also where the vessel is measured on another lattice. */
static void describe_shorter(const ht_run *run, const ht_run_measures *of,
                             const ht_within_table *table, double seconds, shorter_texts *to) {
  const double share = share_of(&run->given), reserve = 1.25;
  char own[HT_PATH_MAX];
  const char *command = run->given.again ? run->given.again : own;
  snprintf(own, sizeof own, "hemotile run %.4000s", run->given.typed);
  memset(to, 0, sizeof *to);
  for (int i = 0; i < HT_WITHIN_TIMES; i++) {
    ht_within chosen = ht_within_choose(of, table, ht_within_times_s[i] * share);
    if (!chosen.fits && chosen.offer && i == HT_WITHIN_TIMES - 1)
      chosen = ht_within_choose(of, table, least_time_s(&chosen, share / reserve) * share);
    if (chosen.fits && seconds > chosen.limit_s) add_time(of, table, &chosen, share, command, to);
  }
  const size_t length = strlen(to->lines);
  if (!ht_run_allows(run, seconds))
    snprintf(to->lines + length, sizeof to->lines - length, "\n  %s --within no", command);
}

/* Makes the table of a run that has its domain. The caller frees it. */
static ht_status plan_own(const ht_run *run, ht_run_measures *of, ht_within_table **table) {
  ht_run_measure(run->given.settings, &run->vessel, ht_mask_ml(&run->vessel.mask), of);
  HT_TRY(ht_alloc((void **)table, 1, sizeof **table, "the lattices"));
  return ht_within_table_make(of, &run->domain, ht_run_nodes_across(&run->vessel), *table);
}

static ht_status refuse(const ht_run *run, const ht_run_measures *of, const ht_within_table *table,
                        double seconds) {
  const double within_s = run->given.settings->within_s;
  shorter_texts texts;
  char takes[32], limit[HT_TIME_SPAN_TEXT];
  describe_shorter(run, of, table, seconds, &texts);
  ht_duration_words(seconds / share_of(&run->given), takes);
  ht_time_span_put(within_s > 0 ? within_s : HT_WITHIN_UNASKED_S, limit);
  ht_console_hint("no flow was computed; one of these goes on:%s  # all of it: up to %s",
                  texts.lines, takes);
  return ht_fail(HT_ERR_TIME,
                 "this flow takes up to %s on this machine, and more than %s %s: give --within "
                 "TIME:%s%s no (any time); in a case file or a batch's table lattice.within",
                 takes, limit, within_s > 0 ? "are not allowed" : "are not begun unasked",
                 texts.words, texts.words[0] ? " or" : "");
}

ht_status ht_run_check_early(const ht_run *run) {
  const ht_given *given = &run->given;
  ht_run_vessel vessel = run->vessel;
  ht_run_measures of;
  ht_within_table *table;
  if (given->dry || given->repeats || given->last < HT_STAGE_SOLVE ||
      given->settings->within_s != HT_WITHIN_AUTO)
    return HT_OK;
  vessel.throat = NULL; /* it keeps those of masks with a hash */
  ht_status status = plan_found(run, &vessel, &of, &table);
  if (status == HT_OK && table) {
    const ht_within any = ht_within_choose(&of, table, INFINITY);
    if (any.offer && !ht_run_allows(run, any.offer->longest_s / beyond))
      status = refuse(run, &of, table, any.offer->longest_s);
  }
  free(table);
  return status;
}

ht_status ht_run_check_within(const ht_run *run, double seconds) {
  ht_run_measures of;
  ht_within_table *table = NULL;
  if (ht_run_allows(run, seconds)) return HT_OK;
  ht_status status = plan_own(run, &of, &table);
  if (status == HT_OK) status = refuse(run, &of, table, seconds);
  free(table);
  return status;
}

ht_status ht_run_tell_shorter(const ht_run *run, double seconds) {
  shorter_texts texts;
  ht_run_measures of;
  ht_within_table *table = NULL;
  const int has_time = run->given.settings->within_s > 0 && ht_run_allows(run, seconds);
  if (has_time || seconds / share_of(&run->given) <= ht_within_times_s[0]) return HT_OK;
  const ht_status status = plan_own(run, &of, &table);
  if (status == HT_OK) {
    describe_shorter(run, &of, table, seconds, &texts);
    if (texts.lines[0]) ht_console_note("shorter  with a time for the flow:%s", texts.lines);
  }
  free(table);
  return status;
}
