#include "bench/bench.h"
#include "bench/papers/bench_paper.h"
#include "bench/measure/bench_check.h"
#include "bench/measure/bench_levels.h"
#include "bench/measure/bench_report.h"
#include "run/process/interrupt.h"
#include "bench/papers/tables/paper_tables.h"
#include "run/process/thread_limit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  WAYS = 2 * (HT_ORDER_BREADTH + 1) /* origins, orders */,
  GEOMETRIES = (HT_BENCH_NAMES + 1) * WAYS,
  MODELS = 64
};

/* The work of one run: every model on every geometry. */
typedef struct {
  int geometries, layouts;
  ht_bench_geometry geometry[GEOMETRIES];
  const char *layout[HT_BENCH_NAMES];
} plan;

/* ---- the list ---- */

void ht_bench_print_list(void) {
  ht_bench_layout layout;
  puts("geometries:");
  for (int i = 0; ht_bench_geometry_number(i); i++)
    printf("  %-16s %s\n", ht_bench_geometry_number(i)->name, ht_bench_geometry_number(i)->what);
  puts("\nlayouts (--layout, --compare; a CPU has hemotile, hemotile-walls, hemotile-diagonals):");
  for (int i = 0; ht_bench_layout_number(i, &layout); i++)
    printf("  %-16s %s%s%s%s\n", layout.name, layout.what, *layout.source ? " (" : "",
           layout.source, *layout.source ? ")" : "");
  if (*ht_bench_layouts_lacking()) printf(" %s\n", ht_bench_layouts_lacking());
  puts("\ntables of Tomczak & Szafran (2019) (--table):");
  for (int i = 0; ht_paper_table_number(i); i++)
    printf("  %-16s %s, %s\n", ht_paper_table_number(i)->name, ht_paper_table_number(i)->source,
           ht_paper_table_number(i)->title);
}

/* ---- running ---- */

/* Adds the layout once for each requested tile order and origin. */
static void add_tiled(const ht_bench_options *o, const ht_bench_geometry *geometry, plan *plan) {
  for (int corner = 1; corner >= 0; corner--)
    for (int order = 0; ht_tile_order_words[order]; order++) {
      if (!ht_bench_wants(o->origins, 1, corner) ||
          !ht_bench_wants(o->orders, 1u << HT_ORDER_RASTER, order))
        continue;
      plan->geometry[plan->geometries] = *geometry;
      ht_bench_geometry_tile(&plan->geometry[plan->geometries++], (ht_tile_order)order, corner);
    }
}

static ht_status add_geometry(const ht_bench_options *o, const char *name, plan *plan) {
  ht_bench_geometry geometry;
  HT_TRY(ht_bench_geometry_choose(name, o->size, o->porosity, (uint64_t)o->seed, &geometry));
  add_tiled(o, &geometry, plan);
  return HT_OK;
}

static ht_status add_mask(const ht_bench_options *o, plan *plan) {
  ht_bench_geometry geometry;
  HT_TRY(ht_bench_geometry_of_file(o->mask, &geometry));
  add_tiled(o, &geometry, plan);
  return HT_OK;
}

static ht_status plan_geometries(const ht_bench_options *o, plan *plan) {
  for (int i = 0; i < o->geometries.count; i++)
    HT_TRY(add_geometry(o, o->geometries.name[i], plan));
  if (o->mask) HT_TRY(add_mask(o, plan));
  for (int i = 0; ht_bench_geometry_number(i) && !o->mask && !o->geometries.count; i++)
    if (ht_bench_geometry_number(i)->standard)
      HT_TRY(add_geometry(o, ht_bench_geometry_number(i)->name, plan));
  return HT_OK;
}

static void plan_layouts(const ht_bench_options *o, plan *plan) {
  for (int i = 0; i < o->layouts.count; i++) plan->layout[plan->layouts++] = o->layouts.name[i];
  if (plan->layouts == 0) plan->layout[plan->layouts++] = HT_BENCH_PRODUCT;
}

static int longest_name(int least, const char *name) {
  int length = (int)strlen(name);
  return length > least ? length : least;
}

static void choose_widths(const plan *plan, ht_bench_report *report) {
  for (int i = 0; i < plan->geometries; i++)
    report->geometry_width = longest_name(report->geometry_width, plan->geometry[i].label);
  for (int i = 0; i < plan->layouts; i++)
    report->layout_width = longest_name(report->layout_width, plan->layout[i]);
}

