/* What the learned network is asked, and what it finds: learned.h. */
#ifndef HT_LEARNED_TYPES_H
#define HT_LEARNED_TYPES_H

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
  const ht_progress *progress; /* stage "learned"; borrowed; may be NULL */
} ht_learned_options;

enum { HT_LEARNED_UNIT = 255, HT_LEARNED_PER_VOXEL = 32, HT_LEARNED_IMAGES = 4 };

/* What the network says of each voxel: HT_LEARNED_IMAGES images of bytes, [nz][ny][nx] as the scan,
 * one after another in one piece of memory. */
typedef struct {
  ht_grid grid;
  /* Probabilities in 1/255. What is missing in the sum is background. */
  uint8_t *artery; /* a vessel that is as bright as the scan's contrast makes it. Owned: free with
                      ht_learned_free */
  uint8_t *other;  /* another vessel: blood that is clearly dimmer than the arteries'. These weights
                      call next to none so. Part of `artery`'s memory, as the next two */
  uint8_t *hard;   /* bone, calcium, metal; in MR bone is background */
  int8_t *distance; /* from the nearest wall of a vessel of either kind, in 1/32 of the narrowest
                       voxel's width; negative inside; -127 .. 127, of farther ones the same */
  int on_gpu;
  char device[128];  /* "NVIDIA H200", "CPU, 2 threads, AVX2" */
  char why_cpu[256]; /* why no GPU was used, where it was to be used if there is one; else "" */
  double seconds;    /* the time that it took */
  double peak_bytes; /* memory of the work on the device, beside the scan and this */
} ht_learned;

#ifdef __cplusplus
}
#endif
#endif
