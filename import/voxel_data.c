#include "voxel_data.h"
#include "file.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <zlib.h>

typedef struct {
  char data[HT_PATH_MAX]; /* the file that holds the voxels */
  long begin;             /* first byte of the voxels there */
  int compressed;
  int is_list;        /* NRRD: an axis holds images in time */
  int has_size;       /* the header tells the voxels' size in mm; NRRD: and their axes */
  int is_placed;      /* NRRD: and what those axes are to the patient */
  double spacings[3]; /* NRRD: of a header that tells no axes; 0: not told */
  double stored;      /* MetaImage: bytes of the compressed voxels; more than that is not read */
  double spare;       /* bytes of other things that the header says lie beside the voxels */
} voxel_layout;

/* Bytes behind the voxels that are let pass: the end of a line, no header of another format. */
enum { SPARE_BYTES = 16 };

int ht_voxel_data_claims_more(const char *path, double bytes, char problem[128]) {
  struct stat file;
  if (stat(path, &file) != 0 || bytes <= 1032.0 * (double)file.st_size) return 0;
  snprintf(problem, 128,
           "damaged: its header claims more voxels than a file of %lld bytes can hold",
           (long long)file.st_size);
  return 1;
}

static int is_true(const char *value) {
  return value[0] == 'T' || value[0] == 't' || value[0] == '1';
}

static void trim(char *text) {
  size_t length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1])) text[--length] = 0;
}

/* "Key = value" -> key and value; NULL where there is no such sign. */
static char *split_line(char *line, char sign) {
  char *value = strchr(line, sign);
  if (!value) return NULL;
  *value++ = 0;
  while (isspace((unsigned char)*value)) value++;
  trim(line);
  trim(value);
  return value;
}

/* Bytes before the voxels, or -1: they end the file. What is too many stays too many. */
static long read_offset(const char *value) {
  return (long)fmin(1e15, fmax(-1, strtod(value, NULL)));
}

/* The voxels of a file beside it are looked for in its folder, unless the name tells another. */
static ht_status place_data(const char *path, const char *name, voxel_layout *layout) {
  const char *slash = strrchr(path, '/');
  int length = slash && name[0] != '/' ? (int)(slash - path + 1) : 0;
  int used = snprintf(layout->data, sizeof layout->data, "%.*s%s", length, path, name);
  if (used < 0 || used >= (int)sizeof layout->data)
    return ht_fail(HT_ERR_FORMAT, "%s: the name of its data file is too long", path);
  return HT_OK;
}

/* The spellings that MetaIO knows; any other is the name of a file. */
static int is_here(const char *value) {
  return strcmp(value, "LOCAL") == 0 || strcmp(value, "Local") == 0 || strcmp(value, "local") == 0;
}

/* MetaIO has room for 10, and does not come back from a negative number. */
static ht_status check_dimensions(const char *path, const char *value) {
  char *end;
  double dimensions = strtod(value, &end);
  if (end != value && *end == 0 && dimensions >= 1 && dimensions <= 10 &&
      dimensions == floor(dimensions))
    return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: damaged: its header states %.20s dimensions (NDims): a whole number from 1 "
                 "to 10",
                 path, value);
}

/* "ndims" -> "NDims", of the names that are looked for here; NULL for others. */
static const char *find_meta_name(const char *name) {
  static const char *const known[] = {
      "NDims",          "BinaryData",  "CompressedData", "CompressedDataSize", "HeaderSize",
      "ElementSpacing", "ElementSize", "DistanceUnits",  "ElementDataFile"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcasecmp(name, known[i]) == 0) return known[i];
  return NULL;
}

static int is_text(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (iscntrl((unsigned char)text[i]) && text[i] != '\t') return 0;
  return 1;
}

/* Splits a line of `length` bytes into name and value as MetaIO does, which copies a name of any
 * length into a field of 255. What counts as a space, and in what case a name is known, is not the
 * same there: where that could matter the line is refused. */
