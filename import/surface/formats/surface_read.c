#include "import/surface/formats/surface_read.h"
#include "core/disk/file.h"
#include "import/surface/formats/obj_file.h"
#include "import/surface/formats/ply_file.h"
#include "import/surface/formats/vtp_file.h"
#include <string.h>

static const struct {
  const char *ending, *name;
  ht_status (*read)(const char *path, ht_stl *surface);
} formats[] = {{".stl", "STL", ht_stl_read},
               {".vtp", "VTP", ht_vtp_read},
               {".obj", "OBJ", ht_obj_read},
               {".ply", "PLY", ht_ply_read}};
enum { FORMATS = sizeof formats / sizeof *formats };

static int format_of(const char *path) {
  for (int f = 0; f < FORMATS; f++)
    if (ht_path_ends(path, formats[f].ending)) return f;
  return -1;
}

int ht_surface_named(const char *path) {
  return format_of(path) >= 0;
}

const char *ht_surface_format(const char *path) {
  int f = format_of(path);
  return f < 0 ? "" : formats[f].name;
}

ht_status ht_surface_read(const char *path, ht_stl *surface) {
  int f = format_of(path);
  if (f < 0)
    return ht_fail(HT_ERR_FORMAT, "%s: its name is not that of a surface (" HT_SURFACE_ENDINGS ")",
                   path);
  memset(surface, 0, sizeof *surface);
  ht_status status = formats[f].read(path, surface);
  if (status == HT_OK) status = ht_stl_check_corners(path, surface);
  if (status != HT_OK) ht_stl_free(surface);
  return status;
}
