/* A case: all settings of one run, from the case file and the command line. The table in schema.c
 * lists the keys of the case file with their units and ranges. */
#ifndef HT_CASE_H
#define HT_CASE_H

#include "segment/domain/extend.h"
#include "core/disk/file.h"
#include "run/folder/hash.h"
#include "core/vessel/openings.h"
#include "run/case/patient.h"
#include "run/case/time_span.h"
#include "segment/segment.h"
#include "solver/solver.h"
#include "run/case/waveform_file.h"

/* One entry of the case file's list of openings. */
typedef struct {
  char name[HT_NAME_MAX];   /* "" where it has none */
  char called[HT_NAME_MAX]; /* name before this command, where the command changes it; else "" */
  int found_anew;           /* 1: the command has set another key by the new name */
  int name_is_made_up;      /* 1: made up by hemotile, after the role; 0: from the case */
  int role;                 /* ht_role; HT_ROLE_NONE where not given */
  int point; /* > 0: number of the segment's point at which it lies, from 1: the segmentation sets
                centre_mm and normal */
  int has_near, has_centre, has_normal;
  double near_mm[3];   /* the opening at the border nearest to this position */
  double centre_mm[3]; /* or a cut across the vessel here */
  double normal[3]; /* with this normal, pointing out of the vessel; without a normal: the vessel's
                       direction there */
  int finds_side;   /* 1: the normal may point either way */
  int from_markups; /* 1: read from the file `markups`; line and column are in that file */
  double flow_ml_s; /* inlet; 0: not given */
  double pressure_pa;   /* outlet */
  double flow_fraction; /* outlet; 0: not given */
  int has_windkessel;
  double windkessel[3]; /* outlet: resistance, compliance, resistance, in mmHg, mL and s */
  int line, column;     /* in the case file, for messages */
} ht_case_opening;

/* The aneurysm's sac, where its numbers are requested. */
typedef struct {
  int find;                    /* 1: look for one along the centrelines */
  char neck_file[HT_PATH_MAX]; /* a plane of 3D Slicer, read into neck_mm and neck_normal */
  int has_neck, has_normal;
  double neck_mm[3], neck_normal[3]; /* LPS: a place in the neck, and the normal of its plane, in
                                        either direction */
} ht_case_sac;

/* Files of the samples of a beat; any but none also writes the animation. In the order of the
 * schema's words. */
typedef enum {
  HT_BEAT_NONE,
  HT_BEAT_ANIMATION,
  HT_BEAT_VTK,
  HT_BEAT_NIFTI,
  HT_BEAT_ALL
} ht_beat_files;

/* Whether a lattice may be coarser in parts of the vessel. */
typedef enum { HT_REFINE_NO, HT_REFINE_AUTO } ht_refine_choice;

/* Defaults of refine_jet, refine_across and refine_dx_plus; with fewer nodes across the wall shear
 * stress is off by some per cent. */
enum { HT_REFINE_USUAL_JET = 10, HT_REFINE_USUAL_ACROSS = 16, HT_REFINE_USUAL_DX_PLUS = 5 };

enum { HT_CASE_KEYS_MAX = 128 }; /* maximum number of keys in the schema */

