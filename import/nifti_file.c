#include "nifti_file.h"
#include "voxel_size.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER_BYTES = 348, NIFTI2_BYTES = 540, NIFTI2_SWAPPED = 0x1c020000 };

typedef struct {
  int dim[8];
  int type, units, qform, sform, swapped;
  double pixdim[8], quaternion[3], offset, slope, intercept;
  double rows[3][4]; /* of the sform */
} nifti_header;

/* ---- Bytes to numbers, in the file's byte order ---- */

typedef struct {
  unsigned char byte[HEADER_BYTES];
  int swapped; /* big-endian */
} raw_header;

static uint32_t get32(const raw_header *raw, int at) {
  const unsigned char *b = raw->byte + at;
  return raw->swapped ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                      : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static int get16(const raw_header *raw, int at) {
  const unsigned char *b = raw->byte + at;
  return (int16_t)(raw->swapped ? b[0] << 8 | b[1] : b[1] << 8 | b[0]);
}

static double get_float(const raw_header *raw, int at) {
  uint32_t bits = get32(raw, at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Places in nifti1.h's struct nifti_1_header. */
static void decode(const raw_header *raw, nifti_header *header) {
  for (int a = 0; a < 8; a++) header->dim[a] = get16(raw, 40 + 2 * a);
  for (int a = 0; a < 8; a++) header->pixdim[a] = get_float(raw, 76 + 4 * a);
  header->type = get16(raw, 70);
  header->offset = get_float(raw, 108);
  header->slope = get_float(raw, 112);
  header->intercept = get_float(raw, 116);
  header->swapped = raw->swapped;
  header->units = raw->byte[123] & 7;
  header->qform = get16(raw, 252);
  header->sform = get16(raw, 254);
  for (int i = 0; i < 3; i++) header->quaternion[i] = get_float(raw, 256 + 4 * i);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 4; c++) header->rows[r][c] = get_float(raw, 280 + 16 * r + 4 * c);
}

/* ---- Is it NIfTI? ---- */

static ht_status check_magic(const char *path, raw_header *raw) {
  raw->swapped = 0;
  if (get32(raw, 0) == NIFTI2_BYTES || get32(raw, 0) == NIFTI2_SWAPPED)
    return ht_fail(HT_ERR_FORMAT, "%s: a NIfTI-2 file: save it as NIfTI-1, which is read", path);
  if (get32(raw, 0) != HEADER_BYTES) raw->swapped = 1;
  if (get32(raw, 0) != HEADER_BYTES)
    return ht_fail(HT_ERR_FORMAT, "%s: not a NIfTI file: it does not begin with a NIfTI header",
                   path);
  if (memcmp(raw->byte + 344, "n+1", 4) != 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: not a NIfTI file of one part (an Analyze file or a .hdr and .img pair): "
                   "save it as .nii.gz",
                   path);
  return HT_OK;
}

static int ends_with_gz(const char *path) {
  size_t length = strlen(path);
  return length > 3 && path[length - 3] == '.' && (path[length - 2] | 32) == 'g' &&
         (path[length - 1] | 32) == 'z';
}

static ht_status open_file(const char *path, gzFile *file) {
  errno = 0;
  *file = gzopen(path, "rb");
  if (!*file)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", path,
                   errno ? strerror(errno) : "not enough memory");
  if (gzbuffer(*file, 1 << 18) == 0 && !gzdirect(*file) && !ends_with_gz(path)) {
    gzclose(*file);
    *file = NULL;
    return ht_fail(HT_ERR_FORMAT, "%s: the file is compressed: rename it to end in .nii.gz", path);
  }
  return HT_OK;
}

static ht_status read_header(const char *path, gzFile file, nifti_header *header) {
  raw_header raw;
  int got = gzread(file, raw.byte, HEADER_BYTES);
  if (got < HEADER_BYTES)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: truncated or damaged: a NIfTI header has %d bytes, there are %d", path,
                   HEADER_BYTES, got < 0 ? 0 : got);
  HT_TRY(check_magic(path, &raw));
  decode(&raw, header);
  return HT_OK;
}

/* ---- What it claims ---- */

/* Bytes of a voxel of the types that are one number; 0 for the others. */
static int number_bytes(int type) {
  switch (type) {
  case 2:   /* uint8 */
  case 256: /* int8 */
    return 1;
  case 4:   /* int16 */
  case 512: /* uint16 */
    return 2;
  case 8:   /* int32 */
  case 768: /* uint32 */
  case 16:  /* float */
    return 4;
  case 64:   /* double */
  case 1024: /* int64 */
  case 1280: /* uint64 */
    return 8;
  }
  return 0;
}

