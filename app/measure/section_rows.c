#include "app/measure/section_rows.h"
#include "core/numbers/vector3.h"
#include "export/measure/section_nodes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two times of a beat that differ by less than this part of it are one. */
static const double same_time = 1e-6;

typedef struct {
  const ht_results *results;
  const ht_placed_section *placed;
  ht_measurement *to;
  ht_section_nodes nodes; /* around the section */
  ht_section_nodes kept;  /* those whose samples are kept: without the extensions */
  ht_section_nodes inner; /* around a section further inside, whose nodes are all kept; count 0: not
                             needed, or there is none */
  float *velocity, *pressure; /* room for the nodes of one of them */
  float *wall;                /* [points][3] values at the contour, 0 elsewhere */
  int32_t *near;              /* [nears] the contour's points of the wall, rising */
  int nears;
} work;

/* ---- rows ---- */

static ht_section_row unknown(double time_s) {
  return (ht_section_row){time_s, NAN, NAN, NAN, NAN, NAN, NAN};
}

/* The row of a time, made where it is not there; the first is the mean's. NULL: there are too many.
 */
static ht_section_row *row_at(work *w, double time_s) {
  ht_measurement *to = w->to;
  int i = 1;
  const double slack_s = same_time * w->results->stats.period_s;
  while (i < to->rows && to->row[i].time_s < time_s - slack_s) i++;
  if (i < to->rows && fabs(to->row[i].time_s - time_s) <= slack_s) return &to->row[i];
  if (to->rows == HT_SECTION_ROWS_MAX) return NULL;
  memmove(to->row + i + 1, to->row + i, (size_t)(to->rows - i) * sizeof *to->row);
  to->row[i] = unknown(time_s);
  to->rows++;
  return &to->row[i];
}

static void put(work *w, const ht_section_values *values, ht_section_row *row) {
  row->flow_ml_s = values->flow_ml_s;
  row->mean_m_s = values->flow_ml_s / w->to->area_mm2;
  row->highest_m_s = values->highest_m_s;
  row->pressure_pa = values->pressure_pa;
}

static void put_flow(work *w, const ht_flow *flow, ht_section_row *row) {
  ht_section_nodes_take(&w->nodes, flow, w->velocity, w->pressure);
  const ht_section_values values = ht_section_nodes_sum(&w->nodes, w->velocity, w->pressure);
  put(w, &values, row);
}

static void put_wall(work *w, const float *values, int components, ht_section_row *row) {
  ht_plane_section_wall(&w->placed->cut, &w->placed->section, values, components, &row->wss_mean_pa,
                        &row->wss_highest_pa);
}

/* ---- the samples of series.bin ---- */

/* Reads numbers of a plane at rising places; runs with small gaps are read at once. */
static int read_entries(const ht_beat_series *series, int sample, int plane, const int64_t *entry,
                        int64_t count, int stride, float *to) {
  enum { RUN = 4096, GAP = 256 };
  float run[RUN];
  for (int64_t i = 0; i < count;) {
    int64_t end = i + 1;
    while (end < count && entry[end] - entry[end - 1] <= GAP && entry[end] - entry[i] < RUN) end++;
    if (!ht_beat_series_read(series, sample, plane, entry[i], entry[end - 1] - entry[i] + 1, run))
      return 0;
    for (int64_t k = i; k < end; k++) to[k * stride] = run[entry[k] - entry[i]];
    i = end;
  }
  return 1;
}

static ht_status entries_of(const ht_results *results, const ht_section_nodes *nodes,
                            int64_t **entry) {
  HT_TRY(ht_alloc((void **)entry, (size_t)nodes->count + 1, sizeof **entry, "a section"));
  for (int64_t n = 0; n < nodes->count; n++)
    (*entry)[n] = ht_node_map_at(&results->entry_of, nodes->voxel[n]);
  return HT_OK;
}

static int read_values(work *w, const ht_section_nodes *nodes, const int64_t *entry, int sample,
                       ht_section_values *values) {
  const ht_beat_series *series = &w->results->series;
  for (int c = 0; c < 3; c++)
    if (!read_entries(series, sample, HT_PLANE_VELOCITY + c, entry, nodes->count, 3,
                      w->velocity + c))
      return 0;
  if (!read_entries(series, sample, HT_PLANE_PRESSURE, entry, nodes->count, 1, w->pressure))
    return 0;
  *values = ht_section_nodes_sum(nodes, w->velocity, w->pressure);
  return 1;
}

/* Reads the wall shear stress at the contour, a vector. */
static int read_wall(work *w, int sample) {
  int64_t *entry = malloc(((size_t)w->nears + 1) * sizeof *entry);
  float *value = malloc(((size_t)w->nears + 1) * sizeof *value);
  int read = entry && value;
  for (int i = 0; i < w->nears && read; i++) entry[i] = w->near[i];
  for (int c = 0; c < 3 && read; c++) {
    read = read_entries(&w->results->series, sample, HT_PLANE_WSS + c, entry, w->nears, 1, value);
    for (int i = 0; i < w->nears && read; i++) w->wall[3 * (int64_t)w->near[i] + c] = value[i];
  }
  free(entry), free(value);
  return read;
}

