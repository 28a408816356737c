#include "run/studies/convergence_report.h"
#include "export/drawing/colormap.h"
#include "core/formats/csv_cell.h"
#include "export/drawing/plot.h"
#include "run/numbers/run_outcome.h"
#include "run/record/summary_table.h"
#include "core/numbers/units.h"
#include "core/text/utf8.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

const char *const ht_lattice_names[HT_LATTICES] = {"fine", "middle", "coarse"};

static const double wanted_index = 0.05; /* for the recommended lattice */
static const double range_low = 0.8, range_high = 1.25;

/* ---- one run ---- */

/* Returns the part of a mask's voxel that lies more than a radius before the plane of an
 * opening. */
static double part_before(const ht_opening *one, const double position_mm[3], double voxel_mm) {
  double off[3];
  for (int r = 0; r < 3; r++) off[r] = position_mm[r] - one->centre_mm[r];
  double out = ht_dot(off, one->normal) - one->measured_off_mm, reach = 2 * one->radius_mm;
  double away2 = ht_dot(off, off) - out * out;
  if (out < -reach || away2 > reach * reach) return 1;
  return fmin(1, fmax(0, 0.5 - (out + one->radius_mm) / voxel_mm));
}

/* Returns the volume without the stretches at the openings, where the lattices' last layers lie
 * elsewhere. */
static double volume_ml(const ht_domain *domain, const ht_openings *openings) {
  const ht_mask *mask = &domain->mask;
  double volume = 0, position_mm[3];
  for (int64_t v = 0; mask->inside && v < ht_grid_voxels(&mask->grid); v++) {
    double part = ht_domain_part_inside(domain, v);
    if (!(part > 0)) continue;
    ht_grid_voxel_position(&mask->grid, v, position_mm);
    for (int i = 0; i < openings->count; i++)
      if (openings->item[i].role != HT_ROLE_WALL)
        part *= part_before(&openings->item[i], position_mm, mask->grid.spacing_mm[0]);
    volume += part;
  }
  return 1e-3 * volume * pow(mask->grid.spacing_mm[0], 3);
}

static void add_outlet(const ht_port_result *port, double inlet_pa, double flow,
                       ht_lattice_result *result) {
  int i = result->outlets++;
  memcpy(result->outlet[i].name, port->name, sizeof port->name);
  result->outlet[i].drop_pa = inlet_pa - port->pressure_pa;
  result->outlet[i].flow_percent = 100 * port->flow_ml_s / flow;
}

/* Takes the wall load of a pulsatile flow: the mean over the cycle. */
static void take_cycle(const ht_cycle_stats *cycle, ht_lattice_result *result) {
  if (cycle->samples == 0) return;
  result->pulsatile = 1;
  result->wss_mean_pa = cycle->tawss_pa.mean;
  result->wss_p99_pa = cycle->tawss_pa.p99;
  result->osi_mean = cycle->osi.mean;
}

void ht_lattice_result_of(const ht_run *run, ht_lattice_result *result) {
  const ht_flow_stats *stats = &run->solved.stats;
  const ht_port_result *inlet = ht_port_main_inlet(stats->port, stats->ports);
  double flow = 0;
  *result = (ht_lattice_result){.done = 1,
                                .steady = ht_flow_is_result(stats),
                                .spacing_mm = stats->dx_m * 1e3,
                                .fluid_nodes = stats->fluid_nodes,
                                .steps = stats->steps,
                                .levels = run->manifest.plan.levels,
                                .tau = stats->tau,
                                .seconds = stats->seconds,
                                .max_velocity_m_s = stats->max_velocity_m_s,
                                .wss_mean_pa = run->measured.wall.wss_mean_pa,
                                .wss_p99_pa = run->measured.wall.wss_p99_pa};
  take_cycle(&run->measured.cycle_stats, result);
  result->volume_ml = volume_ml(&run->domain, &run->vessel.placed.openings);
  result->is_narrow = run->measured.gradient.is_narrow;
  result->highest_mmhg = run->measured.gradient.highest_mmhg;
  result->peak_to_peak_mmhg = run->measured.gradient.peak_to_peak_mmhg;
  for (int i = 0; i < run->vessel.placed.openings.count; i++)
    result->widest_mm = fmax(result->widest_mm, 2 * run->vessel.placed.openings.item[i].radius_mm);
  for (int p = 0; p < stats->ports; p++)
    if (stats->port[p].role == HT_ROLE_OUTLET) flow += stats->port[p].flow_ml_s;
  for (int p = 0; p < stats->ports; p++)
    if (stats->port[p].role == HT_ROLE_OUTLET)
      add_outlet(&stats->port[p], inlet ? inlet->pressure_pa : NAN, flow, result);
}

