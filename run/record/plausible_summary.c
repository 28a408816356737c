#include "run/record/plausible_summary.h"
#include <math.h>

static const struct {
  const char *name, *unit;
} words[HT_PLAUSIBLE_NUMBERS] = {
    {"mean velocity", "m/s"}, {"mean wall shear stress", "Pa"}, {"pressure drop", "mmHg"}};

#define NUMBER(key, field)                                                                         \
  { HT_MEMBER(ht_plausible, key, field), .options = HT_ABSENT_NAN }

const ht_member ht_plausible_members[] = {
    {HT_MEMBER(ht_plausible, "beside", such), .options = HT_DECIDES},
    {HT_MEMBER(ht_plausible, "is_beyond", is_beyond), .options = HT_BOOL},
    {HT_MEMBER(ht_plausible, "diameter_mm", diameter_mm)},
    NUMBER("mean_velocity_m_s", value[HT_PLAUSIBLE_VELOCITY]),
    NUMBER("usual_least_velocity_m_s", least[HT_PLAUSIBLE_VELOCITY]),
    NUMBER("usual_most_velocity_m_s", most[HT_PLAUSIBLE_VELOCITY]),
    NUMBER("wss_mean_pa", value[HT_PLAUSIBLE_WSS]),
    NUMBER("usual_least_wss_pa", least[HT_PLAUSIBLE_WSS]),
    NUMBER("usual_most_wss_pa", most[HT_PLAUSIBLE_WSS]),
    NUMBER("pressure_drop_mmhg", value[HT_PLAUSIBLE_DROP]),
    NUMBER("usual_least_drop_mmhg", least[HT_PLAUSIBLE_DROP]),
    NUMBER("usual_most_drop_mmhg", most[HT_PLAUSIBLE_DROP]),
    {0},
};

int ht_plausible_is_beyond(const ht_plausible *of, int number) {
  double value = of->value[number];
  return isfinite(value) && (value < of->least[number] || value > of->most[number]);
}

void ht_plausible_text(const ht_plausible *of, int number, char *text, size_t size) {
  char usual[60];
  if (isfinite(of->least[number]))
    snprintf(usual, sizeof usual, "%g to %g", of->least[number], of->most[number]);
  else
    snprintf(usual, sizeof usual, "at most %g", of->most[number]);
  snprintf(text, size, "%s %.3g %s (usual %s)", words[number].name, of->value[number],
           words[number].unit, usual);
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
