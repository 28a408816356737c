#include "bench/papers/bench_paper.h"
#include "bench/papers/tables/paper_tables.h"
#include <math.h>
#include <string.h>

typedef struct {
  ht_bench_report *report;
  const ht_paper_table *table;
  int by_utilisation; /* figure 19 */
  ht_bench_domain domain;
} paper_run;

/* ---- which rows ---- */

static int is_wanted(const ht_bench_options *o, const ht_paper_entry *entry) {
  int flow = entry->step == HT_STEP_FLOW;
  if (o->porosity > 0 && entry->porosity > 0 && fabs(o->porosity - entry->porosity) > 1e-6)
    return 0;
  return ht_bench_wants(o->precisions, ~0u, (int)entry->precision) &&
         ht_bench_wants(o->steps, ~0u, (int)entry->step) &&
         (!flow || ht_bench_wants(o->collisions, ~0u, (int)entry->collision)) &&
         (!flow || ht_bench_wants(o->fluids, ~0u, (int)entry->fluid));
}

/* The layouts given; else the product's and, where the paper compares layouts, the rung nearest to
 * the paper's. */
static int layouts_of(const ht_bench_options *o, const ht_paper_entry *entry,
                      const char *layout[HT_BENCH_NAMES]) {
  int count = 0;
  for (; count < o->layouts.count; count++) layout[count] = o->layouts.name[count];
  if (count > 0) return count;
  layout[count++] = HT_BENCH_PRODUCT;
  if (entry->rung && ht_bench_layout_find(entry->rung, &layout[count]) == HT_OK) count++;
  return count;
}

/* ---- printing ---- */

static void number(FILE *stream, int width, int decimals, double value) {
  if (isfinite(value))
    fprintf(stream, " %*.*f", width, decimals, value);
  else
    fprintf(stream, " %*s", width, "-");
}

static void print_heading(const paper_run *run) {
  int width = run->report->geometry_width, layout = run->report->layout_width;
  printf("Table %s of Tomczak & Szafran (2019), %s: %s\n"
         "Theirs: GTX Titan, 288.384 GB/s. %s\n\n",
         run->table->name, run->table->source, run->table->title,
         run->by_utilisation ? "'of dense': MFLUPS over those of the best dense cavity."
                             : "'sheet', 'copy': traffic over the data sheet's and the copy's.");
  printf("%-*s %-10s %-4s | %-27s | %-*s\n", width, "", "", "", "paper", layout, "ours");
  if (run->by_utilisation)
    printf("%-*s %-10s %-4s | %5s %7s %13s | %-*s %5s %8s %8s\n%-*s %-10s %-4s | %5s %7s %13s | "
           "%-*s %5s %8s %8s\n",
           width, "geometry", "model", "prec", "util.", "speed", "of dense", layout, "layout",
           "util.", "speed", "of dense", width, "", "", "", "%", "MFLUPS", "%", layout, "", "%",
           "MFLUPS", "%");
  else
    printf("%-*s %-10s %-4s | %5s %7s %6s %6s | %-*s %5s %8s %6s %6s %6s\n%-*s %-10s %-4s | %5s "
           "%7s %6s %6s | %-*s %5s %8s %6s %6s %6s\n",
           width, "geometry", "model", "prec", "util.", "speed", "sheet", "other", layout, "layout",
           "util.", "speed", "spread", "sheet", "copy", width, "", "", "", "%", "MFLUPS", "%", "%",
           layout, "", "%", "MFLUPS", "%", "%", "%");
}

/* The fastest dense cavity measured so far with this kernel. */
static double our_dense(const ht_bench_report *report, const ht_bench_model *model) {
  double best = NAN;
  for (int64_t i = 0; i < report->count; i++) {
    const ht_bench_row *row = &report->row[i];
    if (strncmp(row->geometry, "cavity", 6) == 0 && ht_bench_model_same(&row->model, model) &&
        !(row->mflups.median <= best))
      best = row->mflups.median;
  }
  return best;
}

static void print_by_utilisation(const paper_run *run, const ht_paper_entry *entry,
                                 const ht_bench_row *row) {
  number(stdout, 5, 1, 100 * entry->utilisation);
  number(stdout, 7, 0, entry->mflups);
  number(stdout, 13, 1, 100 * entry->mflups / ht_paper_dense(entry));
  printf(" | %-*s", run->report->layout_width, row->model.layout);
  number(stdout, 5, 1, 100 * row->utilisation);
  number(stdout, 8, row->mflups.median < 1000, row->mflups.median);
  number(stdout, 8, 1, 100 * row->mflups.median / our_dense(run->report, &row->model));
}

