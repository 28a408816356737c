#include "run/stages/stage_dicom.h"
#include "export/dicom/dicom_out.h"
#include "export/dicom/plain_pdf.h"
#include "run/process/console.h"
#include "run/record/identity.h"
#include "core/work/jobs.h"
#include "run/process/print_page.h"
#include "run/privacy/redact.h"
#include "run/numbers/run_outcome.h"
#include "run/numbers/summary.h"
#include "core/text/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PSEUDONYM_DIGITS = 12 };

static void copy(char *to, size_t size, const char *from) {
  snprintf(to, size, "%s", from);
}

/* ---- Whose results they are ---- */

/* Makes a UID of the case where the input has none: the same for the same input. */
static ht_status own_uid(const ht_manifest *manifest, const char *kind, char uid[], size_t size) {
  char hex[HT_HASH_TEXT], own[HT_UID_TEXT];
  const char *input = manifest->input_sha256[0] ? manifest->input_sha256 : manifest->input;
  ht_hash *hash = ht_hash_begin();
  if (!hash) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_hash_add(hash, kind, strlen(kind));
  ht_hash_add(hash, input, strlen(input));
  ht_hash_end(hash, hex);
  ht_uid_of_hash(hex, own);
  copy(uid, size, own);
  return HT_OK;
}

static void be_patient(const ht_manifest *manifest, const ht_study *study, ht_dicom_study *of) {
  const ht_identity *patient = &manifest->patient;
  copy(of->patient_name, sizeof of->patient_name, patient->name);
  copy(of->patient_id, sizeof of->patient_id, patient->id);
  copy(of->birth_date, sizeof of->birth_date, patient->birth_date);
  copy(of->study_date, sizeof of->study_date, patient->study_date);
  copy(of->accession, sizeof of->accession, patient->accession);
  copy(of->sex, sizeof of->sex, study->sex);
  copy(of->study_time, sizeof of->study_time, study->time);
  copy(of->study_id, sizeof of->study_id, study->id);
}

/* Sets the pseudonym. The number is that of the salted hash of the patient's: the same for all
 * cases of a patient. */
static void be_pseudonym(const ht_manifest *manifest, ht_dicom_study *of) {
  size_t length = strlen(of->study_uid);
  const char *digits = manifest->patient_hash;
  if (!digits[0])
    digits = of->study_uid + (length > PSEUDONYM_DIGITS ? length - PSEUDONYM_DIGITS : 0);
  snprintf(of->patient_id, sizeof of->patient_id, "hemotile-%.*s", PSEUDONYM_DIGITS, digits);
  snprintf(of->patient_name, sizeof of->patient_name, "hemotile^%.*s", PSEUDONYM_DIGITS, digits);
  of->is_pseudonymous = 1;
}

static ht_status study_of(const ht_run *run, ht_dicom_study *of) {
  const ht_manifest *manifest = &run->manifest;
  const char *fault = ht_flow_fault_words(ht_flow_fault_of(&run->solved.stats));
  int is_recorded = manifest->patient.id[0] || manifest->patient.name[0];
  int is_kept = is_recorded && run->given.settings->keep_identity;
  ht_study study = manifest->study;
  memset(of, 0, sizeof *of);
  of->is_beat = ht_sampled_cycle(&run->sampled) != NULL;
  /* Recorded with --keep-identity, which this run does not have. */
  if (is_recorded && !is_kept) (void)ht_identity_hide_study(&study);
  copy(of->study_uid, sizeof of->study_uid, study.uid);
  copy(of->frame_uid, sizeof of->frame_uid, study.frame_uid);
  if (!study.uid[0]) HT_TRY(own_uid(manifest, "study", of->study_uid, sizeof of->study_uid));
  if (!study.frame_uid[0]) HT_TRY(own_uid(manifest, "frame", of->frame_uid, sizeof of->frame_uid));
  snprintf(of->comment, sizeof of->comment, "%s%sNot for clinical decisions.", fault ? fault : "",
           fault ? ". " : "");
  if (is_kept)
    be_patient(manifest, &study, of);
  else
    be_pseudonym(manifest, of);
  return HT_OK;
}

