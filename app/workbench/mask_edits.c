#include "app/workbench/mask_edits.h"
#include "app/workbench/bench_own.h"
#include "app/workbench/mask_surface.h"
#include "app/workbench/parts.h"
#include "core/formats/json.h"
#include "run/edit/edits.h"
#include "run/edit/step_text.h"
#include "run/run_change.h"
#include "run/folder/yaml_file.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* One case at a time: another is opened when the page asks for it. */
struct ht_bench_edits {
  pthread_mutex_t lock;
  int is_open;
  ht_edits edits;
};

ht_status ht_bench_edits_make(ht_bench_edits **edits) {
  HT_TRY(ht_alloc((void **)edits, 1, sizeof **edits, "the mask's steps"));
  pthread_mutex_init(&(*edits)->lock, NULL);
  return HT_OK;
}

static void close_case(ht_bench_edits *of) {
  if (!of->is_open) return;
  ht_edits_keep(&of->edits); /* without it opening takes longer */
  ht_edits_free(&of->edits);
  of->is_open = 0;
}

void ht_bench_edits_free(ht_bench_edits *edits) {
  if (!edits) return;
  close_case(edits);
  pthread_mutex_destroy(&edits->lock);
  free(edits);
}

/* Opens the case, or brings it up to date. */
static ht_status need_case(ht_bench_edits *of, const char *folder) {
  if (of->is_open && strcmp(of->edits.folder, folder) != 0) close_case(of);
  ht_status status = of->is_open ? ht_edits_refresh(&of->edits) : ht_edits_open(folder, &of->edits);
  if (status != HT_OK && of->is_open) ht_edits_free(&of->edits);
  of->is_open = status == HT_OK;
  return status;
}

/* ---- the answer ---- */

static void put_step(const ht_edit_step *step, ht_json *json) {
  ht_json_object(json, NULL);
  ht_json_string(json, "step", ht_edit_words[step->kind]);
  ht_json_integer(json, "places", step->places);
  ht_json_number(json, "radius_mm", step->radius_mm);
  ht_json_bool(json, "has_direction", step->has_direction);
  if (step->places > 0) ht_json_numbers(json, "at_mm", step->place_mm[0], 3);
  ht_json_object_end(json);
}

static void put_box(const char *key, const int first[3], const int dim[3], ht_json *json) {
  ht_json_object(json, key);
  for (int a = 0; a < 3; a++) ht_json_integer(json, (const char *[]){"x", "y", "z"}[a], first[a]);
  for (int a = 0; a < 3; a++)
    ht_json_integer(json, (const char *[]){"nx", "ny", "nz"}[a], dim[a] > 0 ? dim[a] : 0);
  ht_json_object_end(json);
}

/* Writes the rows of the matrix from voxels of the window to RAS mm, as a NIfTI header has them. */
static void put_affine(const ht_grid *grid, ht_json *json) {
  double rows[12];
  for (int r = 0; r < 3; r++) {
    const double sign = r < 2 ? -1 : 1;
    for (int a = 0; a < 3; a++)
      rows[4 * r + a] = sign * grid->direction[r][a] * grid->spacing_mm[a];
    rows[4 * r + 3] = sign * grid->origin_mm[r];
  }
  ht_json_numbers(json, "affine", rows, 12);
}

static void put_state(const ht_edits *edits, const int first[3], const int dim[3],
                      const ht_mask_surface *surface, const char *unchanged, FILE *stream) {
  const ht_edit_file *file = &edits->file;
  const ht_grid *grid = &edits->edited.mask.grid;
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_integer(&json, "revision", file->lines);
  ht_json_string(&json, "base", edits->base_sha256);
  ht_json_integer(&json, "position", edits->position);
  ht_json_bool(&json, "pending", file->entries > 0 && file->is_pending);
  ht_json_bool(&json, "torn", file->was_torn);
  if (unchanged) ht_json_string(&json, "unchanged", unchanged);
  ht_json_number(&json, "voxel_mm", grid->spacing_mm[0]);
  ht_json_number(&json, "ml",
                 (double)edits->edited.voxels * grid->spacing_mm[0] * grid->spacing_mm[0] *
                     grid->spacing_mm[0] / 1e3);
  put_affine(grid, &json);
  put_box("window", edits->edited.first, grid->dim, &json);
  put_box("box", first, dim, &json);
  ht_json_integer(&json, "points", surface->points);
  ht_json_integer(&json, "triangles", surface->triangles);
  ht_json_array(&json, "steps");
  for (int e = 0; e < file->entries; e++) put_step(&file->entry[e].step, &json);
  ht_json_array_end(&json);
  ht_json_object_end(&json);
}

