#include "run/case/schema.h"
#include "run/case/time_span.h"
#include "solver/inflow/published_waveforms.h"
#include "core/text/suggest.h"
#include "core/text/words.h"
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Parts of an entry: the place of its value in ht_case or in ht_case_opening, and the int there
 * that becomes 1 with it; the allowed values, by a stage or here; the value that `auto` stands
 * for. */
#define AT(field) .offset = offsetof(ht_case, field), .size = sizeof(((ht_case *)0)->field)
#define OF(field)                                                                                  \
  .offset = offsetof(ht_case_opening, field), .size = sizeof(((ht_case_opening *)0)->field)
#define AT_FLAG(field)  .flag = offsetof(ht_case, field)
#define OF_FLAG(field)  .flag = offsetof(ht_case_opening, field)
#define ALLOWED(of)     .range = &of
#define RANGE(from, to) .range = HT_RANGE(from, to)
#define ABOVE(from, to)                                                                            \
  .range = &(const ht_range) {                                                                     \
    .least = from, .most = to, .above_least = 1                                                    \
  }
#define RULE(of)    .rule = ht_idle_##of
#define AUTO(value) .has_automatic = 1, .automatic = value

static const char *const no_yes_words[] = {"no", "yes", NULL};
const char *const ht_surface_unit_words[] = {"auto", "mm", "cm", "m", NULL};
static const char *const beat_files_words[] = {"no", "animation", "vtk", "nifti", "all", NULL};
static const char *const refine_words[] = {"no", "auto", NULL};
static const char *const others_words[] = {"auto", "wall", NULL};
/* Words for the profile; auto: a measured one, or Womersley for a pulsatile flow, else parabolic.
 */
static const char *const profile_words[] = {"auto",      "plug",     "parabolic",
                                            "womersley", "measured", NULL};
static const char *const frame_words[] = {"auto", "same", NULL};
static const char *const yes_words[] = {"yes", NULL};
static const char *const role_words[] = {"inlet", "outlet", "wall", NULL};

/* Keys of a case. To add a setting: a member of ht_case, its default in ht_case_defaults, and one
 * entry here, in its section. The case file, case.yaml of the folder, the settings' hash and
 * `hemotile help case` follow; an option of the command line is one entry in arguments.c. */
