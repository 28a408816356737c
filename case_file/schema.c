#include "schema.h"
#include "published_waveforms.h"
#include "suggest.h"
#include "words.h"
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(field)   offsetof(ht_case, field)
#define SIZE(field) sizeof(((ht_case *)0)->field)
#define OF(field)   offsetof(ht_case_opening, field)

#define TEXT(section, key, field, help)                                                            \
  { section, key, HT_KEY_TEXT, AT(field), HT_NO_FLAG, SIZE(field), 0, 0, 0, 0, 0, 0, 0, help }
#define PATH(key, field, help)                                                                     \
  { "", key, HT_KEY_PATH, AT(field), HT_NO_FLAG, HT_PATH_MAX, 0, 0, 0, 0, 0, 0, 0, help }
#define NUMBER(section, key, field, least, most, above, help)                                      \
  { section, key, HT_KEY_NUMBER, AT(field), HT_NO_FLAG, 0, least, most, above, 0, 0, 0, 0, help }
#define AUTOMATIC(section, key, field, least, most, above, value, help)                            \
  {                                                                                                \
    section, key, HT_KEY_NUMBER, AT(field), HT_NO_FLAG, 0, least, most, above, 0, 0, 1, value,     \
        help                                                                                       \
  }
#define COUNT(section, key, field, least, most, automatic, help)                                   \
  { section, key, HT_KEY_COUNT, AT(field), HT_NO_FLAG, 0, least, most, 0, 0, 0, automatic, 0, help }
#define CHOICE(section, key, field, choices, help)                                                 \
  { section, key, HT_KEY_CHOICE, AT(field), HT_NO_FLAG, 0, 0, 0, 0, choices, 0, 0, 0, help }
#define POINT(section, key, field, flag, help)                                                     \
  { section, key, HT_KEY_POINT, AT(field), AT(flag), 0, -1e5, 1e5, 0, 0, 0, 0, 0, help }

static const char *const no_yes_words[] = {"no", "yes", NULL};
static const char *const surface_unit_words[] = {"auto", "mm", "cm", "m", NULL};
static const char *const others_words[] = {"auto", "wall", NULL};
/* Chosen by itself: Womersley for pulsatile flow, else parabolic. */
static const char *const profile_words[] = {"auto", "plug", "parabolic", "womersley", NULL};
static const char *const role_words[] = {"inlet", "outlet", "wall", NULL};

