#include "run/numbers/plausibility.h"
#include "run/process/console.h"
#include "segment/openings/even_section.h"
#include "run/numbers/run_outcome.h"
#include "core/numbers/units.h"
#include "run/openings/usual_flow.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the area of the vessel beyond the inlet; where that is not known, at the inlet. */
static double area_mm2(const ht_vessel_path *path, const ht_opening *inlet) {
  double even = inlet->even_mm2 > 0 ? inlet->even_mm2 : ht_even_section_mm2(path);
  return even > 0 ? even : HT_PI * inlet->radius_mm * inlet->radius_mm;
}

static double largest_drop_mmhg(const ht_flow_stats *stats, const ht_port_result *inlet) {
  double most = NAN;
  for (int p = 0; p < stats->ports; p++)
    if (stats->port[p].role == HT_ROLE_OUTLET)
      most = fmax(most, (inlet->pressure_pa - stats->port[p].pressure_pa) / HT_PA_PER_MMHG);
  return most;
}

/* Sets is_beyond, and warns. */
static void judge(ht_plausible *of) {
  char text[160], all[3 * sizeof text + 8] = "";
  for (int n = 0; n < HT_PLAUSIBLE_NUMBERS; n++) {
    if (!ht_plausible_is_beyond(of, n)) continue;
    size_t length = strlen(all);
    ht_plausible_text(of, n, text, sizeof text);
    snprintf(all + length, sizeof all - length, "%s%s", length ? ", " : "", text);
  }
  of->is_beyond = all[0] != 0;
  if (!of->is_beyond) return;
  ht_console_warn(
      "beyond what is usual in %s at rest: %s, where the vessel is %.3g mm wide beyond the inlet. "
      "A narrowing, a fistula or stress may be the reason; if there is none, check the flow and "
      "its unit, the inlet, and the mask (pictures/mask_on_scan.png)",
      of->such, all, of->diameter_mm);
}

/* Sets the mean velocity and what is usual in a vessel of this width; all else is unknown. */
static void set_velocity(const ht_vessel_path *path, const ht_opening *inlet, double flow_ml_s,
                         ht_plausible *of) {
  const double area = area_mm2(path, inlet);
  of->diameter_mm = 2 * sqrt(area / HT_PI);
  const ht_usual_band usual = ht_usual_band_of(of->diameter_mm);
  snprintf(of->such, sizeof of->such, "%s", usual.such);
  for (int n = 0; n < HT_PLAUSIBLE_NUMBERS; n++) of->value[n] = NAN;
  of->value[HT_PLAUSIBLE_VELOCITY] = flow_ml_s / area; /* 1 m/s through 1 mm2 is 1 mL/s */
  of->least[HT_PLAUSIBLE_VELOCITY] = usual.velocity_m_s[0];
  of->most[HT_PLAUSIBLE_VELOCITY] = usual.velocity_m_s[1];
  of->least[HT_PLAUSIBLE_WSS] = usual.wss_pa[0];
  of->most[HT_PLAUSIBLE_WSS] = usual.wss_pa[1];
  of->least[HT_PLAUSIBLE_DROP] = -INFINITY; /* a wider vessel may give pressure back */
  of->most[HT_PLAUSIBLE_DROP] = usual.drop_mmhg;
}

void ht_run_judge_plausible(const ht_openings *placed, const ht_vessel_path *path,
                            const ht_flow_stats *stats, ht_measured *measured) {
  const ht_port_result *port = ht_port_main_inlet(stats->port, stats->ports);
  const ht_opening *inlet = port ? ht_openings_named(placed, port->name) : NULL;
  ht_plausible *of = &measured->plausible;
  memset(of, 0, sizeof *of);
  if (!inlet || !ht_flow_is_result(stats)) return;
  set_velocity(path, inlet, port->flow_ml_s, of);
  of->value[HT_PLAUSIBLE_WSS] = measured->cycle_stats.samples > 0
                                    ? measured->cycle_stats.tawss_pa.mean
                                    : measured->wall.wss_mean_pa;
  of->value[HT_PLAUSIBLE_DROP] = largest_drop_mmhg(stats, port);
  judge(of);
}

void ht_run_judge_planned(const ht_openings *openings, const ht_vessel_path *path,
                          ht_plausible *of) {
  const ht_opening *main = NULL;
  memset(of, 0, sizeof *of);
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role == HT_ROLE_INLET && one->flow_ml_s > (main ? main->flow_ml_s : 0)) main = one;
  }
  if (!main) return;
  set_velocity(path, main, main->flow_ml_s, of);
  judge(of);
}