const ht_key ht_case_keys[] = {
    {"", "name", .type = HT_KEY_TEXT, AT(name),
     .help = "the case's name in the results; do not use the patient's name"},
    {"", "scan", .type = HT_KEY_PATH, AT(scan),
     .help = "scan to read: a DICOM folder, .nii, .nii.gz, .nrrd, .mha"},
    {"", "mask", .type = HT_KEY_PATH, AT(mask),
     .help = "or a ready vessel: a mask (voxels > 0), a DICOM SEG, a surface (.stl, .vtp, .obj, "
             ".ply; or [WALL, CAP, ...])"},
    {"", "phantom", .type = HT_KEY_TEXT, AT(phantom),
     .help = "or a phantom: aneurysm, coarctation, pipe, pipe-oblique, fda-nozzle, stenosis"},
    {"", "phantom_seed", .type = HT_KEY_COUNT, AT(phantom_seed), RANGE(0, 9e15),
     RULE(without_phantom), .help = "seed of the phantom's noise; of a scene: of all of it"},
    {"", "phantom_spacing_mm", .type = HT_KEY_NUMBER, AT(phantom_spacing_mm), RANGE(0, 10),
     RULE(without_phantom), .help = "mm, voxel size of the phantom's scan; 0: its own"},
    {"", "series", .type = HT_KEY_TEXT, AT(series), RULE(without_dicom),
     .help = "DICOM series, or label or segment of a mask: number, UID or part of its name"},
    {"", "phase", .type = HT_KEY_COUNT, AT(phase), RANGE(0, 1e6), AUTO(0), RULE(with_phantom),
     .help = "number of the time frame (or echo) to read, counted from 1"},
    {"", "allow_gaps_mm", .type = HT_KEY_NUMBER, AT(allow_gaps_mm), RANGE(0, 100),
     RULE(without_dicom),
     .help = "mm, largest gap of missing DICOM slices to interpolate; 0: gaps are refused"},
    {"", "surface_spacing_mm", .type = HT_KEY_NUMBER, AT(surface_spacing_mm), ABOVE(0, 20), AUTO(0),
     RULE(without_surface),
     .help = "mm, voxel size for a surface (auto: 40 voxels across its thinnest vessel)"},
    {"", "surface_unit", .type = HT_KEY_CHOICE, AT(surface_unit), .choices = ht_surface_unit_words,
     RULE(without_surface),
     .help = "length unit of a surface (auto: by its length and width, with a message)"},
    {"", "max_memory_gb", .type = HT_KEY_NUMBER, AT(max_memory_gb), ABOVE(0, 1e6), AUTO(0),
     .help =
         "GB, most memory that hemotile may use; a larger case is refused (auto: the free memory)"},
    {"", "keep_identity", .type = HT_KEY_CHOICE, AT(keep_identity), .choices = no_yes_words,
     RULE(with_phantom),
     .help = "yes: manifest.json and the DICOM files keep the patient's name, number and dates"},
    {"", "follow_umask", .type = HT_KEY_CHOICE, AT(follow_umask), .choices = no_yes_words,
     .help = "yes: your umask sets who may read the results, else only you can"},
    {"", "others", .type = HT_KEY_CHOICE, AT(others_wall), .choices = others_words,
     .help = "role of border openings that are not in the list: auto (inlet or outlet) or wall"},
    {"", "sensitivity", .type = HT_KEY_CHOICE, AT(sensitivity), .choices = no_yes_words,
     .help = "yes: also run the mask half a scan voxel thinner and thicker"},
    {"region", "min_mm", .type = HT_KEY_POINT, AT(segment.region_min_mm), AT_FLAG(has_region_min),
     ALLOWED(ht_segment_allowed.position_mm), RULE(region),
     .help = "LPS mm, one corner of the box to segment"},
    {"region", "max_mm", .type = HT_KEY_POINT, AT(segment.region_max_mm), AT_FLAG(has_region_max),
     ALLOWED(ht_segment_allowed.position_mm), RULE(region), .help = "LPS mm, the opposite corner"},
    {"region", "centre_mm", .type = HT_KEY_POINT, AT(segment.sphere_mm),
     AT_FLAG(segment.has_sphere), ALLOWED(ht_segment_allowed.position_mm), RULE(region),
     .help = "LPS mm, or the centre of a ball to segment (with a box: the part in both)"},
    {"region", "radius_mm", .type = HT_KEY_NUMBER, AT(segment.sphere_radius_mm),
     ALLOWED(ht_segment_allowed.sphere_radius_mm), AUTO(0), RULE(region),
     .help = "mm, radius of the ball"},
    {"segment", "preset", .type = HT_KEY_CHOICE, AT(segment.preset),
     .choices = ht_segment_preset_words, RULE(segment),
     .help = "kind of scan; sets method, bias, bone and gap_mm where they are auto (auto: by the "
             "scan's "
             "tags, else none)"},
    {"segment", "method", .type = HT_KEY_CHOICE, AT(segment.method),
     .choices = ht_segment_method_words,
     .help = "how to separate the vessel from the tissue; file: use the given mask"},
    {"segment", "lower", .type = HT_KEY_NUMBER, AT(segment.lower),
     ALLOWED(ht_segment_allowed.intensity), AUTO(NAN), RULE(segment),
     .help =
         "lowest intensity of the vessel, in the scan's unit (CT: HU); between points its blood "
         "must have so much (auto: 100 HU in a CT)"},
    {"segment", "upper", .type = HT_KEY_NUMBER, AT(segment.upper),
     ALLOWED(ht_segment_allowed.intensity), AUTO(NAN), RULE(segment_between),
     .help = "highest intensity of the vessel"},
    {"segment", "seed_mm", .type = HT_KEY_POINT, AT(segment.seed_mm), AT_FLAG(segment.has_seed),
     ALLOWED(ht_segment_allowed.position_mm), RULE(region),
     .help = "LPS mm, a point in the vessel to keep (without it: the largest vessel)"},
    {"segment", "smoothing_mm", .type = HT_KEY_NUMBER, AT(segment.smoothing_mm),
     ALLOWED(ht_segment_allowed.smoothing_mm), AUTO(-1), RULE(segment),
     .help = "mm, sigma of the Gaussian that smooths the scan before the threshold"},
    {"segment", "bias", .type = HT_KEY_CHOICE, AT(segment.bias), .choices = ht_segment_bias_words,
     RULE(segment), .help = "n4: first correct the slow changes of brightness that MR coils cause"},
    {"segment", "bone", .type = HT_KEY_NUMBER, AT(segment.bone),
     ALLOWED(ht_segment_allowed.intensity), AUTO(NAN), RULE(segment_between),
     .help = "lowest intensity of dense bone, which is removed (auto: by the preset, else none)"},
    {"segment", "learned", .type = HT_KEY_CHOICE, AT(segment.learned),
     .choices = ht_segment_learned_words, RULE(segment),
     .help = "use of the network that sees vessels: auto: where the vessel is not clear without "
             "it; only: the vessel lies where it sees an artery"},
    {"segment", "gap_mm", .type = HT_KEY_NUMBER, AT(segment.gap_mm),
     ALLOWED(ht_segment_allowed.gap_mm), AUTO(-1), RULE(segment_between),
     .help = "mm, largest gap in a vessel to bridge (auto: by the preset, else none)"},
    {"segment", "radius_mm", .type = HT_KEY_PAIR, AT(segment.vessel_radius_mm),
     ALLOWED(ht_segment_allowed.vessel_radius_mm), AUTO(0), RULE(radius),
     .help = "mm, smallest and largest vessel radius for the vesselness"},
    {"vessel", "points", .type = HT_KEY_POINTS, AT(segment.point_mm), AT_FLAG(segment.points),
     ALLOWED(ht_segment_allowed.position_mm),
     .help = "LPS mm, the vessel between two or more points, the first at the inlet; or a file: a "
             "point list of 3D Slicer (.mrk.json, .fcsv), a CSV"},
    {"vessel", "branches", .type = HT_KEY_NUMBER, AT(segment.branch_diameters),
     ALLOWED(ht_segment_allowed.branch_diameters),
     .help = "with points: length of side branches to keep, in branch diameters"},
    {"lattice", "nodes_across", .type = HT_KEY_NUMBER, AT(segment.nodes_across),
     ALLOWED(ht_segment_allowed.nodes_across), AUTO(0),
     .help = "lattice nodes across the widest opening (auto: 20, more where the flow needs it)"},
    {"lattice", "spacing_mm", .type = HT_KEY_NUMBER, AT(segment.spacing_mm),
     ALLOWED(ht_segment_allowed.spacing_mm), AUTO(0),
     .help = "mm, lattice spacing, instead of nodes_across"},
    {"lattice", "within", .type = HT_KEY_SPAN, AT(within_s), .has_automatic = 1,
     .help = "time that the flow may take on this machine: a lattice (and beats, unless they are "
             "given) that fits is taken, none finer than without it; no: any time (auto: a run of "
             "more than 2 hours is not begun)"},
    {"lattice", "within_choice", .type = HT_KEY_POINT, AT(within_choice),
     AT_FLAG(has_within_choice), RANGE(0, 1e9),
     .help = "seconds, nodes across, beats: the choice for this time, kept by hemotile so that the "
             "case repeats; 0: as without it; another time chooses again"},
    {"lattice", "refine", .type = HT_KEY_CHOICE, AT(refine), .choices = refine_words, RULE(levels),
     .help =
         "auto: where a narrow place decides the spacing, one of twice or four times that in the "
         "rest of the vessel, if that pays; no: one spacing"},
    {"lattice", "refine_jet", .type = HT_KEY_NUMBER, AT(refine_jet_diameters), RANGE(0, 100),
     RULE(refined),
     .help = "throat diameters after a narrow throat that keep the finest spacing, for its jet; "
             "ten times as many below a Reynolds number of 1500"},
    {"lattice", "refine_across", .type = HT_KEY_NUMBER, AT(refine_across), RANGE(4, 1000),
     RULE(refined),
     .help =
         "nodes that a section of the vessel keeps across; more where the throat has more than 20"},
    {"lattice", "refine_dx_plus", .type = HT_KEY_NUMBER, AT(refine_dx_plus), ABOVE(0, 1000),
     RULE(refined),
     .help = "planned spacing at the wall in wall units, above which the wall keeps a finer layer"},
    {"extensions", "inlet_diameters", .type = HT_KEY_NUMBER, AT(extensions.inlet_diameters),
     RANGE(0, 20), .help = "length of the straight extension at inlets, in diameters"},
    {"extensions", "outlet_diameters", .type = HT_KEY_NUMBER, AT(extensions.outlet_diameters),
     RANGE(0, 20), AUTO(-1),
     .help =
         "length of the straight extension at outlets, in diameters (auto: 1, up to 5 where the "
         "jet of a narrowing may reach the outlet)"},
    {"blood", "density_kg_m3", .type = HT_KEY_NUMBER, AT(solver.density_kg_m3),
     ALLOWED(ht_solver_allowed.density_kg_m3), .help = "kg/m3, density"},
    {"blood", "model", .type = HT_KEY_CHOICE, AT(solver.blood.model), .choices = ht_blood_words,
     .help = "viscosity model; the last two are shear-thinning"},
    {"blood", "viscosity_pa_s", .type = HT_KEY_NUMBER, AT(solver.viscosity_pa_s),
     ALLOWED(ht_solver_allowed.viscosity_pa_s), RULE(viscosity),
     .help = "Pa s, viscosity of Newtonian blood (0.0035: 3.5 mPa s)"},
    {"blood", "carreau_rest_pa_s", .type = HT_KEY_NUMBER, AT(solver.blood.carreau_rest_pa_s),
     ALLOWED(ht_blood_allowed.carreau_rest_pa_s), RULE(carreau),
     .help = "Pa s, Carreau-Yasuda: viscosity at zero shear rate"},
    {"blood", "carreau_high_pa_s", .type = HT_KEY_NUMBER, AT(solver.blood.carreau_high_pa_s),
     ALLOWED(ht_blood_allowed.carreau_high_pa_s), RULE(carreau),
     .help = "Pa s, Carreau-Yasuda: viscosity at high shear rates"},
    {"blood", "carreau_time_s", .type = HT_KEY_NUMBER, AT(solver.blood.carreau_time_s),
     ALLOWED(ht_blood_allowed.carreau_time_s), RULE(carreau),
     .help = "s, Carreau-Yasuda: thinning begins at the shear rate 1 / time"},
    {"blood", "carreau_index", .type = HT_KEY_NUMBER, AT(solver.blood.carreau_index),
     ALLOWED(ht_blood_allowed.carreau_index), RULE(carreau),
     .help = "Carreau-Yasuda: index n, the stress grows as (shear rate)^n"},
    {"blood", "carreau_yasuda", .type = HT_KEY_NUMBER, AT(solver.blood.carreau_yasuda),
     ALLOWED(ht_blood_allowed.carreau_yasuda), RULE(carreau),
     .help = "Carreau-Yasuda: exponent a, how sharply thinning begins"},
    {"blood", "casson_yield_pa", .type = HT_KEY_NUMBER, AT(solver.blood.casson_yield_pa),
     ALLOWED(ht_blood_allowed.casson_yield_pa), RULE(casson),
     .help = "Pa, Casson: yield stress, below which blood (almost) does not flow"},
    {"blood", "casson_high_pa_s", .type = HT_KEY_NUMBER, AT(solver.blood.casson_high_pa_s),
     ALLOWED(ht_blood_allowed.casson_high_pa_s), RULE(casson),
     .help = "Pa s, Casson: viscosity at high shear rates"},
    {"blood", "casson_rest_pa_s", .type = HT_KEY_NUMBER, AT(solver.blood.casson_rest_pa_s),
     ALLOWED(ht_blood_allowed.casson_rest_pa_s), RULE(casson),
     .help = "Pa s, Casson: largest viscosity (Casson's law has infinite viscosity at rest)"},
    {"patient", "kind", .type = HT_KEY_CHOICE, AT(patient.kind), .choices = ht_patient_words,
     .help = "aorta: the keys below drive the flow (waveform aorta, fitted windkessels); head: a "
             "vessel of head or neck, whose flow may be derived from its width"},
    {"patient", "cardiac_output_l_min", .type = HT_KEY_NUMBER, AT(patient.cardiac_output_l_min),
     ALLOWED(ht_patient_allowed.cardiac_output_l_min), AUTO(0),
     .help = "L/min, mean flow into the aorta at rest (auto: from the keys of flow, else by age)"},
    {"patient", "heart_rate_per_min", .type = HT_KEY_NUMBER, AT(patient.heart_rate_per_min),
     ALLOWED(ht_patient_allowed.heart_rate_per_min), AUTO(0),
     .help = "for an aorta: beats a minute at rest (auto: by age, else the waveform's own)"},
    {"patient", "blood_pressure_mmhg", .type = HT_KEY_PAIR, AT(patient.blood_pressure_mmhg),
     ALLOWED(ht_patient_allowed.blood_pressure_mmhg), AUTO(0), RULE(blood_pressure),
     .help = "mmHg (1 kPa is 7.5), for an aorta: measured with a cuff on the arm at rest (auto: by "
             "age, else 120 over 80; with a warning)"},
    {"patient", "age_years", .type = HT_KEY_NUMBER, AT(patient.age_years),
     ALLOWED(ht_patient_allowed.age_years), AUTO(0),
     .help = "years; from 1 on, supplies values that were not measured, with a warning; limits the "
             "heart rate under stress"},
    {"patient", "state", .type = HT_KEY_CHOICE, AT(patient.state),
     .choices = ht_patient_state_words,
     .help = "rest, or a stress test with dobutamine computed from the values at rest"},
    {"flow", "inlet_flow_ml_s", .type = HT_KEY_NUMBER, AT(inlet_flow_ml_s), ABOVE(0, 2000), AUTO(0),
     .help =
         "mL/s, mean flow into the only inlet (auto: for an artery of head or neck, by its width)"},
    {"flow", "inlet_reynolds", .type = HT_KEY_NUMBER, AT(inlet_reynolds), ABOVE(0, 1e5), AUTO(0),
     .help = "or its Reynolds number (mean velocity * diameter / kinematic viscosity)"},
    {"flow", "waveform", .type = HT_KEY_WORD, AT(waveform), .choices = ht_waveform_words,
     .help = "waveform, scaled to the mean flow; or a CSV file (time_s,flow_ml_s or velocity_m_s)"},
    {"flow", "measured", .type = HT_KEY_PATH, AT(measured),
     .help =
         "or phase-contrast MR: its flow through the inlet's vessel is the inflow, with its "
         "mean (a folder, zip or file of a plane or a volume, or a YAML file that describes it)"},
    {"flow", "measured_frame", .type = HT_KEY_CHOICE, AT(measured_frame), .choices = frame_words,
     RULE(measured_frame),
     .help =
         "auto: the measured flow needs the scan's frame of reference; same: it is taken as the "
         "same, whatever the files tell"},
    {"flow", "period_s", .type = HT_KEY_NUMBER, AT(period_s), ABOVE(0, 100), AUTO(0),
     .help = "s, period to stretch the waveform to (auto: its own)"},
    {"flow", "waveform_period_s", .type = HT_KEY_NUMBER, AT(waveform_period_s), ABOVE(0, 100),
     AUTO(0), RULE(beat_length),
     .help =
         "s, length of the file's own beat, where its rows leave it open (auto: by its last row)"},
    {"flow", "samples", .type = HT_KEY_INT, AT(solver.samples), ALLOWED(ht_solver_allowed.samples),
     RULE(steady), .help = "samples of the last period for the means and the wall load"},
    {"flow", "fields_at", .type = HT_KEY_NUMBER, AT(fields_at), RANGE(0, 1), AUTO(-1), RULE(steady),
     .help =
         "moment of the beat whose fields are kept in addition to the means, as a fraction of the "
         "period from its start (auto: the largest inflow)"},
    {"flow", "cycles", .type = HT_KEY_INT, AT(solver.cycles), ALLOWED(ht_solver_allowed.cycles),
     RULE(steady), .help = "periods to run; the results are those of the last"},
    {"flow", "max_cycles", .type = HT_KEY_INT, AT(solver.max_cycles),
     ALLOWED(ht_solver_allowed.max_cycles), RULE(steady),
     .help = "maximum number of periods, where the last ones do not repeat each other: results are "
             "then means over those from `cycles` on; 0: none is added"},
    {"flow", "profile", .type = HT_KEY_CHOICE, AT(profile), .choices = profile_words, .first = -1,
     .help = "velocity profile at the inlets (auto: womersley for a pulsatile flow, else "
             "parabolic; with "
             "flow.measured as measured, if the vessel is 8 voxels wide there)"},
    {"flow", "inlet_noise", .type = HT_KEY_NUMBER, AT(solver.inlet_noise),
     ALLOWED(ht_solver_allowed.inlet_noise),
     .help = "noise of the velocity at the inlets: its RMS over the RMS of the profile; 0: none"},
    {"flow", "noise_seed", .type = HT_KEY_INT, AT(solver.noise_seed),
     ALLOWED(ht_solver_allowed.noise_seed), RULE(noise),
     .help = "seed of that noise: another number makes another noise of the same size"},
    {"flow", "device", .type = HT_KEY_CHOICE, AT(solver.device), .choices = ht_device_words,
     .help = "where the flow is computed"},
    {"flow", "precision", .type = HT_KEY_CHOICE, AT(solver.precision),
     .choices = ht_precision_words,
     .help = "number format of the stored flow; fp16 computes in fp32"},
    {"flow", "collision", .type = HT_KEY_CHOICE, AT(collision), .choices = ht_collision_words,
     AUTO(-1),
     .help = "collision operator (auto: the cheapest that the cell Reynolds numbers allow)"},
    {"flow", "fluid", .type = HT_KEY_CHOICE, AT(solver.compressibility),
     .choices = ht_compressibility_words,
     .help = "fluid model: whether small deviations of the density enter the velocity"},
    {"flow", "diagonal_correction", .type = HT_KEY_CHOICE, AT(solver.diagonal_correction),
     .choices = no_yes_words, RULE(diagonals),
     .help = "yes: with cumulants above a cell Reynolds number of 50, the flow along diagonals of "
             "the lattice is corrected; no: faster, less accurate"},
    {"flow", "eddies", .type = HT_KEY_NUMBER, AT(solver.blood.eddies),
     ALLOWED(ht_blood_allowed.eddies),
     .help = "Smagorinsky constant of eddies that the lattice does not resolve, usually 0.1; "
             "0: none"},
    {"flow", "walls", .type = HT_KEY_CHOICE, AT(solver.walls), .choices = ht_walls_words,
     .help = "wall at the smooth surface (interpolated) or halfway between voxels"},
    {"flow", "max_velocity_lu", .type = HT_KEY_NUMBER, AT(solver.max_velocity_lu),
     ALLOWED(ht_solver_allowed.max_velocity_lu),
     .help = "largest inlet velocity on the lattice; sets the time step"},
    {"flow", "sound_deviation", .type = HT_KEY_NUMBER, AT(solver.sound_deviation),
     ALLOWED(ht_solver_allowed.sound_deviation), AUTO(0),
     .help = "pulsatile: largest difference between outflow and inflow at any moment that the "
             "lattice's sound may cause, as a fraction of the peak inflow; shortens the time step "
             "(auto: 0.01; 0.1 for a flow with jets)"},
    {"flow", "steady_tolerance", .type = HT_KEY_NUMBER, AT(solver.steady_tolerance),
     ALLOWED(ht_solver_allowed.steady_tolerance), RULE(pulse),
     .help = "relative velocity change per step below which the flow is steady"},
    {"flow", "coarse_start", .type = HT_KEY_CHOICE, AT(solver.coarse_start),
     .choices = no_yes_words,
     .help = "yes: the flow starts from the flow on a lattice of twice the spacing, where that has "
             "enough nodes across; no: from rest"},
    {"flow", "max_steps", .type = HT_KEY_COUNT, AT(solver.max_steps),
     ALLOWED(ht_solver_allowed.max_steps), AUTO(0),
     .help = "stop looking for a steady state after N steps"},
    {"flow", "steps", .type = HT_KEY_COUNT, AT(steps), ALLOWED(ht_solver_allowed.max_steps),
     AUTO(0), .help = "run exactly N steps instead"},
    {"flow", "checkpoint_minutes", .type = HT_KEY_NUMBER, AT(checkpoint_minutes), RANGE(0, 1440),
     .help = "minutes of computing between two checkpoints, from which `hemotile solve` resumes "
             "after a stop or a power cut; 0: none"},
    {"flow", "threads", .type = HT_KEY_INT, AT(solver.threads), ALLOWED(ht_solver_allowed.threads),
     AUTO(0), .help = "CPU threads (auto: all)"},
    {"outlets", "model", .type = HT_KEY_CHOICE, AT(outlets), .choices = ht_outlet_words, AUTO(-1),
     .help = "auto: windkessel for an aorta, else pressure; given pressure; flow split by area, "
             "Murray's law or flow_fraction; or windkessel"},
    {"outlets", "murray_exponent", .type = HT_KEY_NUMBER, AT(solver.murray_exponent),
     ALLOWED(ht_solver_allowed.murray_exponent), RULE(murray),
     .help = "exponent of the diameter in the split of murray and of fitted windkessels"},
    {"outlets", "mean_pressure_mmhg", .type = HT_KEY_NUMBER, AT(mean_pressure_mmhg), ABOVE(0, 500),
     AUTO(0), RULE(windkessel),
     .help = "mmHg, mean pressure to fit the windkessels that have no values of their own"},
    {"outlets", "compliance_ml_mmhg", .type = HT_KEY_NUMBER, AT(compliance_ml_mmhg), ABOVE(0, 100),
     AUTO(0), RULE(windkessel), .help = "mL/mmHg, total compliance of these windkessels"},
    {"outlets", "wave_speed_m_s", .type = HT_KEY_NUMBER, AT(solver.wave_speed_m_s), ABOVE(0, 100),
     AUTO(0), RULE(windkessel), .help = "m/s, pulse wave velocity in their vessels"},
    {"sac", "find", .type = HT_KEY_CHOICE, AT(sac.find), .choices = no_yes_words, RULE(sac_find),
     .help = "yes: search for an aneurysm's sac along the centrelines, and measure it"},
    {"sac", "neck_mm", .type = HT_KEY_POINT, AT(sac.neck_mm), AT_FLAG(sac.has_neck),
     ALLOWED(ht_segment_allowed.position_mm),
     .help = "LPS mm, or a point in its neck, with neck_normal"},
    {"sac", "neck_normal", .type = HT_KEY_POINT, AT(sac.neck_normal), AT_FLAG(sac.has_normal),
     RANGE(-1e5, 1e5), .help = "LPS, normal of the neck's plane, in either direction"},
    {"sac", "neck_file", .type = HT_KEY_PATH, AT(sac.neck_file),
     .help = "or that plane as a file of 3D Slicer (.mrk.json)"},
    {"export", "dicom", .type = HT_KEY_CHOICE, AT(dicom), .choices = no_yes_words,
     .help = "yes: also write mask, speed, wall shear stress, pictures and report as DICOM, into "
             "dicom/"},
    {"export", "beat_files", .type = HT_KEY_CHOICE, AT(beat_files), .choices = beat_files_words,
     RULE(steady),
     .help = "pulsatile: files of every sample of the last beat (at most 50): an animation; also "
             "ParaView's series, 4D NIfTI, or all; this stores 8 bytes per voxel and sample"},
    {"export", "speed_colours_to_m_s", .type = HT_KEY_NUMBER, AT(speed_high_m_s), ABOVE(0, 100),
     AUTO(0),
     .help = "m/s, upper end of the colour bar of the speed in the pictures (auto: by the case's "
             "values); use the same end for cases that you compare"},
    {"export", "wss_colours_to_pa", .type = HT_KEY_NUMBER, AT(wss_high_pa), ABOVE(0, 1e4), AUTO(0),
     .help = "Pa, the same for the wall shear stress and its mean over the beat"},
    {0}, /* the end */
};
_Static_assert(sizeof ht_case_keys / sizeof *ht_case_keys <= HT_CASE_KEYS_MAX, "room for each");