static ht_status split_meta(const char *path, int number, char *line, size_t length, char **name,
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
  *value = split_line(line, line[ends]);
  clean &= **value != '=' && **value != ':'; /* MetaIO passes over these */
  const char *known = find_meta_name(*name);
  if (!known || (clean && strcmp(*name, known) == 0)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: damaged: line %d of its header is not of the form %s = value; export the "
                 "image again",
                 path, number, known);
}

/* MetaIO makes zeros of text that is none. */
static ht_status check_binary(const char *path, const char *value) {
  if (is_true(value)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: its header says that its voxels are text (BinaryData = %.20s), which is not "
                 "read: save it with BinaryData = True",
                 path, value);
}

static ht_status other_unit(const char *path, const char *unit) {
  return ht_fail(HT_ERR_FORMAT, "%s: its lengths are in \"%.20s\": save it in mm", path, unit);
}

static ht_status meta_field(const char *path, const char *name, const char *value,
                            voxel_layout *layout) {
  if (strcmp(name, "NDims") == 0) return check_dimensions(path, value);
  if (strcmp(name, "BinaryData") == 0) return check_binary(path, value);
  if (strcmp(name, "DistanceUnits") == 0 && *value && strcmp(value, "?") != 0 &&
      strcmp(value, "mm") != 0)
    return other_unit(path, value);
  if (strcmp(name, "ElementSpacing") == 0 || strcmp(name, "ElementSize") == 0) layout->has_size = 1;
  if (strcmp(name, "CompressedData") == 0) layout->compressed = is_true(value);
  if (strcmp(name, "CompressedDataSize") == 0)
    layout->stored = fmin(1e300, fmax(0, strtod(value, NULL)));
  if (strcmp(name, "HeaderSize") == 0) layout->begin = read_offset(value);
  return HT_OK;
}

/* MetaIO begins at HeaderSize where the voxels lie in the same file, too: in the header, as a
 * rule. With -1 they end the file. */
static ht_status place_here(const char *path, long end_of_header, voxel_layout *layout) {
  long begin = layout->begin;
  if (begin < 0) layout->spare = -SPARE_BYTES;
  layout->begin = end_of_header;
  if (begin <= 0 || begin == end_of_header) return place_data("", path, layout);
  return ht_fail(HT_ERR_FORMAT,
                 "%s: damaged: its voxels begin at byte %ld, behind its header, and not at byte "
                 "%ld as the header says (HeaderSize): export the image again",
                 path, end_of_header, begin);
}

static ht_status read_meta_lines(const char *path, FILE *file, char **line, voxel_layout *layout) {
  char *name = NULL, *value = NULL;
  size_t room = 0;
  long length;
  for (int number = 1; (length = getline(line, &room, file)) > 0; number++) {
    HT_TRY(split_meta(path, number, *line, (size_t)length, &name, &value));
    HT_TRY(meta_field(path, name, value, layout));
    if (strcmp(name, "ElementDataFile") != 0) continue;
    return is_here(value) ? place_here(path, ftell(file), layout) : place_data(path, value, layout);
  }
  return ht_fail(HT_ERR_FORMAT, "%s: damaged: its header has no ElementDataFile", path);
}

static ht_status read_meta(const char *path, FILE *file, voxel_layout *layout) {
  char *line = NULL;
  layout->stored = 0; /* without its size MetaIO reads none of the compressed voxels */
  ht_status status = read_meta_lines(path, file, &line, layout);
  free(line);
  if (status != HT_OK || layout->has_size) return status;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: its header has no ElementSpacing, so the size of its voxels is not known: "
                 "write it there in mm, as in ElementSpacing = 0.5 0.5 0.8, or export the image "
                 "again",
                 path);
}