typedef struct {
  unsigned char is_given[HT_CASE_KEYS_MAX]; /* 1: given by a person; in the order of ht_case_keys */
  char name[HT_NAME_MAX];
  char file[HT_PATH_MAX]; /* the case file, "" where there is none */
  /* Source of the vessel: exactly one is not "". */
  char scan[HT_PATH_MAX];
  char mask[HT_PATH_MAX];
  char more_masks[2 * HT_PATH_MAX]; /* further files of a surface, one per line; "": none */
  char phantom[32];
  int64_t phantom_seed;
  double phantom_spacing_mm; /* 0: the kind's own */
  char series[72];           /* "": not given */
  int64_t phase;             /* 0: not given */
  double allow_gaps_mm;      /* longest accepted gap between slices; 0: no slice may be missing */
  double surface_spacing_mm; /* voxel size of a surface's mask; 0: the import chooses and sets it */
  int surface_unit;          /* ht_surface_unit */
  double max_memory_gb;      /* most memory that the program may use; 0: the free memory */
  int follow_umask;          /* 1: files follow the user's umask; 0: only the user can read them */
  int keep_identity;         /* 1: the patient's name and dates go into the record */
  int has_region_min, has_region_max;
  ht_segment_options segment;
  /* Time that the flow may take, s, or HT_WITHIN_AUTO, HT_WITHIN_NO (time_span.h); and the choice
   * that this led to: within_s, nodes across the widest opening, beats, 0 where they are as the
   * case has them. A choice for another time does not count. */
  double within_s, within_choice[3];
  int has_within_choice;
  int refine; /* ht_refine_choice */
  /* What it keeps: reach of a jet, throat diameters; nodes across a section; dx+ (refine_rules.h).
   */
  double refine_jet_diameters, refine_across, refine_dx_plus;
  ht_extend_options extensions;
  ht_solver_options solver;
  ht_patient patient;
  double checkpoint_minutes; /* minutes between two checkpoints of the solver; 0: none */
  int64_t steps;             /* runs exactly this number of steps; 0: to the steady state */
  double inlet_flow_ml_s;    /* flow of the one inlet, where its opening gives none; 0: not given */
  double inlet_reynolds;     /* or by the inlet's Reynolds number; 0: not given */
  char waveform[HT_PATH_MAX]; /* one of ht_waveform_words, or a CSV file */
  double period_s;            /* 0: the waveform's own */
  double fields_at; /* fraction of the beat at which fields are kept, 0 .. 1; -1: at the largest
                       inflow */
  int profile;      /* ht_profile; -1: chosen by the waveform */
  int collision;    /* ht_collision; -1: chosen by the flow (collision_choice.h) */
  int outlets;      /* ht_outlet_model; -1: Windkessels for an aorta, else pressure */
  char measured[HT_PATH_MAX]; /* phase-contrast series whose flow is the inflow, until it was read:
                                 then `waveform` is a file; "": none */
  int measured_frame;         /* 1: its frame of reference is taken for the scan's */
  double waveform_period_s;   /* period of the file's own beat; 0: by its rows */
  /* Set by ht_case_read_waveform: the inflow (constant, or with the file's own mean), and the other
   * facts of the file; sha256 is "" where the waveform is no file. */
  ht_waveform inflow;
  ht_waveform_facts inflow_facts;
  ht_measured_profile measured_profile; /* of HT_PROFILE_MEASURED, by ht_case_read_waveform */
  char profile_sha256[HT_HASH_TEXT];    /* of its file; "": none */
  double mean_pressure_mmhg, compliance_ml_mmhg; /* mean pressure and compliance to which
                                                    Windkessels are fitted; 0: not given */
  int others_wall;               /* 1: border openings that the list does not name are closed */
  unsigned scan_signs;           /* signs of the scan, once it is imported (scan_signs.h); no key */
  char markups[HT_PATH_MAX];     /* the file that openings were read from, "" where there is none */
  char points_file[HT_PATH_MAX]; /* file that the segment's points were read from, "" where there is
                                    none */
  int points_are_ras;            /* 1: that file is in RAS, converted to LPS */
  ht_case_sac sac;
  int sensitivity; /* 1: also run the mask half a scan voxel thinner and thicker */
  int dicom;       /* 1: also write the results as DICOM objects */
  int beat_files;  /* ht_beat_files */
  double speed_high_m_s, wss_high_pa; /* ends of the pictures' colour bars; 0: by the values */
  int openings;
  ht_case_opening opening[HT_OPENINGS_MAX];
} ht_case;

/* Sets every key to its default. */
void ht_case_defaults(ht_case *settings);

/* Reads a case file over the defaults. Paths become absolute or relative to the working folder,
 * with environment variables expanded. HT_ERR_NOT_FOUND; HT_ERR_CASE with file:line:column. */
ht_status ht_case_read(const char *path, ht_case *settings);

/* Reads the settings that a record lists (the member "options" of manifest.json), which has no
 * source: scan, mask and phantom stay "". The file of a waveform is next to the record. Errors as
 * ht_case_read, and HT_ERR_FORMAT: there are no settings in the file. */
ht_status ht_case_read_record(const char *path, ht_case *settings);

/* Checks ranges, and settings that exclude or need each other: exactly one source, steps or
 * max_steps, ... Reads no file. HT_ERR_CASE. */
ht_status ht_case_check(const ht_case *settings);

/* Fills `inflow`: from the published waveforms, or from the file with its SHA-256; and the measured
 * profile, where the case has one, from the file beside the waveform's.
 * HT_ERR_NOT_FOUND where there is no such file; errors of ht_waveform_file_read. */
ht_status ht_case_read_waveform(ht_case *settings);

/* A key that a person gave and that has no effect under the other settings. */
typedef struct {
  int at;          /* number in the schema */
  char name[64];   /* "blood.viscosity_pa_s" */
  const char *why; /* "blood.model is casson"; a constant, identical for the same reason */
} ht_idle_key;

/* Finds these keys, at most HT_CASE_KEYS_MAX, and resets them to their defaults, so that the record
 * keeps what was used. Call it after ht_case_read_waveform. HT_ERR_MEMORY. */
ht_status ht_case_drop_idle(ht_case *settings, ht_idle_key *idle, int *count);

