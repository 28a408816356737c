#define _GNU_SOURCE
#include "app/workbench/measuring.h"
#include "app/measure/measure.h"
#include "app/measure/measure_text.h"
#include "app/measure/measurements.h"
#include "app/workbench/bench_own.h"
#include "app/workbench/measure_request.h"
#include "app/workbench/parts.h"
#include "core/disk/folder_names.h"
#include "core/formats/json.h"
#include "core/numbers/vector3.h"
#include "core/text/shell_word.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Results of the case that was measured last. Calls wait for each other. */
struct ht_bench_measuring {
  pthread_mutex_t mutex;
  uint64_t stamp; /* 0: there are none */
  ht_results results;
};

void ht_bench_measuring_free(ht_bench_measuring *of) {
  if (!of) return;
  ht_results_free(&of->results);
  pthread_mutex_destroy(&of->mutex);
  free(of);
}

/* Returns the one of the workbench, made at the first call; NULL: no memory. */
static ht_bench_measuring *measuring_of(ht_bench *bench) {
  ht_bench_measuring *there = atomic_load(&bench->measuring), *made;
  if (there) return there;
  made = calloc(1, sizeof *made);
  if (!made) return NULL;
  pthread_mutex_init(&made->mutex, NULL);
  if (atomic_compare_exchange_strong(&bench->measuring, &there, made)) return made;
  ht_bench_measuring_free(made);
  return there;
}

/* Reads the results where they are others than those of the call before. */
static ht_status update(ht_bench_measuring *of, const char *folder) {
  const uint64_t stamp = ht_results_stamp(folder);
  if (stamp != 0 && stamp == of->stamp && strcmp(folder, of->results.folder) == 0) return HT_OK;
  ht_results_free(&of->results);
  of->stamp = 0;
  HT_TRY(ht_results_read(folder, &of->results));
  of->stamp = stamp;
  return HT_OK;
}

/* ---- answers ---- */

typedef ht_status (*answerer)(const ht_results *results, const ht_measure_request *request,
                              ht_json *json);

static ht_status answer_in(ht_http_call *call, ht_bench *bench, const ht_measure_request *request,
                           answerer answer, char **text, size_t *size) {
  ht_bench_measuring *of = measuring_of(bench);
  FILE *stream = of ? open_memstream(text, size) : NULL;
  if (!stream) return ht_fail(HT_ERR_MEMORY, "no memory to measure");
  ht_json json = {stream, 0, 1};
  pthread_mutex_lock(&of->mutex);
  ht_status status = update(of, ht_bench_folder(call, bench));
  ht_json_object(&json, NULL);
  if (status == HT_OK) status = answer(&of->results, request, &json);
  ht_json_object_end(&json);
  pthread_mutex_unlock(&of->mutex);
  fclose(stream);
  return status;
}

static void send_answer(ht_http_call *call, ht_bench *bench, answerer answer) {
  char *body, *text = NULL;
  size_t length, size = 0;
  ht_measure_request request = {0};
  ht_status status = ht_http_body(call, &body, &length);
  if (status == HT_OK) status = ht_measure_request_read(body, length, &request);
  if (status == HT_OK) status = answer_in(call, bench, &request, answer, &text, &size);
  if (status == HT_OK)
    ht_http_send(call, 200, "application/json", text, size);
  else
    ht_http_send_error(call, status);
  ht_measure_request_free(&request);
  free(body), free(text);
}

/* The command of a terminal that measures the same. */
static void put_command(const ht_results *results, const ht_measure_request *request,
                        ht_json *json) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return;
  fputs("hemotile measure ", stream);
  ht_shell_put(stream, results->folder);
  fprintf(stream, " --%s ", ht_place_option(request->place.kind));
  ht_shell_put(stream, request->place.text);
  if (request->name[0]) {
    fputs(" --name ", stream);
    ht_shell_put(stream, request->name);
  }
  fclose(stream);
  ht_json_string(json, "command", text);
  free(text);
}

/* Adds places in mm to a thousandth. */
static void put_places(ht_json *json, const char *key, const float *place_mm, int64_t count) {
  double *rounded = malloc((size_t)(3 * count + 1) * sizeof *rounded);
  for (int64_t i = 0; i < 3 * count && rounded; i++)
    rounded[i] = round(1000 * (double)place_mm[i]) / 1000;
  if (rounded) ht_json_numbers(json, key, rounded, (int)(3 * count));
  free(rounded);
}

/* Adds a region's triangles, a little off the wall, so that they are seen on it; of a large one
 * none.
 */
