#define _POSIX_C_SOURCE 200809L
#include "app/common/arguments.h"
#include "app/common/command.h"
#include "run/process/console.h"
#include "export/export.h"
#include "run/folder/folder.h"
#include "run/process/interrupt.h"
#include "phantom/phantom.h"
#include "phantom/phantom_shapes.h"
#include "phantom/phantom_folder.h"
#include "app/tools/phantom_scene.h"
#include "app/tools/phantom_volumes.h"
#include "app/common/phantom_write.h"
#include "run/openings/placed.h"
#include "run/case/schema.h"
#include "core/text/shell_word.h"
#include "run/process/thread_limit.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ht_phantom_request request;

/* Reads the settings of a case that a phantom has. */
static ht_status phantom_settings(const ht_arguments *arguments, ht_phantom_options *options) {
  ht_case *settings;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the settings"));
  ht_case_defaults(settings);
  ht_status status = ht_arguments_apply(arguments, settings);
  options->seed = (uint64_t)settings->phantom_seed;
  if (settings->phantom_spacing_mm > 0) options->spacing_mm = settings->phantom_spacing_mm;
  free(settings);
  return status;
}

/* Reads the options of phase-contrast images, which mean nothing without a convention. */
static ht_status parse_flow(const ht_arguments *arguments, request *wanted) {
  ht_pc_options *flow = &wanted->flow;
  const int is_plane = !isnan(arguments->plane);
  wanted->has_flow = arguments->phase_contrast >= 0;
  if (!wanted->has_flow &&
      (is_plane || arguments->venc > 0 || arguments->noise > 0 || arguments->offset > 0 ||
       arguments->orientation || arguments->across > 0 || arguments->times > 0))
    return ht_fail(HT_ERR_USAGE, "--plane, --venc, --noise, --offset, --orientation, --across and "
                                 "--times belong to --phase-contrast: give it, too");
  ht_pc_defaults(flow);
  wanted->convention = (ht_pc_convention)arguments->phase_contrast;
  flow->is_plane = is_plane;
  if (is_plane) flow->plane_percent = arguments->plane;
  flow->venc_m_s = arguments->venc;
  flow->noise = arguments->noise / 100;
  flow->offset = arguments->offset / 100;
  flow->orientation = arguments->orientation;
  flow->seed = wanted->options.seed;
  if (arguments->across > 0) flow->voxels_across = arguments->across;
  if (arguments->times > 0) flow->times = arguments->times;
  return HT_OK;
}

static ht_status parse_request(const ht_arguments *arguments, request *wanted) {
  ht_phantom_kind kind;
  wanted->kind = arguments->operand;
  wanted->folder = arguments->output;
  wanted->dicom = arguments->format <= 0;
  HT_TRY(ht_phantom_kind_parse(arguments->operand, &kind));
  if (!wanted->folder) return ht_fail(HT_ERR_USAGE, "no folder for the phantom: give -o DIR");
  ht_phantom_defaults(kind, &wanted->options);
  HT_TRY(phantom_settings(arguments, &wanted->options));
  wanted->options.severity_percent = arguments->severity;
  wanted->options.eccentricity_percent = arguments->eccentricity;
  wanted->options.is_child = arguments->child;
  wanted->options.flow_ml_s = arguments->flow;
  wanted->options.reynolds = arguments->reynolds;
  return parse_flow(arguments, wanted);
}

static void narrowing_json(ht_json *json, const ht_narrowing *n) {
  if (n->throat_diameter_mm == 0) return;
  ht_json_object(json, "narrowing");
  ht_json_number(json, "severity_area_percent", n->severity_area_percent);
  ht_json_number(json, "severity_diameter_percent", n->severity_diameter_percent);
  ht_json_number(json, "reference_diameter_mm", n->reference_diameter_mm);
  ht_json_number(json, "throat_diameter_mm", n->throat_diameter_mm);
  ht_json_array(json, "throat_centre_mm");
  for (int c = 0; c < 3; c++) ht_json_number(json, NULL, n->throat_centre_mm[c]);
  ht_json_array_end(json);
  ht_json_number(json, "eccentricity_percent", n->eccentricity_percent);
  if (n->throat_reynolds > 0) {
    ht_json_number(json, "throat_mean_velocity_m_s", n->throat_velocity_m_s);
    ht_json_number(json, "throat_reynolds", n->throat_reynolds);
  }
  ht_json_object_end(json);
}