const ht_key ht_case_keys[] = {
    TEXT("", "name", name, "what the case is called in the results; no patient's name"),
    PATH("scan", scan, "scan to read: a DICOM folder, .nii, .nii.gz, .nrrd, .mha"),
    PATH("mask", mask,
         "or a ready vessel: a mask (voxels > 0), a closed surface (.stl), a DICOM SEG"),
    TEXT("", "phantom", phantom, "or a phantom: aneurysm, coarctation, pipe, pipe-oblique"),
    COUNT("", "phantom_seed", phantom_seed, 0, 9e15, 0, "seed of the phantom's noise"),
    NUMBER("", "phantom_spacing_mm", phantom_spacing_mm, 0, 10, 0,
           "mm, voxel size of the phantom's scan; 0: its own"),
    TEXT("", "series", series,
         "DICOM series (SEG: segment) by number, UID or part of its description"),
    COUNT("", "phase", phase, 0, 1e6, 1,
          "which image of several in time (or echoes) at each place, from 1"),
    NUMBER("", "allow_gaps_mm", allow_gaps_mm, 0, 100, 0,
           "mm, gaps of missing DICOM slices up to this are interpolated; 0: refused"),
    AUTOMATIC("", "surface_spacing_mm", surface_spacing_mm, 0, 20, 1, 0,
              "mm, voxels that a surface becomes (auto: 40 across its thinnest vessel)"),
    CHOICE("", "surface_unit", surface_unit, surface_unit_words,
           "of a surface's numbers (auto: mm, or m where that is sure by its size)"),
    AUTOMATIC("", "max_memory_gb", max_memory_gb, 0, 1e6, 1, 0,
              "GB, memory that the program may take in all; what needs more is refused (auto: what "
              "is free)"),
    CHOICE("", "keep_identity", keep_identity, no_yes_words,
           "whether the patient's name, number and dates go into manifest.json"),
    CHOICE("", "follow_umask", follow_umask, no_yes_words,
           "yes: who may read the results is what the umask says; no: you alone"),
    CHOICE("", "others", others_wall, others_words,
           "openings at the border that the list does not name: auto (in- and outlets) or wall"),
    CHOICE("", "sensitivity", sensitivity, no_yes_words,
           "yes: also runs the mask half a voxel of the scan thinner and thicker"),
    POINT("region", "min_mm", segment.region_min_mm, has_region_min,
          "LPS mm, one corner of the box that is looked at"),
    POINT("region", "max_mm", segment.region_max_mm, has_region_max, "LPS mm, the opposite corner"),
    POINT("region", "centre_mm", segment.sphere_mm, segment.has_sphere,
          "LPS mm, or the centre of a ball that is looked at (with a box: what is in both)"),
    AUTOMATIC("region", "radius_mm", segment.sphere_radius_mm, 0, 1e5, 1, 0, "mm, its radius"),
    CHOICE("segment", "preset", segment.preset, ht_segment_preset_words,
           "the kind of scan; sets what is left auto below"),
    CHOICE("segment", "method", segment.method, ht_segment_method_words,
           "how the vessel is told from the tissue; file: it is the mask above"),
    AUTOMATIC("segment", "lower", segment.lower, -1e7, 1e7, 0, NAN,
              "lowest value of the vessel, the scan's unit (CT: HU)"),
    AUTOMATIC("segment", "upper", segment.upper, -1e7, 1e7, 0, NAN, "highest value of the vessel"),
    POINT("segment", "seed_mm", segment.seed_mm, segment.has_seed,
          "LPS mm, a point in the vessel that is kept; without it the largest is"),
    AUTOMATIC("segment", "smoothing_mm", segment.smoothing_mm, 0, 10, 0, -1,
              "mm, Gaussian smoothing of the scan before the threshold"),
    CHOICE("segment", "bias", segment.bias, ht_segment_bias_words,
           "slow changes of brightness are taken out first (n4), as MR coils make them"),
    AUTOMATIC("segment", "bone", segment.bone, -1e7, 1e7, 0, NAN,
              "lowest value of dense bone, which is taken away (auto: by the preset, else none)"),
    AUTOMATIC("segment", "gap_mm", segment.gap_mm, 0, 20, 0, -1,
              "mm, gaps between two pieces of vessel up to this are bridged (auto: likewise)"),
    {"segment", "radius_mm", HT_KEY_PAIR, AT(segment.vessel_radius_mm), HT_NO_FLAG, 0, 0, 100, 1, 0,
     0, 1, 0, "mm, smallest and largest vessel radius that the vesselness looks for"},
    AUTOMATIC(
        "lattice", "nodes_across", segment.nodes_across, 4, 1000, 0, 0,
        "lattice nodes across the widest opening; auto: 20, more for the flow, a narrow place"),
    AUTOMATIC("lattice", "spacing_mm", segment.spacing_mm, 0, 100, 1, 0,
              "mm, lattice spacing, instead of nodes_across"),
    NUMBER("extensions", "inlet_diameters", extensions.inlet_diameters, 0, 20, 0,
           "length of the straight extension at inlets, in diameters"),
    NUMBER("extensions", "outlet_diameters", extensions.outlet_diameters, 0, 20, 0,
           "length of the straight extension at outlets, in diameters"),
    NUMBER("blood", "density_kg_m3", solver.density_kg_m3, 500, 2000, 0, "kg/m3"),
    CHOICE("blood", "model", solver.blood.model, ht_blood_words,
           "of the viscosity; the last two fall with the shear rate"),
    NUMBER("blood", "viscosity_pa_s", solver.viscosity_pa_s, 5e-4, 0.05, 0,
           "Pa s, of Newtonian blood (0.0035: 3.5 mPa s)"),
    NUMBER("blood", "carreau_rest_pa_s", solver.blood.carreau_rest_pa_s, 5e-4, 1, 0,
           "Pa s, Carreau-Yasuda: viscosity at rest"),
    NUMBER("blood", "carreau_high_pa_s", solver.blood.carreau_high_pa_s, 5e-4, 0.05, 0,
           "Pa s, at high shear rates"),
    NUMBER("blood", "carreau_time_s", solver.blood.carreau_time_s, 0, 1000, 0,
           "s, thinning begins at one over this"),
    NUMBER("blood", "carreau_index", solver.blood.carreau_index, 0.05, 1, 0,
           "power of the shear rate with which the stress grows then"),
    NUMBER("blood", "carreau_yasuda", solver.blood.carreau_yasuda, 0.1, 10, 0,
           "how sharply thinning begins"),
    NUMBER("blood", "casson_yield_pa", solver.blood.casson_yield_pa, 0, 1, 0,
           "Pa, Casson: stress below which blood (nearly) stands still"),
    NUMBER("blood", "casson_high_pa_s", solver.blood.casson_high_pa_s, 5e-4, 0.05, 0,
           "Pa s, at high shear rates"),
    NUMBER("blood", "casson_rest_pa_s", solver.blood.casson_rest_pa_s, 5e-4, 1, 0,
           "Pa s, largest viscosity, in place of the law's infinity"),
    AUTOMATIC("flow", "inlet_flow_ml_s", inlet_flow_ml_s, 0, 2000, 1, 0,
              "mL/s, mean flow into the one inlet (auto: from its area, below 10 mm only)"),
    AUTOMATIC(
        "flow", "inlet_reynolds", inlet_reynolds, 0, 1e5, 1, 0,
        "or the Reynolds number of that flow (mean velocity * diameter / kinematic viscosity)"),
    {"flow", "waveform", HT_KEY_WORD, AT(waveform), HT_NO_FLAG, 0, 0, 0, 0, ht_waveform_words, 0, 0,
     0, "of the inflow, scaled to its mean; or a CSV file (time_s,flow_ml_s or velocity_m_s)"},
    AUTOMATIC("flow", "period_s", period_s, 0, 100, 1, 0,
              "s, of the waveform, which is stretched to it (auto: its own)"),
    {"flow", "samples", HT_KEY_INT, AT(solver.samples), HT_NO_FLAG, 0, 1, 10000, 0, 0, 0, 0, 0,
     "moments of the last period that means and wall loads are taken over"},
    {"flow", "cycles", HT_KEY_INT, AT(solver.cycles), HT_NO_FLAG, 0, 1, 1000, 0, 0, 0, 0, 0,
     "periods of the waveform that are run; results are of the last"},
    {"flow", "profile", HT_KEY_CHOICE, AT(profile), HT_NO_FLAG, 0, 0, 0, 0, profile_words, -1, 0, 0,
     "of the inflow's velocity (auto: womersley where it is pulsatile, else parabolic)"},
    CHOICE("flow", "device", solver.device, ht_device_words, "where the flow is computed"),
    CHOICE("flow", "precision", solver.precision, ht_precision_words,
           "of the flow's numbers; fp16 is computed in fp32"),
    CHOICE("flow", "collision", solver.collision, ht_collision_words,
           "one relaxation time (lbgk) or several (mrt)"),
    CHOICE("flow", "fluid", solver.compressibility, ht_compressibility_words,
           "whether the density's small deviations count in the velocity"),
    NUMBER("flow", "smagorinsky", solver.blood.smagorinsky, 0, 0.3, 0,
           "constant of a large-eddy simulation, 0.1 is usual; 0: none"),
    CHOICE("flow", "walls", solver.walls, ht_walls_words,
           "at the smooth surface behind the voxels (interpolated) or between voxels"),
    NUMBER("flow", "max_velocity_lu", solver.max_velocity_lu, 0, 0.15, 1,
           "largest inlet velocity on the lattice; sets the time step"),
    NUMBER("flow", "steady_tolerance", solver.steady_tolerance, 1e-12, 0.01, 0,
           "relative change of the velocity a step that counts as steady"),
    COUNT("flow", "max_steps", solver.max_steps, 0, 1e12, 1,
          "steps after which the search for a steady state is given up"),
    COUNT("flow", "steps", steps, 0, 1e12, 1, "run exactly so many steps instead"),
    {"flow", "threads", HT_KEY_INT, AT(solver.threads), HT_NO_FLAG, 0, 0, 4096, 0, 0, 0, 1, 0,
     "CPU threads (auto: all)"},
    CHOICE("outlets", "model", solver.outlets, ht_outlet_words,
           "their pressure; the flow shared by area, Murray's law or flow_fraction; or windkessel"),
    NUMBER("outlets", "murray_exponent", solver.murray_exponent, 0, 10, 0,
           "of the diameter, for the shares of murray and of fitted windkessels"),
    AUTOMATIC("outlets", "mean_pressure_mmhg", mean_pressure_mmhg, 0, 500, 1, 0,
              "mmHg, that windkessels without values of their own are fitted to"),
    AUTOMATIC("outlets", "compliance_ml_mmhg", compliance_ml_mmhg, 0, 100, 1, 0,
              "mL/mmHg, of all of these together"),
    AUTOMATIC("outlets", "wave_speed_m_s", solver.wave_speed_m_s, 0, 100, 1, 0,
              "m/s, of the pulse in their vessels"),
    {0}};

