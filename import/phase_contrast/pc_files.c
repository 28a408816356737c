#include "import/phase_contrast/pc_files.h"
#include "core/numbers/vector3.h"
#include "import/image/image.h"
#include "import/phase_contrast/pc_sign.h"
#include <string.h>

static ht_status header_of(const char *path, ht_image_info *info) {
  HT_TRY(ht_image_header(path, info));
  if (info->status == HT_OK) return HT_OK;
  return ht_fail(info->status, "%s: %s", path, info->problem);
}

static int same_grid(const ht_grid *a, const ht_grid *b) {
  for (int k = 0; k < 3; k++) {
    if (a->dim[k] != b->dim[k] || fabs(a->spacing_mm[k] - b->spacing_mm[k]) > 1e-3 ||
        fabs(a->origin_mm[k] - b->origin_mm[k]) > 1e-2)
      return 0;
    for (int c = 0; c < 3; c++)
      if (fabs(a->direction[k][c] - b->direction[k][c]) > 1e-3) return 0;
  }
  return 1;
}

/* ---- Directions and times ---- */

static ht_status set_directions(const ht_pc_given *given, ht_measured_flow *flow) {
  static const char *const usual[2] = {"through", "row, column, through"};
  const char *text = given->direction ? given->direction : usual[flow->encodings == 3];
  double axes[2][3];
  for (int r = 0; r < 3; r++)
    axes[0][r] = flow->grid.direction[r][0], axes[1][r] = flow->grid.direction[r][1];
  for (int e = 0; e < flow->encodings; e++) {
    ht_velocity_encoding *one = &flow->encoding[e];
    if (!text)
      return ht_fail(HT_ERR_FORMAT, "direction: it has %d of the %d directions", e,
                     flow->encodings);
    HT_TRY(ht_pc_direction_parse(text, (const double(*)[3])axes, one->direction));
    const char *word = text + strspn(text, " [");
    if (strncmp(word, "through", strlen("through")) == 0)
      for (int r = 0; r < 3; r++) one->direction[r] = flow->grid.direction[r][2];
    one->venc_m_s = given->venc_m_s;
    one->sign = given->direction || given->sign ? HT_SIGN_GIVEN : HT_SIGN_OPEN;
    for (int r = 0; r < 3 && given->sign; r++) one->direction[r] *= given->sign;
    text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL;
  }
  return HT_OK;
}

static ht_status set_times(const ht_pc_files *files, const ht_pc_given *given,
                           ht_measured_flow *flow) {
  flow->period_s = given->period_s;
  if (files->times && files->times != flow->times)
    return ht_fail(HT_ERR_FORMAT, "times_s has %d numbers, and the velocities have %d time points",
                   files->times, flow->times);
  if (!files->times && flow->times > 1 && !(flow->period_s > 0))
    return ht_fail(HT_ERR_FORMAT,
                   "the times of the %d images are not known: give the duration of "
                   "the beat with `period_s`, or `times_s`",
                   flow->times);
  for (int t = 0; t < flow->times; t++) {
    flow->time_s[t] = files->times ? files->time_s[t] : flow->period_s * t / flow->times;
    if (t > 0 && !(flow->time_s[t] > flow->time_s[t - 1]))
      return ht_fail(HT_ERR_FORMAT, "times_s does not rise at its number %d", t + 1);
  }
  return HT_OK;
}

/* ---- Values ---- */

/* Reads image `volume` of a file into [nz][ny][nx], times `unit`. What is no number is 0, and is
 * counted. */
static ht_status read_values(const char *path, int volume, double unit, const ht_grid *grid,
                             float *value, int64_t *holes) {
  ht_volume image;
  HT_TRY(ht_image_voxels(path, volume, &image));
  for (int64_t i = 0; i < ht_grid_voxels(grid); i++) {
    const int is_number = isfinite(image.values[i]);
    value[i] = is_number ? (float)(unit * image.values[i]) : 0;
    *holes += !is_number;
  }
  ht_volume_free(&image);
  return HT_OK;
}