static ht_status check_numbers(const char *path, const nifti_header *header) {
  if (header->dim[0] < 1 || header->dim[0] > 7)
    return ht_fail(HT_ERR_FORMAT, "%s: damaged: the header claims %d dimensions", path,
                   header->dim[0]);
  for (int a = 1; a <= header->dim[0]; a++)
    if (header->dim[a] < 1)
      return ht_fail(HT_ERR_FORMAT, "%s: damaged: the header claims %d voxels along axis %d", path,
                     header->dim[a], a);
  if (!(header->offset >= HEADER_BYTES && header->offset < 1e9))
    return ht_fail(HT_ERR_FORMAT, "%s: damaged: the header claims that voxels begin at byte %g",
                   path, header->offset);
  return HT_OK;
}

/* ---- Is it a scan? ---- */

static int say(char problem[256], const char *reason) {
  snprintf(problem, 256, "%s", reason);
  return 1;
}

static int check_values(const nifti_header *header, char problem[256]) {
  if (header->dim[0] >= 4 && header->dim[4] > 1) {
    snprintf(problem, 256, "it has %d time points: save the one to use as an image of its own",
             header->dim[4]);
    return 1;
  }
  for (int a = 5; a <= header->dim[0]; a++)
    if (header->dim[a] > 1)
      return say(problem, "it has several values a voxel (vectors): a scan has one");
  if (header->dim[0] < 3 || header->dim[3] < 2)
    return say(problem, "it has one slice only: a volume needs at least 2");
  if (header->type == 128 || header->type == 2304)
    return say(problem, "it is a colour image: a scan has one value a voxel");
  if (number_bytes(header->type) == 0)
    return say(problem, "its voxels are complex or 128-bit numbers: save it as float or int16");
  if (header->units == 1 || header->units == 3)
    return say(problem, header->units == 1 ? "its lengths are in metres: save it in mm"
                                           : "its lengths are in micrometres: save it in mm");
  return 0;
}

/* Without a place in the patient ITK would make one up, and with it left and right. */
static int check_orientation(const nifti_header *header, char problem[256]) {
  if (header->sform > 0 || header->qform > 0) return 0;
  return say(problem, "it has no orientation (its sform and qform codes are 0): left and right are "
                      "not known; save it with its orientation from the program that made it");
}

static double column_dot(const nifti_header *header, int a, int b) {
  double sum = 0;
  for (int r = 0; r < 3; r++) sum += header->rows[r][a] * header->rows[r][b];
  return sum;
}

static int sform_mirrored(const nifti_header *header) {
  const double(*m)[4] = header->rows;
  double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return determinant < 0;
}

/* The sform may hold any affine map; only turned boxes of the voxel size are images here. */
static int check_sform(const nifti_header *header, char problem[256]) {
  double size[3];
  if (header->sform <= 0) return 0;
  for (int a = 0; a < 3; a++) {
    size[a] = sqrt(column_dot(header, a, a));
    if (fabs(size[a] - fabs(header->pixdim[a + 1])) <= 1e-3 * fabs(header->pixdim[a + 1])) continue;
    snprintf(problem, 256,
             "its header contradicts itself: voxels of %g mm along axis %d in the sform, %g mm in "
             "pixdim; save it again with one of them",
             size[a], a, header->pixdim[a + 1]);
    return 1;
  }
  for (int a = 0; a < 3; a++) {
    double cosine = column_dot(header, a, (a + 1) % 3) / (size[a] * size[(a + 1) % 3]);
    if (fabs(cosine) <= 1e-3) continue;
    snprintf(problem, 256,
             "its sform is sheared: axes %d and %d meet at %.2f degrees, not 90 (an affine "
             "registration?); resample it to a regular grid",
             a, (a + 1) % 3, acos(cosine) * 180 / M_PI);
    return 1;
  }
  if (header->qform > 0 && sform_mirrored(header) != (header->pixdim[0] < 0))
    return say(problem, "its header contradicts itself: sform and qform are mirror images, so left "
                        "and right are not known; save it again with one of them");
  return 0;
}

static int check_qform(const nifti_header *header, char problem[256]) {
  const double *q = header->quaternion;
  if (header->qform <= 0 || header->sform > 0) return 0;
  if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] <= 1 + 1e-5) return 0;
  return say(problem, "its qform is not a rotation; save it again");
}

/* Before ITK, which finds fault with the axes of an image in metres. */
static int check_size(const nifti_header *header, char problem[256]) {
  double size[3];
  for (int a = 0; a < 3; a++) size[a] = fabs(header->pixdim[a + 1]);
  return ht_voxel_size_check(size) != HT_OK && say(problem, ht_error_message());
}

ht_status ht_nifti_check_header(const char *path, char problem[256]) {
  nifti_header header;
  gzFile file;
  problem[0] = 0;
  HT_TRY(open_file(path, &file));
  ht_status status = read_header(path, file, &header);
  gzclose(file);
  if (status != HT_OK) return status;
  HT_TRY(check_numbers(path, &header));
  if (!check_values(&header, problem) && !check_orientation(&header, problem) &&
      !check_sform(&header, problem) && !check_qform(&header, problem))
    check_size(&header, problem);
  return HT_OK;
}