/* Finds a section further inside, through which the same blood flows, for one whose nodes reach
 * into an extension, whose samples are not kept. */
static ht_status find_inner(work *w) {
  const ht_results *of = w->results;
  const double step_mm = of->flow.grid.spacing_mm[0];
  for (int k = 1; k <= 12; k++)
    for (int side = -1; side <= 1; side += 2) {
      ht_placed_section beside;
      ht_section_nodes all;
      ht_status status = ht_section_place_beside(of, w->placed, side * k * step_mm, &beside);
      if (status == HT_ERR_USAGE) continue;
      HT_TRY(status);
      status = ht_section_nodes_find(&beside.cut, &beside.section, &of->flow, w->placed->axis, NULL,
                                     &all);
      int kept = status == HT_OK;
      for (int64_t n = 0; kept && n < all.count; n++) kept = of->vessel.inside[all.voxel[n]];
      ht_placed_section_free(&beside);
      if (kept) {
        w->inner = all;
        return HT_OK;
      }
      ht_section_nodes_free(&all);
      if (status != HT_OK && status != HT_ERR_VESSEL) return status;
    }
  return HT_OK;
}

static ht_status unreadable(const ht_results *results) {
  return ht_fail(HT_ERR_FORMAT, "%s/series.bin: the samples of the beat cannot be read",
                 results->folder);
}

static ht_status add_samples(work *w, const int64_t *entry, const int64_t *inner_entry) {
  const ht_beat_series *series = &w->results->series;
  const int whole = w->kept.count == w->nodes.count;
  for (int s = 0; s < series->samples; s++) {
    ht_section_values values, flow = {.flow_ml_s = NAN};
    ht_section_row *row = row_at(w, series->sample[s].time_s);
    if (!row) return HT_OK;
    if (!read_values(w, &w->kept, entry, s, &values) || !read_wall(w, s))
      return unreadable(w->results);
    if (!whole && w->inner.count > 0 && !read_values(w, &w->inner, inner_entry, s, &flow))
      return unreadable(w->results);
    if (!whole) values.flow_ml_s = flow.flow_ml_s;
    put(w, &values, row);
    put_wall(w, w->wall, 3, row);
  }
  return HT_OK;
}

static ht_status add_series(work *w) {
  const ht_results *of = w->results;
  int64_t *entry = NULL, *inner_entry = NULL;
  HT_TRY(ht_section_nodes_find(&w->placed->cut, &w->placed->section, &of->flow, w->placed->axis,
                               of->vessel.inside, &w->kept));
  if (w->kept.count < w->nodes.count) HT_TRY(find_inner(w));
  const size_t room = (size_t)(w->inner.count > w->nodes.count ? w->inner.count : w->nodes.count);
  free(w->velocity), free(w->pressure);
  w->velocity = w->pressure = NULL;
  HT_TRY(ht_alloc((void **)&w->velocity, 3 * room, sizeof(float), "a section"));
  HT_TRY(ht_alloc((void **)&w->pressure, room, sizeof(float), "a section"));
  ht_status status = entries_of(of, &w->kept, &entry);
  if (status == HT_OK) status = entries_of(of, &w->inner, &inner_entry);
  if (status == HT_OK) status = add_samples(w, entry, inner_entry);
  free(entry), free(inner_entry);
  w->to->from = HT_MOMENTS_SERIES;
  return status;
}

/* ---- without them ---- */

/* The magnitude of the wall shear stress at the moments of wall_moments.bin. */
static void add_wall_moments(work *w) {
  const ht_wall_moments *moments = &w->results->moments;
  for (int m = 0; m < moments->moments; m++) {
    ht_section_row *row = row_at(w, moments->time_s[m]);
    if (!row) return;
    for (int i = 0; i < w->nears; i++) {
      const double share = moments->step[(int64_t)m * moments->points + w->near[i]] / 255.0;
      w->wall[w->near[i]] = (float)(moments->highest_pa[m] * share * share);
    }
    put_wall(w, w->wall, 1, row);
  }
}

static double between(const ht_beat *beat, const double *values, int sample, int next,
                      double part) {
  const double a = ht_beat_mean(beat, values, beat->stations, sample, next - 1);
  const double b = ht_beat_mean(beat, values, beat->stations, sample, next);
  return a + part * (b - a);
}

static double flow_of(const ht_beat *beat, int sample, int station) {
  return beat->station[station].area_mm2 *
         ht_beat_mean(beat, beat->axial_m_s, beat->stations, sample, station);
}

/* The stations on both sides of a section on the main way; 0: it is not on it, or they are mixed.
 */