static void tell(const ht_run *run, const ht_dicom_study *of) {
  if (!of->is_pseudonymous)
    ht_console_note("dicom/: in the scan's study, with the patient's name, number and dates "
                    "(--keep-identity)");
  else
    ht_console_note("dicom/: in a study of its own, of the patient \"%s\"%s", of->patient_id,
                    run->manifest.study.uid[0] && !run->given.settings->keep_identity
                        ? "; --keep-identity at the import puts it into the scan's"
                        : "");
}

/* ---- Mask and maps ---- */

typedef struct {
  const ht_run *run;
  const ht_surface *surface;
  ht_dicom_study study;
} fields;

static ht_status write_segmentation(void *user) {
  const fields *of = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_DICOM_SEGMENTATION, path));
  return ht_dicom_segmentation(path, &of->study, &of->run->vessel.mask);
}

static ht_status write_speed(void *user) {
  const fields *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_DICOM_SPEED, path));
  return ht_dicom_speed(path, &of->study, &run->domain, &run->solved.flow, &run->vessel.mask.grid);
}

static ht_status write_load(const fields *of, const char *name, const float *values,
                            ht_dicom_quantity quantity) {
  const ht_run *run = of->run;
  const ht_dicom_load load = {of->surface, values, quantity};
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, name, path));
  return ht_dicom_wall(path, &of->study, &run->domain, &run->solved.flow, &run->vessel.mask.grid,
                       &load);
}

static ht_status write_wss(void *user) {
  const fields *of = user;
  return write_load(of, HT_DICOM_WALL, of->surface->wss_mag_pa, HT_DICOM_WSS);
}

static ht_status write_tawss(void *user) {
  const fields *of = user;
  const ht_wall_cycle *cycle = &of->run->sampled.cycle;
  if (!cycle->samples) return HT_OK;
  return write_load(of, HT_DICOM_WALL_CYCLE, cycle->tawss_pa, HT_DICOM_TAWSS);
}

ht_status ht_run_dicom_fields(const ht_run *run, const ht_surface *surface) {
  fields of = {.run = run, .surface = surface};
  char path[HT_PATH_MAX];
  ht_folder_drop_dicom(run->given.folder);
  if (!run->given.settings->dicom) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FOLDER_DICOM, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(study_of(run, &of.study));
  tell(run, &of.study);
  const ht_job jobs[] = {
      {write_speed, &of}, {write_wss, &of}, {write_tawss, &of}, {write_segmentation, &of}};
  return ht_jobs_run(jobs, sizeof jobs / sizeof *jobs);
}

/* ---- Pictures ---- */

