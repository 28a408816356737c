// Header of a DICOM file through DCMTK: its slices, one per frame, and its faults.
#include "core/formats/dicom_dictionary.h"
#include "import/dicom/dicom_item.hpp"
#include "core/disk/file.h"
#include "import/dicom/frame_size.h"
#include "core/vessel/volume.h"
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <sys/stat.h>
#include <vector>

#include <dcmtk/dcmdata/dccodec.h>

namespace {

using namespace ht_dicom;

// ---- What a file is ----

struct Begin {
  unsigned char byte[132];
  size_t size;
  int error;    // errno, where the file cannot be read
  bool special; // a pipe, a socket, a device: to open one may not end
};

Begin begin_of(const char *path) {
  Begin begin = {};
  struct stat info;
  begin.special = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
  if (begin.special) return begin;
  FILE *file = ht_file_open(path);
  if (!file) {
    begin.error = errno;
    return begin;
  }
  begin.size = fread(begin.byte, 1, sizeof begin.byte, file);
  if (begin.size < sizeof begin.byte && ferror(file)) begin.error = errno;
  fclose(file);
  return begin;
}

bool has_preamble(const Begin &begin) {
  return begin.size == sizeof begin.byte && memcmp(begin.byte + 128, "DICM", 4) == 0;
}

// Tells whether the preamble may be left out, as by some archives: the file then begins with an
// element of group 2 or 8.
bool may_lack_preamble(const Begin &begin) {
  const unsigned char *b = begin.byte;
  return begin.size == sizeof begin.byte && (b[0] == 2 || b[0] == 8) && b[1] == 0 && b[3] == 0;
}

// Tells whether the name ends in .dcm, .ima, in digits ("1.2.840.113619.2.5") or, with a digit in
// it, in nothing ("IM0001", but not "LOCKFILE").
bool named_like_dicom(const char *path) {
  const char *name = ht_path_name(path);
  const char *dot = strrchr(name, '.');
  if (name[0] == '.') return false;
  if (!dot) return strpbrk(name, "0123456789") != nullptr;
  return strcasecmp(dot, ".dcm") == 0 || strcasecmp(dot, ".ima") == 0 ||
         (dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == 0);
}

// Tells whether the file is the stub of a copy that stopped early. It may have less than a
// preamble, which is usually zeros; then only the name decides, as where nothing can be read.
bool is_stub(const char *path, const Begin &begin) {
  size_t zeros = std::min(begin.size, size_t(128));
  if (begin.special || begin.size >= sizeof begin.byte ||
      std::any_of(begin.byte, begin.byte + zeros, [](unsigned char byte) { return byte != 0; }))
    return false;
  return named_like_dicom(path);
}

// ---- Can it be a slice? ----

bool is_segmentation(DcmItem &item) {
  return text_of(item, DCM_Modality) == "SEG";
}

std::string segments_of(DcmDataset &dataset) {
  std::string text;
  for (int i = 0; DcmItem *segment = first_item(dataset, DCM_SegmentSequence, i); i++)
    text += (i ? ", " : " ") + std::to_string(whole(*segment, DCM_SegmentNumber, 0)) + " \"" +
            utf8_of(dataset, text_of(*segment, DCM_SegmentLabel)) + "\"";
  return text;
}

bool is_coloured(DcmItem &item) {
  std::string colour = text_of(item, DCM_PhotometricInterpretation);
  return whole(item, DCM_SamplesPerPixel, 1) != 1 ||
         (colour != "MONOCHROME2" && colour != "MONOCHROME1");
}

void check_colour(DcmItem &item, ht_slice &slice) {
  int samples = whole(item, DCM_SamplesPerPixel, 1);
  if (!is_coloured(item)) return;
  put_aside(slice, "colour");
  refuse(slice, HT_ERR_SERIES,
         "a colour image (" + text_of(item, DCM_PhotometricInterpretation) + ", " +
             std::to_string(samples) + (samples == 1 ? " sample" : " samples") +
             " per pixel): a scan has one value per voxel");
}

// Checks for an image of several frames without a place for each: never a volume.
void check_frames(DcmItem &item, int frames, ht_slice &slice) {
  if (frames <= 1) return;
  if (!item.tagExists(DCM_ImagePositionPatient))
    put_aside(slice, "a film: its frames have no place in the patient");
  refuse(slice, HT_ERR_SERIES,
         "a multi-frame image (" + std::to_string(frames) +
             " frames in one file) without a place for each frame" +
             (text_of(item, DCM_Modality) == "XA"
                  ? ": a film of projections; export the 3D reconstruction"
                  : ": no volume"));
}

// Modality for the record: two letters, or one of the longer terms of PS3.3 C.7.3.1.1.1; "OT"
// (other) for anything else, which may be anybody's words.
std::string modality_of(DcmItem &item) {
  static const char *const longer[] = {"SEG",     "REG",      "FID",     "DOC",
                                       "PLAN",    "RTSTRUCT", "RTDOSE",  "RTPLAN",
                                       "RTIMAGE", "RTRECORD", "RTINTENT"};
  const std::string term = text_of(item, DCM_Modality);
  const bool is_short =
      term.size() == 2 && isupper((unsigned char)term[0]) && isupper((unsigned char)term[1]);
  for (const char *one : longer)
    if (term == one) return term;
  return term.empty() || is_short ? term : "OT";
}

void check_kind(DcmDataset &item, ht_slice &slice) {
  if (is_segmentation(item)) {
    put_aside(slice, "a segmentation, to be given as `mask:`");
    refuse(slice, HT_ERR_SERIES,
           "a segmentation, not a scan: give the file as `mask:` of a case, or alone to `hemotile "
           "run`; its segments:" +
               segments_of(item));
  }
  check_colour(item, slice);
  if (text_of(item, DCM_ImageType).find("MOSAIC") != std::string::npos)
    refuse(slice, HT_ERR_SERIES,
           "a mosaic (all slices as tiles of one image), which is not read: convert it to NIfTI, "
           "for example with dcm2niix");
  if (item.tagExists(DCM_ModalityLUTSequence))
    refuse(slice, HT_ERR_SERIES, "its values go through a Modality LUT, which is not read");
  if (item.tagExists(DCM_FloatPixelData) || item.tagExists(DCM_DoubleFloatPixelData))
    refuse(slice, HT_ERR_SERIES,
           "its pixels are floating-point numbers (a parametric map), which are not read: convert "
           "it to NIfTI");
}

void check_layout(DcmItem &item, ht_slice &slice) {
  Layout layout;
  if (read_layout(item, layout)) return;
  refuse(slice, HT_ERR_FORMAT,
         "pixels of " + std::to_string(layout.allocated) + " bits with " +
             std::to_string(layout.stored) + " stored, high bit " + std::to_string(layout.high) +
             ": read are 8 or 16 bits");
}

std::string frames_of(const ht_slice &slice) {
  return slice.frames > 1 ? " in " + std::to_string(slice.frames) + " frames" : "";
}

bool ends_in_zeros(DcmElement &pixels, Uint32 begin, Uint32 count) {
  Uint8 end[HT_FRAME_BLOCK];
  if (count > sizeof end || pixels.getPartialValue(end, begin, count).bad()) return false;
  return std::all_of(end, end + count, [](Uint8 byte) { return byte == 0; });
}

// Checks for more values than the header says: with a changed header half of the image would be
// read.
void check_excess(DcmElement &pixels, double bytes, DcmDataset &dataset, ht_slice &slice) {
  const ht_frame_layout layout = {slice.rows, slice.columns,
                                  whole(dataset, DCM_BitsAllocated, 16) / 8};
  const double there = pixels.getLengthField(), extra = there - bytes;
  if (extra <= double(ht_frame_padding(&layout))) return;
  if (extra < HT_FRAME_BLOCK && ht_frame_may_fill_block(&layout, slice.frames, size_t(extra)) &&
      ends_in_zeros(pixels, Uint32(bytes), Uint32(extra)))
    return;
  refuse(slice, HT_ERR_FORMAT,
         std::to_string(Uint64(there)) + " bytes of pixel values, but " +
             std::to_string(slice.columns) + " x " + std::to_string(slice.rows) + " pixels of " +
             std::to_string(layout.bytes * 8) + " bits" + frames_of(slice) + " have " +
             std::to_string(Uint64(bytes)) + ": its header does not fit; export it again");
}

// Checks that the pixel data is complete, as far as can be seen without decoding it, and no more.
void check_pixels_there(DcmDataset &dataset, ht_slice &slice) {
  DcmElement *pixels = nullptr;
  if (slice.status != HT_OK) return; // no scan, with any pixel data
  if (dataset.findAndGetElement(DCM_PixelData, pixels).bad() || !pixels)
    return refuse(slice, HT_ERR_FORMAT, "truncated: no pixel values; copy or export it again");
  if (is_encapsulated(dataset.getOriginalXfer())) return;
  double bytes = double(slice.rows) * slice.columns * slice.frames *
                 whole(dataset, DCM_SamplesPerPixel, 1) * whole(dataset, DCM_BitsAllocated, 16) / 8;
  check_excess(*pixels, bytes, dataset, slice);
  if (pixels->getLengthField() < bytes)
    refuse(slice, HT_ERR_FORMAT,
           "truncated: " + std::to_string(pixels->getLengthField()) +
               " bytes of pixel values for " + std::to_string(slice.columns) + " x " +
               std::to_string(slice.rows) + " pixels" + frames_of(slice) +
               "; copy or export it again");
}

// Checks that there is a decoder; that of JPEG 2000 is OpenJPEG (jpeg2000.c).
void check_decoder(DcmDataset &dataset, ht_slice &slice) {
  E_TransferSyntax syntax = dataset.getOriginalXfer();
  DcmXfer xfer(syntax);
  if (syntax == EXS_PrivateGE_LEI_WithBigEndianPixelData)
    return refuse(slice, HT_ERR_FORMAT,
                  "a private transfer syntax of GE with its pixels' bytes swapped, which is not "
                  "read: export it as Explicit VR Little Endian");
  if (!is_encapsulated(syntax) || is_jpeg2000(dataset) ||
      DcmCodecList::canChangeCoding(syntax, EXS_LittleEndianExplicit))
    return;
  snprintf(slice.compression, sizeof slice.compression, "%s", xfer.getXferName());
}

// Checks for a transfer syntax that DCMTK does not know: it would guess the layout of the pixels.
void check_syntax(DcmFileFormat &file, ht_slice &slice) {
  std::string uid = text_of(*file.getMetaInfo(), DCM_TransferSyntaxUID);
  if (uid.empty() || DcmXfer(uid.c_str()).getXfer() != EXS_Unknown) return;
  bool high_throughput = uid.compare(0, 22, "1.2.840.10008.1.2.4.20") == 0;
  refuse(slice, HT_ERR_FORMAT,
         std::string(high_throughput ? "compressed by High-Throughput JPEG 2000 (HTJ2K, "
                                     : "of an unknown transfer syntax (") +
             uid + "), which is not read: export it as Explicit VR Little Endian");
}

// ---- The header ----

// Tells whether a file may be cut within its Series Instance UID: the rest of it names no series.
bool uid_may_be_cut(DcmDataset &dataset) {
  unsigned long count = dataset.card();
  return count == 0 || dataset.getElement(count - 1)->getTag() <= DCM_SeriesInstanceUID;
}

void fill_series(DcmItem &item, ht_slice &slice) {
  copy_text(slice.series_uid, sizeof slice.series_uid, text_of(item, DCM_SeriesInstanceUID));
  copy_text(slice.image_uid, sizeof slice.image_uid, text_of(item, DCM_SOPInstanceUID));
  copy_text(slice.study_uid, sizeof slice.study_uid, text_of(item, DCM_StudyInstanceUID));
  copy_text(slice.frame_uid, sizeof slice.frame_uid, text_of(item, DCM_FrameOfReferenceUID));
  copy_text(slice.patient_id, sizeof slice.patient_id, utf8_of(item, text_of(item, DCM_PatientID)));
  copy_text(slice.patient_name, sizeof slice.patient_name,
            utf8_of(item, text_of(item, DCM_PatientName)));
  copy_text(slice.modality, sizeof slice.modality, modality_of(item));
  copy_text(slice.description, sizeof slice.description,
            utf8_of(item, text_of(item, DCM_SeriesDescription)));
  slice.series_number = label_number(item, DCM_SeriesNumber);
  slice.instance = label_number(item, DCM_InstanceNumber);
}

// Runs `work`, which reads numbers; refuses the slice where one is none.
template <class Work> void with_numbers(ht_slice &slice, Work work) {
  try {
    work();
  } catch (const NoNumber &error) {
    refuse(slice, HT_ERR_FORMAT, error.what());
  }
}

// Fills in the part that all frames of the file share.
void fill_image(DcmFileFormat &file, ht_slice &slice) {
  DcmDataset &dataset = *file.getDataset();
  slice.rows = whole(dataset, DCM_Rows, 0);
  slice.columns = whole(dataset, DCM_Columns, 0);
  slice.frames = std::max(whole(dataset, DCM_NumberOfFrames, 1), 1);
  slice.has_image = slice.rows > 0 && slice.columns > 0;
  if (!slice.has_image && dataset.tagExists(DCM_PixelData))
    refuse(slice, HT_ERR_FORMAT,
           "its header says " + std::to_string(slice.columns) + " x " + std::to_string(slice.rows) +
               " pixels (Columns x Rows), but it has pixel values: damaged; export it again");
  if (!slice.has_image) return;
  check_syntax(file, slice);
  check_kind(dataset, slice);
  if (!is_enhanced(dataset)) check_frames(dataset, slice.frames, slice);
  check_layout(dataset, slice);
  check_pixels_there(dataset, slice);
  check_decoder(dataset, slice);
}

ht_slice empty_slice() {
  ht_slice slice = {};
  slice.slope = slice.frames = 1;
  slice.echo_time_ms = slice.trigger_ms = slice.phase_percent = NAN;
  slice.acquired_s = slice.content_s = NAN;
  return slice;
}

using Slices = std::vector<ht_slice>;

// Makes one slice per frame; one for the whole file where it is refused as a whole. The numbers of
// its frames stand for the instance numbers of files.
void split_frames(DcmDataset &dataset, const ht_slice &common, Slices &slices) {
  int own = 0;
  if (is_enhanced(dataset) && common.frames > 1) {
    DcmSequenceOfItems *groups = nullptr;
    if (dataset.findAndGetSequence(DCM_PerFrameFunctionalGroupsSequence, groups).good() && groups)
      own = static_cast<int>(std::min<unsigned long>(groups->card(), 1u << 30));
    slices[0] = common;
    slices[0].frames = 1; // reported as one file
    if (own != common.frames)
      return refuse(slices[0], HT_ERR_FORMAT,
                    "it has " + std::to_string(common.frames) + " frames and tells the place of " +
                        std::to_string(own) + "; export it again");
  }
  bool whole_file = common.status != HT_OK || common.frames == 1;
  slices.assign(whole_file ? 1 : static_cast<size_t>(common.frames), common);
  if (whole_file) slices[0].frames = 1;
  for (size_t i = 0; i < slices.size(); i++) {
    slices[i].frame = static_cast<int>(i);
    if (!whole_file) slices[i].instance = static_cast<int>(i) + 1;
    if (common.has_image)
      with_numbers(slices[i], [&] { fill_frame(dataset, static_cast<int>(i), slices[i]); });
  }
}

bool is_directory(DcmFileFormat &file) {
  return text_of(*file.getMetaInfo(), DCM_MediaStorageSOPClassUID) ==
         UID_MediaStorageDirectoryStorage;
}

ht_file_kind read_file(const char *path, const Begin &begin, Slices &slices,
                       ht_identity *identity) {
  DcmFileFormat file;
  OFCondition loaded = load(path, header_value_max, file);
  DcmDataset &dataset = *file.getDataset();
  ht_slice slice = slices[0];
  if (identity) ht_dicom::fill_identity(dataset, *identity);
  if (is_directory(file)) return HT_FILE_OTHER;
  bool dicom = has_preamble(begin) || dataset.tagExists(DCM_SOPClassUID);
  if (!dicom) return HT_FILE_OTHER;
  fill_series(dataset, slice);
  if (loaded.bad() && uid_may_be_cut(dataset)) slice.series_uid[0] = 0;
  if (loaded.bad())
    refuse(slice, HT_ERR_FORMAT,
           std::string("truncated or damaged (") + loaded.text() + "); copy or export it again");
  else
    with_numbers(slice, [&] { fill_image(file, slice); });
  slices[0] = slice;
  if (slice.has_image) split_frames(dataset, slice, slices);
  for (ht_slice &one : slices)
    if (!one.series_uid[0]) refuse(one, HT_ERR_FORMAT, HT_NO_SERIES_UID);
  return HT_FILE_DICOM;
}

ht_status read_header(const char *path, ht_file_kind *kind, Slices &slices, ht_identity *identity) {
  Begin begin = begin_of(path);
  if (has_preamble(begin) || may_lack_preamble(begin)) {
    if (!dcmDataDict.isDictionaryLoaded()) return ht_no_dictionary("give the scan as NIfTI");
    *kind = read_file(path, begin, slices, identity);
  } else if (is_stub(path, begin)) {
    if (begin.error)
      refuse(slices[0], HT_ERR_NOT_FOUND, std::string("cannot be read: ") + strerror(begin.error));
    else
      refuse(slices[0], HT_ERR_FORMAT,
             "truncated: only " + std::to_string(begin.size) + " byte" +
                 (begin.size == 1 ? "" : "s") + "; copy or export it again");
    *kind = HT_FILE_DICOM;
  }
  return HT_OK;
}

// Hands the slices over to C: an array, each with its own copy of the path.
ht_status give(const char *path, Slices &slices, ht_slice **slice, int *count) {
  HT_TRY(ht_alloc(reinterpret_cast<void **>(slice), slices.size(), sizeof **slice,
                  "an image's header"));
  for (const ht_slice &from : slices) {
    ht_slice *to = &(*slice)[(*count)++];
    *to = from;
    to->path = strdup(path);
    if (!to->path) throw std::bad_alloc();
  }
  return HT_OK;
}

} // namespace

extern "C" int ht_dicom_begins(const char *path) {
  Begin begin = begin_of(path);
  return has_preamble(begin) || may_lack_preamble(begin) || is_stub(path, begin);
}

extern "C" ht_status ht_dicom_header(const char *path, ht_file_kind *kind, ht_slice **slice,
                                     int *count, ht_identity *identity) {
  *kind = HT_FILE_OTHER;
  if (identity) memset(identity, 0, sizeof *identity);
  *slice = nullptr;
  *count = 0;
  ht_status status = at_the_edge(path, [&] {
    Slices slices(1, empty_slice());
    HT_TRY(read_header(path, kind, slices, identity));
    return *kind == HT_FILE_OTHER ? HT_OK : give(path, slices, slice, count);
  });
  if (status == HT_OK) return HT_OK;
  for (int i = 0; i < *count; i++) ht_slice_free(&(*slice)[i]);
  free(*slice);
  *slice = nullptr;
  *count = 0;
  return status;
}

extern "C" void ht_slice_free(ht_slice *slice) {
  if (!slice) return;
  free(slice->path);
  memset(slice, 0, sizeof *slice);
}