/* Marks keys that have their default as not given: a file that hemotile wrote lists every key.
 * HT_ERR_MEMORY. */
ht_status ht_case_unmark_defaults(ht_case *settings);

/* Returns the case file's path for messages; "the case" where there is none. */
static inline const char *ht_case_file(const ht_case *settings) {
  return settings->file[0] ? settings->file : "the case";
}

/* Returns 1 for "inlet", "outlet-2": the names that hemotile makes up for openings without a
 * name. */
int ht_case_name_is_made_up(const char *name);

/* Writes the place where the case lists an opening, for messages: "FILE:LINE:COLUMN", "point 2", or
 * "opening 'branch'" for one that no file lists. */
enum { HT_WHERE_MAX = HT_PATH_MAX + 32 };
void ht_case_opening_where(const ht_case *settings, const ht_case_opening *opening,
                           char where[HT_WHERE_MAX]);

/* Returns the file that an opening's line and column refer to. */
const char *ht_case_opening_file(const ht_case *settings, const ht_case_opening *opening);

/* Writes every setting, so that the file alone repeats the run; `found` (may be NULL) goes into a
 * comment that a person can turn into settings. `source` is the scan or mask to write
 * ("scan.nii.gz"). HT_ERR_WRITE. */
ht_status ht_case_write(const char *path, const ht_case *settings, const char *source,
                        const ht_openings *found);

/* Adds a further file of the surface whose first file is `mask`. HT_ERR_CASE: they are too many or
 * too long. */
ht_status ht_case_add_mask(ht_case *settings, const char *path);

/* Settings that a hash covers. */
typedef enum {
  HT_HASH_FLOW, /* all that the flow depends on, except the source; not device and memory */
  HT_HASH_MASK, /* those of them that determine the mask */
  HT_HASH_RUN, /* all that the results of a run depend on: also the source's path, the name, what is
                  measured and exported; not the colours of the pictures, which `hemotile report`
                  draws again */
} ht_hash_of;

/* Computes the SHA-256 of these settings in canonical form. A later stage checks with it whether a
 * file of the folder still belongs to the case, and a batch whether a case has to run again. No
 * hash covers threads and checkpoints. HT_ERR_MEMORY. */
ht_status ht_case_hash(const ht_case *settings, ht_hash_of of, char hex[HT_HASH_TEXT]);

/* Returns 1 for a steady inflow, 0 for a waveform or a measured flow. */
int ht_case_flow_is_constant(const ht_case *settings);

/* Returns 1 where the case says that its vessel is an aorta, by its patient or its waveform. */
int ht_case_is_aorta(const ht_case *settings);

/* Composes the path of the file of the measured profile, beside the waveform's. HT_ERR_USAGE: it is
 * too long. */
ht_status ht_case_profile_path(const ht_case *settings, char path[HT_PATH_MAX]);

/* Writes the file of a measured profile, which belongs to the waveform with this SHA-256.
 * HT_ERR_WRITE. */
ht_status ht_case_profile_write(const char *path, const ht_measured_profile *profile,
                                const char *waveform_sha256);

/* Returns 1 where the waveform is a file. The second function returns its name in the folder's
 * case.yaml: its word, or "waveform.csv". */
int ht_case_waveform_is_file(const ht_case *settings);
const char *ht_case_waveform_name(const ht_case *settings);

/* Returns the case's patient. Values that the case does not give are those usual at the age
 * (usual_heart.h): the rate of a published waveform, the output where no flow is given, the blood
 * pressure. Unchanged without an age (from HT_USUAL_LEAST_YEARS on), or where there is no aorta. */
ht_patient ht_case_patient(const ht_case *settings);

/* Returns 1 where the case gives a flow of its own: of an inlet, in the waveform's file, or a
 * measured one. */
int ht_case_has_flow(const ht_case *settings);

/* Returns the heart of that patient, at the rate of the waveform where none is given. Call it after
 * ht_case_read_waveform. */
ht_heart ht_case_heart(const ht_case *settings);

/* Returns the nodes across the widest opening, or the number of beats, that lattice.within has led
 * to; 0: none, or as the case has them. */
double ht_case_within_across(const ht_case *settings);
int ht_case_within_beats(const ht_case *settings);

/* Makes the beats that lattice.within has led to the case's own, and drops the time: for another
 * lattice of the same flow. */
void ht_case_keep_beats(ht_case *settings);

/* Returns 1 where lattice.within gives a time for which no choice was made yet. */
int ht_case_within_chooses(const ht_case *settings);

/* Returns the options of the solver that follow from the case; they point into it, also at its
 * inflow. An automatic collision or model of the outlets is the first of its words: the run knows
 * more (ht_run_options). */
ht_solver_options ht_case_solver(const ht_case *settings);

#endif
