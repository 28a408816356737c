/* Vessels found by a network that was trained on synthetic scans: what each voxel of a scan may be,
 * and how far the nearest wall of a vessel is. docs/notes/vessel/learned.md says how it was trained
 * and what it is worth. It never has the last word on the wall.
 *
 * The network knows voxels, not millimetres: spacing, origin and direction do not count. It takes
 * the brightness by its ranks in the whole scan, so a part of a scan gives other values than the
 * scan. The weights are part of the program.
 */
#ifndef HT_LEARNED_H
#define HT_LEARNED_H

#include "core/vessel/volume.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device. The same values as ht_device. AUTO: a GPU if there is one that works and has the
 * memory, else the CPU. */
typedef enum { HT_LEARNED_AUTO = 0, HT_LEARNED_CPU, HT_LEARNED_CUDA } ht_learned_device;

/* All zeros are the defaults. */
typedef struct {
  ht_learned_device device;
  int threads;       /* of the CPU; 0: OpenMP's number */
  double most_bytes; /* of memory for the work on either device, beside the scan and what is found;
                        0: half of what is free there. Less than a scan needs costs time: it
                        is then computed in strips that overlap, with the same bits. */
  const ht_progress *progress; /* stage "learned", voxels of all; borrowed; may be NULL */
} ht_learned_options;

enum { HT_LEARNED_UNIT = 255, HT_LEARNED_PER_VOXEL = 32 };

/* What the network says of each voxel, [nz][ny][nx] as the scan; all in one piece of memory. */
typedef struct {
  ht_grid grid;
  /* Probabilities in 1/255. What is missing in the sum is background. */
  uint8_t *artery;  /* a vessel that is as bright as the scan's contrast makes it. Owned: free with
                       ht_learned_free */
  uint8_t *other;   /* another vessel: a dimmer vein, a chamber of the heart, any vessel of a CT
                       without contrast agent. Part of `artery`'s memory, as the next two */
  uint8_t *hard;    /* bone, calcium, metal; in MR bone is background */
  int8_t *distance; /* from the nearest wall of a vessel of either kind, in 1/32 of the narrowest
                       voxel's width; negative inside; -127 .. 127, of farther ones the same */
  int on_gpu;
  char device[128];  /* "NVIDIA H200", "CPU, 2 threads, AVX2" */
  char why_cpu[256]; /* why no GPU was used, where it was to be used if there is one; else "" */
  double seconds;    /* the time that it took */
  double peak_bytes; /* memory of the work on the device, beside the scan and this */
} ht_learned;

/* Runs the network on a scan of any size: it is filled up to multiples of 8 voxels by brightness 0,
 * that of its darkest voxels. Fewer than 8 voxels along an axis are allowed, but nothing like that
 * was in the training. Values that are NaN or infinite count as such darkest voxels, and not for
 * the ranks. A scan of one value is all of brightness 0. The result does not depend on the number
 * of threads and on the memory; CPU and GPU, and processors with other vector instructions, differ
 * by rounding (1e-4 of a probability; one unit of the outputs above). The scan is borrowed.
 *
 * HT_ERR_FORMAT: no value of the scan is finite. HT_ERR_MEMORY: most_bytes, or what is free, is too
 * little even for the narrowest strips. HT_ERR_DEVICE: CUDA is asked for and there is none, or it
 * failed. HT_ERR_INTERRUPTED. On a failure `found` is zeroed. */
ht_status ht_learned_find(const ht_volume *scan, const ht_learned_options *options,
                          ht_learned *found);

/* Frees what was found. NULL is allowed. */
void ht_learned_free(ht_learned *found);

#ifdef __cplusplus
}
#endif
#endif
