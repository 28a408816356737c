/* Sensitivity of the results to the wall's position: the same case with the mask half a voxel of
 * the scan thinner, and thicker. */
#ifndef HT_SENSITIVITY_H
#define HT_SENSITIVITY_H

#include "core/formats/json.h"
#include "core/vessel/openings.h"
#include <libfyaml.h>
#include <stdio.h>

enum { HT_THINNER = 0, HT_AS_IS, HT_THICKER, HT_WALLS };

/* Results with one mask. */
typedef struct {
  int done, steady;
  char message[640]; /* reason why it was not done */
  int collision;     /* ht_collision */
  double volume_ml;  /* volume of the vessel inside its wall */
  double wss_mean_pa, wss_p99_pa;
  double area_mm2;      /* area of the wall; 0: not known */
  double moved_mm;      /* measured distance of the wall outside that of the case */
  double tawss_mean_pa; /* 0: the flow is steady */
  int outlets;
  struct {
    char name[HT_NAME_MAX];
    double drop_mmhg; /* from the main inlet */
  } outlet[HT_OPENINGS_MAX];
} ht_wall_result;

typedef struct {
  double offset_mm; /* distance that the wall should move; 0: not requested */
  ht_wall_result wall[HT_WALLS];
} ht_sensitivity;

/* Fills moved_mm. Where the wall is that of voxels, these move by whole ones, so the wall moves by
 * about the requested distance. moved_mm is the difference of the volumes over the mean area of
 * both walls. */
void ht_sensitivity_measure(ht_sensitivity *sensitivity);

/* Writes the member "sensitivity" into the current JSON object; nothing if not requested. */
void ht_sensitivity_json(ht_json *json, const ht_sensitivity *sensitivity);
/* Reads that member; NULL: not requested. */
void ht_sensitivity_read(struct fy_node *node, ht_sensitivity *sensitivity);

/* Prints the table of the summary; nothing if not requested. */
void ht_sensitivity_print(FILE *stream, const ht_sensitivity *sensitivity);

#endif