/* Cumulants have one fluid, and the steps that only move data one model a velocity set. */
static int is_wanted(const ht_bench_options *o, const ht_bench_model *model) {
  const int cumulant = model->collision == HT_CUMULANT;
  if (!ht_bench_wants(o->precisions, ~0u, (int)model->precision) ||
      !ht_bench_wants(o->steps, 1u << HT_STEP_FLOW, (int)model->step) ||
      (cumulant && !ht_bench_wants(o->collisions, 1u << HT_LBGK, HT_CUMULANT)) ||
      (cumulant && model->fluid != HT_QUASI_COMPRESSIBLE))
    return 0;
  if (model->step != HT_STEP_FLOW)
    return model->blood == HT_NEWTONIAN &&
           (cumulant || (model->collision == HT_LBGK && model->fluid == HT_INCOMPRESSIBLE));
  return ht_bench_wants(o->bloods, 1u << HT_NEWTONIAN, (int)model->blood) &&
         (cumulant || (ht_bench_wants(o->collisions, 1u << HT_LBGK, (int)model->collision) &&
                       ht_bench_wants(o->fluids, 1u << HT_INCOMPRESSIBLE, (int)model->fluid)));
}

/* Lists every requested model, for no layout yet. */
static int list_models(const ht_bench_options *o, ht_bench_model model[MODELS]) {
  static const ht_precision order[] = {HT_FP64, HT_FP32, HT_FP16};
  enum {
    COLLISIONS = 3,
    FLUIDS = 2,
    BLOODS = 3,
    STEPS = 3,
    ALL = 3 * STEPS * COLLISIONS * FLUIDS * BLOODS
  };
  int count = 0;
  for (int i = 0; i < ALL; i++) {
    int fluid = i / BLOODS, collision = fluid / FLUIDS, step = collision / COLLISIONS;
    ht_bench_model next = {NULL,
                           order[step / STEPS],
                           (ht_collision)(collision % COLLISIONS),
                           (ht_compressibility)(fluid % FLUIDS),
                           (ht_step_kind)(step % STEPS),
                           (ht_blood_model)(i % BLOODS)};
    if (is_wanted(o, &next)) model[count++] = next;
  }
  return count;
}

/* ---- doing it ---- */

static ht_status keep(ht_bench_report *report, const ht_bench_row *row) {
  ht_bench_report_row(report, row, stdout);
  return ht_bench_report_add(report, row);
}

static ht_status run_model(ht_bench_report *report, const plan *plan, const ht_bench_domain *domain,
                           ht_bench_model model) {
  char why[128];
  ht_bench_row row;
  for (int i = 0; i < plan->layouts; i++) {
    ht_status status = HT_ERR_USAGE;
    model.layout = plan->layout[i];
    int possible = ht_bench_model_possible(&model, report->setting->memory.device, why);
    if (possible) status = ht_bench_measure(report->setting, domain, &model, 1, &row);
    if (status == HT_OK)
      HT_TRY(keep(report, &row));
    else
      HT_TRY(ht_bench_report_leave_out(report, model.precision, status,
                                       possible ? ht_error_message() : why));
  }
  return HT_OK;
}

static void print_ratio(const ht_bench_row row[2]) {
  const ht_bench_statistic *ratio = &row[1].ratio;
  if (!isfinite(ratio->median)) return;
  printf("# %s, %s: %s / %s = %.4f (%.4f to %.4f in %d pairs)\n", row[1].geometry,
         ht_precision_words[row[1].model.precision], row[1].model.layout, row[0].model.layout,
         ratio->median, ratio->low, ratio->high, row[1].repeats);
}

static ht_status compare_model(ht_bench_report *report, const plan *plan,
                               const ht_bench_domain *domain, ht_bench_model model) {
  char why[128];
  ht_bench_row row[2];
  ht_bench_model pair[2] = {model, model};
  for (int i = 0; i < 2; i++) {
    pair[i].layout = plan->layout[i];
    if (!ht_bench_model_possible(&pair[i], report->setting->memory.device, why))
      return ht_bench_report_leave_out(report, model.precision, HT_ERR_USAGE, why);
  }
  ht_status status = ht_bench_measure(report->setting, domain, pair, 2, row);
  if (status != HT_OK)
    return ht_bench_report_leave_out(report, model.precision, status, ht_error_message());
  for (int i = 0; i < 2; i++) HT_TRY(keep(report, &row[i]));
  print_ratio(row);
  return HT_OK;
}

