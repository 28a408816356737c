#define _POSIX_C_SOURCE 200809L /* fseeko, unlink */
#include "validation/flows/validation_keep.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = {'H', 'T', 'V', 'A', 'L', 'D', '0', '2'};
static const double every_s = 300;

/* ---- the parts that are done ---- */

static ht_status move_values(ht_state *stream, int count, double **values) {
  if (stream->is_loading)
    HT_TRY(ht_alloc((void **)values, (size_t)count, sizeof(double), "a curve"));
  return ht_state_bytes(stream, *values, (size_t)count * sizeof(double));
}

static ht_status move_curve(ht_state *stream, ht_validation_curve *curve) {
  HT_TRY(HT_STATE_OF(stream, curve->label));
  HT_TRY(ht_state_int(stream, &curve->joined, 0, 1));
  HT_TRY(ht_state_int(stream, &curve->count, 0, 1 << 20));
  HT_TRY(move_values(stream, curve->count, &curve->x));
  return move_values(stream, curve->count, &curve->y);
}

static ht_status move_figure(ht_state *stream, ht_validation_figure *figure) {
  int curves = figure->curves;
  HT_TRY(HT_STATE_OF(stream, figure->name));
  HT_TRY(HT_STATE_OF(stream, figure->title));
  HT_TRY(HT_STATE_OF(stream, figure->x));
  HT_TRY(HT_STATE_OF(stream, figure->y));
  HT_TRY(ht_state_int(stream, &curves, 0, HT_VALIDATION_CURVES));
  figure->curves = curves;
  for (int c = 0; c < curves; c++) HT_TRY(move_curve(stream, &figure->curve[c]));
  return HT_OK;
}

static ht_status move_result(ht_state *stream, ht_validation_result *result) {
  HT_TRY(ht_state_part(stream, "result"));
  HT_TRY(HT_STATE_OF(stream, result->device));
  HT_TRY(HT_STATE_OF(stream, result->notes));
  HT_TRY(ht_state_int(stream, &result->rows, 0, HT_VALIDATION_ROWS));
  for (int r = 0; r < result->rows; r++) HT_TRY(HT_STATE_OF(stream, result->row[r]));
  HT_TRY(ht_state_int(stream, &result->figures, 0, HT_VALIDATION_FIGURES));
  for (int f = 0; f < result->figures; f++) HT_TRY(move_figure(stream, &result->figure[f]));
  return HT_OK;
}

static ht_status move_parts(ht_validation_keep *keep, ht_state *stream) {
  HT_TRY(ht_state_part(stream, "parts"));
  HT_TRY(ht_state_int(stream, &keep->parts, 0, HT_KEPT_PARTS));
  for (int p = 0; p < keep->parts; p++) HT_TRY(HT_STATE_OF(stream, keep->part[p]));
  return move_result(stream, keep->result);
}

/* ---- writing ---- */

typedef struct {
  ht_output output;
  const ht_kept_sum *of; /* NULL: none */
  void *sum;
} summed_output;

static ht_status put_bytes(summed_output *to, const void *bytes, size_t size) {
  if (fwrite(bytes, 1, size, to->output.stream) == size) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: cannot be written: the disk may be full", to->output.path);
}

static ht_status put(void *user, void *bytes, size_t size) {
  summed_output *to = user;
  if (to->of) to->of->add(to->sum, bytes, size);
  return put_bytes(to, bytes, size);
}

static ht_status put_parts(ht_validation_keep *keep, summed_output *output,
                           ht_status (*save)(void *run, ht_state *stream), void *run) {
  char start[sizeof magic];
  int has_state = save != NULL;
  ht_state stream = {.is_loading = 0, .move = put, .user = output};
  memcpy(start, magic, sizeof magic);
  HT_TRY(put(output, start, sizeof start));
  HT_TRY(HT_STATE_OF(&stream, keep->whose));
  HT_TRY(move_parts(keep, &stream));
  HT_TRY(ht_state_int(&stream, &has_state, 0, 1));
  HT_TRY(HT_STATE_OF(&stream, keep->step));
  return save ? save(run, &stream) : HT_OK;
}

