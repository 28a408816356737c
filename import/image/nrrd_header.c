#include "import/image/nrrd_header.h"
#include "core/disk/file.h"
#include "core/formats/nifti_codes.h"
#include "core/numbers/vector3.h"
#include "import/image/voxel_number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DIMENSIONS = HT_STORED_DIMENSIONS };

/* Contents of an axis that is none of space. */
typedef enum { KIND_UNKNOWN, KIND_IMAGES, KIND_VALUES } axis_kind;

/* Fields of a header as they are written, and the values from them. */
typedef struct {
  ht_stored_image *to;
  unsigned seen;      /* bit n: fields[n] was there */
  int is_placed;      /* the patient's directions of the axes are known */
  int from_ras;       /* x and y of its vectors have the other sign than LPS */
  int directions;     /* axes that "space directions" names */
  double spacings[3]; /* of a header without axes; 0: not given */
  double vector[DIMENSIONS][3], origin[3];
  int in_space[DIMENSIONS];
  axis_kind kind[DIMENSIONS];
  int lines; /* lines before the voxels */
} nrrd;

static ht_status damaged(const char *path, const char *field, const char *value, const char *why) {
  return ht_fail(HT_ERR_FORMAT,
                 "%s: damaged: its header's \"%s\" is \"%.40s\", which is not %s; export the image "
                 "again",
                 path, field, value, why);
}

/* ---- Values ---- */

/* Reads numbers separated by blanks; -1 where one of them is none, or there are more than
 * `most`. */
static int read_numbers(const char *value, int most, double *to) {
  int count = 0;
  for (char *end; *value; value = end) {
    double number = strtod(value, &end);
    if (end == value || count == most) return -1;
    to[count++] = number;
    end += strspn(end, " \t");
  }
  return count;
}

/* "(0.5,0,0)" into `vector`; returns what follows, or NULL. */
static const char *read_vector(const char *text, double vector[3]) {
  int used = 0;
  if (sscanf(text, " ( %lf , %lf , %lf )%n", &vector[0], &vector[1], &vector[2], &used) != 3)
    return NULL;
  return used ? text + used : NULL;
}

static ht_status dimension_field(const char *path, const char *value, nrrd *header) {
  double dimensions;
  if (read_numbers(value, 1, &dimensions) != 1 || dimensions != floor(dimensions) ||
      !(dimensions >= 1 && dimensions <= DIMENSIONS))
    return damaged(path, "dimension", value, "a whole number from 1 to 10");
  header->to->dimensions = (int)dimensions;
  return HT_OK;
}

static ht_status sizes_field(const char *path, const char *value, nrrd *header) {
  ht_stored_image *to = header->to;
  int good = to->dimensions && read_numbers(value, to->dimensions, to->size) == to->dimensions;
  for (int a = 0; good && a < to->dimensions; a++)
    good = to->size[a] >= 1 && to->size[a] == floor(to->size[a]);
  return good ? HT_OK
              : damaged(path, "sizes", value,
                        "a whole number for each axis, after the line \"dimension\"");
}

/* The names without "int", which most of them may end in. */
static ht_status type_field(const char *path, const char *value, nrrd *header) {
  static const struct {
    int type;
    const char *names[6];
  } types[] = {
      {HT_NIFTI_INT8, {"signed char", "int8", "int8_t"}},
      {HT_NIFTI_UINT8, {"uchar", "unsigned char", "uint8", "uint8_t"}},
      {HT_NIFTI_INT16, {"short", "signed short", "int16", "int16_t"}},
      {HT_NIFTI_UINT16, {"ushort", "unsigned short", "uint16", "uint16_t"}},
      {HT_NIFTI_INT32, {"signed", "int32", "int32_t", ""}},
      {HT_NIFTI_UINT32, {"uint", "unsigned", "uint32", "uint32_t"}},
      {HT_NIFTI_INT64, {"longlong", "long long", "signed long long", "int64", "int64_t"}},
      {HT_NIFTI_UINT64, {"ulonglong", "unsigned long long", "uint64", "uint64_t"}},
      {HT_NIFTI_FLOAT, {"float"}},
      {HT_NIFTI_DOUBLE, {"double"}},
  };
  char name[32];
  snprintf(name, sizeof name, "%s", value);
  size_t length = strlen(name);
  if (strcasecmp(name, "int") == 0)
    length = 0;
  else if (length > 4 && strcasecmp(name + length - 4, " int") == 0)
    length -= 4;
  name[length] = 0;
  int fits = *value && strlen(value) < sizeof name;
  for (size_t t = 0; fits && t < sizeof types / sizeof *types; t++)
    for (int n = 0; n < 6 && types[t].names[n]; n++)
      if (strcasecmp(name, types[t].names[n]) == 0) header->to->type = types[t].type;
  if (header->to->type || strcasecmp(value, "block") == 0) return HT_OK;
  return damaged(path, "type", value, "a type of numbers");
}