static ht_status run_geometry(ht_bench_report *report, const plan *plan,
                              const ht_bench_geometry *geometry) {
  ht_bench_domain domain;
  ht_bench_model model[MODELS];
  int models = list_models(report->options, model);
  HT_TRY(ht_bench_domain_make(geometry, &domain));
  ht_status status = HT_OK;
  for (int m = 0; m < models && status == HT_OK; m++)
    status =
        (report->options->comparing ? compare_model : run_model)(report, plan, &domain, model[m]);
  ht_bench_domain_free(&domain);
  return status;
}

static ht_status make_plan(const ht_bench_options *options, plan *plan) {
  memset(plan, 0, sizeof *plan);
  if (options->table) return HT_OK; /* it has its own */
  HT_TRY(plan_geometries(options, plan));
  plan_layouts(options, plan);
  return HT_OK;
}

static ht_status run_plan(ht_bench_report *report, const plan *plan) {
  choose_widths(plan, report);
  ht_bench_report_columns(report, stdout);
  for (int i = 0; i < plan->geometries; i++) HT_TRY(run_geometry(report, plan, &plan->geometry[i]));
  return HT_OK;
}

/* ---- the end ---- */

static ht_status judge(const ht_bench_report *report) {
  for (int64_t i = 0; i < report->count; i++) {
    const ht_bench_row *row = &report->row[i];
    char model[16];
    if (!row->wrong) continue;
    ht_bench_model_name(&row->model, model);
    return ht_fail(HT_ERR_VALIDATION,
                   "layout %s (%s, %s) differs by %.2g from the CPU's fp64 result, above the "
                   "allowed %g: it was not timed",
                   row->model.layout, model, ht_precision_words[row->model.precision], row->error,
                   ht_bench_tolerance(row->model.precision));
  }
  return HT_OK;
}

static ht_status print_copy(const ht_bench_report *report) {
  double low = INFINITY, high = 0, *middle;
  int count = 0;
  HT_TRY(ht_alloc((void **)&middle, (size_t)report->count + 1, sizeof *middle, "the copies"));
  for (int64_t i = 0; i < report->count; i++) {
    const ht_bench_statistic *copy = &report->row[i].copy;
    if (!isfinite(copy->median)) continue;
    middle[count++] = copy->median;
    low = fmin(low, copy->low);
    high = fmax(high, copy->high);
  }
  if (count > 0)
    printf("# copy:    %.1f GB/s (%.1f to %.1f) between the timings\n",
           ht_bench_summarize(middle, count).median, low, high);
  free(middle);
  return HT_OK;
}

/* Prints the rows, or at the end why there are none. */
static ht_status measure(ht_bench_report *report, const plan *plan) {
  HT_TRY(report->options->table ? ht_bench_paper_run(report) : run_plan(report, plan));
  if (report->count == 0)
    return ht_fail(report->why, "nothing was measured: %.400s", report->left_out);
  return HT_OK;
}

/* Rows are written even if a layout is wrong, or if the run is interrupted. */
static ht_status finish(const ht_bench_report *report, ht_status status) {
  const ht_bench_options *o = report->options;
  if (status == HT_ERR_INTERRUPTED && report->count == 0)
    return ht_fail(status, "interrupted before the first row was finished; nothing was written");
  if (status != HT_OK && status != HT_ERR_INTERRUPTED) return status;
  HT_TRY(ht_bench_report_write(report));
  if (status == HT_OK) return judge(report);
  return ht_fail(status, "interrupted; the %lld rows that were finished are %s",
                 (long long)report->count, o->csv || o->json ? "written" : "above");
}

ht_status ht_bench_run(const ht_bench_options *options, int argc, char **argv) {
  static plan plan;
  static ht_bench_report report;
  ht_bench_setting setting;
  HT_TRY(ht_thread_limit(options->threads, NULL));
  if (options->levels) return ht_bench_levels(options, argc, argv);
  HT_TRY(make_plan(options, &plan));
  ht_status status = ht_bench_report_begin(options, argc, argv, &report);
  if (status == HT_OK) {
    status = ht_bench_begin(options, &setting);
    report.setting = &setting;
    if (status == HT_OK) {
      ht_bench_report_heading(&report, stdout);
      status = measure(&report, &plan);
      ht_status printed = print_copy(&report);
      if (status == HT_OK) status = printed;
    }
    status = finish(&report, status);
    ht_bench_end(&setting);
  }
  ht_bench_report_free(&report);
  return status;
}