const ht_key ht_opening_keys[] = {
    {"openings", "name", .type = HT_KEY_TEXT, OF(name),
     .help = "the opening's name in the results"},
    {"openings", "role", .type = HT_KEY_CHOICE, OF(role), .choices = role_words,
     .first = HT_ROLE_INLET, .help = "inlet, outlet or wall (closed)"},
    {"openings", "point", .type = HT_KEY_INT, OF(point), OF_FLAG(point),
     RANGE(1, HT_SEGMENT_POINTS_MAX),
     .help = "number of the point in vessel.points where it lies; sets centre_mm and normal"},
    {"openings", "near_mm", .type = HT_KEY_POINT, OF(near_mm), OF_FLAG(has_near),
     ALLOWED(ht_segment_allowed.position_mm),
     .help = "LPS mm, choose the opening at the border nearest to this point"},
    {"openings", "centre_mm", .type = HT_KEY_POINT, OF(centre_mm), OF_FLAG(has_centre),
     ALLOWED(ht_segment_allowed.position_mm), .help = "LPS mm, or cut the vessel here"},
    {"openings", "normal", .type = HT_KEY_POINT, OF(normal), OF_FLAG(has_normal), RANGE(-1e5, 1e5),
     .help = "LPS, normal of the cut, pointing out of the vessel (without it: along the vessel)"},
    {"openings", "either_way", .type = HT_KEY_CHOICE, OF(finds_side), .choices = yes_words,
     .first = 1, .help = "yes: the normal may also point into the vessel, and is turned"},
    {"openings", "flow_ml_s", .type = HT_KEY_NUMBER, OF(flow_ml_s), ABOVE(0, 2000), AUTO(0),
     .help = "mL/s, mean flow into an inlet"},
    {"openings", "pressure_pa", .type = HT_KEY_NUMBER, OF(pressure_pa), RANGE(-1e6, 1e6),
     .help = "Pa, gauge pressure of an outlet (with a windkessel: at its far end)"},
    {"openings", "flow_fraction", .type = HT_KEY_NUMBER, OF(flow_fraction), ABOVE(0, 1), AUTO(0),
     .help = "share of the outflow through an outlet (outlets.model fractions)"},
    {"openings", "windkessel_mmhg_ml_s", .type = HT_KEY_POINT, OF(windkessel),
     OF_FLAG(has_windkessel), RANGE(0, 1e6),
     .help = "mmHg s/mL, mL/mmHg, mmHg s/mL: proximal resistance, compliance, distal resistance"},
    {0}, /* the end */
};

