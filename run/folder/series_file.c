#define _POSIX_C_SOURCE 200809L /* fseeko, fileno */
#include "run/folder/series_file.h"
#include "core/disk/file.h"
#include "core/work/jobs.h"
#include "core/work/side_work.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'H', 'T', 'S', 'E', 'R', 'I', '0', '1'};
enum { HEX = 64, PIECE = 1 << 16, SLOTS = 2, HEAD = 8 + 3 * 8 + 8 + HEX };
_Static_assert(sizeof(ht_beat_series_sample) == 8 + 2 * 8 * HT_PLANES + HEX, "written as it is");

static int64_t head_bytes(int samples) {
  return HEAD + samples * (int64_t)sizeof(ht_beat_series_sample) + HEX;
}

static ht_status hash_of(const void *bytes, size_t size, char hex[HT_HASH_TEXT]) {
  ht_hash *hash = ht_hash_begin();
  if (!hash) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_hash_add(hash, bytes, size);
  ht_hash_end(hash, hex);
  return HT_OK;
}

/* Makes the head with the table and its checksum. `head` has room for head_bytes. */
static ht_status make_head(const ht_beat_series *series, const char *mask_sha256, char *head) {
  char hex[HT_HASH_TEXT];
  const int64_t counts[3] = {series->samples, series->voxels, series->points};
  size_t table = (size_t)series->samples * sizeof *series->sample;
  memcpy(head, magic, 8);
  memcpy(head + 8, counts, 24);
  memcpy(head + 32, &series->period_s, 8);
  memcpy(head + 40, mask_sha256, HEX);
  memcpy(head + HEAD, series->sample, table);
  HT_TRY(hash_of(head, HEAD + table, hex));
  memcpy(head + HEAD + table, hex, HEX);
  return HT_OK;
}

/* ---- writing ---- */

typedef struct {
  ht_series_record *record; /* the one it belongs to */
  uint16_t *planes;         /* all of a sample. Owned */
  int sample;
} slot;

struct ht_series_record {
  ht_beat_series series; /* its table, without a file */
  const ht_domain *domain;
  int stride;
  int kept[HT_SERIES_MOST];
  char mask_sha256[HT_HASH_TEXT];
  ht_output output;
  int32_t *node; /* [voxels] numbers of the vessel's nodes in the order of the file; NULL: not known
                    yet */
  slot slot[SLOTS]; /* filled in turn: one is written while the next is filled */
  int next;
  ht_side_work *side;
};

int ht_beat_series_stride(int samples) {
  return (samples + HT_SERIES_MOST - 1) / HT_SERIES_MOST;
}

/* Writes one slot. A failed write is the stream's, which ht_output_commit reports. */
static ht_status write_slot(void *user) {
  const slot *from = user;
  ht_series_record *record = from->record;
  char hex[HT_HASH_TEXT];
  const ht_beat_series *series = &record->series;
  int64_t bytes = ht_beat_series_bytes(series->voxels, series->points);
  HT_TRY(hash_of(from->planes, (size_t)bytes, hex));
  memcpy(record->series.sample[from->sample].sha256, hex, HEX);
  if (fseeko(record->output.stream, (off_t)(series->first_at + from->sample * bytes), SEEK_SET) !=
      0)
    return ht_fail(HT_ERR_WRITE, "%s: cannot be written: %s", record->output.path, strerror(errno));
  fwrite(from->planes, 1, (size_t)bytes, record->output.stream);
  return HT_OK;
}

/* A plane on its way into a slot. */
typedef struct {
  const float *values; /* values of the first component */
  int components;
  const int32_t *item; /* the entries' numbers among the values; NULL: all in order */
  int64_t count;
  double base, step;
  uint16_t *to;
  float *low, *high; /* of each piece */
} plane;

static float value_of(const plane *of, int64_t i) {
  return of->values[of->components * (of->item ? of->item[i] : i)];
}

