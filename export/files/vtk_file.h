/* VTK's XML files with one appended block of raw bytes: what .vti and .vtp share.
 *
 * The layout (VTK file formats, section "XML file formats"): the XML names each array and its
 * offset in the appended block; there an array is [blocks][block size][last block's size]
 * [compressed sizes ...] as UInt64, then the blocks, each compressed by zlib. Arrays are passed in
 * pieces, so a dense field of a large grid never exists in memory.
 */
#ifndef HT_VTK_FILE_H
#define HT_VTK_FILE_H

#include "core/disk/file.h"
#include <stdint.h>

/* Writes values [first, first + count) of an array to `out`, in the array's own type. Called on
 * several cores at a time. */
typedef void (*ht_vtk_fill)(const void *source, int64_t first, int64_t count, void *out);

typedef struct {
  const char *type; /* "Float32", "Int32", "Int64", "UInt8" */
  const char *name; /* NULL: no name (the points) */
  int components;
  int64_t values;     /* numbers in all: items * components */
  ht_vtk_fill fill;   /* NULL: `source` is the array itself */
  const void *source; /* borrowed */
} ht_vtk_array;

enum { HT_VTK_ARRAYS_MAX = 24 };

typedef struct {
  ht_output output;
  int arrays;
  ht_vtk_array array[HT_VTK_ARRAYS_MAX];
  long offset_at[HT_VTK_ARRAYS_MAX]; /* where in the file the offset of the array is to go */
} ht_vtk_file;

/* Opens and writes the head; `kind` is "ImageData" or "PolyData". HT_ERR_WRITE. */
ht_status ht_vtk_open(const char *path, const char *kind, ht_vtk_file *file);

/* Writes XML text, printf style. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void
ht_vtk_text(ht_vtk_file *file, const char *format, ...);

/* Declares an array at this place of the XML; ht_vtk_close writes its values. */
void ht_vtk_data_array(ht_vtk_file *file, const ht_vtk_array *array);

/* Ends the XML, writes the arrays and gives the file its name. Frees everything, also on a failure
 * (no file is left then). HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_vtk_close(ht_vtk_file *file, const char *kind);

#endif