const ht_key *ht_key_find(const ht_key *keys, const char *section, const char *key) {
  for (; keys->key; keys++)
    if (strcmp(keys->section, section) == 0 && strcmp(keys->key, key) == 0) return keys;
  return NULL;
}

const char *ht_key_nearest(const ht_key *keys, const char *section, const char *key) {
  const char *best = NULL;
  int distance = 0;
  for (; keys->key; keys++)
    if (strcmp(keys->section, section) == 0) ht_suggest(key, keys->key, &best, &distance);
  return best ? best : "";
}

int ht_section_known(const char *section) {
  for (const ht_key *key = ht_case_keys; key->key; key++)
    if (key->section[0] && strcmp(key->section, section) == 0) return 1;
  return strcmp(section, "openings") == 0;
}

const char *ht_section_nearest(const char *section) {
  const char *best = NULL;
  int distance = 0;
  for (const ht_key *key = ht_case_keys; key->key; key++)
    ht_suggest(section, key->section[0] ? key->section : key->key, &best, &distance);
  ht_suggest(section, "openings", &best, &distance);
  return best ? best : "";
}

static int parse_number(const char *text, double *value) {
  char *end;
  if (!text[0] || strspn(text, "0123456789+-.eE") != strlen(text)) return 0;
  *value = strtod(text, &end);
  return *end == 0 && isfinite(*value);
}