/* ---- the same figure on three lattices ---- */

static int same_outlet(const ht_lattice_result *lattice, const char *name) {
  for (int i = 0; i < lattice->outlets; i++)
    if (strcmp(lattice->outlet[i].name, name) == 0) return i;
  return -1;
}

/* Adds a figure. by_volume: the power of the vessel's volume with which it falls, by Poiseuille's
 * law. */
static ht_figure *add_figure(ht_convergence_study *study, const char *name, const char *unit,
                             double by_volume) {
  ht_figure *figure = &study->figure[study->figures++];
  snprintf(figure->name, sizeof figure->name, "%s", name);
  figure->unit = unit;
  figure->by_volume = by_volume;
  return figure;
}

static ht_status add_outlet_figures(ht_convergence_study *study, int outlet) {
  const ht_lattice_result *fine = &study->lattice[HT_FINE];
  char name[HT_NAME_MAX + 32];
  ht_figure *split = NULL;
  snprintf(name, sizeof name, "pressure drop to %s", fine->outlet[outlet].name);
  ht_figure *drop = add_figure(study, name, "Pa", 2);
  snprintf(name, sizeof name, "flow to %s", fine->outlet[outlet].name);
  if (fine->outlets > 1) split = add_figure(study, name, "%", 0);
  for (int k = 0; k < HT_LATTICES; k++) {
    const ht_lattice_result *lattice = &study->lattice[k];
    int i = same_outlet(lattice, fine->outlet[outlet].name);
    if (i < 0 || lattice->outlets != fine->outlets)
      return ht_fail(
          HT_ERR_OPENINGS,
          "the outlets of the %s and the fine lattice differ (%d and %d outlets; '%s' %s) and "
          "cannot be compared: look at pictures/mask_on_scan.png of both, and name "
          "the openings in the case file",
          ht_lattice_names[k], lattice->outlets, fine->outlets, fine->outlet[outlet].name,
          i < 0 ? "has no match" : "has a match");
    drop->value[k] = lattice->outlet[i].drop_pa;
    if (split) split->value[k] = lattice->outlet[i].flow_percent;
  }
  return HT_OK;
}

/* Adds the narrowing where all three lattices have one. */
static void add_narrowing(ht_convergence_study *study) {
  int pulsatile = study->lattice[HT_FINE].pulsatile;
  for (int k = 0; k < HT_LATTICES; k++)
    if (!study->lattice[k].is_narrow) return;
  ht_figure *highest = add_figure(
      study, pulsatile ? "drop over the narrowing, highest" : "drop over the narrowing", "mmHg", 2);
  ht_figure *peaks =
      pulsatile ? add_figure(study, "drop over the narrowing, peak to peak", "mmHg", 2) : NULL;
  for (int k = 0; k < HT_LATTICES; k++) {
    highest->value[k] = study->lattice[k].highest_mmhg;
    if (peaks) peaks->value[k] = study->lattice[k].peak_to_peak_mmhg;
  }
}