static ht_status read_velocities(const ht_pc_files *files, ht_import_notes *notes,
                                 ht_measured_flow *flow) {
  int64_t holes = 0;
  for (int t = 0; t < flow->times; t++)
    for (int e = 0; e < flow->encodings; e++) {
      const int is_one_file = files->count < flow->encodings;
      HT_TRY(read_values(files->velocity[is_one_file ? 0 : e], is_one_file ? e : t, files->unit_m_s,
                         &flow->grid, ht_measured_part(flow, t, e), &holes));
    }
  if (holes > 0)
    ht_import_warn(
        notes,
        "%lld of %lld velocities are no numbers (NaN) and are taken as 0: where they lie "
        "in the vessel, its velocity and flow are too low",
        (long long)holes, (long long)(flow->times * flow->encodings * ht_grid_voxels(&flow->grid)));
  return HT_OK;
}

static ht_status read_magnitudes(const ht_pc_files *files, ht_measured_flow *flow) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  int64_t holes = 0;
  ht_image_info info;
  if (!files->magnitude) return HT_OK;
  HT_TRY(header_of(files->magnitude, &info));
  if (!same_grid(&info.grid, &flow->grid) || (info.volumes != 1 && info.volumes != flow->times))
    return ht_fail(HT_ERR_FORMAT, "%s: it has other voxels or time points than the velocities",
                   files->magnitude);
  for (int t = 0; t < flow->times; t++)
    HT_TRY(read_values(files->magnitude, info.volumes == 1 ? 0 : t, 1, &flow->grid,
                       flow->magnitude + t * voxels, &holes));
  return HT_OK;
}

/* ---- All of it ---- */

/* Finds the grid and the numbers of directions and times; of several files the same in each. */
static ht_status find_layout(const ht_pc_files *files, ht_image_info *first, int *encodings,
                             int *times) {
  ht_image_info info;
  HT_TRY(header_of(files->velocity[0], first));
  for (int i = 1; i < files->count; i++) {
    HT_TRY(header_of(files->velocity[i], &info));
    if (!same_grid(&info.grid, &first->grid) || info.volumes != first->volumes)
      return ht_fail(HT_ERR_FORMAT, "%s: it has other voxels or time points than %s",
                     files->velocity[i], files->velocity[0]);
  }
  /* One file of three images without times: the three directions. */
  const int is_vector = files->count == 1 && first->volumes == 3 && files->times <= 1;
  *encodings = is_vector ? 3 : files->count;
  *times = is_vector ? 1 : first->volumes;
  if (*times <= HT_PC_TIMES_MOST) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: %d time points; at most %d are read", files->velocity[0],
                 *times, (int)HT_PC_TIMES_MOST);
}

ht_status ht_pc_files_read(const ht_pc_files *files, const ht_pc_given *given,
                           ht_import_notes *notes, ht_measured_flow *flow) {
  ht_image_info first;
  int encodings = 0, times = 0;
  memset(flow, 0, sizeof *flow);
  HT_TRY(find_layout(files, &first, &encodings, &times));
  if (given->needs_vector && encodings < 3)
    return ht_fail(HT_ERR_SERIES, "%s: velocities along one direction: three are needed here",
                   files->velocity[0]);
  HT_TRY(ht_measured_flow_alloc(&first.grid, times, encodings, files->magnitude != NULL, flow));
  memcpy(flow->source, first.format, sizeof first.format);
  ht_status status = set_directions(given, flow);
  if (status == HT_OK) status = set_times(files, given, flow);
  if (status == HT_OK) status = read_velocities(files, notes, flow);
  if (status == HT_OK) status = read_magnitudes(files, flow);
  if (status == HT_OK) status = ht_pc_signs_decide(flow, given->along, notes);
  if (status != HT_OK) ht_measured_flow_free(flow);
  return status;
}
