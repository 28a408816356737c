/* Wall of a case, or of another program, with the numbers that are compared. */
#ifndef HT_COMPARED_WALL_H
#define HT_COMPARED_WALL_H

#include "import/surface/formats/vtp_mesh.h"
#include "export/wall/wall.h"

/* Numbers on a wall, in the order of the tables. */
typedef enum {
  HT_OF_TAWSS = 0,
  HT_OF_OSI,
  HT_OF_WSS,
  HT_OF_PRESSURE,
  HT_WALL_NUMBERS,
} ht_wall_number;

typedef struct {
  const char *key;   /* "tawss": in --array and in names of files and arrays */
  const char *array; /* its name in wall.vtp */
  const char *unit;  /* "Pa"; "" */
  const char *words; /* "Time-averaged wall shear stress (TAWSS)" */
  const char *brief; /* "TAWSS" */
} ht_wall_number_kind;
extern const ht_wall_number_kind ht_wall_number_kinds[HT_WALL_NUMBERS];

/* Returns "_pa" for a number in Pa, "" for one without a unit: the end of names. */
const char *ht_wall_number_suffix(ht_wall_number number);

typedef struct {
  ht_surface surface;             /* normals: as in the file, else of its triangles */
  float *values[HT_WALL_NUMBERS]; /* [points]; NULL: the wall has none; NAN: not known. Owned */
} ht_compared_wall;

/* Place of a number in the file of another program. */
enum { HT_FOREIGN_ARRAYS_MAX = HT_WALL_NUMBERS };
typedef struct {
  ht_wall_number number;
  char array[HT_VTP_NAME_MAX];
  double pa; /* Pa per unit of the file; 1 for the OSI */
} ht_foreign_array;

/* Parses "tawss=WSS average:dyn/cm2" (osi=NAME). HT_ERR_USAGE, with the words that are allowed. */
ht_status ht_foreign_array_parse(const char *text, ht_foreign_array *array);

/* Reads wall.vtp of a case, or, where it is `foreign`, the file of another program: `array` says
 * where its numbers are; those with hemotile's names need no such entry. A vector becomes its size.
 * HT_ERR_NOT_FOUND; HT_ERR_FORMAT: damaged, no array with a number (the message lists those of the
 * file), a requested array is not there; HT_ERR_MEMORY. `notes`: on the unit of lengths. The caller
 * frees. */
typedef struct {
  int foreign;
  ht_surface_unit unit;
  int arrays;
  const ht_foreign_array *array;
} ht_wall_reading;
ht_status ht_compared_wall_read(const char *path, const ht_wall_reading *how,
                                ht_import_notes *notes, ht_compared_wall *wall);
void ht_compared_wall_free(ht_compared_wall *wall);

/* Reverses all triangles and normals. */
void ht_compared_wall_turn(ht_compared_wall *wall);

#endif