const ht_key ht_opening_keys[] = {
    {"openings", "name", HT_KEY_TEXT, OF(name), HT_NO_FLAG, HT_NAME_MAX, 0, 0, 0, 0, 0, 0, 0,
     "what the opening is called in the results"},
    {"openings", "role", HT_KEY_CHOICE, OF(role), HT_NO_FLAG, 0, 0, 0, 0, role_words, HT_ROLE_INLET,
     0, 0, "inlet, outlet or wall (closed)"},
    {"openings", "near_mm", HT_KEY_POINT, OF(near_mm), OF(has_near), 0, -1e5, 1e5, 0, 0, 0, 0, 0,
     "LPS mm: the opening at the border nearest to this point"},
    {"openings", "centre_mm", HT_KEY_POINT, OF(centre_mm), OF(has_centre), 0, -1e5, 1e5, 0, 0, 0, 0,
     0, "LPS mm: or the vessel is cut here,"},
    {"openings", "normal", HT_KEY_POINT, OF(normal), OF(has_normal), 0, -1e5, 1e5, 0, 0, 0, 0, 0,
     "LPS: with this normal, pointing out of the vessel"},
    {"openings", "flow_ml_s", HT_KEY_NUMBER, OF(flow_ml_s), HT_NO_FLAG, 0, 0, 2000, 1, 0, 0, 1, 0,
     "mL/s, mean flow into an inlet"},
    {"openings", "pressure_pa", HT_KEY_NUMBER, OF(pressure_pa), HT_NO_FLAG, 0, -1e6, 1e6, 0, 0, 0,
     0, 0, "Pa, gauge pressure of an outlet; behind its windkessel where it has one"},
    {"openings", "flow_fraction", HT_KEY_NUMBER, OF(flow_fraction), HT_NO_FLAG, 0, 0, 1, 1, 0, 0, 1,
     0, "share of the outflow that an outlet gets (outlets.model fractions)"},
    {"openings", "windkessel_mmhg_ml_s", HT_KEY_POINT, OF(windkessel), OF(has_windkessel), 0, 0,
     1e6, 0, 0, 0, 0, 0,
     "mmHg s/mL, mL/mmHg, mmHg s/mL: proximal resistance, compliance, distal resistance"},
    {0}};

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
  return ht_fail(code, "%s: %s is %s: allowed is %s %g%s%g%s (%s)", where, key->key, text,
                 key->above_least ? "above" : "from", key->least,
                 key->above_least ? " up to " : " to ", key->most,
                 key->has_automatic ? ", or auto" : "", key->help);
}