ht_status ht_convergence_compare(ht_convergence_study *study) {
  double spacing[HT_LATTICES];
  study->figures = 0;
  ht_figure *volume = add_figure(study, HT_CONVERGE_VOLUME, "mL", 0);
  ht_figure *velocity = add_figure(study, "highest velocity", "m/s", 1);
  int pulsatile = study->lattice[HT_FINE].pulsatile;
  const char *load = pulsatile ? "TAWSS" : "wall shear stress";
  char name[64];
  snprintf(name, sizeof name, "%s, mean", load);
  ht_figure *mean = add_figure(study, name, "Pa", 1.5);
  snprintf(name, sizeof name, "%s, 99 %%", load);
  ht_figure *p99 = add_figure(study, name, "Pa", 1.5);
  ht_figure *osi = pulsatile ? add_figure(study, "oscillatory shear index, mean", "1", 0) : NULL;
  for (int k = 0; k < HT_LATTICES; k++) {
    spacing[k] = study->lattice[k].spacing_mm;
    volume->value[k] = study->lattice[k].volume_ml;
    velocity->value[k] = study->lattice[k].max_velocity_m_s;
    mean->value[k] = study->lattice[k].wss_mean_pa;
    p99->value[k] = study->lattice[k].wss_p99_pa;
    if (osi) osi->value[k] = study->lattice[k].osi_mean;
  }
  add_narrowing(study);
  for (int i = 0; i < study->lattice[HT_FINE].outlets; i++) HT_TRY(add_outlet_figures(study, i));
  for (int f = 0; f < study->figures; f++)
    study->figure[f].convergence = ht_convergence_of(spacing, study->figure[f].value);
  return HT_OK;
}

/* ---- files ---- */

static double nodes_across(const ht_lattice_result *lattice) {
  return lattice->widest_mm / lattice->spacing_mm;
}

ht_status ht_convergence_write_lattices(const char *folder, const ht_convergence_study *study) {
  char path[HT_PATH_MAX];
  ht_output output;
  HT_TRY(ht_path_join(path, folder, HT_CONVERGE_LATTICES));
  HT_TRY(ht_output_open(path, &output));
  fputs("lattice,nodes_across,spacing_mm,fluid_nodes,levels,tau,steps,steady,seconds\n",
        output.stream);
  for (int k = HT_LATTICES - 1; k >= 0; k--) {
    const ht_lattice_result *one = &study->lattice[k];
    if (!one->done) continue;
    fprintf(output.stream, "%s,%.4g,%.9g,%lld,%d,%.6g,%lld,%s,%.1f\n", ht_lattice_names[k],
            nodes_across(one), one->spacing_mm, (long long)one->fluid_nodes,
            one->levels > 1 ? one->levels : 1, one->tau, (long long)one->steps,
            one->steady ? "true" : "false", one->seconds);
  }
  return ht_output_commit(&output);
}

static const char *const kind_words[] = {"converges", "settled", "oscillates", "diverges"};

static void csv_number(FILE *stream, double value) {
  fputc(',', stream);
  if (isfinite(value)) fprintf(stream, "%.9g", value);
}

static ht_status write_table(const char *folder, const ht_convergence_study *study) {
  char path[HT_PATH_MAX];
  ht_output output;
  HT_TRY(ht_path_join(path, folder, HT_CONVERGE_TABLE));
  HT_TRY(ht_output_open(path, &output));
  fputs("figure,unit,coarse,middle,fine,behaviour,observed_order,order_used,estimate,"
        "index_fine_percent,index_middle_percent,middle_off_percent,spread_percent,"
        "asymptotic_range\n",
        output.stream);
  for (int f = 0; f < study->figures; f++) {
    const ht_figure *one = &study->figure[f];
    const ht_convergence *c = &one->convergence;
    ht_csv_put(output.stream, one->name);
    fprintf(output.stream, ",%s", one->unit);
    for (int k = HT_LATTICES - 1; k >= 0; k--) csv_number(output.stream, one->value[k]);
    fprintf(output.stream, ",%s", kind_words[c->kind]);
    csv_number(output.stream, c->order);
    csv_number(output.stream, c->used);
    csv_number(output.stream, c->estimate);
    csv_number(output.stream, 100 * c->index[HT_FINE]);
    csv_number(output.stream, 100 * c->index[HT_MIDDLE]);
    csv_number(output.stream, 100 * ht_convergence_off(c, one->value[HT_MIDDLE]));
    csv_number(output.stream, 100 * c->spread);
    csv_number(output.stream, c->range);
    fputc('\n', output.stream);
  }
  return ht_output_commit(&output);
}

