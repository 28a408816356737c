#include "run/measured/measured_file.h"
#include "core/disk/file.h"
#include "core/numbers/units.h"
#include "core/text/words.h"
#include "import/image/image.h"
#include "import/phase_contrast/pc_files.h"
#include "import/phase_contrast/phase_contrast.h"
#include "run/folder/yaml_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[] = {"velocity", "magnitude", "venc_m_s", "unit",      "direction",
                                   "sign",     "along",     "series",   "period_s",  "times_s",
                                   "noise",    "unwrap",    "offset",   "landmarks", NULL};

/* What the file says, with its texts. */
typedef struct {
  const char *name; /* of the file, for messages. Borrowed */
  struct fy_node *root;
  char velocity[3][HT_PATH_MAX], magnitude[HT_PATH_MAX];
  char direction[256], series[64], unit[16];
  ht_pc_files files;
  ht_pc_given given;
} request;

/* Reads the file, if it is such a one; free the YAML also if it is not. */
static int read_yaml(const char *path, ht_yaml *yaml) {
  memset(yaml, 0, sizeof *yaml);
  if (!ht_path_ends(path, ".yaml") && !ht_path_ends(path, ".yml") && !ht_path_ends(path, ".json"))
    return 0;
  return !ht_folder_exists(path) && ht_yaml_read(path, HT_ERR_CASE, yaml) == HT_OK &&
         ht_yaml_get(yaml->root, "velocity");
}

int ht_measured_file_is(const char *path) {
  ht_yaml yaml;
  const int is = read_yaml(path, &yaml);
  ht_yaml_free(&yaml);
  return is;
}

static ht_status refuse_key(const request *r, int length, const char *key) {
  char all[256] = "";
  for (int k = 0; keys[k]; k++) {
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s",
             k == 0        ? ""
             : keys[k + 1] ? ", "
                           : " and ",
             keys[k]);
  }
  return ht_fail(HT_ERR_CASE, "%s: there is no key '%.*s': the keys are %s", r->name, length, key,
                 all);
}

static ht_status check_keys(const request *r) {
  void *next = NULL;
  struct fy_node_pair *pair;
  while ((pair = fy_node_mapping_iterate(r->root, &next))) {
    size_t length = 0;
    const char *key = fy_node_get_scalar(fy_node_pair_key(pair), &length);
    if (!key || ht_word_find(keys, key, length) < 0)
      return refuse_key(r, (int)length, key ? key : "");
  }
  return HT_OK;
}

static ht_status wrong(const request *r, const char *key, const char *wanted) {
  return ht_fail(HT_ERR_CASE, "%s: %s needs %s", r->name, key, wanted);
}

/* ---- Values ---- */

/* Reads the text of a scalar or, with blanks between, of a list of scalars. */
static int join_texts(struct fy_node *node, const char *between, char *text, size_t size) {
  size_t length = 0;
  const char *scalar = fy_node_is_scalar(node) ? fy_node_get_scalar(node, &length) : NULL;
  if (scalar) return snprintf(text, size, "%.*s", (int)length, scalar) < (int)size;
  if (!fy_node_is_sequence(node)) return 0;
  size_t used = 0;
  for (int i = 0; i < fy_node_sequence_item_count(node); i++) {
    char one[96];
    if (!join_texts(fy_node_sequence_get_by_index(node, i), " ", one, sizeof one)) return 0;
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? between : "", one);
    if (used >= size) return 0;
  }
  return used > 0;
}

static ht_status read_paths(request *r) {
  struct fy_node *node = ht_yaml_get(r->root, "velocity");
  const int is_list = node && fy_node_is_sequence(node);
  char text[HT_PATH_MAX];
  r->files.count = is_list ? fy_node_sequence_item_count(node) : 1;
  if (r->files.count != 1 && r->files.count != 3)
    return wrong(r, "velocity", "a folder or file, or three files, one for each direction");
  for (int i = 0; i < r->files.count; i++) {
    struct fy_node *one = is_list ? fy_node_sequence_get_by_index(node, i) : node;
    if (!one || !join_texts(one, "/", text, sizeof text))
      return wrong(r, "velocity", "a folder or file, or three files, one for each direction");
    HT_TRY(ht_path_beside(r->velocity[i], r->name, text));
    r->files.velocity[i] = r->velocity[i];
  }
  if (!ht_yaml_get(r->root, "magnitude")) return HT_OK;
  if (!ht_yaml_text(r->root, "magnitude", text, sizeof text))
    return wrong(r, "magnitude", "a file");
  HT_TRY(ht_path_beside(r->magnitude, r->name, text));
  r->files.magnitude = r->magnitude;
  return HT_OK;
}

static ht_status read_number(request *r, const char *key, double least, double most,
                             double *value) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, "a number from %g to %g", least, most);
  if (!ht_yaml_get(r->root, key)) return HT_OK;
  if (!ht_yaml_number(r->root, key, value) || !(*value >= least && *value <= most))
    return wrong(r, key, wanted);
  return HT_OK;
}

