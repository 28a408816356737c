#define _POSIX_C_SOURCE 200809L /* strdup */
#include "import/dicom/dicom_looked.h"
#include <stdlib.h>
#include <string.h>

struct ht_dicom_looked {
  char *path; /* owned */
  ht_file_kind kind;
  ht_slice *slice; /* [slices] owned; NULL: taken */
  int slices;
};

static ht_status make_room(ht_dicom_look *look) {
  if (look->count < look->room) return HT_OK;
  const int room = look->room ? 2 * look->room : 64;
  ht_dicom_looked *grown = realloc(look->looked, (size_t)room * sizeof *grown);
  if (!grown) return ht_fail(HT_ERR_MEMORY, "not enough memory for the headers of a folder");
  look->looked = grown;
  look->room = room;
  return HT_OK;
}

ht_status ht_dicom_look_add(ht_dicom_look *look, const char *path, ht_identity *identity) {
  ht_dicom_looked one;
  HT_TRY(make_room(look));
  one.path = strdup(path);
  if (!one.path) return ht_fail(HT_ERR_MEMORY, "not enough memory for a path");
  ht_status status = ht_dicom_header(path, &one.kind, &one.slice, &one.slices, identity);
  if (status == HT_OK)
    look->looked[look->count++] = one;
  else
    free(one.path);
  return status;
}

static int compare(const void *path, const void *looked) {
  return strcmp(path, ((const ht_dicom_looked *)looked)->path);
}

int ht_dicom_look_take(ht_dicom_look *look, const char *path, ht_file_kind *kind, ht_slice **slice,
                       int *count) {
  if (!look || look->count == 0) return 0;
  ht_dicom_looked *found =
      bsearch(path, look->looked, (size_t)look->count, sizeof *look->looked, compare);
  if (!found || (found->kind == HT_FILE_DICOM && !found->slice)) return 0;
  *kind = found->kind;
  *slice = found->slice;
  *count = found->slices;
  found->slice = NULL;
  found->slices = 0;
  return 1;
}

void ht_dicom_look_free(ht_dicom_look *look) {
  for (int i = 0; i < look->count; i++) {
    for (int k = 0; k < look->looked[i].slices; k++) ht_slice_free(&look->looked[i].slice[k]);
    free(look->looked[i].slice);
    free(look->looked[i].path);
  }
  free(look->looked);
  memset(look, 0, sizeof *look);
}