/* ---- the plot ---- */

enum { CURVE = 33, DRAWN = 8 /* curves in the plot, so that each stays distinguishable */ };

typedef struct {
  double x[CURVE], y[CURVE]; /* the line */
  double dot_x[4], dot_y[4]; /* points of the lattices, and of the estimate */
  int points, dots;
} curve;

/* Makes a curve in % of the fine lattice's value. A converging value: the fitted curve down to
 * spacing 0; any other: straight lines from lattice to lattice. */
static void make_curve(const ht_convergence_study *study, const ht_figure *figure, curve *c) {
  const ht_convergence *found = &figure->convergence;
  double percent = 100 / figure->value[HT_FINE];
  int fitted = found->kind == HT_CONVERGES;
  c->points = c->dots = 0;
  if (!isfinite(percent)) return; /* a drop of 0, of a flow that has hardly begun */
  for (int k = 0; k < HT_LATTICES; k++) {
    c->dot_x[k] = c->x[k] = study->lattice[k].spacing_mm;
    c->dot_y[k] = c->y[k] = percent * figure->value[k];
  }
  c->points = c->dots = HT_LATTICES;
  if (!fitted) return;
  c->dot_x[3] = 0;
  c->dot_y[3] = percent * found->estimate;
  c->dots = 4;
  c->points = CURVE;
  double off = figure->value[HT_FINE] - found->estimate;
  for (int i = 0; i < CURVE; i++) {
    c->x[i] = study->lattice[HT_COARSE].spacing_mm * i / (CURVE - 1);
    c->y[i] = percent * (found->estimate +
                         off * pow(c->x[i] / study->lattice[HT_FINE].spacing_mm, found->used));
  }
}

static ht_plot_axis axis_of(const char *label, double low, double high) {
  double step = ht_nice_below((high - low) / 4);
  return (ht_plot_axis){label, step * floor(low / step + 1e-9), step * ceil(high / step - 1e-9),
                        step};
}

static void find_range(const curve *c, int curves, double *low, double *high) {
  *low = 99, *high = 101; /* so that a small change looks small */
  for (int f = 0; f < curves; f++) {
    for (int i = 0; i < c[f].points; i++)
      *low = fmin(*low, c[f].y[i]), *high = fmax(*high, c[f].y[i]);
    for (int i = 0; i < c[f].dots; i++)
      *low = fmin(*low, c[f].dot_y[i]), *high = fmax(*high, c[f].dot_y[i]);
  }
}

static ht_status draw(const char *folder, const ht_convergence_study *study) {
  static const ht_rgb colour[DRAWN] = {{64, 200, 176},  {240, 196, 92},  {255, 122, 92},
                                       {106, 182, 255}, {196, 130, 255}, {150, 210, 90},
                                       {255, 140, 190}, {150, 160, 172}};
  curve c[DRAWN];
  ht_plot_series series[2 * DRAWN];
  char title[HT_NAME_MAX + 48], path[HT_PATH_MAX];
  int drawn = study->figures < DRAWN ? study->figures : DRAWN;
  double low, high;
  for (int f = 0; f < drawn; f++) {
    make_curve(study, &study->figure[f], &c[f]);
    series[2 * f] = (ht_plot_series){
        study->figure[f].name, colour[f], 1, 2.4, c[f].points, c[f].x, c[f].y, NULL, 0};
    series[2 * f + 1] =
        (ht_plot_series){NULL, colour[f], 0, 11, c[f].dots, c[f].dot_x, c[f].dot_y, NULL, 0};
  }
  find_range(c, drawn, &low, &high);
  snprintf(title, sizeof title, "Lattice convergence - %s", study->name);
  const ht_plot plot = {
      .title = title,
      .x = axis_of("lattice spacing, mm", 0, study->lattice[HT_COARSE].spacing_mm),
      .y = axis_of("value, % of that on the fine lattice", low, high),
      .series = 2 * drawn,
      .one = series,
      .note = {"Dots: three lattices, and at spacing 0 the value without lattice error that "
               "Richardson's "
               "extrapolation gives (where it can).",
               "Curves: estimate + c spacing^p. Straight pieces: the value does not converge, or "
               "hardly changes; there is no estimate."}};
  HT_TRY(ht_path_join(path, folder, HT_CONVERGE_PLOT));
  return ht_plot_write(path, &plot);
}

