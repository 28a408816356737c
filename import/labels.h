/* Values of a mask: labels, soft edges, or those of a scan. Private to import/. */
#ifndef HT_LABELS_H
#define HT_LABELS_H

#include "import/common/import_note.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Choice of the voxels of a mask's image that are vessel. */
typedef struct {
  int is_chosen;  /* 0: all above 0 */
  float value;    /* the chosen label */
  int layer;      /* number of the image that has it, from 0 */
  int is_layered; /* 1: the images are layers of a segmentation of 3D Slicer, not images in time */
} ht_label;

/* Finds the label that `wish` requests in the file at `path`, which has `images` images: the number
 * of a label, or a name (or part of one) of a segment of 3D Slicer (.seg.nrrd); NULL or "": all.
 * HT_ERR_VESSEL, with the existing names; HT_ERR_FORMAT. */
ht_status ht_label_find(const char *path, const char *wish, int images, ht_label *label);

/* Makes the mask of the label's voxels; without a label, of those above 0, or, in a mask with soft
 * edges, of those from half of its largest value on. Warns of several labels and of soft edges.
 * HT_ERR_FORMAT: a scan. HT_ERR_VESSEL: empty, or without that label. HT_ERR_MEMORY. */
ht_status ht_labels_mask(const char *path, const ht_volume *image, const ht_label *label,
                         ht_import_notes *notes, ht_mask *mask);

/* Warns of a ready mask or a label map that passes for a scan: a threshold cuts through its
 * labels. */
void ht_labels_warn_scan(const char *path, const ht_volume *volume, ht_import_notes *notes);

#ifdef __cplusplus
}
#endif
#endif