static ht_status set_number(const ht_key *key, const char *text, const char *where, ht_status code,
                            double *value) {
  if (key->has_automatic && strcmp(text, "auto") == 0) {
    *value = key->automatic;
    return HT_OK;
  }
  if (!parse_number(text, value))
    return ht_fail(code, "%s: %s wants a number, not '%.60s' (%s)", where, key->key, text,
                   key->help);
  if (*value < key->least || *value > key->most || (key->above_least && *value == key->least))
    return out_of_range(key, text, where, code);
  int whole = key->type == HT_KEY_COUNT || key->type == HT_KEY_INT;
  if (whole && *value != floor(*value))
    return ht_fail(code, "%s: %s wants a whole number, not %s", where, key->key, text);
  return HT_OK;
}

static ht_status set_choice(const ht_key *key, const char *text, const char *where, ht_status code,
                            int *value) {
  char allowed[128];
  const char *best = NULL;
  int distance = 0, found = ht_word_find(key->choices, text, strlen(text));
  *value = key->first + found;
  if (found >= 0) return HT_OK;
  for (int i = 0; key->choices[i]; i++) ht_suggest(text, key->choices[i], &best, &distance);
  ht_word_list(key->choices, "|", allowed, sizeof allowed);
  return ht_fail(code, "%s: %s cannot be '%.60s': allowed is %s%s%s%s", where, key->key, text,
                 allowed, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

/* Names go to terminals, pictures and files: U+0000 to U+001F, U+007F to U+009F. */
int ht_text_has_control(const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c < 0x20 || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)) return 1;
  return 0;
}

