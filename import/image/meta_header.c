#define _POSIX_C_SOURCE 200809L
#include "import/image/meta_header.h"
#include "core/disk/file.h"
#include "core/formats/nifti_codes.h"
#include "import/image/voxel_number.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- A line ---- */

/* The names that are looked for here. */
static const char *const known_names[] = {"NDims",
                                          "DimSize",
                                          "BinaryData",
                                          "BinaryDataByteOrderMSB",
                                          "ElementByteOrderMSB",
                                          "CompressedData",
                                          "CompressedDataSize",
                                          "HeaderSize",
                                          "DistanceUnits",
                                          "ElementSpacing",
                                          "ElementSize",
                                          "Offset",
                                          "Position",
                                          "Origin",
                                          "TransformMatrix",
                                          "Rotation",
                                          "Orientation",
                                          "ElementType",
                                          "ElementNumberOfChannels",
                                          "ElementDataFile"};

/* "ndims" -> "NDims"; NULL for other names. */
static const char *find_name(const char *name) {
  for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++)
    if (strcasecmp(name, known_names[i]) == 0) return known_names[i];
  return NULL;
}

static int is_text(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (iscntrl((unsigned char)text[i]) && text[i] != '\t') return 0;
  return 1;
}

/* Splits a line of `length` bytes into name and value. A line that other readers of the format may
 * understand in another way is refused: a known name in other letters, control characters, a second
 * sign, a name of more than 100 letters. */
static ht_status split_line(const char *path, int number, char *line, size_t length, char **name,
                            char **value) {
  enum { MOST = 100 };
  while (length && (line[length - 1] == '\n' || line[length - 1] == '\r')) line[--length] = 0;
  size_t blank = strspn(line, " \t"), ends = strcspn(line, "=:");
  if (ends <= blank || ends - blank > MOST || !line[ends] || !is_text(line, ends))
    return ht_fail(HT_ERR_FORMAT,
                   "%s: damaged: line %d of its header is not of the form Name = value; export the "
                   "image again",
                   path, number);
  int clean = is_text(line + ends, length - ends);
  *name = line + blank;
  *value = ht_header_split(line, line[ends]);
  clean &= **value != '=' && **value != ':';
  const char *known = find_name(*name);
  if (!known || (clean && strcmp(*name, known) == 0)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: damaged: line %d of its header is not of the form %s = value; export the "
                 "image again",
                 path, number, known);
}

/* ---- Values ---- */

static int is_true(const char *value) {
  return value[0] == 'T' || value[0] == 't' || value[0] == '1';
}

static ht_status read_dimensions(const char *path, const char *value, ht_stored_image *header) {
  char *end;
  double dimensions = strtod(value, &end);
  if (end == value || *end || !(dimensions >= 1 && dimensions <= HT_STORED_DIMENSIONS) ||
      dimensions != floor(dimensions))
    return ht_fail(HT_ERR_FORMAT,
                   "%s: damaged: its header states %.20s dimensions (NDims): a whole number from 1 "
                   "to 10",
                   path, value);
  header->dimensions = (int)dimensions;
  for (int a = 0; a < header->dimensions; a++)
    header->axes[a * header->dimensions + a] = 1; /* where the header names no axes */
  return HT_OK;
}

/* Reads `count` numbers; skips more after them. */
static ht_status read_numbers(const char *path, const char *name, const char *value, int count,
                              double *to) {
  const char *at = value;
  char *end;
  for (int i = 0; i < count; i++, at = end) {
    to[i] = strtod(at, &end);
    if (end == at) count = -1;
  }
  if (count > 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: damaged: its header does not give a number for each of its dimensions "
                 "(NDims, then %s); export the image again",
                 path, name);
}

static ht_status read_size(const char *path, const char *value, ht_stored_image *header) {
  HT_TRY(read_numbers(path, "DimSize", value, header->dimensions, header->size));
  for (int a = 0; a < header->dimensions; a++)
    if (!(header->size[a] >= 1) || header->size[a] != floor(header->size[a]))
      return ht_fail(HT_ERR_FORMAT, "%s: damaged: its header states a size of %g voxels (DimSize)",
                     path, header->size[a]);
  return HT_OK;
}

static int type_of(const char *name) {
  static const struct {
    const char *name;
    int type;
  } types[] = {{"MET_CHAR", HT_NIFTI_INT8},       {"MET_UCHAR", HT_NIFTI_UINT8},
               {"MET_SHORT", HT_NIFTI_INT16},     {"MET_USHORT", HT_NIFTI_UINT16},
               {"MET_INT", HT_NIFTI_INT32},       {"MET_UINT", HT_NIFTI_UINT32},
               {"MET_LONG", HT_NIFTI_INT32},      {"MET_ULONG", HT_NIFTI_UINT32},
               {"MET_LONG_LONG", HT_NIFTI_INT64}, {"MET_ULONG_LONG", HT_NIFTI_UINT64},
               {"MET_FLOAT", HT_NIFTI_FLOAT},     {"MET_DOUBLE", HT_NIFTI_DOUBLE}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(name, types[i].name) == 0) return types[i].type;
  return 0;
}