/* A phantom and its request. */
typedef struct {
  const request *wanted;
  const ht_phantom *phantom;
  ht_pc_phantom *flow; /* where it was wanted */
} made_phantom;

static void flow_json(ht_json *json, const made_phantom *made) {
  const ht_pc_phantom *flow = made->flow;
  if (!made->wanted->has_flow) return;
  ht_json_object(json, "phase_contrast");
  ht_json_string(json, "convention", ht_pc_convention_words[made->wanted->convention]);
  ht_json_number(json, "venc_m_s", flow->measured.encoding[0].venc_m_s);
  ht_json_numbers(json, "section_centre_mm", flow->station.point_mm, 3);
  ht_json_numbers(json, "section_normal", flow->station.along, 3);
  ht_json_number(json, "section_radius_mm", flow->station.radius_mm);
  ht_json_number(json, "period_s", flow->measured.period_s);
  ht_json_numbers(json, "time_s", flow->measured.time_s, flow->measured.times);
  ht_json_numbers(json, "flow_ml_s", flow->flow_ml_s, flow->measured.times);
  ht_json_object_end(json);
}

static void truth_json(ht_json *json, const void *made) {
  const request *wanted = ((const made_phantom *)made)->wanted;
  const ht_phantom *phantom = ((const made_phantom *)made)->phantom;
  ht_json_string(json, "phantom", wanted->kind);
  ht_json_integer(json, "seed", (int64_t)wanted->options.seed);
  ht_json_string(json, "axes", "LPS, mm; normal and direction point out of the vessel");
  if (phantom->pipe_radius_mm > 0) {
    ht_json_number(json, "pipe_radius_mm", phantom->pipe_radius_mm);
    ht_json_number(json, "pipe_length_mm", phantom->pipe_length_mm);
  }
  narrowing_json(json, &phantom->narrowing);
  ht_json_number(json, "density_kg_m3", phantom->density_kg_m3);
  ht_json_number(json, "viscosity_pa_s", phantom->viscosity_pa_s);
  ht_json_array(json, "openings");
  for (int i = 0; i < phantom->openings.count; i++) {
    const ht_opening *opening = &phantom->openings.item[i];
    ht_json_object(json, NULL);
    ht_opening_json(json, opening);
    ht_json_number(json, "flow_ml_s", opening->flow_ml_s);
    ht_json_number(json, "pressure_pa", opening->pressure_pa);
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
  flow_json(json, made);
}

/* Writes what the openings do not say; `measured`: the phase-contrast images are the inflow. A
 * narrowed aorta has the blood pressure of a patient with
 * one, and enough beats to tune its Windkessels to it. */
static void write_flow(FILE *stream, const request *wanted, const ht_phantom *phantom,
                       int measured) {
  const int is_aorta = wanted->options.kind == HT_PHANTOM_COARCTATION;
  if (phantom->density_kg_m3 != HT_BLOOD_DENSITY_KG_M3)
    fprintf(stream, "blood: {density_kg_m3: %g, viscosity_pa_s: %g}\n", phantom->density_kg_m3,
            phantom->viscosity_pa_s);
  if (wanted->options.kind == HT_PHANTOM_FDA_NOZZLE)
    fputs("lattice: {nodes_across: 60} # 20 across the throat\n", stream);
  if (measured || is_aorta)
    fprintf(stream, "flow: {%s%s%s}\n", measured ? "measured: " HT_PHANTOM_FLOW : "",
            measured && is_aorta ? ", " : "", is_aorta ? "cycles: 7" : "");
  if (is_aorta) fputs("patient: {kind: aorta, blood_pressure_mmhg: [140, 75]}\n", stream);
}

static ht_status write_case(const char *path, const request *wanted, const ht_phantom *phantom,
                            int measured) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  FILE *stream = output.stream;
  fprintf(stream, "# Run it with: hemotile run CASE.yaml -o DIR\nname: %s\nscan: %s\nopenings:\n",
          wanted->kind, wanted->dicom ? "dicom" : HT_FILE_SCAN);
  for (int i = 0; i < phantom->openings.count; i++) {
    const ht_opening *one = &phantom->openings.item[i];
    fputs("  - {name: ", stream);
    ht_yaml_quote(stream, one->name);
    fprintf(stream, ", role: %s, near_mm: [%.3f, %.3f, %.3f]", ht_role_name(one->role),
            one->centre_mm[0], one->centre_mm[1], one->centre_mm[2]);
    if (one->role == HT_ROLE_INLET && !measured)
      fprintf(stream, ", flow_ml_s: %.6g", one->flow_ml_s);
    if (one->role == HT_ROLE_OUTLET) fprintf(stream, ", pressure_pa: %.6g", one->pressure_pa);
    fputs("}\n", stream);
  }
  write_flow(stream, wanted, phantom, measured);
  return ht_output_commit(&output);
}