static ht_status endian_field(const char *path, const char *value, nrrd *header) {
  int big = strcasecmp(value, "big") == 0;
  if (!big && strcasecmp(value, "little") != 0)
    return damaged(path, "endian", value, "little or big");
  header->to->swapped = big != ht_host_is_big();
  return HT_OK;
}

static ht_status encoding_field(const char *path, const char *value, nrrd *header) {
  int *compressed = &header->to->file.compressed;
  *compressed = strcasecmp(value, "gz") == 0 || strcasecmp(value, "gzip") == 0;
  if (*compressed || strcasecmp(value, "raw") == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: its encoding \"%.20s\" is not read: save it as gzip or raw",
                 path, value);
}

/* ---- Its axes ---- */

static axis_kind kind_of(const char *word) {
  static const char *const images[] = {"list", "time", "domain", "space"};
  static const char *const unknown[] = {"???", "none"};
  for (size_t i = 0; i < sizeof images / sizeof *images; i++)
    if (strcasecmp(word, images[i]) == 0) return KIND_IMAGES;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    if (strcasecmp(word, unknown[i]) == 0) return KIND_UNKNOWN;
  return KIND_VALUES; /* vector, RGB-color, ... */
}

static ht_status kinds_field(const char *path, const char *value, nrrd *header) {
  char word[64];
  int axis = 0, used = 0;
  (void)path;
  for (; axis < DIMENSIONS && sscanf(value, " %63s%n", word, &used) == 1; value += used)
    header->kind[axis++] = kind_of(word);
  return HT_OK;
}

/* The spaces that define left and right. */
static ht_status space_field(const char *path, const char *value, nrrd *header) {
  int lps = strcasecmp(value, "left-posterior-superior") == 0 || strcasecmp(value, "LPS") == 0;
  int ras = strcasecmp(value, "right-anterior-superior") == 0 || strcasecmp(value, "RAS") == 0;
  (void)path;
  header->is_placed = lps || ras;
  header->from_ras = ras;
  return HT_OK;
}

/* Vectors, or "none" of an axis that is none of space. */
static ht_status directions_field(const char *path, const char *given, nrrd *header) {
  const char *value = given;
  while (value && *value && header->directions < DIMENSIONS) {
    int axis = header->directions++;
    header->in_space[axis] = strncmp(value, "none", 4) != 0;
    value = header->in_space[axis] ? read_vector(value, header->vector[axis]) : value + 4;
    if (value) value += strspn(value, " \t");
  }
  if (value && !*value) return HT_OK;
  return damaged(path, "space directions", given, "a vector (x,y,z) or none for each axis");
}

static ht_status origin_field(const char *path, const char *value, nrrd *header) {
  const char *end = read_vector(value, header->origin);
  return end && !*end ? HT_OK : damaged(path, "space origin", value, "of the form (x,y,z)");
}

/* Three lengths, or none. */
static ht_status spacings_field(const char *path, const char *value, nrrd *header) {
  double read[3];
  (void)path;
  if (read_numbers(value, 3, read) != 3) return HT_OK;
  for (int a = 0; a < 3; a++)
    if (!(read[a] > 0 && isfinite(read[a]))) return HT_OK;
  memcpy(header->spacings, read, sizeof read);
  return HT_OK;
}

/* "mm" "mm" "mm" */
static ht_status units_field(const char *path, const char *units, nrrd *header) {
  char unit[32];
  (void)header;
  for (int length; (units = strchr(units, '"')) != NULL; units += length + 2) {
    length = (int)strcspn(units + 1, "\"");
    snprintf(unit, sizeof unit, "%.*s", length, units + 1);
    if (length && strcmp(unit, "mm") != 0 && strncmp(unit, "millimet", 8) != 0)
      return ht_header_other_unit(path, unit);
    if (!units[length + 1]) break;
  }
  return HT_OK;
}

