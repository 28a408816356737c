/* Phantoms: synthetic scans with ground truth, so that every stage can be scored.
 */
#ifndef HT_PHANTOM_H
#define HT_PHANTOM_H

#include "phantom/phantom_types.h"
#include "core/formats/uid.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The patient's number in the DICOM files of phantoms: it belongs to nobody, so it need not be
 * removed. */
#define HT_PHANTOM_PATIENT_ID "HEMOTILE-PHANTOM"

void ht_phantom_defaults(ht_phantom_kind kind, ht_phantom_options *options);

/* Parses the name of a kind, "aneurysm", ... HT_ERR_USAGE lists them. */
ht_status ht_phantom_kind_parse(const char *name, ht_phantom_kind *kind);

/* Makes a phantom. HT_ERR_USAGE: an option out of range. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. The
 * caller frees the phantom. `progress` may be NULL. */
ht_status ht_phantom_make(const ht_phantom_options *options, const ht_progress *progress,
                          ht_phantom *phantom);
void ht_phantom_free(ht_phantom *phantom);

/* Signed distance (mm, negative inside) of the kind's vessel at a position (LPS mm). */
double ht_phantom_distance(ht_phantom_kind kind, const double position_mm[3]);

/* Makes the kind's vessel alone, within the box of its scan, on an isotropic lattice along the
 * body's axes: about `nodes` nodes (1000 to 1e9; to within a few per cent). HT_ERR_USAGE,
 * HT_ERR_MEMORY. The caller frees. */
ht_status ht_phantom_vessel(ht_phantom_kind kind, double nodes, ht_mask *mask);

/* Writes a volume as a DICOM series (one file per slice, CT or MR image storage, uncompressed,
 * int16 with slope and intercept), for tests and the demo. UIDs follow from the seed, so the same
 * call writes the same series. Creates the folder; HT_ERR_WRITE. Needs DCMTK (imaging build). */
ht_status ht_dicom_write_series(const char *folder, const ht_volume *volume,
                                const char *description, uint64_t seed);

/* Finds the Frame of Reference UID of the series that ht_dicom_write_series writes. */
void ht_dicom_series_frame(const ht_volume *volume, const char *description, uint64_t seed,
                           char uid[HT_UID_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
