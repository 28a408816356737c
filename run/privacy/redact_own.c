#include "run/privacy/redact_parts.h"
#include "core/disk/folder_names.h"
#include <string.h>

const char *const ht_own_names[] = {HT_FILE_CASE,
                                    HT_FILE_WAVEFORM,
                                    HT_FILE_PROFILE,
                                    HT_FILE_FLOW_MEASURED,
                                    HT_FILE_MANIFEST,
                                    HT_FILE_LOG,
                                    HT_FILE_SCAN,
                                    HT_FILE_DRAWN,
                                    HT_FILE_SURFACE,
                                    HT_FILE_MASK,
                                    HT_FILE_VESSEL,
                                    HT_FILE_VESSEL_FOUND,
                                    HT_FILE_OPENINGS,
                                    HT_FILE_CANDIDATES,
                                    HT_FILE_MARKUPS,
                                    HT_FILE_TILING,
                                    HT_FILE_PARTS,
                                    HT_FILE_FLOW,
                                    HT_FILE_CYCLE,
                                    HT_FILE_MOMENTS,
                                    HT_FILE_BEAT,
                                    HT_FILE_PHASE,
                                    HT_FILE_SERIES,
                                    HT_FILE_PHASE_VTI,
                                    HT_FILE_WAVEFORMS,
                                    HT_FILE_INFLOW,
                                    HT_FILE_CENTRELINE,
                                    HT_FILE_LINE_BEAT,
                                    HT_FILE_VELOCITY,
                                    HT_FILE_PRESSURE,
                                    HT_FILE_FLOW_VTI,
                                    HT_FILE_WALL,
                                    HT_FILE_WALL_CSV,
                                    HT_FILE_WALL_STL,
                                    HT_FILE_WALL_WSS,
                                    HT_FILE_WALL_TAWSS,
                                    HT_FILE_WALL_OSI,
                                    HT_FILE_SAC_STL,
                                    HT_FILE_SUMMARY_CSV,
                                    HT_FILE_SUMMARY,
                                    HT_FILE_REPORT,
                                    HT_FILE_TILES,
                                    HT_FILE_PARTS_DRAWN,
                                    HT_FILE_LEVELS,
                                    HT_FILE_STRAIGHTENED,
                                    HT_FILE_SECTIONS,
                                    "mask_on_scan.png",
                                    "mask_edited_#.nii.gz",
                                    "case_edited_#.yaml",
                                    "manifest_damaged_#.json",
                                    "DIR/" HT_FOLDER_PICTURES,
                                    "DIR/" HT_FOLDER_SERIES,
                                    "DIR/" HT_FOLDER_SENSITIVITY,
                                    "DIR/" HT_FOLDER_DIVERGED,
                                    HT_FOLDER_FIRST "/",
                                    NULL};

size_t ht_own_length(const char *text, const char *name) {
  size_t at = 0;
  for (; *name; name++) {
    size_t digits = *name == '#' ? strspn(text + at, "0123456789") : text[at] == *name;
    if (digits == 0 || digits >= HT_REDACT_DIGITS_LEAST) return 0;
    at += digits;
  }
  return at;
}

size_t ht_redact_own_name(const char *text) {
  size_t longest = 0;
  for (size_t i = 0; ht_own_names[i]; i++) {
    const size_t length = ht_own_length(text, ht_own_names[i]);
    if (length > longest) longest = length;
  }
  return longest;
}
