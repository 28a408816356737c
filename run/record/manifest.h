/* Record of a case: its input, program, settings and the times of its stages. manifest.json holds
 * it next to the results; every stage updates it, and summary.json contains it. */
#ifndef HT_MANIFEST_H
#define HT_MANIFEST_H

#include "run/case/case.h"
#include "run/record/flow_plan.h"
#include "run/folder/folder.h"
#include "run/folder/hash.h"
#include "import/import.h"
#include "run/record/machine_record.h"
#include "run/record/measured_record.h"
#include "run/record/quality_record.h"
#include "core/vessel/volume.h"

typedef struct {
  double seconds; /* 0: not done */
  char ended[32]; /* UTC, ISO 8601 */
} ht_stage_record;

/* Settings for reading the input, which case.yaml does not keep, because the folder has the
 * scan. */
typedef struct {
  char source[8]; /* "scan", "mask" or "phantom"; "": recorded by an earlier version */
  int64_t phase;
  double allow_gaps_mm;
  int surface_unit;
  char phantom[32];
  int64_t phantom_seed;
  double phantom_spacing_mm;
} ht_reading;

/* What the file says of itself and of the program that wrote it. */
typedef struct {
  char written[32];      /* UTC, ISO 8601 */
  char signs[320];       /* the signs in words */
  double peak_memory_mb; /* of that program */
} ht_manifest_file;

typedef struct {
  ht_manifest_file file;   /* as read; what is written is that of now */
  char input[HT_PATH_MAX]; /* ht_manifest_input_name */
  char input_sha256[HT_HASH_TEXT];
  int input_files;
  char surface_sha256[HT_HASH_TEXT]; /* hash of surface.stl; "": the input is no surface */
  ht_reading reading;
  char series[72]; /* as the case gives it; "": not given */
  char modality[8];
  unsigned signs;                  /* signs of the scan's kind (scan_signs.h) */
  char patient_hash[HT_HASH_TEXT]; /* ht_identity_hash; "" where there is no number */
  ht_identity patient;             /* with keep_identity; else all "" */
  ht_study study;    /* without keep_identity its UIDs are pseudonymous and all else is "" */
  char warning[512]; /* warning on reading the scan; "": none. The notes begin with it */
  char notes[2568];  /* notes on reading the scan, one per line: resampled, a phase chosen, ... */
  ht_stage_record stage[HT_STAGES];
  char case_sha256[HT_HASH_TEXT]; /* hash of case.yaml as hemotile wrote it */
  int has_mask;
  char mask_sha256[HT_HASH_TEXT];   /* hash of mask.nii.gz as hemotile wrote it */
  char vessel_sha256[HT_HASH_TEXT]; /* hash of vessel.stl; "": the walls are those of the mask */
  char mask_settings_sha256[HT_HASH_TEXT]; /* ht_case_hash of its case */
  char flow_settings_sha256[HT_HASH_TEXT]; /* ht_case_hash of the case of flow.bin */
  ht_grid mask_grid;                /* grid of mask.nii.gz as hemotile wrote it; dim 0: unknown */
  int mask_edited;                  /* the flow's mask was edited by hand */
  char edited_sha256[HT_HASH_TEXT]; /* hash of that edited mask */
  ht_segment_report segment;
  char preset_why[448]; /* the preset that `auto` chose, with the reason; "": it was given */
  char waveform_sha256[HT_HASH_TEXT]; /* hash in the options; "": the waveform is no file. Only read
                                       */
  ht_mask_quality quality;            /* quality of the mask in use; voxel_mm 0: not measured */
  ht_measured_record measured;        /* the inflow, where it was measured */
  ht_flow_plan plan;                  /* plan of flow.bin */
  char flow_sha256[HT_HASH_TEXT];     /* ht_flow_hash of flow.bin; "": no flow */
  ht_machine_record machine;          /* machine that computed it */
} ht_manifest;

/* Members of the record, without those of the program and the options. */
extern const ht_member ht_manifest_members[];

/* Writes the record to `path`. HT_ERR_WRITE. */
ht_status ht_manifest_write(const char *path, const ht_manifest *manifest, const ht_case *settings);

/* Reads the record from `path`. HT_ERR_NOT_FOUND, HT_ERR_FORMAT. */
ht_status ht_manifest_read(const char *path, ht_manifest *manifest);

/* Writes the members of the record into the current JSON object. */
void ht_manifest_json(ht_json *json, const ht_manifest *manifest, const ht_case *settings);

/* Writes the input's name in the record: "phantom pipe, seed 1", the path with keep_identity, else
 * ht_identity_label. Errors as ht_identity_label; the name then has no hash. */
ht_status ht_manifest_input_name(const ht_case *settings, char name[HT_PATH_MAX]);

#endif
