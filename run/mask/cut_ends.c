#include "run/mask/cut_ends.h"
#include "segment/openings/blood_beyond.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A closed end that was cut off, and a place beyond it. */
typedef struct {
  const ht_run *run;
  const ht_opening *inlet, *end; /* of the run; end NULL: there is none */
  double beyond_mm[3];
} cut_end;

/* Finds the widest closed end that was cut off. */
static ht_status find_cut(cut_end *cut) {
  const ht_openings *blind = &cut->run->vessel.placed.blind;
  for (int i = 0; i < blind->count && !cut->end; i++) {
    const ht_opening *end = &blind->item[i];
    int goes_on = 0;
    if (end->radius_mm > cut->inlet->radius_mm ||
        ht_placed_is_missed(&cut->run->vessel.placed.openings, end))
      HT_TRY(ht_blood_beyond(&cut->run->imported.scan, &cut->run->vessel.mask, end,
                             cut->run->manifest.segment.lower, cut->beyond_mm, &goes_on));
    if (goes_on) cut->end = end;
  }
  return HT_OK;
}

/* Adds a point as a person types it to the points, and to the options of the command. */
static void add_point(const double at_mm[3], ht_points *points, char *options, size_t size) {
  char typed[64];
  size_t length = strlen(options);
  snprintf(typed, sizeof typed, "%.1f,%.1f,%.1f", at_mm[0], at_mm[1], at_mm[2]);
  snprintf(options + length, size - length, " --%s=%s", points->count ? "to" : "from", typed);
  if (points->count < HT_SEGMENT_POINTS_MAX) ht_points_add_typed(typed, "--to", points);
}

/* Tells whether points from the inlet to a place, and the outlets where `all`, open the vessel
 * there. */
static ht_status try_point(const cut_end *cut, const double to_mm[3], int all, ht_decide *decide,
                           ht_placed *placed, char *options, size_t size) {
  const ht_openings *known = &cut->run->vessel.placed.openings;
  double away_mm;
  ht_points *points;
  HT_TRY(ht_alloc((void **)&points, 1, sizeof *points, "the points"));
  options[0] = 0;
  add_point(cut->inlet->centre_mm, points, options, size);
  add_point(to_mm, points, options, size);
  for (int i = 0; all && i < known->count; i++)
    if (known->item[i].role == HT_ROLE_OUTLET)
      add_point(known->item[i].centre_mm, points, options, size);
  ht_status status = ht_try_points(cut->run, points, decide, placed);
  free(points);
  if (status == HT_ERR_INTERRUPTED || status == HT_ERR_MEMORY) return status;
  int at = status == HT_OK ? ht_placed_nearest(&placed->openings, to_mm, &away_mm) : -1;
  int opens = at >= 0 && placed->openings.item[at].role == HT_ROLE_OUTLET &&
              away_mm < 2 * placed->openings.item[at].radius_mm;
  if (!opens) options[0] = 0;
  return HT_OK;
}

/* Finds points that open the end, farther on or at it; "" where none do. */
static ht_status find_points(const cut_end *cut, ht_decide *decide, char *options, size_t size) {
  const double *place_mm[] = {cut->beyond_mm, cut->end->centre_mm};
  ht_placed *placed;
  HT_TRY(ht_alloc((void **)&placed, 1, sizeof *placed, "the openings of a trial"));
  ht_status status = HT_OK;
  options[0] = 0;
  for (int n = 0; n < 4 && status == HT_OK && !options[0]; n++)
    status = try_point(cut, place_mm[n / 2], n % 2 == 0, decide, placed, options, size);
  free(placed);
  return status;
}

ht_status ht_check_cut_ends(const ht_run *run, ht_decide *decide) {
  const ht_case *settings = run->given.settings;
  cut_end cut = {.run = run, .inlet = ht_openings_main_inlet(&run->vessel.placed.openings)};
  char options[2000], way[HT_SHELL_WORD_MAX(HT_PATH_MAX) + 2100];
  if (!run->imported.scan.values || settings->mask[0] || settings->openings ||
      settings->segment.points || !cut.inlet)
    return HT_OK;
  HT_TRY(find_cut(&cut));
  if (!cut.end) return HT_OK;
  HT_TRY(find_points(&cut, decide, options, sizeof options));
  snprintf(way, sizeof way, "Put points into the vessel, the first where the blood enters");
  if (options[0])
    snprintf(way, sizeof way, "These points open it: `hemotile segment %s%s`", run->given.typed,
             options);
  const double *at = cut.end->centre_mm, *in = cut.inlet->centre_mm;
  return ht_fail(
      HT_ERR_OPENINGS,
      "the vessel goes on beyond its closed end at [%.1f, %.1f, %.1f] (LPS mm, radius %.2f mm; the "
      "inlet: %.2f mm), where the scan is dimmer than the level taken, %.4g, and without it the "
      "flow is wrong: the outlets that were found carry %.0f %% of the inlet's flow by Murray's "
      "law. %s; where blood goes on into another vessel, as in a fistula, put the point into that, "
      "farther on. If the end is the dome of an aneurysm, keep it closed by an entry under "
      "`openings:` in case.yaml: `- {near_mm: [%.1f, %.1f, %.1f], role: inlet}`",
      at[0], at[1], at[2], cut.end->radius_mm, cut.inlet->radius_mm, run->manifest.segment.lower,
      100 * ht_placed_outlet_share(&run->vessel.placed.openings), way, in[0], in[1], in[2]);
}