ht_status ht_convergence_write(const char *folder, const ht_convergence_study *study) {
  HT_TRY(write_table(folder, study));
  return draw(folder, study);
}

/* ---- the text ---- */

static void print_cell(FILE *stream, int width, const char *format, double value) {
  char text[32] = "-";
  if (isfinite(value)) snprintf(text, sizeof text, format, value);
  fprintf(stream, " %*s", width, text);
}

static void print_table(FILE *stream, const ht_convergence_study *study, int width) {
  fprintf(stream, "\n  %-*s %9s %9s %9s %9s %6s %9s %9s\n", width, "", "coarse", "middle", "fine",
          "estimate", "order", "index", "middle");
  fprintf(stream, "  %-*s", width, "nodes across the widest opening");
  for (int k = HT_LATTICES - 1; k >= 0; k--)
    print_cell(stream, 9, "%.1f", nodes_across(&study->lattice[k]));
  fprintf(stream, " %9s %6s %9s %9s\n", "", "", "fine, %", "off, %");
  for (int f = 0; f < study->figures; f++) {
    const ht_figure *one = &study->figure[f];
    const ht_convergence *c = &one->convergence;
    char name[HT_NAME_MAX + 40];
    snprintf(name, sizeof name, "%s, %s", one->name, one->unit);
    fprintf(stream, "  %-*s", width + ht_utf8_extra(name), name);
    for (int k = HT_LATTICES - 1; k >= 0; k--) print_cell(stream, 9, "%.4g", one->value[k]);
    print_cell(stream, 9, "%.4g", c->estimate);
    print_cell(stream, 6, "%.2f", c->order);
    print_cell(stream, 9, "%.2g", 100 * c->index[HT_FINE]);
    print_cell(stream, 9, "%+.2g", 100 * ht_convergence_off(c, one->value[HT_MIDDLE]));
    fputc('\n', stream);
  }
}

static void print_converging(FILE *stream, const ht_figure *one) {
  const ht_convergence *c = &one->convergence;
  double off = 100 * ht_convergence_off(c, one->value[HT_MIDDLE]);
  fprintf(stream,
          "about %.4g %s without lattice error; the fine lattice is within %.2g %% of it, the "
          "middle lattice is %.2g %% too %s",
          c->estimate, one->unit, 100 * c->index[HT_FINE], fabs(off), off < 0 ? "low" : "high");
  if (c->order > c->used)
    fprintf(stream, " (the observed order %.1f is above the order of the method: %g is used)",
            c->order, c->used);
  else if (!(c->range > range_low && c->range < range_high))
    fprintf(stream, " (the lattices are not yet in the asymptotic range: %.2f, not 1)", c->range);
  fputs(".\n", stream);
}

/* Returns the fraction by which the lattices' walls alone would change a figure. */
static double by_walls(const ht_convergence_study *study, const ht_figure *one) {
  double spread = study->figure[0].convergence.spread; /* spread of the volume */
  return isfinite(spread) ? one->by_volume * spread : 0;
}

/* Prints the share of the walls: one made of voxels is by chance wider on one lattice than on
 * another. Returns whether that is most of the differences of a figure without order. */
static int print_walls(FILE *stream, const ht_convergence_study *study, const ht_figure *one) {
  double spread = 100 * one->convergence.spread, walls = 100 * by_walls(study, one);
  if (one == &study->figure[0])
    fprintf(stream, "differs by %.2g %% between the lattices.\n", spread);
  else if (walls >= 0.5 * spread)
    fprintf(stream,
            "NO ORDER, because the walls differ: it differs by %.2g %%, and the volume inside by "
            "%.2g %%, which alone changes it by about %.2g %%; its error may be of that size: with "
            "more nodes across, the walls agree better.\n",
            spread, 100 * study->figure[0].convergence.spread, walls);
  else
    return 0;
  return 1;
}