/* NIfTI's axes are RAS: the first two signs turn. */
static void sform_grid(const nifti_header *header, ht_grid *grid) {
  *grid = ht_grid_make(1, 1, 1);
  for (int a = 0; a < 3; a++) {
    grid->dim[a] = header->dim[a + 1];
    grid->spacing_mm[a] = fabs(header->pixdim[a + 1]);
    double length = sqrt(column_dot(header, a, a));
    for (int r = 0; r < 3; r++)
      grid->direction[r][a] = (r < 2 ? -1 : 1) * header->rows[r][a] / length;
  }
  for (int r = 0; r < 3; r++) grid->origin_mm[r] = (r < 2 ? -1 : 1) * header->rows[r][3];
}

ht_status ht_nifti_grid(const char *path, ht_grid *grid, int *known) {
  nifti_header header;
  gzFile file;
  *known = 0;
  HT_TRY(open_file(path, &file));
  ht_status status = read_header(path, file, &header);
  gzclose(file);
  if (status != HT_OK || header.sform <= 0 || header.qform > 0) return status;
  sform_grid(&header, grid);
  *known = 1;
  ht_status checked = ht_grid_check(grid);
  return checked == HT_OK ? HT_OK : ht_fail_in(checked, path);
}

/* ---- The voxels ---- */

static int host_is_big(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

static void swap_bytes(unsigned char *voxel, int bytes, int count) {
  for (int i = 0; i < count; i++, voxel += bytes) {
    for (int b = 0; b < bytes / 2; b++) {
      unsigned char kept = voxel[b];
      voxel[b] = voxel[bytes - 1 - b];
      voxel[bytes - 1 - b] = kept;
    }
  }
}

#define AS(number)                                                                                 \
  for (int i = 0; i < count; i++) {                                                                \
    number stored;                                                                                 \
    memcpy(&stored, bytes + (size_t)i * sizeof stored, sizeof stored);                             \
    to[i] = (float)((double)stored * slope + intercept);                                           \
  }                                                                                                \
  return;

static void convert(int type, const unsigned char *bytes, int count, double slope, double intercept,
                    float *to) {
  switch (type) {
  case 2:
    AS(uint8_t)
  case 256:
    AS(int8_t)
  case 4:
    AS(int16_t)
  case 512:
    AS(uint16_t)
  case 8:
    AS(int32_t)
  case 768:
    AS(uint32_t)
  case 16:
    AS(float)
  case 64:
    AS(double)
  case 1024:
    AS(int64_t)
  case 1280:
    AS(uint64_t)
  }
}

static ht_status too_short(const char *path, gzFile file, int64_t expected, int64_t got) {
  int code;
  gzerror(file, &code);
  if (code != Z_OK && code != Z_STREAM_END)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: truncated or damaged: its compressed data ends early or fails its "
                   "checksum; copy or export it again",
                   path);
  return ht_fail(
      HT_ERR_FORMAT,
      "%s: truncated: its header promises %lld voxels, there are %lld; copy or export it "
      "again",
      path, (long long)expected, (long long)got);
}

/* The rest of a compressed file is read for its checksum. */
static ht_status check_end(const char *path, gzFile file, unsigned char *block, unsigned size) {
  int got, code;
  while ((got = gzread(file, block, size)) > 0) {
  }
  gzerror(file, &code);
  return got == 0 && (code == Z_OK || code == Z_STREAM_END) ? HT_OK : too_short(path, file, 0, 0);
}

enum { BLOCK = 1 << 18 };

static ht_status read_blocks(const char *path, gzFile file, const nifti_header *header,
                             int64_t count, unsigned char *block, float *values) {
  int bytes = number_bytes(header->type), swap = header->swapped != host_is_big();
  int scaled = isfinite(header->slope) && header->slope != 0; /* slope 0: no scaling */
  double slope = scaled ? header->slope : 1;
  double intercept = scaled && isfinite(header->intercept) ? header->intercept : 0;
  for (int64_t done = 0; done < count;) {
    int now = count - done < BLOCK / bytes ? (int)(count - done) : BLOCK / bytes;
    int got = gzread(file, block, (unsigned)(now * bytes));
    if (got < now * bytes) return too_short(path, file, count, done + (got > 0 ? got / bytes : 0));
    if (swap) swap_bytes(block, bytes, now);
    if (values) convert(header->type, block, now, slope, intercept, values + done);
    done += now;
  }
  return check_end(path, file, block, BLOCK);
}

/* `values` NULL: only looks whether they are there. */
static ht_status read_voxels(const char *path, gzFile file, int64_t count, float *values) {
  nifti_header header;
  HT_TRY(read_header(path, file, &header));
  if (gzseek(file, (z_off_t)header.offset, SEEK_SET) < 0) return too_short(path, file, count, 0);
  unsigned char *block = malloc(BLOCK);
  if (!block) return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the file", path);
  ht_status status = read_blocks(path, file, &header, count, block, values);
  free(block);
  return status;
}

ht_status ht_nifti_read_voxels(const char *path, int64_t count, float *values) {
  gzFile file;
  HT_TRY(open_file(path, &file));
  ht_status status = read_voxels(path, file, count, values);
  gzclose(file);
  return status;
}