static void describe(const request *wanted, char text[64]) {
  snprintf(text, 64, "hemotile phantom %s", wanted->kind);
}

static ht_status write_scan(const request *wanted, const ht_phantom *phantom) {
  char path[HT_PATH_MAX], description[64];
  HT_TRY(ht_path_join(path, wanted->folder, wanted->dicom ? HT_PHANTOM_DICOM : HT_FILE_SCAN));
  if (!wanted->dicom) return ht_export_volume(path, &phantom->scan);
  describe(wanted, description);
  return ht_dicom_write_series(path, &phantom->scan, description, wanted->options.seed);
}

/* Writes the phase-contrast images, in the scan's frame of reference. */
static ht_status write_phase_contrast(const made_phantom *made) {
  const request *wanted = made->wanted;
  char path[HT_PATH_MAX], description[64], frame[HT_UID_TEXT];
  if (!wanted->has_flow) return HT_OK;
  describe(wanted, description);
  ht_dicom_series_frame(&made->phantom->scan, description, wanted->options.seed, frame);
  snprintf(made->flow->measured.frame_uid, sizeof made->flow->measured.frame_uid, "%s", frame);
  HT_TRY(ht_path_join(path, wanted->folder, HT_PHANTOM_FLOW));
  return ht_pc_write(path, &made->flow->measured, wanted->convention, (int)wanted->options.seed);
}

static ht_status write_files(const char *folder, const void *made) {
  const request *wanted = ((const made_phantom *)made)->wanted;
  const ht_phantom *phantom = ((const made_phantom *)made)->phantom;
  char path[HT_PATH_MAX];
  HT_TRY(write_scan(wanted, phantom));
  HT_TRY(write_phase_contrast(made));
  HT_TRY(ht_path_join(path, folder, HT_PHANTOM_MASK));
  HT_TRY(ht_export_mask(path, &phantom->truth));
  HT_TRY(ht_path_join(path, folder, HT_PHANTOM_DISTANCE));
  HT_TRY(ht_export_volume(path, &phantom->distance));
  if (wanted->has_flow) {
    HT_TRY(ht_path_join(path, folder, HT_PHANTOM_MEASURED));
    HT_TRY(write_case(path, wanted, phantom, 1));
  }
  HT_TRY(ht_path_join(path, folder, HT_FILE_CASE));
  return write_case(path, wanted, phantom, 0);
}

ht_status ht_phantom_write(const ht_phantom_request *wanted) {
  ht_phantom phantom = {0};
  ht_pc_phantom flow = {.flow_ml_s = NULL};
  HT_TRY(ht_phantom_folder_check(wanted->folder));
  ht_interrupt_folder(wanted->folder, ht_folder_sweep);
  ht_status status = ht_phantom_make(&wanted->options, ht_console_progress(), &phantom);
  if (status == HT_OK && wanted->has_flow)
    status = ht_pc_make(&wanted->options, &wanted->flow, &flow);
  const made_phantom made = {wanted, &phantom, &flow};
  if (status == HT_OK)
    status = ht_phantom_folder_write(
        &(ht_phantom_files){wanted->folder, truth_json, write_files, &made});
  ht_phantom_free(&phantom);
  ht_pc_free(&flow);
  return status;
}