static void put_region(const ht_results *results, const ht_wall_region *region, ht_json *json) {
  enum { MOST = 20000 };
  const ht_surface *part = &region->surface;
  const double off_mm = 0.1 * results->flow.grid.spacing_mm[0];
  if (part->triangles == 0 || part->triangles > MOST) return;
  float *place = malloc(3 * (size_t)part->points * sizeof *place);
  double *corner = malloc(3 * (size_t)part->triangles * sizeof *corner);
  for (int64_t i = 0; i < 3 * part->points && place; i++)
    place[i] = part->point_mm[i] +
               (float)off_mm * results->wall.normal[3 * region->source[i / 3].from + i % 3];
  for (int64_t i = 0; i < 3 * part->triangles && corner; i++) corner[i] = part->triangle[i];
  if (place && corner) {
    put_places(json, "region_mm", place, part->points);
    ht_json_numbers(json, "triangles", corner, (int)(3 * part->triangles));
  }
  free(place), free(corner);
}

static ht_status measure(const ht_results *results, const ht_measure_request *request,
                         ht_json *json) {
  ht_measurement measurement;
  HT_TRY(ht_measure_request_has_place(request));
  HT_TRY(ht_measure(results, &request->place, &measurement));
  ht_status status = request->name[0] ? ht_measurements_keep(results->folder, request->name,
                                                             &request->place, &measurement)
                                      : HT_OK;
  put_command(results, request, json);
  ht_measure_json(json, "measurement", request->name[0] ? request->name : NULL, &request->place,
                  &measurement);
  put_places(json, "contour_mm", measurement.contour_mm, measurement.contour_points);
  put_region(results, &measurement.region, json);
  ht_measurement_free(&measurement);
  return status;
}

static ht_status forget(const ht_results *results, const ht_measure_request *request,
                        ht_json *json) {
  (void)json;
  return ht_measurements_remove(results->folder, request->name);
}

/* What can be measured here: the numbers of the wall, the branches, the centreline. */
static ht_status list(const ht_results *results, const ht_measure_request *request, ht_json *json) {
  (void)request;
  ht_json_array(json, "numbers");
  for (int i = 0; i < results->mesh.arrays; i++)
    ht_json_string(json, NULL,
                   results->mesh.array[i].value && results->mesh.array[i].components == 1
                       ? results->mesh.array[i].name
                       : "");
  ht_json_array_end(json);
  ht_json_array(json, "branches");
  for (int i = 0; i < results->placed.openings.count; i++)
    if (results->placed.openings.item[i].role != HT_ROLE_WALL)
      ht_json_string(json, NULL, results->placed.openings.item[i].name);
  ht_json_array_end(json);
  ht_json_number(json, "centreline_mm",
                 results->stations > 1 ? results->station[results->stations - 1].along_mm : 0);
  ht_json_number(json, "spacing_mm", results->flow.grid.spacing_mm[0]);
  ht_json_bool(json, "steady", results->stats.steady);
  return HT_OK;
}

/* ---- the value at a place ---- */

static void put_node(const ht_results *results, const double at_mm[3], ht_json *json) {
  int at[3];
  const int64_t node =
      ht_flow_node(&results->flow, ht_grid_nearest(&results->flow.grid, at_mm, at));
  double index[3], off = 0;
  ht_grid_index(&results->flow.grid, at_mm, index);
  for (int a = 0; a < 3; a++) off = fmax(off, fabs(index[a] - at[a]));
  if (node < 0 || off > 0.6) return;
  const float *u = results->flow.velocity_m_s + 3 * node;
  const double velocity[3] = {u[0], u[1], u[2]};
  ht_json_all_measured(json, "velocity_m_s", velocity, 3);
  ht_json_measured(json, "speed_m_s", ht_length(velocity));
  ht_json_measured(json, "pressure_pa", results->flow.pressure_pa[node]);
}

static void put_wall(const ht_results *results, const double at_mm[3], ht_json *json) {
  const ht_surface *wall = &results->wall;
  double away_mm = 1.5 * results->flow.grid.spacing_mm[0];
  int64_t nearest = -1;
  for (int64_t p = 0; p < wall->points; p++) {
    const float *at = wall->point_mm + 3 * p;
    const double here = ht_distance((const double[3]){at[0], at[1], at[2]}, at_mm);
    if (here < away_mm) away_mm = here, nearest = p;
  }
  if (nearest < 0) return;
  ht_json_object(json, "wall");
  for (int i = 0; i < results->mesh.arrays; i++)
    if (results->mesh.array[i].value && results->mesh.array[i].components == 1)
      ht_json_measured(json, results->mesh.array[i].name, results->mesh.array[i].value[nearest]);
  ht_json_object_end(json);
}

