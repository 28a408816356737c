#include "run/record/sensitivity.h"
#include "solver/solver.h"
#include "core/text/utf8.h"
#include "run/folder/members.h"
#include <math.h>
#include <string.h>

static const char *const wall_names[HT_WALLS] = {"thinner", "as_is", "thicker"};

static const ht_member done_members[] = {
    {HT_MEMBER(ht_wall_result, "steady", steady), .options = HT_BOOL},
    {HT_MEMBER(ht_wall_result, "volume_ml", volume_ml)},
    {HT_MEMBER(ht_wall_result, "moved_mm", moved_mm)},
    {HT_MEMBER(ht_wall_result, "collision", collision), .words = ht_collision_words},
    {0},
};
static const ht_member wall_members[] = {
    {HT_MEMBER(ht_wall_result, "done", done), .options = HT_BOOL},
    {HT_GROUP(done_members), HT_FLAG(ht_wall_result, done)},
    {HT_MEMBER(ht_wall_result, "message", message), .options = HT_UNLESS,
     HT_FLAG(ht_wall_result, done)},
    {0},
};
static const ht_member sensitivity_members[] = {
    {HT_MEMBER(ht_sensitivity, "offset_mm", offset_mm)},
    {HT_OBJECT(ht_sensitivity, "thinner", wall[HT_THINNER], wall_members)},
    {HT_OBJECT(ht_sensitivity, "as_is", wall[HT_AS_IS], wall_members)},
    {HT_OBJECT(ht_sensitivity, "thicker", wall[HT_THICKER], wall_members)},
    {0},
};

enum { FIGURES_MAX = 3 + HT_OPENINGS_MAX };

/* A figure on the three masks; NAN: missing on that mask. */
typedef struct {
  char name[HT_NAME_MAX + 40], key[40];
  const char *outlet; /* NULL: a figure of the whole vessel */
  double value[HT_WALLS];
} figure;

static double drop_to(const ht_wall_result *wall, const char *outlet) {
  for (int i = 0; i < wall->outlets; i++)
    if (strcmp(wall->outlet[i].name, outlet) == 0) return wall->outlet[i].drop_mmhg;
  return NAN;
}

static int list_figures(const ht_sensitivity *s, figure list[FIGURES_MAX]) {
  const ht_wall_result *as_is = &s->wall[HT_AS_IS];
  int count = 2;
  list[0] = (figure){.key = "wss_mean_pa"}, list[1] = (figure){.key = "wss_p99_pa"};
  const int pulses = as_is->tawss_mean_pa > 0;
  const char *whose = pulses ? " of the mean flow" : "";
  snprintf(list[0].name, sizeof list[0].name, "wall shear stress%s, mean, Pa", whose);
  snprintf(list[1].name, sizeof list[1].name, "wall shear stress%s, 99 %% below, Pa", whose);
  if (pulses) list[count++] = (figure){.name = "TAWSS, mean, Pa", .key = "tawss_mean_pa"};
  for (int w = 0; w < HT_WALLS; w++) {
    const ht_wall_result *wall = &s->wall[w];
    const double values[3] = {wall->wss_mean_pa, wall->wss_p99_pa, wall->tawss_mean_pa};
    for (int i = 0; i < count; i++) list[i].value[w] = wall->done ? values[i] : NAN;
  }
  for (int o = 0; o < as_is->outlets; o++) {
    figure *one = &list[count++];
    *one = (figure){.key = "pressure_drop_mmhg", .outlet = as_is->outlet[o].name};
    snprintf(one->name, sizeof one->name, "pressure drop to %s, mmHg", one->outlet);
    for (int w = 0; w < HT_WALLS; w++)
      one->value[w] = s->wall[w].done ? drop_to(&s->wall[w], one->outlet) : NAN;
  }
  return count;
}

/* Returns (largest - smallest) / value on the unmoved mask, %. NAN unless all three exist: from one
 * side only it looks half as large. */
static double spread_percent(const figure *one) {
  for (int w = 0; w < HT_WALLS; w++)
    if (!isfinite(one->value[w])) return NAN;
  double low = fmin(one->value[0], fmin(one->value[1], one->value[2]));
  double high = fmax(one->value[0], fmax(one->value[1], one->value[2]));
  return 100 * (high - low) / fabs(one->value[HT_AS_IS]);
}

static void figure_json(ht_json *json, const figure *one) {
  ht_json_object(json, NULL);
  ht_json_string(json, "figure", one->key);
  if (one->outlet) ht_json_string(json, "outlet", one->outlet);
  for (int w = 0; w < HT_WALLS; w++) ht_json_number(json, wall_names[w], one->value[w]);
  ht_json_number(json, "spread_percent", spread_percent(one));
  ht_json_object_end(json);
}