static void print_beside(const paper_run *run, const ht_paper_entry *entry,
                         const ht_bench_row *row) {
  number(stdout, 5, 1, 100 * entry->utilisation);
  number(stdout, 7, 0, entry->mflups);
  number(stdout, 6, 1, 100 * ht_paper_fraction(entry));
  number(stdout, 6, 1, 100 * entry->peer);
  printf(" | %-*s", run->report->layout_width, row->model.layout);
  number(stdout, 5, 1, 100 * row->utilisation);
  number(stdout, 8, row->mflups.median < 1000, row->mflups.median);
  number(stdout, 6, 1, 100 * ht_bench_spread(&row->mflups));
  number(stdout, 6, 1, 100 * row->of_datasheet);
  number(stdout, 6, 1, 100 * row->of_copy);
}

static void print_row(const paper_run *run, const ht_paper_entry *entry, const ht_bench_row *row) {
  char model[16];
  ht_bench_model_name(&row->model, model);
  printf("%-*s %-10s %-4s |", run->report->geometry_width, row->geometry, model,
         ht_precision_words[row->model.precision]);
  (run->by_utilisation ? print_by_utilisation : print_beside)(run, entry, row);
  printf("%s%s%s\n", row->wrong ? " WRONG" : "", *entry->what ? "  " : "", entry->what);
  fflush(stdout);
}

/* ---- running ---- */

static ht_status use_domain(paper_run *run, const ht_bench_geometry *geometry) {
  if (run->domain.mask.inside && strcmp(run->domain.geometry.label, geometry->label) == 0)
    return HT_OK;
  ht_bench_domain_free(&run->domain);
  return ht_bench_domain_make(geometry, &run->domain);
}

static ht_status run_layout(paper_run *run, const ht_bench_geometry *geometry,
                            const ht_paper_entry *entry, const char *layout) {
  char why[128];
  ht_bench_model model = {layout,       entry->precision, entry->collision,
                          entry->fluid, entry->step,      HT_NEWTONIAN};
  ht_bench_row row;
  const ht_bench_setting *setting = run->report->setting;
  if (!ht_bench_model_possible(&model, setting->memory.device, why)) return HT_OK;
  const ht_bench_row *known = ht_bench_report_find(run->report, geometry->label, &model);
  if (known)
    row = *known;
  else {
    HT_TRY(use_domain(run, geometry));
    ht_status status = ht_bench_measure(setting, &run->domain, &model, 1, &row);
    if (status != HT_OK)
      return ht_bench_report_leave_out(run->report, model.precision, status, ht_error_message());
  }
  row.paper_mflups = entry->mflups;
  row.paper_fraction = ht_paper_fraction(entry);
  row.paper_utilisation = entry->utilisation;
  row.paper_peer = entry->peer;
  HT_TRY(ht_bench_report_add(run->report, &row));
  print_row(run, entry, &row);
  return HT_OK;
}

static ht_status run_entry(paper_run *run, const ht_paper_entry *entry) {
  const ht_bench_options *o = run->report->options;
  const char *layout[HT_BENCH_NAMES];
  ht_bench_geometry geometry;
  if (!is_wanted(o, entry)) return HT_OK;
  HT_TRY(ht_bench_geometry_choose(entry->geometry, o->size ? o->size : entry->size, entry->porosity,
                                  (uint64_t)o->seed, &geometry));
  int count = layouts_of(o, entry, layout);
  for (int i = 0; i < count; i++) HT_TRY(run_layout(run, &geometry, entry, layout[i]));
  return HT_OK;
}

ht_status ht_bench_paper_run(ht_bench_report *report) {
  static ht_paper_entry entry[HT_PAPER_ENTRIES];
  paper_run run = {.report = report, .table = ht_paper_table_find(report->options->table)};
  ht_status status = HT_OK;
  run.by_utilisation = strcmp(run.table->name, "fig19") == 0;
  if (report->geometry_width < 13) report->geometry_width = 13;
  int count = ht_paper_table_entries(run.table, entry);
  print_heading(&run);
  for (int i = 0; i < count && status == HT_OK; i++) status = run_entry(&run, &entry[i]);
  ht_bench_domain_free(&run.domain);
  if (status == HT_OK && report->count == 0 && !report->left_out[0])
    status = ht_fail(HT_ERR_USAGE,
                     "table %s has no row with the requested options; leave --precision, "
                     "--collision, --fluid, --step, --porosity or --layout out",
                     run.table->name);
  return status;
}