static void print_meaning(FILE *stream, const ht_convergence_study *study, const ht_figure *one) {
  const ht_convergence *c = &one->convergence;
  fprintf(stream, "  %s: ", one->name);
  if (c->kind == HT_CONVERGES)
    print_converging(stream, one);
  else if (c->kind == HT_SETTLED)
    fprintf(stream, "converged within %.2g %%, the difference of the three lattices.\n",
            100 * c->spread);
  else if (print_walls(stream, study, one))
    return;
  else if (c->kind == HT_OSCILLATES)
    fprintf(stream,
            "NOT MONOTONE: it goes up and down from lattice to lattice, by %.2g %% in all; there "
            "is no order and no estimate, and its error may be of that size.\n",
            100 * c->spread);
  else
    fprintf(
        stream,
        "NOT CONVERGING: it changes more from the middle to the fine lattice (%.2g %%) than from "
        "the coarse to the middle one (%.2g %%); its error is unknown: use finer lattices.\n",
        100 * c->change[HT_FINE], 100 * c->change[HT_MIDDLE]);
}

/* Recommends the lattice on which every converging value would have the wanted index. */
static void print_advice(FILE *stream, const ht_convergence_study *study) {
  const ht_lattice_result *fine = &study->lattice[HT_FINE];
  double most = 0;
  int converging = 0;
  for (int f = 1; f < study->figures; f++) { /* the volume is no result */
    const ht_convergence *c = &study->figure[f].convergence;
    if (c->kind != HT_CONVERGES) continue;
    double spacing = ht_convergence_spacing(c, fine->spacing_mm, wanted_index);
    most = fmax(most, fine->widest_mm / spacing);
    converging++;
  }
  if (converging)
    fprintf(stream,
            "  An index of at most %g %% for every converging figure takes about %.0f nodes "
            "across: --nodes-across %.0f.\n",
            100 * wanted_index, ceil(most), ceil(fmax(most, 8)));
}

/* Tells of lattices with several spacings: a part of a change may be that of the levels. */
static void print_levels(FILE *stream, const ht_convergence_study *study) {
  int least = study->lattice[0].levels, most = least;
  for (int k = 1; k < HT_LATTICES; k++) {
    if (study->lattice[k].levels < least) least = study->lattice[k].levels;
    if (study->lattice[k].levels > most) most = study->lattice[k].levels;
  }
  if (most <= 1) return;
  fprintf(stream,
          "  Nodes across are those of the finest spacing: parts of the vessel have up to %d "
          "times that%s.\n",
          1 << (most - 1),
          least == most ? ""
                        : ", not the same on each lattice, which is a part of the changes; "
                          "with lattice: {refine: no} the case has one spacing");
}

void ht_convergence_print(FILE *stream, const char *folder, const ht_convergence_study *study) {
  int width = (int)strlen("nodes across the widest opening");
  for (int f = 0; f < study->figures; f++) {
    const ht_figure *one = &study->figure[f];
    int length = ht_utf8_width(0, one->name, 0, 1) + (int)strlen(", ") + (int)strlen(one->unit);
    if (length > width) width = length;
  }
  print_table(stream, study, width);
  fputc('\n', stream);
  for (int f = 0; f < study->figures; f++) print_meaning(stream, study, &study->figure[f]);
  print_advice(stream, study);
  print_levels(stream, study);
  for (int k = 0; k < HT_LATTICES; k++)
    if (!study->lattice[k].steady)
      fprintf(stream, "  NOT %s on the %s lattice: its numbers are not those of the %s flow.\n",
              study->lattice[k].pulsatile ? "PERIODIC" : "STEADY", ht_lattice_names[k],
              study->lattice[k].pulsatile ? "periodic" : "steady");
  fprintf(stream,
          "\n  plot: %s/" HT_CONVERGE_PLOT "   table: %s/" HT_CONVERGE_TABLE
          "\n  Not for clinical decisions.\n",
          folder, folder);
}