static ht_status out_of_range(const ht_key *key, const char *text, const char *where,
                              ht_status code) {
  int above = key->range->above_least;
  return ht_fail(code, "%s: %s is %s: allowed is %s %g%s%g%s (%s)", where, key->key, text,
                 above ? "above" : "from", key->range->least, above ? " up to " : " to ",
                 key->range->most, key->has_automatic ? ", or auto" : "", key->help);
}

/* Returns the fault of a number, where that is plain. */
static const char *why_no_number(const char *text) {
  char *end;
  (void)strtod(text, &end);
  if (end == text) return "";
  if (*end == ',' && end[1 + strspn(end + 1, "0123456789")] == 0)
    return ": write a decimal point, not a comma";
  return isalpha((unsigned char)end[strspn(end, " ")]) ? ": leave the unit out" : "";
}

static ht_status set_number(const ht_key *key, const char *text, const char *where, ht_status code,
                            double *value) {
  if (key->has_automatic && strcmp(text, "auto") == 0) {
    *value = key->automatic;
    return HT_OK;
  }
  if (!parse_number(text, value))
    return ht_fail(code, "%s: %s must be a number, not '%.60s'%s (%s)", where, key->key, text,
                   why_no_number(text), key->help);
  if (!ht_range_holds(key->range, *value)) return out_of_range(key, text, where, code);
  int whole = key->type == HT_KEY_COUNT || key->type == HT_KEY_INT;
  if (whole && *value != floor(*value))
    return ht_fail(code, "%s: %s must be a whole number, not %s", where, key->key, text);
  return HT_OK;
}