static const struct {
  const char *name, *title;
} pictures[] = {
    {"mask_on_scan", "the vessel on the scan"},
    {"projection", "maximum projection with the openings"},
    {"straightened", "the vessel straightened"},
    {"sections", "sections across the vessel"},
    {"measured_flow", "the measured flow"},
    {"tiles", "tiles of the lattice"},
    {"velocity", "velocity"},
    {"velocity_phase", "velocity at one moment of the beat"},
    {"streamlines", "streamlines"},
    {"wall", "wall shear stress"},
    {"tawss", "time-averaged wall shear stress"},
    {"osi", "oscillatory shear index"},
    {"flow_beat", "flow over the beat"},
    {"pressure_beat", "pressure over the beat"},
    {"centreline", "pressure along the vessel"},
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

static ht_status picture_path(const ht_run *run, int n, char path[HT_PATH_MAX]) {
  char name[64];
  snprintf(name, sizeof name, HT_FOLDER_PICTURES "/%s.png", pictures[n].name);
  return ht_run_path(run, name, path);
}

static ht_status write_picture(const ht_run *run, const ht_dicom_study *study,
                               ht_dicom_place *place, int n) {
  char picture[HT_PATH_MAX], path[HT_PATH_MAX], name[64];
  HT_TRY(picture_path(run, n, picture));
  if (!ht_file_exists(picture)) return HT_OK;
  snprintf(name, sizeof name, HT_DICOM_PICTURE "%s.dcm", pictures[n].name);
  HT_TRY(ht_run_path(run, name, path));
  place->number++;
  return ht_dicom_capture(path, study, place, picture, pictures[n].title);
}

/* ---- The report ---- */

/* Makes the printed summary, without the patient's words and the folder's path. */
static ht_status summary_text(const ht_run *run, char **text) {
  size_t length = 0;
  FILE *stream = open_memstream(text, &length);
  if (!stream) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_status status = ht_summary_print_file(stream, run->given.folder);
  if (fclose(stream) != 0) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  if (status == HT_OK && !run->given.settings->keep_identity) ht_redact(*text, length + 1);
  return status;
}

static ht_status write_plain(const ht_run *run, const char *path) {
  char folder[HT_PATH_MAX], picture[PICTURES][HT_PATH_MAX];
  char *text = NULL, title[HT_NAME_MAX + 16];
  const char *name = ht_run_name(&run->given, folder);
  snprintf(title, sizeof title, "hemotile: %.*s", ht_utf8_fit(name, HT_NAME_MAX), name);
  ht_pdf_page page = {.title = title};
  for (int n = 0; n < PICTURES; n++) {
    char *at = picture[page.pictures];
    HT_TRY(picture_path(run, n, at));
    if (!ht_file_exists(at)) continue;
    page.picture[page.pictures] = at;
    page.caption[page.pictures++] = pictures[n].title;
  }
  ht_status status = summary_text(run, &text);
  page.text = text;
  if (status == HT_OK) status = ht_plain_pdf(path, &page);
  free(text);
  return status;
}

/* Writes report.html as Chromium prints it, where both are there; else plain. */
static ht_status write_pdf(const ht_run *run, const char *path) {
  char page[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_REPORT, page));
  if (!ht_file_exists(page)) return write_plain(run, path);
  ht_status status = ht_print_page(page, path);
  if (status == HT_OK || status == HT_ERR_INTERRUPTED) return status;
  ht_console_note("dicom/report.dcm is plain, not " HT_FILE_REPORT ": %s",
                  status == HT_ERR_NOT_FOUND ? "Chromium is not installed" : ht_error_message());
  return write_plain(run, path);
}

/* Writes the report; the PDF file exists only until it is in the DICOM file. */
static ht_status write_report(const ht_run *run, const ht_dicom_study *study) {
  char path[HT_PATH_MAX];
  ht_output pdf;
  HT_TRY(ht_run_path(run, HT_FOLDER_DICOM "/report.pdf", path));
  HT_TRY(ht_output_name(path, &pdf));
  ht_status status = write_pdf(run, pdf.hidden);
  if (status == HT_OK) status = ht_run_path(run, HT_DICOM_REPORT, path);
  if (status == HT_OK) status = ht_dicom_document(path, study, pdf.hidden, "hemotile report");
  ht_output_abandon(&pdf);
  return status;
}

ht_status ht_run_dicom_pages(const ht_run *run) {
  ht_dicom_study study;
  ht_dicom_place place = {"", 0};
  char path[HT_PATH_MAX];
  if (!run->given.settings->dicom) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FOLDER_DICOM, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(study_of(run, &study));
  HT_TRY(ht_uid_new(place.series_uid));
  for (int n = 0; n < PICTURES; n++) {
    HT_TRY(ht_progress_report(ht_console_progress(), "export", n, PICTURES, "pictures for DICOM"));
    HT_TRY(write_picture(run, &study, &place, n));
  }
  HT_TRY(ht_progress_report(ht_console_progress(), "export", 0, 0, "report for DICOM"));
  return write_report(run, &study);
}

ht_status ht_run_dicom_report(const ht_run *run) {
  ht_dicom_study study;
  if (!run->given.settings->dicom) return HT_OK;
  HT_TRY(study_of(run, &study));
  return write_report(run, &study);
}
