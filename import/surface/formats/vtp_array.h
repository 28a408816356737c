/* A DataArray of VTK's XML files. Private to import/. */
#ifndef HT_VTP_ARRAY_H
#define HT_VTP_ARRAY_H

#include "core/status.h"
#include <stddef.h>
#include <stdint.h>

/* Storage of the file's numbers. */
typedef struct {
  const char *path;     /* for messages. Borrowed */
  int header_bytes;     /* bytes of a size: 4 or 8 */
  int compressed;       /* by zlib */
  const char *appended; /* the appended data after its '_'; NULL: none */
  size_t appended_size;
  int appended_base64;
} ht_vtp_coding;

typedef enum { HT_VTP_TEXT, HT_VTP_BASE64, HT_VTP_APPENDED } ht_vtp_format;

typedef struct {
  char type[12]; /* "Float32" */
  ht_vtp_format format;
  uint64_t offset;  /* appended */
  const char *text; /* between its tags: [size] */
  size_t size;
} ht_vtp_array;

/* Decodes an array's numbers as doubles, [*count]. HT_ERR_FORMAT, HT_ERR_MEMORY. The caller
 * frees. */
ht_status ht_vtp_numbers(const ht_vtp_coding *coding, const ht_vtp_array *array, double **value,
                         int64_t *count);

#endif
