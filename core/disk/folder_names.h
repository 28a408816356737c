/* The stages of a case, and the names of the files that they leave in its folder. */
#ifndef HT_FOLDER_NAMES_H
#define HT_FOLDER_NAMES_H

#define HT_FILE_CASE          "case.yaml"
#define HT_FILE_WAVEFORM      "waveform.csv"
#define HT_FILE_PROFILE       "inlet_profile.json" /* of a measured inflow, beside its waveform */
#define HT_FILE_MANIFEST      "manifest.json"
#define HT_FILE_LOG           "hemotile.log"
#define HT_FILE_PROGRESS      "progress.json" /* while a command works */
#define HT_FILE_JOURNAL       ".hemotile.next"
#define HT_FILE_SCAN          "scan.nii.gz"
#define HT_FILE_DRAWN         "mask_drawn.nii.gz" /* a ready mask as it was imported */
#define HT_FILE_SURFACE       "surface.stl"       /* the triangles that the mask was made of */
#define HT_FILE_MASK          "mask.nii.gz"
#define HT_FILE_MASK_FOUND    "mask_found.nii.gz" /* hemotile's own, below a corrected one */
#define HT_FILE_EDITS         "edits.jsonl"       /* the steps that correct the mask */
#define HT_FILE_EDITS_BASE    "edits_base.nii.gz" /* the mask that they begin with */
#define HT_FILE_EDITS_MASK    "edits_mask.bin"    /* the mask after some of them */
#define HT_FILE_VESSEL        "vessel.stl"        /* the surface that the mask is a sampling of */
#define HT_FILE_VESSEL_FOUND  "vessel_found.stl"  /* while the ends of the vessel are looked for */
#define HT_FILE_OPENINGS      "openings.json"
#define HT_FILE_CANDIDATES    "candidates.json"
#define HT_FILE_MARKUPS       "openings.mrk.json"
#define HT_FILE_TILING        "tiling.json"
#define HT_FILE_PARTS         "parts.json"
#define HT_FILE_FLOW          "flow.bin"
#define HT_FILE_CYCLE         "wall_cycle.bin"
#define HT_FILE_MOMENTS       "wall_moments.bin"
#define HT_FILE_PHASE         "flow_phase.bin"
#define HT_FILE_BEAT          "beat.bin"
#define HT_FILE_SERIES        "series.bin"
#define HT_FILE_CHECKPOINT    "checkpoint_%d.bin" /* 1 and 2 */
#define HT_FILE_VELOCITY      "velocity.nii.gz"
#define HT_FILE_PRESSURE      "pressure.nii.gz"
#define HT_FILE_FLOW_VTI      "flow.vti"
#define HT_FILE_PHASE_VTI     "flow_phase.vti"
#define HT_FILE_WALL          "wall.vtp"
#define HT_FILE_WALL_CSV      "wall.csv"
#define HT_FILE_WALL_STL      "wall.stl"
#define HT_FILE_WALL_WSS      "wall_shear_stress.nii.gz"
#define HT_FILE_WALL_TAWSS    "wall_tawss.nii.gz"
#define HT_FILE_WALL_OSI      "wall_osi.nii.gz"
#define HT_FILE_SAC_STL       "sac.stl"
#define HT_FILE_WAVEFORMS     "waveforms.csv"
#define HT_FILE_INFLOW        "inflow.csv" /* the inflow that was prescribed */
#define HT_FILE_CENTRELINE    "centreline.csv"
#define HT_FILE_LINE_BEAT     "centreline_beat.csv"
#define HT_FILE_SUMMARY       "summary.json"
#define HT_FILE_REPORT        "report.html"
#define HT_FILE_SUMMARY_CSV   "summary.csv"
#define HT_FILE_MEASUREMENTS  "measurements.csv"
#define HT_FILE_MEASURED      "measurements_before.csv" /* those of the flow before */
#define HT_FILE_FLOW_MEASURED "measured_flow"           /* place for the series of flow.measured */
#define HT_FOLDER_DICOM       "dicom"
#define HT_FOLDER_DIVERGED    "diverged"
#define HT_FOLDER_PICTURES    "pictures"
#define HT_FOLDER_SERIES      "series" /* files for each sample of a beat */
#define HT_FOLDER_SENSITIVITY "sensitivity"
#define HT_FOLDER_THINNER     HT_FOLDER_SENSITIVITY "/thinner"
#define HT_FOLDER_THICKER     HT_FOLDER_SENSITIVITY "/thicker"
#define HT_FOLDER_FIRST       "first_look" /* a coarse flow that no number may be taken from */
#define HT_FILE_FIRST         HT_FOLDER_FIRST "/first_look.json"
#define HT_FILE_FIRST_FLOW    HT_FOLDER_FIRST "/first_look_velocity.nii.gz"
#define HT_FILE_FIRST_WALL    HT_FOLDER_FIRST "/first_look_wall.vtp"
#define HT_FILE_ANIMATION     HT_FOLDER_PICTURES "/beat.webp"
#define HT_FILE_COLOURS       HT_FOLDER_PICTURES "/colours.json"
#define HT_FILE_TILES         HT_FOLDER_PICTURES "/tiles.png"
#define HT_FILE_LEVELS        HT_FOLDER_PICTURES "/levels.png"
#define HT_FILE_PARTS_DRAWN   HT_FOLDER_PICTURES "/parts.png"
#define HT_FILE_CHOICE        HT_FOLDER_PICTURES "/candidates.png"
#define HT_FILE_STRAIGHTENED  HT_FOLDER_PICTURES "/straightened.png"
#define HT_FILE_SECTIONS      HT_FOLDER_PICTURES "/sections.png"
#define HT_FILE_FLOW_DRAWN    HT_FOLDER_PICTURES "/measured_flow.png"
#define HT_DICOM_SEGMENTATION HT_FOLDER_DICOM "/segmentation.dcm"
#define HT_DICOM_SPEED        HT_FOLDER_DICOM "/speed.dcm"
#define HT_DICOM_WALL         HT_FOLDER_DICOM "/wall_shear_stress.dcm"
#define HT_DICOM_WALL_CYCLE   HT_FOLDER_DICOM "/tawss.dcm"
#define HT_DICOM_REPORT       HT_FOLDER_DICOM "/report.dcm"
#define HT_DICOM_PICTURE      HT_FOLDER_DICOM "/picture_"

typedef enum {
  HT_STAGE_IMPORT = 0,
  HT_STAGE_SEGMENT,
  HT_STAGE_TILE,
  HT_STAGE_SOLVE,
  HT_STAGE_EXPORT,
  HT_STAGES,
} ht_stage;

#endif