/* The spaces that tell left from right, less LAS: ITK 5.2 turns the wrong axis of that. */
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
      return other_unit(path, unit);
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
                            voxel_layout *layout) {
  if (strcasecmp(key, "data file") == 0 || strcasecmp(key, "datafile") == 0)
    return place_data(path, value, layout);
  if (strcasecmp(key, "byte skip") == 0 || strcasecmp(key, "byteskip") == 0)
    layout->begin = read_offset(value);
  if (strcasecmp(key, "line skip") == 0 || strcasecmp(key, "lineskip") == 0)
    layout->spare = HUGE_VAL;
  if (strcasecmp(key, "kinds") == 0) layout->is_list = strstr(value, "list") != NULL;
  if (strcasecmp(key, "space") == 0) layout->is_placed = is_anatomical(value);
  if (strcasecmp(key, "spacings") == 0) read_spacings(value, layout->spacings);
  if (strcasecmp(key, "space directions") == 0) layout->has_size = count_signs(value, '(') == 3;
  if (strcasecmp(key, "space units") == 0) return check_units(path, value);
  if (strcasecmp(key, "encoding") != 0) return HT_OK;
  layout->compressed = strcasecmp(value, "gz") == 0 || strcasecmp(value, "gzip") == 0;
  if (layout->compressed || strcasecmp(value, "raw") == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: its encoding \"%.20s\" is not read: save it as gzip or raw",
                 path, value);
}

/* The space tells left and right, but not which axis of the image goes there. */
static ht_status without_axes(const char *path, const double mm[3]) {
  return ht_fail(
      HT_ERR_FORMAT,
      "%s: its header has \"spacings\" and no \"space directions\", so it is not known "
      "which way its three axes go: where they are those of its \"space\", write \"space "
      "directions: (%.9g,0,0) (0,%.9g,0) (0,0,%.9g)\" in place of \"spacings\"; else save it "
      "with its orientation from the program that made it",
      path, mm[0], mm[1], mm[2]);
}

static ht_status check_place(const char *path, const voxel_layout *layout) {
  if (!layout->has_size && layout->is_placed && layout->spacings[0] > 0)
    return without_axes(path, layout->spacings);
  if (!layout->has_size)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: its header has no \"space directions\" for its three axes, so the size of "
                   "its voxels or where left and right are is not known (spacings alone do not "
                   "tell): save it with its orientation from the program that made it",
                   path);
  if (layout->is_placed) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: its header has no \"space\" that is read (left-posterior-superior or "
                 "right-anterior-superior): left and right are not known; save it with its "
                 "orientation from the program that made it",
                 path);
}

/* The skip of compressed voxels counts inflated bytes. */
static void place_behind(long end_of_header, voxel_layout *layout) {
  if (layout->compressed) {
    layout->spare = layout->begin < 0 ? HUGE_VAL : (double)layout->begin;
    layout->begin = 0;
  }
  if (!layout->data[0] && layout->begin >= 0) layout->begin += end_of_header;
}

/* An empty line ends the header where voxels follow it; a detached one may just end. */
static ht_status read_nrrd(const char *path, FILE *file, voxel_layout *layout) {
  char line[HT_PATH_MAX];
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '\n' || line[0] == '\r') break;
    char *value = line[0] == '#' ? NULL : split_line(line, ':');
    if (value) HT_TRY(nrrd_field(path, line, value, layout));
  }
  place_behind(ftell(file), layout);
  HT_TRY(check_place(path, layout));
  return layout->data[0] ? HT_OK : place_data("", path, layout);
}

static ht_status truncated(const char *path, const voxel_layout *layout, double expected) {
  const char *beside = strcmp(path, layout->data) ? layout->data : "";
  return ht_fail(HT_ERR_FORMAT,
                 "%s: truncated or damaged: its voxels need %.0f bytes, which are not there%s%s; "
                 "copy or export it again",
                 path, expected, *beside ? " in " : "", beside);
}

/* More bytes than voxels: the header states another size than the image has, or what lies before
 * its voxels is taken for them. */
static ht_status too_many(const char *path, double there, double expected) {
  return ht_fail(HT_ERR_FORMAT,
                 "%s: its header states %.0f bytes of voxels, and there are %.0f: its size or the "
                 "place where its voxels begin is wrong; export the image again",
                 path, expected, there);
}