static int station_behind(const work *w) {
  const ht_beat *beat = &w->results->beat;
  int next = 1;
  if (!isfinite(w->to->along_mm) || beat->stations < 2) return 0;
  while (next < beat->stations - 1 && beat->station[next].along_mm < w->to->along_mm) next++;
  return beat->station[next - 1].is_mixed || beat->station[next].is_mixed ? 0 : next;
}

/* Flow and pressure over the beat, between two stations: no blood leaves there, and the section's
 * mean pressure is that at its centre. */
static void add_stations(work *w, int next) {
  const ht_beat *beat = &w->results->beat;
  const ht_station *a = &beat->station[next - 1], *b = &beat->station[next];
  const double length_mm = b->along_mm - a->along_mm;
  const double part = length_mm > 0 ? fmin(1, (w->to->along_mm - a->along_mm) / length_mm) : 0;
  const double side = ht_dot(w->placed->axis, a->direction) < 0 ? -1 : 1;
  for (int k = 0; k < beat->samples; k++) {
    ht_section_row *row = row_at(w, beat->time_s[k]);
    if (!row) return;
    const double from = flow_of(beat, k, next - 1), to = flow_of(beat, k, next);
    row->flow_ml_s = side * (from + part * (to - from));
    row->mean_m_s = row->flow_ml_s / w->to->area_mm2;
    row->pressure_pa = between(beat, beat->section_pa, k, next, part);
  }
  w->to->from = HT_MOMENTS_STATIONS;
}

static void add_kept_moments(work *w) {
  const ht_results *of = w->results;
  const int next = of->beat.samples > 1 ? station_behind(w) : 0;
  w->to->from = HT_MOMENTS_WALL;
  if (next > 0) add_stations(w, next);
  add_wall_moments(w);
  ht_section_row *row = of->phase.velocity_m_s ? row_at(w, of->stats.phase_time_s) : NULL;
  if (row) put_flow(w, &of->phase, row);
}

/* ---- all ---- */

static int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Lists the points of the wall between which the contour's points lie. */
static ht_status list_near(work *w) {
  const ht_plane_cut *cut = &w->placed->cut;
  HT_TRY(ht_alloc((void **)&w->near, 2 * (size_t)cut->points + 1, sizeof *w->near, "a section"));
  for (int i = 0; i < cut->contours; i++) {
    const ht_contour *one = &cut->contour[i];
    if (!ht_plane_section_has(cut, &w->placed->section, i)) continue;
    for (int k = 0; k < one->count; k++) {
      w->near[w->nears++] = cut->point[one->first + k].from;
      w->near[w->nears++] = cut->point[one->first + k].to;
    }
  }
  qsort(w->near, (size_t)w->nears, sizeof *w->near, by_number);
  int kept = 0;
  for (int i = 0; i < w->nears; i++)
    if (kept == 0 || w->near[i] != w->near[kept - 1]) w->near[kept++] = w->near[i];
  w->nears = kept;
  return HT_OK;
}

static ht_status fill(work *w) {
  const ht_results *of = w->results;
  HT_TRY(ht_section_nodes_find(&w->placed->cut, &w->placed->section, &of->flow, w->placed->axis,
                               NULL, &w->nodes));
  HT_TRY(ht_alloc((void **)&w->velocity, 3 * (size_t)w->nodes.count, sizeof(float), "a section"));
  HT_TRY(ht_alloc((void **)&w->pressure, (size_t)w->nodes.count, sizeof(float), "a section"));
  HT_TRY(ht_alloc((void **)&w->to->row, HT_SECTION_ROWS_MAX, sizeof *w->to->row, "a section"));
  w->to->rows = 1;
  w->to->row[0] = unknown(NAN);
  put_flow(w, &of->flow, &w->to->row[0]);
  put_wall(w, ht_results_wss(of), 1, &w->to->row[0]);
  if (of->stats.period_s == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&w->wall, 3 * (size_t)of->wall.points, sizeof(float), "a section"));
  HT_TRY(list_near(w));
  if (of->series.samples > 0) return add_series(w);
  add_kept_moments(w);
  return HT_OK;
}

ht_status ht_section_rows(const ht_results *results, const ht_placed_section *placed,
                          ht_measurement *measurement, double *flow_ml_s) {
  work w = {.results = results, .placed = placed, .to = measurement};
  ht_status status = fill(&w);
  ht_section_nodes_free(&w.nodes), ht_section_nodes_free(&w.kept), ht_section_nodes_free(&w.inner);
  free(w.velocity), free(w.pressure), free(w.wall), free(w.near);
  if (status != HT_OK) return status;
  *flow_ml_s = measurement->row[0].flow_ml_s;
  for (int i = 0; i < measurement->rows && *flow_ml_s < 0; i++) {
    measurement->row[i].flow_ml_s = 0 - measurement->row[i].flow_ml_s;
    measurement->row[i].mean_m_s = 0 - measurement->row[i].mean_m_s;
  }
  return HT_OK;
}