static void find_range(void *user, int piece) {
  const plane *of = user;
  int64_t first = (int64_t)piece * PIECE,
          end = first + PIECE < of->count ? first + PIECE : of->count;
  float low = INFINITY, high = -INFINITY;
  for (int64_t i = first; i < end; i++) {
    float value = value_of(of, i);
    if (!(fabsf(value) < INFINITY)) high = INFINITY;
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  of->low[piece] = low;
  of->high[piece] = high;
}

static void round_piece(void *user, int piece) {
  const plane *of = user;
  int64_t first = (int64_t)piece * PIECE,
          end = first + PIECE < of->count ? first + PIECE : of->count;
  double per_step = 1 / of->step;
  for (int64_t i = first; i < end; i++)
    of->to[i] = (uint16_t)(int)((value_of(of, i) - of->base) * per_step + 0.5);
}

/* Returns the least power of two that holds the range in 65534 steps and every number as a
 * float. */
static double step_of(double low, double high) {
  enum { LEAST = -100 };
  int exponent = LEAST, as_float;
  double largest = fmax(fabs(low), fabs(high));
  if (high > low) frexp((high - low) / 65534, &exponent);
  frexp(largest * 0x1p-23, &as_float);
  if (largest > 0 && as_float > exponent) exponent = as_float;
  return ldexp(1, exponent > LEAST ? exponent : LEAST);
}

/* Does all pieces, also where the run is asked to stop: its checkpoint keeps the sample. */
static void do_all(int pieces, void (*work)(void *user, int piece), plane *of) {
  if (ht_jobs_spread(pieces, work, of) == HT_OK) return;
  for (int n = 0; n < pieces; n++) work(of, n);
}

static int round_plane(plane *of) {
  int pieces = (int)((of->count + PIECE - 1) / PIECE);
  double low = INFINITY, high = -INFINITY;
  do_all(pieces, find_range, of);
  for (int n = 0; n < pieces; n++) {
    low = fmin(low, of->low[n]);
    high = fmax(high, of->high[n]);
  }
  of->base = of->step = 1;
  if (pieces == 0) return 1;
  if (!isfinite(low) || !isfinite(high)) return 0;
  of->step = step_of(low, high);
  of->base = floor(low / of->step) * of->step;
  do_all(pieces, round_piece, of);
  return 1;
}

static ht_status find_nodes(ht_series_record *record, const ht_flow *flow) {
  const ht_mask *mask = &record->domain->mask;
  int64_t voxels = ht_grid_voxels(&mask->grid), count = 0;
  HT_TRY(ht_alloc((void **)&record->node, (size_t)record->series.voxels, sizeof(int32_t),
                  "the samples"));
  for (int64_t v = 0; v < voxels; v++)
    if (mask->inside[v] == HT_VESSEL) record->node[count++] = ht_flow_node(flow, v);
  return HT_OK;
}

static ht_status round_sample(ht_series_record *record, const ht_flow *flow, const ht_surface *wall,
                              ht_beat_series_sample *entry, uint16_t *planes) {
  const ht_beat_series *series = &record->series;
  int64_t most = series->voxels > series->points ? series->voxels : series->points;
  float *ends;
  int finite = 1;
  size_t pieces = (size_t)(most / PIECE + 1);
  HT_TRY(ht_alloc((void **)&ends, 2 * pieces, sizeof *ends, "the samples"));
  for (int p = 0; p < HT_PLANES && finite; p++) {
    int of_wall = p >= HT_PLANE_WSS, is_pressure = p % 4 == HT_PLANE_PRESSURE;
    const float *vectors = of_wall ? wall->wss_pa : flow->velocity_m_s;
    const float *scalars = of_wall ? wall->pressure_pa : flow->pressure_pa;
    plane one = {.values = is_pressure ? scalars : vectors + p % 4,
                 .components = is_pressure ? 1 : 3,
                 .item = of_wall ? NULL : record->node,
                 .count = of_wall ? series->points : series->voxels,
                 .to = planes + ht_beat_series_plane_at(series->voxels, series->points, p) / 2,
                 .low = ends,
                 .high = ends + pieces};
    finite = round_plane(&one);
    entry->base[p] = one.base;
    entry->step[p] = one.step;
  }
  free(ends);
  return finite ? HT_OK : ht_fail(HT_ERR_DIVERGED, "a sample of the flow is not finite");
}

ht_status ht_beat_series_add(ht_series_record *record, const ht_flow_sample *sample,
                             const ht_surface *wall) {
  if (sample->index % record->stride != 0) return HT_OK;
  int n = sample->index / record->stride;
  if (n >= record->series.samples || wall->points != record->series.points || !wall->wss_pa)
    return ht_fail(HT_ERR_INTERNAL, "sample %d of the series was not expected", sample->index);
  if (!record->node) HT_TRY(find_nodes(record, sample->flow));
  slot *to = &record->slot[record->next];
  to->sample = n;
  record->next = (record->next + 1) % SLOTS;
  record->series.sample[n].time_s = sample->time_s;
  HT_TRY(round_sample(record, sample->flow, wall, &record->series.sample[n], to->planes));
  record->kept[n] = 1;
  return ht_side_work_begin(record->side, write_slot, to);
}

static void free_record(ht_series_record *record) {
  for (int n = 0; n < SLOTS; n++) free(record->slot[n].planes);
  free(record->node);
  free(record);
}

static ht_status begin(ht_series_record *record, const char *path) {
  ht_beat_series *series = &record->series;
  int64_t numbers = ht_beat_series_bytes(series->voxels, series->points) / 2;
  for (int n = 0; n < SLOTS; n++) {
    record->slot[n].record = record;
    HT_TRY(ht_alloc((void **)&record->slot[n].planes, (size_t)numbers, 2, "the samples"));
  }
  HT_TRY(ht_output_open(path, &record->output));
  ht_status status = ht_side_work_make(&record->side);
  if (status != HT_OK) ht_output_abandon(&record->output);
  return status;
}

ht_status ht_beat_series_begin(const char *path, const ht_domain *domain, int64_t points,
                               int samples, double period_s, const char *mask_sha256,
                               ht_series_record **record) {
  ht_series_record *made;
  int64_t voxels = ht_grid_voxels(&domain->mask.grid);
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the samples"));
  made->domain = domain;
  made->stride = ht_beat_series_stride(samples);
  made->series.samples = (samples + made->stride - 1) / made->stride;
  made->series.points = points;
  made->series.period_s = period_s;
  made->series.first_at = head_bytes(made->series.samples);
  for (int64_t v = 0; v < voxels; v++) made->series.voxels += domain->mask.inside[v] == HT_VESSEL;
  snprintf(made->mask_sha256, sizeof made->mask_sha256, "%s", mask_sha256);
  ht_status status = begin(made, path);
  if (status == HT_OK)
    *record = made;
  else
    free_record(made);
  return status;
}

/* Reads the numbers of a sample from the half-written file. */
static ht_status read_back(const ht_series_record *record, int sample, void *planes, size_t bytes) {
  off_t at = (off_t)(record->series.first_at + sample * (int64_t)bytes);
  FILE *stream = fopen(record->output.hidden, "rb");
  int complete =
      stream && fseeko(stream, at, SEEK_SET) == 0 && fread(planes, 1, bytes, stream) == bytes;
  if (stream) fclose(stream);
  if (complete) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: cannot be read back", record->output.path);
}

ht_status ht_beat_series_move(ht_series_record *record, ht_state *stream) {
  const ht_beat_series *series = &record->series;
  slot *room = &record->slot[record->next];
  size_t bytes = (size_t)ht_beat_series_bytes(series->voxels, series->points);
  HT_TRY(ht_side_work_wait(record->side));
  if (fflush(record->output.stream) != 0)
    return ht_fail(HT_ERR_WRITE, "%s: cannot be written: %s", record->output.path, strerror(errno));
  HT_TRY(ht_state_part(stream, "series"));
  HT_TRY(ht_state_bytes(stream, record->series.sample,
                        (size_t)series->samples * sizeof *series->sample));
  HT_TRY(HT_STATE_OF(stream, record->kept));
  for (room->sample = 0; room->sample < series->samples; room->sample++) {
    if (!record->kept[room->sample]) continue;
    if (!stream->is_loading) HT_TRY(read_back(record, room->sample, room->planes, bytes));
    HT_TRY(ht_state_bytes(stream, room->planes, bytes));
    if (stream->is_loading) HT_TRY(write_slot(room));
  }
  return HT_OK;
}

static ht_status complete(ht_series_record *record) {
  char *head;
  const ht_beat_series *series = &record->series;
  size_t bytes = (size_t)series->first_at;
  for (int n = 0; n < series->samples; n++)
    if (!record->kept[n]) return ht_fail(HT_ERR_INTERNAL, "sample %d of the beat is missing", n);
  HT_TRY(ht_alloc((void **)&head, bytes, 1, "the samples"));
  ht_status status = make_head(series, record->mask_sha256, head);
  if (status == HT_OK && fseeko(record->output.stream, 0, SEEK_SET) == 0)
    fwrite(head, 1, bytes, record->output.stream);
  free(head);
  return status;
}

ht_status ht_beat_series_end(ht_series_record *record, ht_status status) {
  if (!record) return status;
  ht_status written = ht_side_work_wait(record->side);
  ht_side_work_free(record->side);
  if (status == HT_OK) status = written;
  if (status == HT_OK) status = complete(record);
  status = ht_output_end(&record->output, status); /* reports a failed write, too */
  free_record(record);
  return status;
}

/* ---- reading ---- */

static ht_status damaged(const char *path, const char *how) {
  return ht_fail(HT_ERR_FORMAT, "%s: damaged (%s): run `hemotile solve` again", path, how);
}

static int is_size(int64_t count) {
  return count >= 0 && count < (int64_t)1 << 40;
}

/* Reads the sizes, which have to fit the file's own. */
static ht_status read_sizes(const char *path, FILE *stream, ht_beat_series *series,
                            char head[HEAD]) {
  int64_t counts[3];
  struct stat info;
  if (fread(head, 1, HEAD, stream) != HEAD || memcmp(head, magic, 8) != 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: this was not written by this version of hemotile: run `hemotile solve` "
                   "again",
                   path);
  memcpy(counts, head + 8, 24);
  memcpy(&series->period_s, head + 32, 8);
  if (counts[0] < 1 || counts[0] > HT_SERIES_MOST || !is_size(counts[1]) || !is_size(counts[2]))
    return damaged(path, "its sizes");
  series->voxels = counts[1];
  series->points = counts[2];
  series->first_at = head_bytes((int)counts[0]);
  if (fstat(fileno(stream), &info) != 0 ||
      info.st_size !=
          series->first_at + counts[0] * ht_beat_series_bytes(series->voxels, series->points))
    return damaged(path, "its length");
  series->samples = (int)counts[0];
  return HT_OK;
}

static ht_status read_head(const char *path, FILE *stream, ht_beat_series *series,
                           char mask_sha256[HT_HASH_TEXT]) {
  char head[HEAD + sizeof series->sample + HEX], again[sizeof head];
  HT_TRY(read_sizes(path, stream, series, head));
  size_t rest = (size_t)series->first_at - HEAD, table = rest - HEX;
  if (fread(head + HEAD, 1, rest, stream) != rest) return damaged(path, "its table");
  memcpy(mask_sha256, head + 40, HEX);
  mask_sha256[HEX] = 0;
  memcpy(series->sample, head + HEAD, table);
  HT_TRY(make_head(series, mask_sha256, again));
  return memcmp(again, head, (size_t)series->first_at) == 0 ? HT_OK : damaged(path, "its checksum");
}

typedef struct {
  const ht_beat_series *series;
  int bad[HT_SERIES_MOST], no_memory[HT_SERIES_MOST];
} check;

static void check_sample(void *user, int n) {
  check *of = user;
  const ht_beat_series *series = of->series;
  char bytes[PIECE], hex[HT_HASH_TEXT];
  int64_t size = ht_beat_series_bytes(series->voxels, series->points);
  ht_hash *hash = ht_hash_begin();
  of->no_memory[n] = !hash;
  if (!hash) return;
  for (int64_t done = 0; done < size && !of->bad[n];) {
    size_t many = size - done < PIECE ? (size_t)(size - done) : PIECE;
    ssize_t got = pread(series->file, bytes, many, (off_t)(series->first_at + n * size + done));
    of->bad[n] = got <= 0;
    if (got > 0) ht_hash_add(hash, bytes, (size_t)got);
    done += got;
  }
  ht_hash_end(hash, hex);
  if (memcmp(hex, series->sample[n].sha256, HEX) != 0) of->bad[n] = 1;
}

static ht_status check_samples(const char *path, const ht_beat_series *series) {
  check of = {.series = series};
  HT_TRY(ht_jobs_spread(series->samples, check_sample, &of));
  for (int n = 0; n < series->samples; n++) {
    if (of.no_memory[n]) return ht_fail(HT_ERR_MEMORY, "not enough memory");
    if (of.bad[n]) return damaged(path, "the checksum of a sample");
  }
  return HT_OK;
}

ht_status ht_beat_series_open(const char *path, ht_beat_series *series,
                              char mask_sha256[HT_HASH_TEXT]) {
  memset(series, 0, sizeof *series);
  FILE *stream = ht_file_open(path);
  if (!stream)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s: run `hemotile solve` first", path,
                   ht_file_reason());
  ht_status status = read_head(path, stream, series, mask_sha256);
  series->file = status == HT_OK ? dup(fileno(stream)) : -1;
  fclose(stream);
  if (status == HT_OK && series->file < 0)
    status = ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, strerror(errno));
  if (status == HT_OK) status = check_samples(path, series);
  if (status == HT_OK) return HT_OK;
  if (series->file < 0) series->samples = 0;
  ht_beat_series_free(series);
  return status;
}