static const ht_usage usage = {
    "phantom",
    "KIND",
    "make a synthetic scan of a known vessel",
    "KIND is aneurysm (on a curved artery), coarctation (of an aortic arch with branches), pipe "
    "or\n"
    "pipe-oblique (Poiseuille flow), fda-nozzle (the FDA's benchmark, sudden expansion) or\n"
    "stenosis (a straight pipe with a cosine narrowing). DIR gets the scan (dicom/ or\n"
    "scan.nii.gz), the true vessel (truth_mask.nii.gz, truth_distance.nii.gz: mm to the wall,\n"
    "negative inside), phantom.json (the true openings and narrowing) and case.yaml, ready to\n"
    "run. A severity is in per cent of the area, 1 - (throat / reference)^2 of the diameters;\n"
    "the reference is the descending aorta at the diaphragm, or the pipe before a stenosis. 40,\n"
    "55, 70, 80 are 23, 33, 45, 55 per cent of the diameter.\n"
    "\n"
    "With --phase-contrast, DIR also gets phase_contrast/: the flow over a beat as a scanner of\n"
    "that make stores it, its truth in phantom.json, and measured.yaml: the case with that flow "
    "as\n"
    "its inflow. The flow is Poiseuille's in each section (not: fda-nozzle; an aneurysm's sac is\n"
    "at rest).\n"
    "\n"
    "KIND scene is a random scan from --seed: a vessel with bone, veins, calcium, a stent or "
    "other\n"
    "vessels next to it, to test a segmentation from points. DIR gets the scan (scan.nii.gz), the\n"
    "true vessel, points.csv (clicked in the vessel; the inlet first) and phantom.json.\n"
    "\n"
    "KIND volumes is many small scans from --seed on, each voxel labelled, in one file (-o FILE),\n"
    "to train a network with: docs/notes/vessel/learned.md has its format.",
    "  hemotile phantom aneurysm -o sample\n  hemotile run sample/case.yaml -o result\n"
    "  hemotile phantom coarctation --severity 70 --flow 80 -o narrow\n"
    "  hemotile phantom coarctation --phase-contrast siemens --plane 20 --noise 5 -o measured\n"
    "  hemotile phantom scene --seed 7 -o scene-7",
    HT_TAKES_OUTPUT | HT_TAKES_PHANTOM,
};

static const char *kind_name(int number) {
  if (number < HT_PHANTOM_KINDS) return ht_shape_name(number);
  return number == HT_PHANTOM_KINDS ? "scene" : number == HT_PHANTOM_KINDS + 1 ? "volumes" : NULL;
}

void ht_page_phantom(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
  page->word = kind_name;
}

static void tell_next(const request *wanted) {
  char path[HT_PATH_MAX], typed[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
  if (ht_path_join(path, wanted->folder, HT_FILE_CASE) != HT_OK) return;
  ht_shell_word(path, typed, sizeof typed);
  printf("phantom '%s' is in %s; run it with: hemotile run %s -o DIR\n", wanted->kind,
         wanted->folder, typed);
}

typedef ht_status (*maker)(const ht_arguments *arguments);

/* Returns what makes a kind without a case; NULL for the others. */
static maker maker_of(const char *kind) {
  if (strcmp(kind, "scene") == 0) return ht_phantom_scene;
  return strcmp(kind, "volumes") == 0 ? ht_phantom_volumes : NULL;
}

int ht_command_phantom(int argc, char **argv) {
  ht_arguments arguments;
  request wanted;
  memset(&wanted, 0, sizeof wanted);
  ht_status status = ht_arguments_parse(&usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  ht_arguments_console(&arguments, argc, argv);
  ht_console_stage("phantom", 1, 1);
  maker make = status == HT_OK ? maker_of(arguments.operand) : NULL;
  if (status == HT_OK && make != ht_phantom_volumes && (arguments.count || arguments.edge))
    status = ht_fail(HT_ERR_USAGE, "--count and --edge belong to the phantom 'volumes'");
  if (status == HT_OK && !make) status = parse_request(&arguments, &wanted);
  if (status == HT_OK) status = ht_thread_limit(0, NULL);
  if (status == HT_OK) status = make ? make(&arguments) : ht_phantom_write(&wanted);
  ht_interrupt_done();
  if (status == HT_OK && !make) tell_next(&wanted);
  if (status != HT_OK) ht_console_error();
  fflush(stdout);
  ht_console_end();
  return (int)status;
}
