#include "run/record/time_summary.h"
#include <math.h>

#define STAGE(name, number)                                                                        \
  { HT_MEMBER(ht_time_summary, name, stage[number]), .options = HT_OPTIONAL }
static const ht_member stage_members[] = {
    STAGE("import", HT_STAGE_IMPORT),
    STAGE("segment", HT_STAGE_SEGMENT),
    STAGE("tile", HT_STAGE_TILE),
    STAGE("solve", HT_STAGE_SOLVE),
    STAGE("export", HT_STAGE_EXPORT),
    {HT_MEMBER(ht_time_summary, "other", other)},
    {0},
};

const ht_member ht_time_members[] = {
    {HT_MEMBER(ht_time_summary, "seconds", seconds)},
    {HT_PART("stages_seconds", stage_members)},
    {0},
};

ht_time_summary ht_time_of(const ht_manifest *manifest, ht_stage first, double seconds) {
  ht_time_summary time = {.seconds = seconds};
  for (int s = 0; s < HT_STAGES; s++) {
    if (!manifest->stage[s].ended[0]) continue;
    time.stage[s] = manifest->stage[s].seconds;
    if (s < (int)first) time.seconds += time.stage[s];
  }
  double left = time.seconds;
  for (int s = 0; s < HT_STAGES; s++) left -= time.stage[s];
  time.other = fmax(0, left);
  return time;
}

void ht_time_print(FILE *stream, const ht_time_summary *time) {
  if (!(time->seconds > 0)) return;
  fprintf(stream, "  time                  %.1f s from the command to the results:", time->seconds);
  for (int s = 0; s < HT_STAGES; s++)
    if (time->stage[s] > 0)
      fprintf(stream, " %s %.1f,", ht_stage_name((ht_stage)s), time->stage[s]);
  fprintf(stream, " other %.1f\n", time->other);
}
