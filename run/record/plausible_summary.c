#include "run/record/plausible_summary.h"
#include <math.h>
#include <string.h>

static const struct {
  const char *key, *least, *most, *words, *unit;
} members[HT_PLAUSIBLE_NUMBERS] = {
    {"mean_velocity_m_s", "usual_least_velocity_m_s", "usual_most_velocity_m_s", "mean velocity",
     "m/s"},
    {"wss_mean_pa", "usual_least_wss_pa", "usual_most_wss_pa", "mean wall shear stress", "Pa"},
    {"pressure_drop_mmhg", "usual_least_drop_mmhg", "usual_most_drop_mmhg", "pressure drop",
     "mmHg"},
};

int ht_plausible_is_beyond(const ht_plausible *of, int number) {
  double value = of->value[number];
  return isfinite(value) && (value < of->least[number] || value > of->most[number]);
}

static int is_beyond(const ht_plausible *of) {
  int beyond = 0;
  for (int n = 0; n < HT_PLAUSIBLE_NUMBERS; n++) beyond |= ht_plausible_is_beyond(of, n);
  return beyond;
}

void ht_plausible_text(const ht_plausible *of, int number, char *text, size_t size) {
  char usual[60];
  if (isfinite(of->least[number]))
    snprintf(usual, sizeof usual, "%g to %g", of->least[number], of->most[number]);
  else
    snprintf(usual, sizeof usual, "at most %g", of->most[number]);
  snprintf(text, size, "%s %.3g %s (usual %s)", members[number].words, of->value[number],
           members[number].unit, usual);
}

void ht_plausible_json(ht_json *json, const ht_plausible *of) {
  if (!of->such[0]) return;
  ht_json_object(json, "plausibility");
  ht_json_string(json, "beside", of->such);
  ht_json_bool(json, "is_beyond", is_beyond(of));
  ht_json_number(json, "diameter_mm", of->diameter_mm);
  for (int n = 0; n < HT_PLAUSIBLE_NUMBERS; n++) {
    ht_json_number(json, members[n].key, of->value[n]);
    ht_json_number(json, members[n].least, of->least[n]);
    ht_json_number(json, members[n].most, of->most[n]);
  }
  ht_json_object_end(json);
}

void ht_plausible_read(struct fy_node *node, ht_plausible *of) {
  memset(of, 0, sizeof *of);
  if (!node || !ht_yaml_text(node, "beside", of->such, sizeof of->such)) return;
  ht_yaml_number(node, "diameter_mm", &of->diameter_mm);
  for (int n = 0; n < HT_PLAUSIBLE_NUMBERS; n++) {
    of->value[n] = NAN;
    of->least[n] = -INFINITY;
    ht_yaml_number(node, members[n].key, &of->value[n]);
    ht_yaml_number(node, members[n].least, &of->least[n]);
    ht_yaml_number(node, members[n].most, &of->most[n]);
  }
}

void ht_plausible_print(FILE *stream, const ht_plausible *of) {
  const char *before = "  beside usual values   ";
  char text[160];
  if (!of->such[0]) return;
  for (int n = 0; n < HT_PLAUSIBLE_NUMBERS; n++) {
    if (!isfinite(of->value[n])) continue;
    ht_plausible_text(of, n, text, sizeof text);
    fprintf(stream, "%s%s%s", before, text, ht_plausible_is_beyond(of, n) ? ": BEYOND" : "");
    before = ", ";
  }
  fprintf(stream, "; of %s at rest (here %.3g mm)\n", of->such, of->diameter_mm);
}
