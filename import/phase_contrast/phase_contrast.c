#include "import/phase_contrast/phase_contrast.h"
#include "import/series/zip_archive.h"
#include "import/phase_contrast/pc_sign.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values ---- */

/* Reads an image's values after slope and intercept; padding is 0. */
static ht_status read_values(ht_dicom_file **file, const ht_slice *slice, float *value) {
  const int64_t pixels = (int64_t)slice->rows * slice->columns;
  HT_TRY(ht_dicom_pixels(file, slice, value));
  for (int64_t i = 0; i < pixels; i++)
    if (!isfinite(value[i])) value[i] = 0;
  return HT_OK;
}

/* Converts to m/s. `magnitude` is of the same pixels; NULL: none. */
static void convert(const ht_pc_image *image, const float *magnitude, int64_t pixels,
                    float *value) {
  const double venc = image->unit == HT_PC_UNIT_VELOCITY ? 1 : image->venc_m_s;
  for (int64_t i = 0; i < pixels; i++) {
    double one = image->scale * value[i] + image->shift;
    if (image->unit == HT_PC_UNIT_WEIGHTED) one = magnitude[i] > 0 ? one / magnitude[i] : 0;
    value[i] = (float)(venc * one);
  }
}

static ht_status read_one_time(const ht_pc_plan *plan, int time, ht_dicom_file **file) {
  const ht_measured_flow *flow = &plan->flow;
  const int planes = flow->grid.dim[2];
  const int64_t pixels = (int64_t)flow->grid.dim[0] * flow->grid.dim[1];
  float *magnitude = flow->magnitude ? flow->magnitude + time * planes * pixels : NULL;
  for (int k = 0; magnitude && k < planes; k++)
    HT_TRY(read_values(file, plan->image[plan->magnitude[time * planes + k]].slice,
                       magnitude + k * pixels));
  for (int e = 0; e < flow->encodings; e++)
    for (int k = 0; k < planes; k++) {
      const ht_pc_image *image =
          &plan->image[plan->velocity[(time * flow->encodings + e) * planes + k]];
      float *value = ht_measured_part(flow, time, e) + k * pixels;
      HT_TRY(read_values(file, image->slice, value));
      convert(image, magnitude ? magnitude + k * pixels : NULL, pixels, value);
    }
  return HT_OK;
}

static ht_status read_all(const ht_pc_plan *plan, const ht_progress *progress) {
  ht_dicom_file *file = NULL;
  ht_status status = HT_OK;
  for (int t = 0; status == HT_OK && t < plan->flow.times; t++) {
    status = ht_progress_report(progress, "import", t, plan->flow.times, "reading velocities");
    if (status == HT_OK) status = read_one_time(plan, t, &file);
  }
  ht_dicom_close(file);
  return status;
}

/* Allocates the values of the plan's flow, which has all else. */
static ht_status alloc_values(ht_pc_plan *plan) {
  ht_measured_flow whole, *flow = &plan->flow;
  HT_TRY(ht_measured_flow_alloc(&flow->grid, flow->times, flow->encodings, plan->magnitude != NULL,
                                &whole));
  memcpy(whole.time_s, flow->time_s, (size_t)flow->times * sizeof *flow->time_s);
  free(flow->time_s);
  flow->time_s = whole.time_s;
  flow->velocity_m_s = whole.velocity_m_s;
  flow->magnitude = whole.magnitude;
  return HT_OK;
}

/* ---- Signs ---- */

static void give_sign(const ht_pc_given *given, ht_measured_flow *flow) {
  int open = 0;
  for (int e = 0; e < flow->encodings; e++) open += flow->encoding[e].sign == HT_SIGN_OPEN;
  for (int e = 0; given->sign && e < flow->encodings; e++) {
    ht_velocity_encoding *one = &flow->encoding[e];
    if (open && one->sign != HT_SIGN_OPEN) continue;
    for (int r = 0; r < 3; r++) one->direction[r] *= given->sign;
    one->sign = HT_SIGN_GIVEN;
  }
}