/* ---- The place of its voxels ---- */

static ht_status data_field(const char *path, const char *value, nrrd *header) {
  return ht_voxel_file_beside(path, value, &header->to->file);
}

static ht_status skip_field(const char *path, const char *value, nrrd *header) {
  double bytes;
  if (read_numbers(value, 1, &bytes) != 1 || bytes != floor(bytes) || bytes < -1)
    return damaged(path, "byte skip", value, "a whole number of bytes, or -1");
  header->to->file.begin = ht_header_offset(value);
  return HT_OK;
}

static ht_status lines_field(const char *path, const char *value, nrrd *header) {
  double lines;
  if (read_numbers(value, 1, &lines) != 1 || lines != floor(lines) || !(lines >= 0 && lines < 1e9))
    return damaged(path, "line skip", value, "a whole number of lines");
  header->lines = (int)lines;
  return HT_OK;
}

/* Finds the first byte after `lines` more lines of the file that holds the voxels. */
static ht_status pass_lines(const char *path, const nrrd *header, long *begin) {
  FILE *file = ht_file_open(header->to->file.data);
  int sign = 0, left = header->lines;
  if (!file || fseek(file, *begin, SEEK_SET) != 0) left = -1;
  while (left > 0 && (sign = getc(file)) != EOF) left -= sign == '\n';
  if (left == 0) *begin = ftell(file);
  if (file) fclose(file);
  if (left == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: truncated or damaged: the voxels' file has fewer lines than its header says "
                 "(line skip)",
                 path);
}

/* Places the voxels. A "byte skip" counts from the end of the header and the lines; that of
 * compressed voxels counts inflated bytes; -1: the voxels end the file. */
static ht_status place_voxels(const char *path, long end_of_header, nrrd *header) {
  ht_voxel_file *file = &header->to->file;
  long skip = file->begin, begin = file->data[0] ? 0 : end_of_header;
  if (!file->data[0]) HT_TRY(ht_voxel_file_beside("", path, file));
  if (skip < 0 && file->compressed)
    return damaged(path, "byte skip", "-1", "read of compressed voxels");
  if (skip < 0) return HT_OK;
  if (header->lines) HT_TRY(pass_lines(path, header, &begin));
  file->skip = file->compressed ? (double)skip : 0;
  file->begin = file->compressed ? begin : begin + skip;
  return HT_OK;
}

/* ---- Its lines ---- */

enum { DIMENSION, SIZES, TYPE, ENCODING, ENDIAN }; /* the required fields, below */

static const struct {
  const char *name, *other; /* as older versions of the format write it */
  ht_status (*read)(const char *path, const char *value, nrrd *header);
} fields[] = {
    [DIMENSION] = {"dimension", "", dimension_field},
    [SIZES] = {"sizes", "", sizes_field},
    [TYPE] = {"type", "", type_field},
    [ENCODING] = {"encoding", "", encoding_field},
    [ENDIAN] = {"endian", "", endian_field},
    {"kinds", "", kinds_field},
    {"space", "", space_field},
    {"space directions", "", directions_field},
    {"space origin", "", origin_field},
    {"space units", "", units_field},
    {"spacings", "", spacings_field},
    {"data file", "datafile", data_field},
    {"byte skip", "byteskip", skip_field},
    {"line skip", "lineskip", lines_field},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static int has(const nrrd *header, int field) {
  return header->seen >> field & 1;
}

static ht_status read_field(const char *path, const char *name, const char *value, nrrd *header) {
  for (int n = 0; n < FIELDS; n++) {
    if (strcasecmp(name, fields[n].name) != 0 && strcasecmp(name, fields[n].other) != 0) continue;
    if (has(header, n))
      return ht_fail(HT_ERR_FORMAT, "%s: damaged: its header has \"%s\" twice", path, name);
    header->seen |= 1u << n;
    return fields[n].read(path, value, header);
  }
  return HT_OK;
}

/* The rest of a line that is longer than its room, which no field is. */
static int pass_rest(FILE *file) {
  int sign;
  while ((sign = getc(file)) != EOF && sign != '\n') continue;
  return 1;
}

/* Comments begin with '#', what programs add to the format has the sign ":=". An empty line ends
 * the header where voxels follow it; a detached one may just end. */
static ht_status read_lines(const char *path, FILE *file, nrrd *header) {
  char line[HT_PATH_MAX];
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '\n' || line[0] == '\r') break;
    int longer = !strchr(line, '\n') && !feof(file) && pass_rest(file);
    char *colon = line[0] == '#' ? NULL : strchr(line, ':');
    if (!colon || colon[1] == '=') continue;
    char *value = ht_header_split(line, ':');
    HT_TRY(read_field(path, line, longer ? "" : value, header));
  }
  return HT_OK;
}