static ht_status probe(const ht_results *results, const ht_measure_request *request,
                       ht_json *json) {
  HT_TRY(ht_measure_request_has_place(request));
  put_node(results, request->place.point_mm, json);
  put_wall(results, request->place.point_mm, json);
  return HT_OK;
}

/* Measures at the places of the flow before, as a command of its own. */
static ht_status make_repeat(const char *text, size_t length, const char *folder,
                             ht_job_command *command) {
  (void)text, (void)length;
  HT_TRY(ht_job_command_begin("measure", command));
  HT_TRY(ht_job_command_add(command, "%s", folder));
  HT_TRY(ht_job_command_add(command, "--as"));
  return ht_job_command_add(command, "%s/" HT_FILE_MEASURED, folder);
}

static void start_repeat(ht_http_call *call, void *user) {
  ht_bench_start(call, user, "measure", make_repeat);
}

static void send_measurement(ht_http_call *call, void *user) {
  send_answer(call, user, measure);
}

static void send_forgotten(ht_http_call *call, void *user) {
  send_answer(call, user, forget);
}

static void send_list(ht_http_call *call, void *user) {
  send_answer(call, user, list);
}

static void send_value(ht_http_call *call, void *user) {
  send_answer(call, user, probe);
}

/* ---- the wall ---- */

typedef struct {
  uint32_t points, triangles;
} wall_head;

/* Copies the wall: head, points (LPS, mm, float), triangles (int32). */
static ht_status copy_wall(const ht_surface *wall, char **bytes, size_t *size) {
  const wall_head head = {(uint32_t)wall->points, (uint32_t)wall->triangles};
  const size_t points = 3 * (size_t)wall->points * sizeof(float);
  const size_t triangles = 3 * (size_t)wall->triangles * sizeof(int32_t);
  *size = sizeof head + points + triangles;
  *bytes = malloc(*size);
  if (!*bytes) return ht_fail(HT_ERR_MEMORY, "no memory for the wall");
  memcpy(*bytes, &head, sizeof head);
  memcpy(*bytes + sizeof head, wall->point_mm, points);
  memcpy(*bytes + sizeof head + points, wall->triangle, triangles);
  return HT_OK;
}

static ht_status copy_values(const ht_results *results, int number, char **bytes, size_t *size) {
  const ht_vtp_values *array =
      number >= 0 && number < results->mesh.arrays ? &results->mesh.array[number] : NULL;
  if (!array || !array->value || array->components != 1)
    return ht_fail(HT_ERR_USAGE, "the wall has no number %d", number);
  *size = (size_t)results->mesh.points * sizeof(float);
  *bytes = malloc(*size);
  if (!*bytes) return ht_fail(HT_ERR_MEMORY, "no memory for the wall");
  memcpy(*bytes, array->value, *size);
  return HT_OK;
}

/* Sends the wall, or with `number` that number at its points, as little-endian bytes. */
static void send_wall(ht_http_call *call, void *user) {
  ht_bench_measuring *of = measuring_of(user);
  const int number = ht_http_number(call, "number", HT_VTP_ARRAYS_MAX - 1);
  char *bytes = NULL;
  size_t size = 0;
  ht_status status = of ? HT_OK : ht_fail(HT_ERR_MEMORY, "no memory for the wall");
  if (of) pthread_mutex_lock(&of->mutex);
  if (status == HT_OK) status = update(of, ht_bench_folder(call, user));
  if (status == HT_OK)
    status = number < 0 ? copy_wall(&of->results.wall, &bytes, &size)
                        : copy_values(&of->results, number, &bytes, &size);
  if (of) pthread_mutex_unlock(&of->mutex);
  if (status == HT_OK)
    ht_http_send(call, 200, "application/octet-stream", bytes, size);
  else
    ht_http_send_error(call, status);
  free(bytes);
}

const ht_http_route ht_bench_measure_routes[] = {
    {"POST", "/api/measure", send_measurement},
    {"POST", "/api/measure-forget", send_forgotten},
    {"POST", "/api/measure-list", send_list},
    {"POST", "/api/measure-value", send_value},
    {"POST", "/api/measure-repeat", start_repeat},
    {"GET", "/api/measure-wall", send_wall},
    {0},
};