static ht_status put_all(ht_validation_keep *keep, summed_output *output,
                         ht_status (*save)(void *run, ht_state *stream), void *run) {
  char text[HT_KEPT_SUM] = "";
  output->of = keep->sum;
  if (output->of && !(output->sum = output->of->begin()))
    return ht_fail(HT_ERR_MEMORY, "not enough memory for a checksum");
  const ht_status status = put_parts(keep, output, save, run);
  if (output->of) output->of->end(output->sum, status == HT_OK ? text : NULL);
  return status == HT_OK ? put_bytes(output, text, sizeof text) : status;
}

static void close_file(ht_validation_keep *keep) {
  if (keep->file) fclose(keep->file);
  keep->file = NULL;
}

/* Writes the file; with `save` the state of the part that runs, too. */
static void write_all(ht_validation_keep *keep, ht_status (*save)(void *run, ht_state *stream),
                      void *run) {
  summed_output file;
  close_file(keep);
  if (keep->hold) keep->hold(1);
  ht_status status = ht_folder_make(keep->folder);
  if (status == HT_OK) status = ht_output_open(keep->path, &file.output);
  if (status == HT_OK) status = ht_output_end(&file.output, put_all(keep, &file, save, run));
  if (keep->hold) keep->hold(0);
  snprintf(keep->trouble, sizeof keep->trouble, "%s", status == HT_OK ? "" : ht_error_message());
}

static void keep_state(void *user, int64_t step, double time_s,
                       ht_status (*save)(void *run, ht_state *stream), void *run) {
  ht_validation_keep *keep = user;
  (void)time_s;
  keep->step = step;
  write_all(keep, save, run);
}

/* ---- reading ---- */

static ht_status get(void *user, void *bytes, size_t size) {
  ht_validation_keep *keep = user;
  if (fread(bytes, 1, size, keep->file) == size) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "it ends too early");
}

static ht_status check_whose(const ht_validation_keep *keep, const char *held) {
  if (strcmp(held, keep->whose) == 0) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s is of `%s`, and this is `%s`: go on with that one, take another -o, "
                 "or begin anew with --restart",
                 keep->path, held, keep->whose);
}

/* The sum of what is before the file's last bytes, and those. */
static ht_status read_sums(ht_validation_keep *keep, char text[HT_KEPT_SUM],
                           char stored[HT_KEPT_SUM]) {
  enum { CHUNK = 1 << 16 };
  static char room[CHUNK];
  ht_status status = HT_OK;
  void *sum = keep->sum->begin();
  if (!sum) return ht_fail(HT_ERR_MEMORY, "not enough memory for a checksum");
  for (int64_t left = keep->bytes; left > 0 && status == HT_OK; left -= CHUNK) {
    const size_t size = left < CHUNK ? (size_t)left : CHUNK;
    status = get(keep, room, size);
    if (status == HT_OK) keep->sum->add(sum, room, size);
  }
  keep->sum->end(sum, status == HT_OK ? text : NULL);
  return status == HT_OK ? get(keep, stored, HT_KEPT_SUM) : status;
}

static ht_status check_sum(ht_validation_keep *keep) {
  char text[HT_KEPT_SUM] = "", stored[HT_KEPT_SUM] = "";
  if (fseeko(keep->file, 0, SEEK_END) != 0) return ht_fail(HT_ERR_FORMAT, "it cannot be read");
  keep->bytes = (int64_t)ftello(keep->file) - HT_KEPT_SUM;
  rewind(keep->file);
  if (keep->bytes < 0) return ht_fail(HT_ERR_FORMAT, "it ends too early");
  if (keep->sum) HT_TRY(read_sums(keep, text, stored));
  if (fseeko(keep->file, sizeof magic, SEEK_SET) != 0)
    return ht_fail(HT_ERR_FORMAT, "it cannot be read");
  if (keep->sum && memcmp(text, stored, sizeof text) != 0)
    return ht_fail(HT_ERR_FORMAT, "its checksum differs");
  return HT_OK;
}

static ht_status check_magic(ht_validation_keep *keep) {
  char start[sizeof magic];
  HT_TRY(get(keep, start, sizeof start));
  if (memcmp(start, magic, sizeof magic) == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "it is not a file of this version");
}