/* Writes the voxels of the box, indices of the lattice, x fastest. */
static void put_voxels(const ht_edited *edited, const int first[3], const int dim[3],
                       FILE *stream) {
  const int *size = edited->mask.grid.dim;
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      fwrite(edited->mask.inside + (first[0] - edited->first[0]) +
                 size[0] * ((first[1] + y - edited->first[1]) +
                            (int64_t)size[1] * (first[2] + z - edited->first[2])),
             1, (size_t)dim[0], stream);
}

/* Box of an answer that has only the state. */
static const ht_box nothing = {{0, 0, 0}, {-1, -1, -1}};

/* Fills up to a multiple of four bytes, as JavaScript's arrays of numbers begin there. */
static void align(FILE *stream) {
  const long at = ftell(stream);
  for (long b = at; b % 4; b++) fputc(' ', stream);
}

static ht_status write_answer(const ht_edits *edits, const ht_box *changed, const char *unchanged,
                              FILE *stream) {
  int first[3], dim[3], is_brief = changed == &nothing;
  char *text = NULL;
  size_t length = 0;
  ht_mask_surface surface = {.points = 0};
  for (int a = 0; a < 3; a++) {
    first[a] = changed ? changed->first[a] : edits->edited.first[a];
    dim[a] = changed ? changed->last[a] - first[a] + 1 : edits->edited.mask.grid.dim[a];
  }
  if (!is_brief) HT_TRY(ht_mask_surface_make(&edits->edited.mask, &surface));
  FILE *state = open_memstream(&text, &length);
  if (state) {
    put_state(edits, first, dim, &surface, unchanged, state);
    fclose(state);
    const uint32_t bytes = (uint32_t)length;
    fwrite(&bytes, sizeof bytes, 1, stream);
    fwrite(text, 1, length, stream);
    align(stream);
    fwrite(surface.point_mm, 3 * sizeof(float), (size_t)surface.points, stream);
    fwrite(surface.triangle, 3 * sizeof(uint32_t), (size_t)surface.triangles, stream);
    put_voxels(&edits->edited, first, dim, stream);
  }
  free(text);
  ht_mask_surface_free(&surface);
  return state ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory for the mask");
}

/* Sends four bytes: the length of a text in JSON; the text; spaces up to a multiple of four bytes;
 * points (float, LPS mm) and triangles (uint32) of the wall; the voxels of the box, a byte each.
 * `changed` NULL: the box is the window. `unchanged`: why a step changed nothing; NULL: none, or it
 * did. */
static void send_answer(ht_http_call *call, const ht_edits *edits, const ht_box *changed,
                        const char *unchanged) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&bytes, &size);
  ht_status status = stream ? write_answer(edits, changed, unchanged, stream)
                            : ht_fail(HT_ERR_MEMORY, "not enough memory for the mask");
  if (stream && fclose(stream) != 0 && status == HT_OK)
    status = ht_fail(HT_ERR_MEMORY, "not enough memory for the mask");
  if (status == HT_OK)
    ht_http_send(call, 200, "application/octet-stream", bytes, size);
  else
    ht_http_send_error(call, status);
  free(bytes);
}

/* ---- the calls ---- */

