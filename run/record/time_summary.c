#include "run/record/time_summary.h"
#include <math.h>
#include <string.h>

ht_time_summary ht_time_of(const ht_manifest *manifest, ht_stage first, double seconds) {
  ht_time_summary time = {.seconds = seconds};
  for (int s = 0; s < HT_STAGES; s++) {
    if (!manifest->stage[s].ended[0]) continue;
    time.stage[s] = manifest->stage[s].seconds;
    if (s < (int)first) time.seconds += time.stage[s];
  }
  return time;
}

double ht_time_other_s(const ht_time_summary *time) {
  double left = time->seconds;
  for (int s = 0; s < HT_STAGES; s++) left -= time->stage[s];
  return fmax(0, left);
}

void ht_time_json(ht_json *json, const ht_time_summary *time) {
  ht_json_object(json, "time");
  ht_json_number(json, "seconds", time->seconds);
  ht_json_object(json, "stages_seconds");
  for (int s = 0; s < HT_STAGES; s++)
    if (time->stage[s] > 0) ht_json_number(json, ht_stage_name((ht_stage)s), time->stage[s]);
  ht_json_number(json, "other", ht_time_other_s(time));
  ht_json_object_end(json);
  ht_json_object_end(json);
}

void ht_time_read(struct fy_node *node, ht_time_summary *time) {
  struct fy_node *stages = node ? ht_yaml_get(node, "stages_seconds") : NULL;
  memset(time, 0, sizeof *time);
  if (!stages) return;
  ht_yaml_number(node, "seconds", &time->seconds);
  for (int s = 0; s < HT_STAGES; s++)
    ht_yaml_number(stages, ht_stage_name((ht_stage)s), &time->stage[s]);
}

void ht_time_print(FILE *stream, const ht_time_summary *time) {
  if (!(time->seconds > 0)) return;
  fprintf(stream, "  time                  %.1f s from the command to the results:", time->seconds);
  for (int s = 0; s < HT_STAGES; s++)
    if (time->stage[s] > 0)
      fprintf(stream, " %s %.1f,", ht_stage_name((ht_stage)s), time->stage[s]);
  fprintf(stream, " other %.1f\n", ht_time_other_s(time));
}
