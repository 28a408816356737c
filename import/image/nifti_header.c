#include "import/image/nifti_header.h"
#include "core/formats/nifti_codes.h"
#include "import/image/voxel_number.h"
#include <string.h>
#include <unistd.h>

/* ---- Bytes to numbers, in the file's byte order ---- */

typedef struct {
  unsigned char byte[HT_NIFTI2_BYTES];
  int big; /* big-endian */
} raw_header;

static uint64_t get(const raw_header *raw, int at, int bytes) {
  uint64_t number = 0;
  for (int b = 0; b < bytes; b++)
    number = number << 8 | raw->byte[at + (raw->big ? b : bytes - 1 - b)];
  return number;
}

static int get16(const raw_header *raw, int at) {
  return (int16_t)(uint16_t)get(raw, at, 2);
}

static int get32(const raw_header *raw, int at) {
  return (int32_t)(uint32_t)get(raw, at, 4);
}

static double get_float(const raw_header *raw, int at) {
  uint32_t bits = (uint32_t)get(raw, at, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double get_double(const raw_header *raw, int at) {
  uint64_t bits = get(raw, at, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* nifti1.h, struct nifti_1_header. */
static void decode1(const raw_header *raw, ht_nifti_header *header) {
  for (int a = 0; a < 8; a++) header->dim[a] = get16(raw, 40 + 2 * a);
  for (int a = 0; a < 8; a++) header->pixdim[a] = get_float(raw, 76 + 4 * a);
  header->type = get16(raw, 70);
  header->offset = get_float(raw, 108);
  header->slope = get_float(raw, 112);
  header->intercept = get_float(raw, 116);
  header->units = raw->byte[123] & HT_NIFTI_LENGTH_BITS;
  header->qform = get16(raw, 252);
  header->sform = get16(raw, 254);
  for (int i = 0; i < 3; i++) header->quaternion[i] = get_float(raw, 256 + 4 * i);
  for (int i = 0; i < 3; i++) header->shift[i] = get_float(raw, 268 + 4 * i);
  for (int i = 0; i < 12; i++) header->rows[i / 4][i % 4] = get_float(raw, 280 + 4 * i);
}

/* nifti2.h, struct nifti_2_header. */
static void decode2(const raw_header *raw, ht_nifti_header *header) {
  for (int a = 0; a < 8; a++) header->dim[a] = (int64_t)get(raw, 16 + 8 * a, 8);
  for (int a = 0; a < 8; a++) header->pixdim[a] = get_double(raw, 104 + 8 * a);
  header->type = get16(raw, 12);
  header->offset = (double)(int64_t)get(raw, 168, 8);
  header->slope = get_double(raw, 176);
  header->intercept = get_double(raw, 184);
  header->units = get32(raw, 500) & HT_NIFTI_LENGTH_BITS;
  header->qform = get32(raw, 344);
  header->sform = get32(raw, 348);
  for (int i = 0; i < 3; i++) header->quaternion[i] = get_double(raw, 352 + 8 * i);
  for (int i = 0; i < 3; i++) header->shift[i] = get_double(raw, 376 + 8 * i);
  for (int i = 0; i < 12; i++) header->rows[i / 4][i % 4] = get_double(raw, 400 + 8 * i);
}

/* ---- The files ---- */

ht_status ht_nifti_open(const char *path, gzFile *file) {
  int descriptor = ht_file_descriptor(path);
  *file = NULL;
  if (descriptor < 0)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", path, ht_file_reason());
  *file = gzdopen(descriptor, "rb");
  if (!*file) {
    close(descriptor);
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read it", path);
  }
  if (gzbuffer(*file, 1 << 18) == 0 && !gzdirect(*file) && !ht_path_ends(path, ".gz")) {
    gzclose(*file);
    *file = NULL;
    return ht_fail(HT_ERR_FORMAT, "%s: the file is compressed: rename it to end in %s.gz", path,
                   strrchr(path, '.') ? strrchr(path, '.') : "");
  }
  return HT_OK;
}

/* Finds "X.img" next to "X.hdr", in the case of its letters; also compressed. */
static ht_status partner(const char *path, const char *ending, char name[HT_PATH_MAX]) {
  size_t stem = strlen(path) - 4;
  int capital = path[stem + 1] >= 'A' && path[stem + 1] <= 'Z';
  const char *compressed = capital ? ".GZ" : ".gz";
  if (snprintf(name, HT_PATH_MAX, "%.*s.%s", (int)stem, path, ending) >= HT_PATH_MAX)
    return ht_fail(HT_ERR_FORMAT, "%s: its name is too long", path);
  for (char *c = name + stem; capital && *c; c++)
    if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
  if (ht_file_exists(name)) return HT_OK;
  size_t length = strlen(name);
  if (length + 4 <= HT_PATH_MAX) strcpy(name + length, compressed);
  if (ht_file_exists(name)) return HT_OK;
  name[length] = 0;
  return ht_fail(HT_ERR_NOT_FOUND,
                 "%s: it is one file of two, and the other, %s, is not there: copy it next to it",
                 path, name);
}

static ht_status place_files(const char *path, char header[HT_PATH_MAX], char voxels[HT_PATH_MAX]) {
  if (snprintf(header, HT_PATH_MAX, "%s", path) >= HT_PATH_MAX)
    return ht_fail(HT_ERR_FORMAT, "%.60s...: its name is too long", path);
  strcpy(voxels, header);
  if (ht_path_ends(path, ".img")) return partner(path, "hdr", header);
  if (ht_path_ends(path, ".hdr")) return partner(path, "img", voxels);
  return HT_OK;
}

/* ---- Is it NIfTI? ---- */

static ht_status not_nifti(const char *path) {
  return ht_fail(HT_ERR_FORMAT, "%s: not a NIfTI file: it does not begin with a NIfTI header",
                 path);
}

/* The magic says whether the voxels are in the same file ("n+1") or in another ("ni1"). */
static ht_status check_magic(const char *path, const raw_header *raw, int version, int pair) {
  const char *magic = (const char *)raw->byte + (version == 2 ? 4 : 344);
  const char expected[4] = {'n', pair ? 'i' : '+', (char)('0' + version), 0};
  if (memcmp(magic, expected, 4) == 0) return HT_OK;
  if (pair)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: not a NIfTI file (Analyze, which does not know left from right?): save it "
                   "as .nii.gz from the program that made it",
                   path);
  return ht_fail(HT_ERR_FORMAT,
                 "%s: not a NIfTI file of one part (an Analyze file, or a pair that was renamed "
                 "from .hdr): save it as .nii.gz",
                 path);
}

/* zlib allocates its memory at its first read. */
int ht_nifti_no_memory(gzFile file) {
  int code;
  gzerror(file, &code);
  return code == Z_MEM_ERROR;
}

static ht_status truncated(const char *path, gzFile file, int expected, int got) {
  if (ht_nifti_no_memory(file))
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the file", path);
  return ht_fail(HT_ERR_FORMAT,
                 "%s: truncated or damaged: a NIfTI header has %d bytes, there are %d; "
                 "copy or export it again",
                 path, expected, got < 0 ? 0 : got);
}

static ht_status read_raw(const char *path, gzFile file, int pair, ht_nifti_header *header) {
  raw_header raw;
  memset(&raw, 0, sizeof raw);
  int got = gzread(file, raw.byte, HT_NIFTI1_BYTES), version = 0;
  if (got < HT_NIFTI1_BYTES) return truncated(path, file, HT_NIFTI1_BYTES, got);
  for (raw.big = 0; raw.big < 2; raw.big++) {
    version = get32(&raw, 0) == HT_NIFTI1_BYTES ? 1 : get32(&raw, 0) == HT_NIFTI2_BYTES ? 2 : 0;
    if (version) break;
  }
  if (!version) return not_nifti(path);
  HT_TRY(check_magic(path, &raw, version, pair));
  if (version == 2) {
    got = gzread(file, raw.byte + HT_NIFTI1_BYTES, HT_NIFTI2_BYTES - HT_NIFTI1_BYTES);
    if (got < HT_NIFTI2_BYTES - HT_NIFTI1_BYTES)
      return truncated(path, file, HT_NIFTI2_BYTES, HT_NIFTI1_BYTES + (got > 0 ? got : 0));
  }
  (version == 2 ? decode2 : decode1)(&raw, header);
  header->swapped = raw.big != ht_host_is_big();
  double least = pair ? 0 : version == 2 ? HT_NIFTI2_BYTES : HT_NIFTI1_BYTES;
  if (header->offset >= least && header->offset < 1e9) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: damaged: the header claims that voxels begin at byte %g", path,
                 header->offset);
}

ht_status ht_nifti_header_read(const char *path, ht_nifti_header *header) {
  char name[HT_PATH_MAX];
  gzFile file;
  memset(header, 0, sizeof *header);
  HT_TRY(place_files(path, name, header->voxels));
  HT_TRY(ht_nifti_open(name, &file));
  ht_status status = read_raw(name, file, strcmp(name, header->voxels) != 0, header);
  gzclose(file);
  return status;
}