static ht_status read_times(request *r) {
  struct fy_node *list = ht_yaml_get(r->root, "times_s");
  if (!list) return HT_OK;
  r->files.times = fy_node_is_sequence(list) ? fy_node_sequence_item_count(list) : 0;
  if (r->files.times < 1 || r->files.times > HT_PC_TIMES_MOST ||
      !ht_yaml_numbers(r->root, "times_s", r->files.time_s, r->files.times))
    return wrong(r, "times_s", "a list of numbers, s after the R wave");
  return HT_OK;
}

static ht_status read_texts(request *r) {
  struct fy_node *direction = ht_yaml_get(r->root, "direction");
  struct fy_node *series = ht_yaml_get(r->root, "series");
  double one[3]; /* three numbers in a list are one direction */
  const char *between = ht_yaml_numbers(r->root, "direction", one, 3) ? " " : ", ";
  if (direction && !join_texts(direction, between, r->direction, sizeof r->direction))
    return wrong(r, "direction", "a direction or a list of them, as [row, column, through]");
  if (series && !join_texts(series, ",", r->series, sizeof r->series))
    return wrong(r, "series", "numbers of series, as [3, 4, 5, 6]");
  if (direction) r->given.direction = r->direction;
  if (series) r->given.series = r->series;
  return HT_OK;
}

static ht_status read_sign(request *r) {
  double sign = 0;
  HT_TRY(read_number(r, "sign", -1, 1, &sign));
  if (sign != -1 && sign != 0 && sign != 1) return wrong(r, "sign", "1 or -1");
  r->given.sign = (int)sign;
  if (ht_yaml_get(r->root, "along") && !ht_yaml_numbers(r->root, "along", r->given.along, 3))
    return wrong(r, "along", "three numbers, the way of the blood (LPS)");
  return HT_OK;
}

static ht_status read_keys(request *r) {
  HT_TRY(check_keys(r));
  HT_TRY(read_paths(r));
  HT_TRY(read_number(r, "venc_m_s", 0.01, 20, &r->given.venc_m_s));
  HT_TRY(read_number(r, "period_s", 0.2, 10, &r->given.period_s));
  HT_TRY(read_times(r));
  HT_TRY(read_texts(r));
  return read_sign(r);
}

/* ---- Corrections ---- */

static const char *const choices[] = {"auto", "off", "on", NULL};

static ht_status read_choice(const request *r, const char *key, ht_correct_choice *choice) {
  char word[16] = "auto";
  ht_yaml_text(r->root, key, word, sizeof word);
  const int found = ht_word_find(choices, word, strlen(word));
  if (found < 0) return wrong(r, key, "auto, off or on");
  *choice = (ht_correct_choice)found;
  return HT_OK;
}

static ht_status read_corrections(const request *r, ht_flow_corrections *wanted) {
  char word[16] = "auto";
  HT_TRY(read_choice(r, "noise", &wanted->noise));
  HT_TRY(read_choice(r, "unwrap", &wanted->unwrap));
  ht_yaml_text(r->root, "offset", word, sizeof word);
  wanted->offset_order = strcmp(word, "quadratic") == 0 ? 2 : 1;
  wanted->offset = strcmp(word, "auto") == 0  ? HT_CORRECT_AUTO
                   : strcmp(word, "off") == 0 ? HT_CORRECT_OFF
                                              : HT_CORRECT_ON;
  if (wanted->offset != HT_CORRECT_ON || wanted->offset_order == 2 || strcmp(word, "plane") == 0)
    return HT_OK;
  return wrong(r, "offset", "auto, off, plane or quadratic");
}

/* ---- Images ---- */

static ht_status read_unit(request *r) {
  static const struct {
    const char *word;
    double m_s;
  } units[] = {{"m/s", 1}, {"cm/s", 0.01}, {"mm/s", 0.001}};
  ht_yaml_text(r->root, "unit", r->unit, sizeof r->unit);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(r->unit, units[i].word) == 0) r->files.unit_m_s = units[i].m_s;
  if (strcmp(r->unit, "radians") == 0) {
    if (!(r->given.venc_m_s > 0)) return wrong(r, "unit: radians", "venc_m_s, too");
    r->files.unit_m_s = r->given.venc_m_s / HT_PI;
  }
  if (r->files.unit_m_s > 0) return HT_OK;
  return wrong(r, "unit", "m/s, cm/s, mm/s or radians: an image file does not tell it");
}

static ht_status read_images(request *r, ht_import_notes *notes, ht_measured_flow *flow) {
  HT_TRY(read_unit(r));
  return ht_pc_files_read(&r->files, &r->given, notes, flow);
}

/* ---- Landmarks ---- */

static const char landmarks_wanted[] = "a list of {measured: [x, y, z], scan: [x, y, z]}, LPS mm";
static const double TURN_MOST = 60; /* degrees, above which a warning tells */