static ht_status set_span(const ht_key *key, const char *text, const char *where, ht_status code,
                          double *value) {
  double seconds = HT_WITHIN_AUTO;
  const int is_word = strcmp(text, "auto") == 0 || strcmp(text, "no") == 0;
  if (strcmp(text, "no") == 0) seconds = HT_WITHIN_NO;
  if (!is_word && !ht_time_span_read(text, &seconds))
    return ht_fail(code, "%s: %s must be a time as 90s, 15min, 1h or 2d, or no, not '%.60s'", where,
                   key->key, text);
  if (!is_word && (seconds < HT_TIME_SPAN_LEAST_S || seconds > HT_TIME_SPAN_MOST_S))
    return ht_fail(code, "%s: %s is %.60s: allowed is %gs to %gd, or no", where, key->key, text,
                   HT_TIME_SPAN_LEAST_S, HT_TIME_SPAN_MOST_S / 86400);
  *value = seconds;
  return HT_OK;
}

static ht_status set_choice(const ht_key *key, const char *text, const char *where, ht_status code,
                            int *value) {
  char allowed[128];
  const char *best = NULL;
  int distance = 0, found = ht_word_find(key->choices, text, strlen(text));
  *value = key->first + found;
  if (found >= 0) return HT_OK;
  if (key->has_automatic && strcmp(text, "auto") == 0) {
    *value = (int)key->automatic;
    return HT_OK;
  }
  for (int i = 0; key->choices[i]; i++) ht_suggest(text, key->choices[i], &best, &distance);
  /* The nearest word by its letters would be "cpu". */
  if (strcmp(text, "gpu") == 0 && ht_word_find(key->choices, "cuda", 4) >= 0) best = "cuda";
  ht_word_list(key->choices, "|", allowed, sizeof allowed);
  return ht_fail(code, "%s: %s cannot be '%.60s': allowed is %s%s%s%s%s", where, key->key, text,
                 key->has_automatic ? "auto|" : "", allowed, best ? "; did you mean '" : "",
                 best ? best : "", best ? "'?" : "");
}

