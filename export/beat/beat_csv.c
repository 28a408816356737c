#include "export/beat/beat_csv.h"
#include "core/disk/file.h"
#include "export/beat/path_shape.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of columns of centreline.csv between z_mm and place. */
enum { VALUES = 9 };

/* Writes a number with six digits (more are noise); an empty cell for NaN. */
static void put(FILE *stream, double value) {
  fputc(',', stream);
  if (isfinite(value)) fprintf(stream, "%.6g", value + 0.0); /* + 0.0: no minus zero */
}

/* Writes ",prefixNAME", in quotes where the name needs them. */
static void put_name(FILE *stream, const char *prefix, const char *name) {
  int quoted = strpbrk(name, ",\"\r\n;") != NULL;
  fprintf(stream, ",%s%s", quoted ? "\"" : "", prefix);
  for (const char *c = name; *c; c++) {
    if (*c == '"') fputc('"', stream);
    fputc(*c == '\r' || *c == '\n' ? ' ' : *c, stream);
  }
  if (quoted) fputc('"', stream);
}

int ht_beat_main_inlet(const ht_flow_stats *stats) {
  const ht_port_result *inlet = ht_port_main_inlet(stats->port, stats->ports);
  return inlet ? (int)(inlet - stats->port) : 0;
}

/* The turbulent energy at a sample; NaN between the phases. */
static double energy_at(const ht_flow_stats *stats, double time_s) {
  for (int k = 0; k < stats->tke_phases; k++)
    if (fabs(stats->tke_time_s[k] - time_s) <= 1e-9 * stats->period_s) return stats->tke_mj[k];
  return NAN;
}

ht_status ht_beat_write_waveforms(const char *path, const ht_beat *beat,
                                  const ht_flow_stats *stats) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("time_s", output.stream);
  for (int p = 0; p < beat->ports; p++) put_name(output.stream, "flow_ml_s_", stats->port[p].name);
  for (int p = 0; p < beat->ports; p++)
    put_name(output.stream, "pressure_mmhg_", stats->port[p].name);
  int has_energy = beat->period_s > 0 && stats->tke_phases > 0;
  if (has_energy) fputs(",tke_mj", output.stream);
  fputc('\n', output.stream);
  for (int k = 0; k < beat->samples; k++) {
    fprintf(output.stream, "%.6g", beat->time_s[k]);
    for (int p = 0; p < beat->ports; p++)
      put(output.stream, ht_beat_mean(beat, beat->flow_ml_s, beat->ports, k, p));
    for (int p = 0; p < beat->ports; p++)
      put(output.stream, ht_beat_mean(beat, beat->pressure_pa, beat->ports, k, p) / HT_PA_PER_MMHG);
    if (has_energy) put(output.stream, energy_at(stats, beat->time_s[k]));
    fputc('\n', output.stream);
  }
  return ht_output_commit(&output);
}

/* Least and largest over the samples, of the means over the beats. */
static void range_of(const ht_beat *beat, const double *values, int station, double range[2]) {
  range[0] = INFINITY, range[1] = -INFINITY;
  for (int k = 0; k < beat->samples; k++) {
    double value = ht_beat_mean(beat, values, beat->stations, k, station);
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
  }
}

static void put_values(FILE *stream, const ht_beat *beat, int s, int peak) {
  const ht_station *at = &beat->station[s];
  int n = beat->stations;
  double pressure[2], speed[2];
  range_of(beat, beat->section_pa, s, pressure);
  range_of(beat, beat->peak_m_s, s, speed);
  put(stream, at->area_mm2);
  put(stream, 2 * sqrt(at->area_mm2 / HT_PI));
  put(stream, ht_beat_whole_mean(beat, beat->axial_m_s, n, s));
  put(stream, ht_beat_mean(beat, beat->axial_m_s, n, peak, s));
  put(stream, speed[1]);
  put(stream, ht_beat_whole_mean(beat, beat->section_pa, n, s) / HT_PA_PER_MMHG);
  put(stream, ht_beat_mean(beat, beat->section_pa, n, peak, s) / HT_PA_PER_MMHG);
  put(stream, pressure[0] / HT_PA_PER_MMHG);
  put(stream, pressure[1] / HT_PA_PER_MMHG);
}