/* Returns the angle of the move's rotation, degrees. */
static double turned_by(const ht_rigid_move *move) {
  const double cosine = 0.5 * (move->turn[0][0] + move->turn[1][1] + move->turn[2][2] - 1);
  return acos(fmax(-1, fmin(1, cosine))) * 180 / HT_PI;
}

/* Says what the landmarks did, and warns where they are hardly those of one patient. */
static void tell_move(int count, const ht_rigid_move *move, double voxel_mm,
                      ht_import_notes *notes) {
  if (count == 1) {
    ht_import_note(notes, "1 landmark shifts the measured flow into the scan's frame of reference");
    return;
  }
  const double angle = turned_by(move);
  ht_import_note(notes,
                 "%d landmarks turn, by %.0f degrees, and shift the measured flow into the scan's "
                 "frame of reference",
                 count, angle);
  ht_import_note(notes, "the landmarks are then %.1f mm apart (root mean square)", move->rms_mm);
  if (angle > TURN_MOST)
    ht_import_warn(notes,
                   "the landmarks turn the measured flow by %.0f degrees, and a patient hardly "
                   "lies so differently: check that both places of each are in LPS (3D Slicer "
                   "shows RAS), and in the right order",
                   angle);
  if (move->rms_mm > voxel_mm)
    ht_import_warn(notes,
                   "the landmarks do not fit each other: after the move they are %.1f mm apart "
                   "(root mean square), more than a voxel of %.2g mm",
                   move->rms_mm, voxel_mm);
}

/* Moves the flow into the scan's frame of reference, by places that the user found in both. */
static ht_status use_landmarks(const request *r, ht_import_notes *notes, ht_measured_flow *flow) {
  struct fy_node *list = ht_yaml_get(r->root, "landmarks");
  double from[HT_LANDMARKS_MOST][3], to[HT_LANDMARKS_MOST][3];
  const int count = list && fy_node_is_sequence(list) ? fy_node_sequence_item_count(list) : 0;
  ht_rigid_move move;
  if (!list) return HT_OK;
  if (count == 0) return wrong(r, "landmarks", landmarks_wanted);
  for (int i = 0; i < count && i < HT_LANDMARKS_MOST; i++) {
    struct fy_node *one = fy_node_sequence_get_by_index(list, i);
    if (!fy_node_is_mapping(one) || !ht_yaml_point(one, "measured", from[i]) ||
        !ht_yaml_point(one, "scan", to[i]))
      return wrong(r, "landmarks", landmarks_wanted);
  }
  if (ht_rigid_move_fit(count, (const double(*)[3])from, (const double(*)[3])to, &move) != HT_OK) {
    char why[256];
    snprintf(why, sizeof why, "%s", ht_error_message());
    return ht_fail(HT_ERR_CASE, "%s: landmarks: %s", r->name, why);
  }
  ht_measured_flow_move(flow, &move);
  flow->landmarks = count;
  const double *h = flow->grid.spacing_mm;
  tell_move(count, &move, fmin(h[0], fmin(h[1], h[2])), notes);
  return HT_OK;
}

/* ---- All of it ---- */

static ht_status read_file(request *r, const ht_progress *progress, ht_import_notes *notes,
                           ht_flow_corrections *wanted, ht_measured_flow *flow) {
  HT_TRY(read_keys(r));
  HT_TRY(read_corrections(r, wanted));
  if (r->files.count == 3 || ht_image_named(r->velocity[0])) {
    HT_TRY(read_images(r, notes, flow));
    return use_landmarks(r, notes, flow);
  }
  if (r->files.magnitude || ht_yaml_get(r->root, "unit") || r->files.times)
    return ht_fail(HT_ERR_CASE,
                   "%s: magnitude, unit and times_s belong to image files: those of "
                   "DICOM are found in its files",
                   r->name);
  HT_TRY(ht_phase_contrast_read(r->velocity[0], &r->given, progress, notes, flow));
  return use_landmarks(r, notes, flow);
}

ht_status ht_measured_file_read(const char *path, int needs_vector, const ht_progress *progress,
                                ht_import_notes *notes, ht_flow_corrections *wanted,
                                ht_measured_flow *flow) {
  request *r;
  ht_yaml yaml;
  memset(flow, 0, sizeof *flow);
  memset(wanted, 0, sizeof *wanted);
  HT_TRY(ht_alloc((void **)&r, 1, sizeof *r, "the measured flow's file"));
  r->given.needs_vector = needs_vector;
  const int is_file = read_yaml(path, &yaml);
  r->name = path;
  r->root = yaml.root;
  ht_status status = is_file ? read_file(r, progress, notes, wanted, flow)
                             : ht_phase_contrast_read(path, &r->given, progress, notes, flow);
  ht_yaml_free(&yaml);
  free(r);
  return status;
}