static ht_status get_head(ht_validation_keep *keep, int *has_state) {
  char held[HT_KEPT_WHOSE] = "";
  HT_TRY(check_magic(keep));
  HT_TRY(check_sum(keep));
  HT_TRY(ht_state_text(&keep->state, held, sizeof held));
  HT_TRY(check_whose(keep, held));
  HT_TRY(move_parts(keep, &keep->state));
  HT_TRY(ht_state_int(&keep->state, has_state, 0, 1));
  return HT_STATE_OF(&keep->state, keep->step);
}

static ht_status load(ht_validation_keep *keep) {
  int has_state = 0;
  keep->file = ht_file_open(keep->path);
  if (!keep->file) return HT_OK; /* there is none */
  keep->state = (ht_state){.is_loading = 1, .move = get, .user = keep};
  ht_status status = get_head(keep, &has_state);
  if (status != HT_OK || !has_state) close_file(keep);
  keep->is_loaded = status == HT_OK && (keep->parts > 0 || has_state);
  if (status != HT_ERR_FORMAT) return status;
  char why[512];
  snprintf(why, sizeof why, "%s", ht_error_message());
  return ht_fail(status, "%s is damaged (%s): begin anew with --restart", keep->path, why);
}

/* ---- all of it ---- */

ht_status ht_validation_keep_begin(ht_validation_keep *keep, const char *folder, const char *name,
                                   const char *whose, int restart, const ht_kept_sum *sum,
                                   ht_validation_result *result) {
  char file[64];
  memset(keep, 0, sizeof *keep);
  snprintf(keep->folder, sizeof keep->folder, "%s", folder);
  snprintf(keep->whose, sizeof keep->whose, "%s", whose);
  snprintf(file, sizeof file, "%s.kept", name);
  HT_TRY(ht_path_join(keep->path, folder, file));
  keep->every_s = every_s;
  keep->sum = sum;
  keep->result = result;
  if (restart) (void)unlink(keep->path);
  return load(keep);
}

/* A state that could not be used was not read to its end. */
static ht_status refused(const ht_validation_keep *keep, ht_status status) {
  char why[512];
  if (ftello(keep->file) >= keep->bytes) return status;
  snprintf(why, sizeof why, "%s", ht_error_message());
  return ht_fail(status, "%s cannot be used: %s. Begin anew with --restart", keep->path, why);
}

ht_status ht_validation_keep_end(ht_validation_keep *keep, ht_status status) {
  if (keep->file && (status == HT_ERR_FORMAT || status == HT_ERR_DEVICE))
    status = refused(keep, status);
  close_file(keep);
  if (status == HT_OK || (status == HT_ERR_DIVERGED && keep->parts == 0))
    (void)unlink(keep->path);
  else if (status == HT_ERR_DIVERGED)
    write_all(keep, NULL, NULL);
  return status;
}

int ht_validation_part_done(const ht_validation_options *options, void *numbers, size_t size) {
  ht_validation_keep *keep = options->keep;
  if (!keep || keep->next >= keep->parts) return 0;
  const ht_kept_numbers *part = &keep->part[keep->next++];
  if (size > 0) memcpy(numbers, part->bytes, size);
  return 1;
}

const ht_solve_keeping *ht_validation_part_keeping(const ht_validation_options *options,
                                                   ht_status (*move_observer)(void *observe_user,
                                                                              const ht_flow *flow,
                                                                              ht_state *stream)) {
  ht_validation_keep *keep = options->keep;
  if (!keep) return NULL;
  keep->keeping = (ht_solve_keeping){.every_s = keep->every_s,
                                     .at_step = keep->at_step,
                                     .keep = keep_state,
                                     .move_observer = move_observer,
                                     .resume = keep->file ? &keep->state : NULL,
                                     .user = keep};
  return &keep->keeping;
}

void ht_validation_part_end(const ht_validation_options *options, const void *numbers,
                            size_t size) {
  ht_validation_keep *keep = options->keep;
  if (!keep || keep->parts == HT_KEPT_PARTS || size > HT_KEPT_BYTES) return;
  ht_kept_numbers *part = &keep->part[keep->parts++];
  *part = (ht_kept_numbers){.size = size};
  if (size > 0) memcpy(part->bytes, numbers, size);
  keep->next = keep->parts;
  keep->step = 0;
  write_all(keep, NULL, NULL);
}