static ht_status set_text(const ht_key *key, const char *text, const char *where, ht_status code,
                          char *value) {
  if (!text[0]) return ht_fail(code, "%s: %s is empty", where, key->key);
  if (strlen(text) >= key->size)
    return ht_fail(code, "%s: %s is longer than %d characters", where, key->key,
                   (int)key->size - 1);
  if (key->type == HT_KEY_TEXT && ht_text_has_control(text))
    return ht_fail(code,
                   "%s: %s holds a control character (a line's end, a tab, an escape): remove "
                   "it",
                   where, key->key);
  snprintf(value, key->size, "%s", text);
  return HT_OK;
}

void ht_case_mark_given(ht_case *settings, const ht_key *key) {
  settings->is_given[key - ht_case_keys] = 1;
}

const double *ht_key_points(const ht_key *key, const void *target, int *count) {
  *count = *(const int *)((const char *)target + key->flag);
  return (const double *)((const char *)target + key->offset);
}

static int elements(ht_key_type type) {
  return type == HT_KEY_POINT ? 3 : type == HT_KEY_PAIR ? 2 : 1;
}

ht_status ht_key_set(const ht_key *key, void *target, const char *const *texts, int count,
                     const char *where, ht_status code) {
  char *at = (char *)target + key->offset;
  int wanted = elements(key->type);
  double value[3] = {0, 0, 0};
  if (wanted == 2 && count == 1 && strcmp(texts[0], "auto") == 0) {
    memset(at, 0, 2 * sizeof(double));
    return HT_OK;
  }
  if (count != wanted)
    return ht_fail(code, "%s: %s must be %s; got %d value%s (%s)", where, key->key,
                   wanted == 3   ? "three numbers, as in [1, 2, 3]"
                   : wanted == 2 ? "two numbers, as in [1, 2]"
                                 : "one value, not a list",
                   count, count == 1 ? "" : "s", key->help);
  if (key->flag) *(int *)((char *)target + key->flag) = 1;
  if (key->type == HT_KEY_TEXT || key->type == HT_KEY_PATH || key->type == HT_KEY_WORD)
    return set_text(key, texts[0], where, code, at);
  if (key->type == HT_KEY_CHOICE) {
    int choice = 0;
    HT_TRY(set_choice(key, texts[0], where, code, &choice));
    memcpy(at, &choice, sizeof choice);
    return HT_OK;
  }
  if (key->type == HT_KEY_SPAN) return set_span(key, texts[0], where, code, (double *)at);
  for (int i = 0; i < count; i++) HT_TRY(set_number(key, texts[i], where, code, &value[i]));
  if (key->type == HT_KEY_COUNT)
    *(int64_t *)at = (int64_t)value[0];
  else if (key->type == HT_KEY_INT)
    *(int *)at = (int)value[0];
  else
    memcpy(at, value, (size_t)wanted * sizeof(double));
  return HT_OK;
}