static int is_one_of(const char *name, const char *const names[3]) {
  for (int i = 0; i < 3; i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

/* Reads a field with the place of the voxels in the patient. */
static ht_status place_field(const char *path, const char *name, const char *value,
                             ht_stored_image *header) {
  static const char *const origins[] = {"Offset", "Position", "Origin"};
  static const char *const turns[] = {"TransformMatrix", "Rotation", "Orientation"};
  int n = header->dimensions;
  if (strcmp(name, "NDims") == 0) return read_dimensions(path, value, header);
  if (strcmp(name, "DimSize") == 0) return read_size(path, value, header);
  if (strcmp(name, "ElementSpacing") == 0)
    return read_numbers(path, name, value, n, header->spacing_mm);
  if (is_one_of(name, origins)) return read_numbers(path, name, value, n, header->origin_mm);
  if (is_one_of(name, turns)) return read_numbers(path, name, value, n * n, header->axes);
  if (strcmp(name, "DistanceUnits") == 0 && *value && strcmp(value, "?") != 0 &&
      strcmp(value, "mm") != 0)
    return ht_header_other_unit(path, value);
  return HT_OK;
}

static ht_status voxel_field(const char *path, const char *name, const char *value,
                             ht_stored_image *header) {
  if (strcmp(name, "BinaryData") == 0 && !is_true(value))
    return ht_fail(HT_ERR_FORMAT,
                   "%s: its header says that its voxels are text (BinaryData = %.20s), which is "
                   "not read: save it with BinaryData = True",
                   path, value);
  if (strcmp(name, "ElementType") == 0) header->type = type_of(value);
  if (strcmp(name, "ElementNumberOfChannels") == 0)
    header->channels = (int)fmin(1e6, fmax(0, strtod(value, NULL)));
  if (strcmp(name, "BinaryDataByteOrderMSB") == 0 || strcmp(name, "ElementByteOrderMSB") == 0)
    header->swapped = is_true(value) != ht_host_is_big();
  if (strcmp(name, "CompressedData") == 0) header->file.compressed = is_true(value);
  if (strcmp(name, "CompressedDataSize") == 0)
    header->file.stored = fmin(1e300, fmax(0, strtod(value, NULL)));
  if (strcmp(name, "HeaderSize") == 0) header->file.begin = ht_header_offset(value);
  return HT_OK;
}

/* ---- The file of the voxels ---- */

/* The spellings that mean this file; any other is the name of a file. */
static int is_here(const char *value) {
  static const char *const here[] = {"LOCAL", "Local", "local"};
  return is_one_of(value, here);
}

/* Voxels in the same file follow the header. A HeaderSize there is the header's own, or -1: the
 * voxels end the file. */
static ht_status place_here(const char *path, long end_of_header, ht_voxel_file *file) {
  long begin = file->begin;
  if (begin < 0) file->spare = -HT_SPARE_BYTES;
  file->begin = end_of_header;
  if (begin <= 0 || begin == end_of_header) return ht_voxel_file_beside("", path, file);
  return ht_fail(HT_ERR_FORMAT,
                 "%s: damaged: its voxels begin at byte %ld, after its header, and not at byte "
                 "%ld as the header says (HeaderSize): export the image again",
                 path, end_of_header, begin);
}

/* ---- The header ---- */

/* `sized`: ElementSpacing or ElementSize was there; the former holds where both are. */
static ht_status read_field(const char *path, const char *name, const char *value,
                            ht_stored_image *header, int sized[2]) {
  if (strcmp(name, "ElementSpacing") == 0) sized[0] = 1;
  if (strcmp(name, "ElementSize") == 0 && !sized[0]) {
    sized[1] = 1;
    return read_numbers(path, name, value, header->dimensions, header->spacing_mm);
  }
  HT_TRY(place_field(path, name, value, header));
  return voxel_field(path, name, value, header);
}

static ht_status read_lines(const char *path, FILE *file, char **line, ht_stored_image *header,
                            int sized[2]) {
  char *name = NULL, *value = NULL;
  size_t room = 0;
  long length;
  for (int number = 1; (length = getline(line, &room, file)) > 0; number++) {
    HT_TRY(split_line(path, number, *line, (size_t)length, &name, &value));
    HT_TRY(read_field(path, name, value, header, sized));
    if (strcmp(name, "ElementDataFile") != 0) continue;
    return is_here(value) ? place_here(path, ftell(file), &header->file)
                          : ht_voxel_file_beside(path, value, &header->file);
  }
  return ht_fail(HT_ERR_FORMAT, "%s: damaged: its header has no ElementDataFile", path);
}

/* Another file under such a name: it has no NDims near its beginning. */
static ht_status check_kind(const char *path, FILE *file) {
  char begin[8001];
  size_t length = fread(begin, 1, sizeof begin - 1, file);
  begin[length] = 0;
  for (size_t i = 0; i < length; i++)
    if (!begin[i]) begin[i] = ' ';
  rewind(file);
  if (strstr(begin, "NDims")) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: not a MetaImage file, or its header is damaged", path);
}

static ht_status check_complete(const char *path, const ht_stored_image *header, int sized) {
  if (!sized)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: its header has no ElementSpacing, so the size of its voxels is not known: "
                   "write it there in mm, as in ElementSpacing = 0.5 0.5 0.8, or export the image "
                   "again",
                   path);
  if (header->dimensions && header->size[0] > 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: damaged: its header has no DimSize", path);
}

static ht_status read_all(const char *path, FILE *file, ht_stored_image *header) {
  char *line = NULL;
  int sized[2] = {0, 0};
  HT_TRY(check_kind(path, file));
  ht_status status = read_lines(path, file, &line, header, sized);
  free(line);
  return status == HT_OK ? check_complete(path, header, sized[0] || sized[1]) : status;
}

ht_status ht_meta_header_read(const char *path, ht_stored_image *header) {
  /* Compressed voxels without their size are not read by other programs: stored is 0. */
  memset(header, 0, sizeof *header);
  header->channels = 1;
  FILE *file = ht_file_open(path);
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be read", path);
  ht_status status = read_all(path, file, header);
  fclose(file);
  return status;
}