void ht_sensitivity_measure(ht_sensitivity *sensitivity) {
  const ht_wall_result *own = &sensitivity->wall[HT_AS_IS];
  for (int w = 0; w < HT_WALLS; w++) {
    ht_wall_result *wall = &sensitivity->wall[w];
    double area_mm2 = 0.5 * (wall->area_mm2 + own->area_mm2);
    if (wall->done && own->done && wall->area_mm2 > 0 && own->area_mm2 > 0)
      wall->moved_mm = 1e3 * (wall->volume_ml - own->volume_ml) / area_mm2;
  }
}

void ht_sensitivity_json(ht_json *json, const ht_sensitivity *sensitivity) {
  figure list[FIGURES_MAX];
  if (!(sensitivity->offset_mm > 0)) return;
  int count = list_figures(sensitivity, list);
  ht_json_object(json, "sensitivity");
  ht_members_json(json, sensitivity_members, sensitivity);
  ht_json_array(json, "figures");
  for (int i = 0; i < count; i++) figure_json(json, &list[i]);
  ht_json_array_end(json);
  ht_json_object_end(json);
}

static void read_figure(struct fy_node *node, ht_sensitivity *s) {
  char key[40] = "", outlet[HT_NAME_MAX] = "";
  ht_yaml_text(node, "figure", key, sizeof key);
  ht_yaml_text(node, "outlet", outlet, sizeof outlet);
  for (int w = 0; w < HT_WALLS; w++) {
    ht_wall_result *wall = &s->wall[w];
    double value = NAN;
    ht_yaml_number(node, wall_names[w], &value);
    if (strcmp(key, "wss_mean_pa") == 0) wall->wss_mean_pa = value;
    if (strcmp(key, "wss_p99_pa") == 0) wall->wss_p99_pa = value;
    if (strcmp(key, "tawss_mean_pa") == 0) wall->tawss_mean_pa = value;
    if (!outlet[0] || wall->outlets == HT_OPENINGS_MAX) continue;
    memcpy(wall->outlet[wall->outlets].name, outlet, sizeof outlet);
    wall->outlet[wall->outlets++].drop_mmhg = value;
  }
}

void ht_sensitivity_read(struct fy_node *node, ht_sensitivity *sensitivity) {
  struct fy_node *figures = ht_yaml_get(node, "figures"), *item;
  void *next = NULL;
  memset(sensitivity, 0, sizeof *sensitivity);
  for (int w = 0; w < HT_WALLS; w++)
    sensitivity->wall[w].steady = 1, sensitivity->wall[w].collision = HT_LBGK;
  ht_members_read(node, sensitivity_members, sensitivity);
  while (figures && (item = fy_node_sequence_iterate(figures, &next)))
    read_figure(item, sensitivity);
}

static void print_value(FILE *stream, double value) {
  if (isfinite(value))
    fprintf(stream, " %10.4g", value);
  else
    fprintf(stream, " %10s", "-");
}

static void print_spread(FILE *stream, double percent) {
  if (isfinite(percent))
    fprintf(stream, " %8.1f %%\n", percent);
  else
    fprintf(stream, " %10s\n", "-");
}

static void print_remarks(FILE *stream, const ht_sensitivity *sensitivity, int w) {
  const ht_wall_result *wall = &sensitivity->wall[w];
  if (!wall->done)
    fprintf(stream, "  the %s vessel could not be computed, so there is no spread: %s\n",
            wall_names[w], wall->message);
  if (wall->done && !wall->steady) fprintf(stream, "  %s: NOT STEADY\n", wall_names[w]);
  if (wall->done && wall->collision != sensitivity->wall[HT_AS_IS].collision)
    fprintf(stream,
            "  %s: its flow is too fast for --collision %s on this lattice, and was computed "
            "with %s\n",
            wall_names[w], ht_collision_words[sensitivity->wall[HT_AS_IS].collision],
            ht_collision_words[wall->collision]);
}

void ht_sensitivity_print(FILE *stream, const ht_sensitivity *sensitivity) {
  figure list[FIGURES_MAX];
  if (!(sensitivity->offset_mm > 0)) return;
  int count = list_figures(sensitivity, list);
  int width = ht_utf8_width(34, list->name, sizeof *list, count);
  fprintf(stream,
          "\n  with the wall moved %.3g mm (half a voxel of the scan) inwards and outwards:\n"
          "  %-*s %10s %10s %10s %10s\n",
          sensitivity->offset_mm, width, "", "thinner", "unmoved", "thicker", "spread");
  for (int i = 0; i < count; i++) {
    fprintf(stream, "  %-*s", width + ht_utf8_extra(list[i].name), list[i].name);
    for (int w = 0; w < HT_WALLS; w++) print_value(stream, list[i].value[w]);
    print_spread(stream, spread_percent(&list[i]));
  }
  const ht_wall_result *in = &sensitivity->wall[HT_THINNER], *out = &sensitivity->wall[HT_THICKER];
  if (in->moved_mm != 0 && out->moved_mm != 0)
    fprintf(stream, "  the walls moved by %.2g mm inwards and %.2g mm outwards, as measured\n",
            -in->moved_mm, out->moved_mm);
  for (int w = 0; w < HT_WALLS; w++)
    if (w != HT_AS_IS) print_remarks(stream, sensitivity, w);
}
