#include "nrrd_header.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The spaces that define left and right, except LAS: ITK 5.2 turns its wrong axis. */
static int is_anatomical(const char *space) {
  static const char *const known[] = {"left-posterior-superior", "LPS", "right-anterior-superior",
                                      "RAS"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcasecmp(space, known[i]) == 0) return 1;
  return 0;
}

static int count_signs(const char *text, char sign) {
  int count = 0;
  for (; *text; text++) count += *text == sign;
  return count;
}

/* "mm" "mm" "mm" */
static ht_status check_units(const char *path, const char *units) {
  char unit[32];
  for (int length; (units = strchr(units, '"')) != NULL; units += length + 2) {
    length = (int)strcspn(units + 1, "\"");
    snprintf(unit, sizeof unit, "%.*s", length, units + 1);
    if (length && strcmp(unit, "mm") != 0 && strncmp(unit, "millimet", 8) != 0)
      return ht_header_other_unit(path, unit);
    if (!units[length + 1]) break;
  }
  return HT_OK;
}

/* Three lengths, or none. */
static void read_spacings(const char *value, double spacings[3]) {
  double read[3];
  if (sscanf(value, "%lf %lf %lf", &read[0], &read[1], &read[2]) != 3) return;
  for (int a = 0; a < 3; a++)
    if (!(read[a] > 0 && isfinite(read[a]))) return;
  memcpy(spacings, read, sizeof read);
}

static ht_status nrrd_field(const char *path, const char *key, const char *value,
                            ht_nrrd_header *header) {
  if (strcasecmp(key, "data file") == 0 || strcasecmp(key, "datafile") == 0)
    return ht_voxel_file_beside(path, value, &header->file);
  if (strcasecmp(key, "byte skip") == 0 || strcasecmp(key, "byteskip") == 0)
    header->file.begin = ht_header_offset(value);
  if (strcasecmp(key, "line skip") == 0 || strcasecmp(key, "lineskip") == 0)
    header->file.spare = HUGE_VAL;
  if (strcasecmp(key, "kinds") == 0) header->is_list = strstr(value, "list") != NULL;
  if (strcasecmp(key, "space") == 0) header->is_placed = is_anatomical(value);
  if (strcasecmp(key, "spacings") == 0) read_spacings(value, header->spacings);
  if (strcasecmp(key, "space directions") == 0) header->has_size = count_signs(value, '(') == 3;
  if (strcasecmp(key, "space units") == 0) return check_units(path, value);
  if (strcasecmp(key, "encoding") != 0) return HT_OK;
  header->file.compressed = strcasecmp(value, "gz") == 0 || strcasecmp(value, "gzip") == 0;
  if (header->file.compressed || strcasecmp(value, "raw") == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: its encoding \"%.20s\" is not read: save it as gzip or raw",
                 path, value);
}

/* The space defines left and right, but not which axis of the image goes there. */
static ht_status without_axes(const char *path, const double mm[3]) {
  return ht_fail(
      HT_ERR_FORMAT,
      "%s: its header has \"spacings\" and no \"space directions\", so it is not known "
      "which way its three axes go: where they are those of its \"space\", write \"space "
      "directions: (%.9g,0,0) (0,%.9g,0) (0,0,%.9g)\" in place of \"spacings\"; else save it "
      "with its orientation from the program that made it",
      path, mm[0], mm[1], mm[2]);
}

static ht_status check_place(const char *path, const ht_nrrd_header *header) {
  if (!header->has_size && header->is_placed && header->spacings[0] > 0)
    return without_axes(path, header->spacings);
  if (!header->has_size)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: its header has no \"space directions\" for its three axes, so the size of "
                   "its voxels or where left and right are is not known (spacings alone do not "
                   "give it): save it with its orientation from the program that made it",
                   path);
  if (header->is_placed) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: its header has no \"space\" that is read (left-posterior-superior or "
                 "right-anterior-superior): left and right are not known; save it with its "
                 "orientation from the program that made it",
                 path);
}

/* The skip of compressed voxels counts inflated bytes. */
static void place_behind(long end_of_header, ht_nrrd_header *header) {
  if (header->file.compressed) {
    header->file.spare = header->file.begin < 0 ? HUGE_VAL : (double)header->file.begin;
    header->file.begin = 0;
  }
  if (!header->file.data[0] && header->file.begin >= 0) header->file.begin += end_of_header;
}

/* An empty line ends the header where voxels follow it; a detached one may just end. */
static ht_status read_nrrd(const char *path, FILE *file, ht_nrrd_header *header) {
  char line[HT_PATH_MAX];
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '\n' || line[0] == '\r') break;
    char *value = line[0] == '#' ? NULL : ht_header_split(line, ':');
    if (value) HT_TRY(nrrd_field(path, line, value, header));
  }
  place_behind(ftell(file), header);
  HT_TRY(check_place(path, header));
  return header->file.data[0] ? HT_OK : ht_voxel_file_beside("", path, &header->file);
}

ht_status ht_nrrd_header_read(const char *path, ht_nrrd_header *header) {
  *header = (ht_nrrd_header){.file = {.stored = HUGE_VAL}};
  FILE *file = fopen(path, "rb");
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be read", path);
  ht_status status = read_nrrd(path, file, header);
  fclose(file);
  return status;
}