/* Inflates a zlib or gzip stream of at most `left` bytes from here; its length, or -1 where it is
 * not whole. */
static double inflated_bytes(FILE *file, z_stream *stream, double left) {
  enum { BLOCK = 1 << 12 };
  unsigned char in[BLOCK], out[BLOCK];
  double bytes = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    if (stream->avail_in == 0) {
      stream->next_in = in;
      stream->avail_in = (uInt)fread(in, 1, left < BLOCK ? (size_t)left : BLOCK, file);
      if (stream->avail_in == 0) return -1;
      left -= stream->avail_in;
    }
    stream->next_out = out;
    stream->avail_out = BLOCK;
    code = inflate(stream, Z_NO_FLUSH);
    bytes += BLOCK - stream->avail_out;
  }
  return code == Z_STREAM_END ? bytes : -1;
}

static ht_status check_compressed(const char *path, const voxel_layout *layout, FILE *file,
                                  double expected) {
  enum { ZLIB_OR_GZIP = 15 + 32 };
  z_stream stream = {0};
  if (inflateInit2(&stream, ZLIB_OR_GZIP) != Z_OK)
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the file", path);
  double bytes = inflated_bytes(file, &stream, layout->stored);
  inflateEnd(&stream);
  if (bytes > expected + layout->spare + SPARE_BYTES) return too_many(path, bytes, expected);
  return bytes >= expected ? HT_OK : truncated(path, layout, expected);
}

static ht_status check_data(const char *path, const voxel_layout *layout, double expected) {
  struct stat info;
  long begin = layout->begin > 0 ? layout->begin : 0; /* -1: the voxels end the file */
  FILE *file =
      stat(layout->data, &info) == 0 && S_ISREG(info.st_mode) ? fopen(layout->data, "rb") : NULL;
  if (!file)
    return ht_fail(
        HT_ERR_FORMAT,
        "%s: its voxels are not there: %s, which its header names, is no file that can be "
        "read: copy it there (several data files are not read: save it as .mha)",
        path, layout->data);
  ht_status status = HT_OK;
  double there = (double)info.st_size - (double)begin;
  double least = !layout->compressed ? expected : isfinite(layout->stored) ? layout->stored : 1;
  if (expected > 0 && there < least)
    status = truncated(path, layout, expected);
  else if (expected > 0 && !layout->compressed && layout->begin >= 0 &&
           there > expected + layout->spare + SPARE_BYTES)
    status = too_many(path, there, expected);
  else if (expected > 0 && layout->compressed && fseek(file, begin, SEEK_SET) == 0)
    status = check_compressed(path, layout, file, expected);
  fclose(file);
  return status;
}

typedef ht_status (*layout_reader)(const char *path, FILE *file, voxel_layout *layout);

static ht_status read_header(const char *path, layout_reader read_layout, voxel_layout *layout) {
  *layout = (voxel_layout){.stored = HUGE_VAL};
  FILE *file = fopen(path, "rb");
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be read", path);
  ht_status status = read_layout(path, file, layout);
  fclose(file);
  return status;
}

static ht_status check(const char *path, double expected, layout_reader read_layout) {
  voxel_layout layout;
  HT_TRY(read_header(path, read_layout, &layout));
  return check_data(path, &layout, expected);
}

ht_status ht_voxel_data_file(const char *path, int nrrd, char data[HT_PATH_MAX]) {
  voxel_layout layout;
  HT_TRY(read_header(path, nrrd ? read_nrrd : read_meta, &layout));
  snprintf(data, HT_PATH_MAX, "%s", layout.data);
  return HT_OK;
}

ht_status ht_voxel_data_check_meta(const char *path, double expected) {
  return check(path, expected, read_meta);
}

ht_status ht_voxel_data_check_nrrd(const char *path, double expected) {
  return check(path, expected, read_nrrd);
}

int ht_voxel_data_nrrd_list(const char *path) {
  voxel_layout layout;
  return read_header(path, read_nrrd, &layout) == HT_OK && layout.is_list;
}