/* ---- All of it ---- */

static ht_status read_plan(ht_pc_plan *plan, const ht_pc_given *given, const ht_progress *progress,
                           ht_import_notes *notes) {
  HT_TRY(alloc_values(plan));
  if (plan->incomplete > 0)
    ht_import_warn(notes,
                   "only %d of %d images of velocities have a magnitude, so that no magnitudes are "
                   "used: export all of them",
                   plan->incomplete, plan->flow.times * plan->flow.grid.dim[2]);
  HT_TRY(read_all(plan, progress));
  give_sign(given, &plan->flow);
  return ht_pc_signs_decide(&plan->flow, given->along, notes);
}

/* Gives the slices the numbers of their series in the list that people see. */
static void number_series(ht_dicom_folder *folder) {
  for (int n = 0; n < folder->list.count; n++) {
    const int end = n + 1 < folder->list.count ? folder->first[n + 1] : folder->slices;
    for (int i = folder->first[n]; i < end; i++) folder->slice[i].series_number = n + 1;
  }
}

static ht_status read_folder(const char *path, const ht_pc_given *given,
                             const ht_progress *progress, ht_import_notes *notes,
                             ht_measured_flow *flow) {
  ht_dicom_folder folder;
  ht_pc_plan plan;
  HT_TRY(ht_dicom_folder_read(path, NULL, NULL, progress, &folder));
  number_series(&folder);
  ht_status status = ht_pc_plan_make(folder.slice, folder.slices, given, &plan);
  if (status == HT_OK) status = read_plan(&plan, given, progress, notes);
  if (status == HT_OK) {
    *flow = plan.flow;
    memset(&plan.flow, 0, sizeof plan.flow);
  }
  ht_pc_plan_free(&plan);
  ht_dicom_folder_free(&folder);
  return status == HT_OK ? HT_OK : ht_fail_in(status, path);
}

ht_status ht_phase_contrast_read(const char *path, const ht_pc_given *given,
                                 const ht_progress *progress, ht_import_notes *notes,
                                 ht_measured_flow *flow) {
  static const ht_pc_given nothing;
  char where[HT_PATH_MAX];
  memset(flow, 0, sizeof *flow);
  HT_TRY(ht_zip_files_open(path, progress, where));
  return ht_zip_files_close(path, where,
                            read_folder(where, given ? given : &nothing, progress, notes, flow));
}

/* Tells whether a header tells of a velocity encoding: other phases of MR are no velocities. */
static int has_encoding(const ht_pc_plan *plan) {
  for (int i = 0; i < plan->count; i++)
    if (plan->image[i].kind == HT_PC_VELOCITY && plan->image[i].venc_m_s > 0) return 1;
  return 0;
}

ht_status ht_phase_contrast_describe(ht_dicom_folder *folder, int *usable, char text[HT_PC_TEXT]) {
  static const ht_pc_given nothing;
  ht_pc_plan plan;
  int velocities = 0;
  text[0] = 0;
  *usable = 0;
  for (int i = 0; i < folder->slices; i++)
    velocities += folder->slice[i].component == HT_COMPONENT_PHASE &&
                  strcmp(folder->slice[i].modality, "MR") == 0;
  if (!velocities) return HT_OK;
  number_series(folder);
  ht_status status = ht_pc_plan_make(folder->slice, folder->slices, &nothing, &plan);
  *usable = status == HT_OK;
  if (status == HT_OK)
    ht_pc_describe(&plan.flow, plan.magnitude != NULL, text);
  else if (status != HT_ERR_MEMORY && !has_encoding(&plan))
    snprintf(text, HT_PC_TEXT,
             "not usable: phases of MR whose headers have no velocity encoding; if they are "
             "velocities, give `venc_m_s` in a file that describes them");
  else if (status != HT_ERR_MEMORY)
    snprintf(text, HT_PC_TEXT, "not usable: %s", ht_error_message());
  ht_pc_plan_free(&plan);
  return status == HT_ERR_MEMORY ? status : HT_OK;
}