/* ---- Is it complete? ---- */

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

static ht_status check_place(const char *path, const nrrd *header) {
  int in_space = 0;
  for (int a = 0; a < header->directions; a++) in_space += header->in_space[a];
  if (in_space != 3 && header->is_placed && header->spacings[0] > 0)
    return without_axes(path, header->spacings);
  if (in_space != 3 || header->directions != header->to->dimensions)
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

static ht_status check_fields(const char *path, const nrrd *header) {
  for (int n = 0; n <= ENDIAN; n++) {
    int needed = n != ENDIAN || ht_number_bytes(header->to->type) > 1;
    if (needed && !has(header, n))
      return ht_fail(HT_ERR_FORMAT, "%s: damaged: its header has no \"%s\"", path, fields[n].name);
  }
  return check_place(path, header);
}

/* ---- Its axes in order ---- */

/* Axis `to` of the image is axis `from` of the header. */
static void set_axis(const nrrd *header, int from, int to, double size) {
  ht_stored_image *image = header->to;
  double vector[3];
  image->size[to] = size;
  if (to >= 3) return;
  for (int r = 0; r < 3; r++)
    vector[r] = (header->from_ras && r < 2 ? -1 : 1) * header->vector[from][r];
  image->spacing_mm[to] = ht_length(vector);
  image->origin_mm[to] = (header->from_ras && to < 2 ? -1 : 1) * header->origin[to];
  (void)ht_normalise(vector);
  memcpy(image->axes + to * image->dimensions, vector, sizeof vector);
}

/* The axes of space first. One axis of others before them is stored voxel by voxel. */
static ht_status order_axes(const char *path, const nrrd *header) {
  ht_stored_image *image = header->to;
  double size[DIMENSIONS];
  int space = 0, other = 3, first = !header->in_space[0];
  memcpy(size, image->size, sizeof size);
  for (int a = 0; a < image->dimensions; a++) {
    int to = header->in_space[a] ? space++ : other++;
    if (to != a && !(first && image->dimensions == 4))
      return ht_fail(HT_ERR_FORMAT,
                     "%s: the axes of its images in time lie between those of space: save the "
                     "image to use as one of its own",
                     path);
    set_axis(header, a, to, size[a]);
  }
  axis_kind kind = header->kind[first ? 0 : 3];
  image->channels = 1;
  image->interleaved = first;
  if (image->dimensions == 3 || kind == KIND_IMAGES || (kind == KIND_UNKNOWN && !first))
    return HT_OK;
  image->channels = image->size[3] < 1e6 ? (int)image->size[3] : 1000000;
  return HT_OK;
}

/* ---- The header ---- */

static ht_status read_nrrd(const char *path, FILE *file, nrrd *header) {
  char magic[16];
  if (!fgets(magic, sizeof magic, file) || strncmp(magic, "NRRD000", 7) != 0 || magic[7] < '1' ||
      magic[7] > '9' || !strchr("\r\n", magic[8]))
    return ht_fail(HT_ERR_FORMAT, "%s: not a NRRD file, or its header is damaged", path);
  HT_TRY(read_lines(path, file, header));
  long end_of_header = ftell(file);
  HT_TRY(check_fields(path, header));
  HT_TRY(place_voxels(path, end_of_header, header));
  return order_axes(path, header);
}

ht_status ht_nrrd_header_read(const char *path, ht_stored_image *to) {
  nrrd header = {.to = to};
  memset(to, 0, sizeof *to);
  to->file.stored = HUGE_VAL;
  FILE *file = ht_file_open(path);
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be read", path);
  ht_status status = read_nrrd(path, file, &header);
  fclose(file);
  return status;
}