/* Returns HT_ERR_USAGE while a command makes a new mask, or may do so: one of a terminal. */
static ht_status check_idle(const ht_http_call *call, const ht_bench *of) {
  const char *folder = ht_bench_folder(call, of);
  ht_job_state *state = malloc(sizeof *state);
  if (!state) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_job_look(ht_bench_of_call(call, of)->job, state);
  const int makes_mask = state->is_running && strcmp(state->name, "run") != 0;
  const int others_work = ht_bench_others_work(folder, state);
  free(state);
  if (others_work) return ht_run_refuse_busy(folder);
  if (!makes_mask) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "a command works on the mask: wait until it has ended");
}

/* Sends the mask; only the state to a page that knows this revision of the list. */
static void send_all(ht_http_call *call, void *user) {
  ht_bench *of = user;
  const int known = ht_http_number(call, "revision", INT32_MAX);
  pthread_mutex_lock(&of->edits->lock);
  ht_status status = need_case(of->edits, ht_bench_folder(call, of));
  const int is_known = status == HT_OK && known > 0 && known == of->edits->edits.file.lines;
  if (status == HT_OK)
    send_answer(call, &of->edits->edits, is_known ? &nothing : NULL, NULL);
  else
    ht_http_send_error(call, status);
  pthread_mutex_unlock(&of->edits->lock);
}

/* Does {"revision": n, "step": {...}} or {"revision": n, "position": n}. */
static ht_status do_request(ht_edits *edits, struct fy_node *root, ht_box *changed,
                            const char **unchanged) {
  int revision, position;
  ht_edit_step step;
  struct fy_node *node = ht_yaml_get(root, "step");
  if (!ht_yaml_int(root, "revision", &revision) || revision < 0)
    return ht_fail(HT_ERR_USAGE, "the request has no revision");
  if (!node) {
    if (!ht_yaml_int(root, "position", &position))
      return ht_fail(HT_ERR_USAGE, "the request has no step and no position");
    return ht_edits_move(edits, revision, position, changed);
  }
  if (!fy_node_is_mapping(node)) return ht_fail(HT_ERR_USAGE, "the request's step is none");
  HT_TRY(ht_edit_step_take(node, &step));
  ht_status status = ht_edits_do(edits, revision, &step, changed);
  if (status == HT_OK && changed->last[0] < changed->first[0])
    *unchanged = ht_edit_nothing(step.kind);
  ht_edit_step_free(&step);
  return status;
}

static ht_status do_text(const ht_http_call *call, ht_bench *of, const char *text, size_t length,
                         ht_box *changed, const char **unchanged) {
  ht_yaml yaml;
  HT_TRY(check_idle(call, of));
  HT_TRY(need_case(of->edits, ht_bench_folder(call, of)));
  ht_status status = ht_yaml_parse("the request", text, length, HT_ERR_USAGE, &yaml);
  if (status == HT_OK) status = do_request(&of->edits->edits, yaml.root, changed, unchanged);
  ht_yaml_free(&yaml);
  return status;
}

/* Does a step, and sends what changed; all where the window is another one. */
static void do_step(ht_http_call *call, void *user) {
  ht_bench *of = user;
  char *text;
  size_t length;
  ht_box changed;
  const char *unchanged = NULL;
  ht_status status = ht_http_body(call, &text, &length);
  pthread_mutex_lock(&of->edits->lock);
  if (status == HT_OK) status = do_text(call, of, text, length, &changed, &unchanged);
  if (status == HT_OK)
    send_answer(call, &of->edits->edits, &changed, unchanged);
  else
    ht_http_send_error(call, status);
  pthread_mutex_unlock(&of->edits->lock);
  free(text);
}

/* Puts the corrections into the case's mask, by the command. */
static ht_status make_edit(const char *text, size_t length, const char *folder,
                           ht_job_command *command) {
  (void)text, (void)length;
  HT_TRY(ht_job_command_begin("edit", command));
  return ht_job_command_add(command, "%s", folder);
}

static void start_edit(ht_http_call *call, void *user) {
  ht_bench_start(call, user, "edit", make_edit);
}

const ht_http_route ht_bench_edit_routes[] = {
    {"GET", "/api/edit", send_all},
    {"POST", "/api/edit/do", do_step},
    {"POST", "/api/edit", start_edit},
    {0},
};