/* The centreline's curvature and torsion at each station, and the wall's load around it. */
typedef struct {
  double *curvature_per_mm, *torsion_per_mm; /* owned by the first */
  const double *wss_pa;                      /* NULL: not known */
} shape;

/* Writes a station's row. A mixed section gets empty cells: its values would look right. */
static void put_station(FILE *stream, const ht_beat *beat, const shape *of, int s, int peak) {
  const ht_station *at = &beat->station[s];
  fprintf(stream, "%.6g", at->along_mm);
  for (int r = 0; r < 3; r++) put(stream, at->centre_mm[r]);
  if (at->is_mixed)
    for (int i = 0; i < VALUES; i++) fputc(',', stream);
  else
    put_values(stream, beat, s, peak);
  fprintf(stream, ",%s", at->is_mixed ? "sac_or_junction" : "vessel");
  put(stream, of->curvature_per_mm[s]);
  put(stream, of->torsion_per_mm[s]);
  if (of->wss_pa) put(stream, of->wss_pa[s]);
  fputc('\n', stream);
}

static ht_status write_stations(const char *path, const ht_beat *beat, const ht_flow_stats *stats,
                                const shape *of) {
  ht_output output;
  int peak = ht_beat_peak_sample(beat, ht_beat_main_inlet(stats));
  HT_TRY(ht_output_open(path, &output));
  fputs("position_mm,x_mm,y_mm,z_mm,area_mm2,diameter_mm,mean_velocity_m_s,"
        "mean_velocity_at_peak_flow_m_s,highest_velocity_m_s,pressure_mmhg,"
        "pressure_at_peak_flow_mmhg,lowest_pressure_mmhg,highest_pressure_mmhg,place,curvature_per_"
        "mm,"
        "torsion_per_mm",
        output.stream);
  fputs(of->wss_pa ? ",wss_mean_pa\n" : "\n", output.stream);
  for (int s = 0; s < beat->stations; s++) put_station(output.stream, beat, of, s, peak);
  return ht_output_commit(&output);
}

ht_status ht_beat_write_centreline(const char *path, const ht_beat *beat,
                                   const ht_flow_stats *stats, const double *wss_pa) {
  shape of = {.wss_pa = wss_pa};
  size_t room = 2 * (size_t)beat->stations + 1;
  HT_TRY(ht_alloc((void **)&of.curvature_per_mm, room, sizeof(double), "the centreline"));
  of.torsion_per_mm = of.curvature_per_mm + beat->stations;
  ht_status status =
      ht_path_shape(beat->station, beat->stations, of.curvature_per_mm, of.torsion_per_mm);
  if (status == HT_OK) status = write_stations(path, beat, stats, &of);
  free(of.curvature_per_mm);
  return status;
}

ht_status ht_beat_write_centreline_beat(const char *path, const ht_beat *beat) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("position_mm", output.stream);
  for (int k = 0; k < beat->samples; k++)
    fprintf(output.stream, ",pressure_mmhg_at_%.4g_s", beat->time_s[k]);
  fputc('\n', output.stream);
  for (int s = 0; s < beat->stations; s++) {
    fprintf(output.stream, "%.6g", beat->station[s].along_mm);
    for (int k = 0; k < beat->samples; k++)
      put(output.stream,
          beat->station[s].is_mixed
              ? NAN
              : ht_beat_mean(beat, beat->section_pa, beat->stations, k, s) / HT_PA_PER_MMHG);
    fputc('\n', output.stream);
  }
  return ht_output_commit(&output);
}