static ht_status set_text(const ht_key *key, const char *text, const char *where, ht_status code,
                          char *value) {
  size_t size = key->type == HT_KEY_TEXT ? key->size : (size_t)HT_PATH_MAX;
  if (!text[0]) return ht_fail(code, "%s: %s is empty", where, key->key);
  if (strlen(text) >= size)
    return ht_fail(code, "%s: %s is longer than %d characters", where, key->key, (int)size - 1);
  if (key->type == HT_KEY_TEXT && ht_text_has_control(text))
    return ht_fail(code,
                   "%s: %s holds a control character (a line's end, a tab, an escape): remove "
                   "it",
                   where, key->key);
  snprintf(value, size, "%s", text);
  return HT_OK;
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
    return ht_fail(code, "%s: %s wants %s, got %d value%s (%s)", where, key->key,
                   wanted == 3   ? "three numbers, as in [1, 2, 3]"
                   : wanted == 2 ? "two numbers, as in [1, 2]"
                                 : "one value, not a list",
                   count, count == 1 ? "" : "s", key->help);
  if (key->flag != HT_NO_FLAG) *(int *)((char *)target + key->flag) = 1;
  if (key->type == HT_KEY_TEXT || key->type == HT_KEY_PATH || key->type == HT_KEY_WORD)
    return set_text(key, texts[0], where, code, at);
  if (key->type == HT_KEY_CHOICE) {
    int choice = 0;
    HT_TRY(set_choice(key, texts[0], where, code, &choice));
    memcpy(at, &choice, sizeof choice);
    return HT_OK;
  }
  for (int i = 0; i < count; i++) HT_TRY(set_number(key, texts[i], where, code, &value[i]));
  if (key->type == HT_KEY_COUNT)
    *(int64_t *)at = (int64_t)value[0];
  else if (key->type == HT_KEY_INT)
    *(int *)at = (int)value[0];
  else
    memcpy(at, value, (size_t)wanted * sizeof(double));
  return HT_OK;
}
