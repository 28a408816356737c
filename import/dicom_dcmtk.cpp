// DCMTK behind dicom.h: headers and pixels of single DICOM files. Nothing is printed.
#include "dicom.h"
#include "volume.h"
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <strings.h>
#include <sys/stat.h>

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dccodec.h>
#include <dcmtk/dcmdata/dcrledrg.h>
#include <dcmtk/dcmdata/dcspchrs.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmjpeg/djdecode.h>
#include <dcmtk/dcmjpls/djdecode.h>

namespace {

// Values longer than this stay on the disk while a header is read: the pixels do.
const Uint32 header_value_max = 4096;

void set_up() {
  static std::once_flag once;
  std::call_once(once, [] {
    OFLog::configure(OFLogger::OFF_LOG_LEVEL);
    DcmRLEDecoderRegistration::registerCodecs();
    DJDecoderRegistration::registerCodecs();
    DJLSDecoderRegistration::registerCodecs();
  });
}

// ---- What a file is ----

struct Begin {
  unsigned char byte[132];
  size_t size;
  int error; // errno, where the file cannot be read
};

Begin begin_of(const char *path) {
  Begin begin = {};
  FILE *file = fopen(path, "rb");
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

// Some archives leave the preamble out: the file then begins with an element of group 2 or 8.
bool may_lack_preamble(const Begin &begin) {
  const unsigned char *b = begin.byte;
  return begin.size == sizeof begin.byte && (b[0] == 2 || b[0] == 8) && b[1] == 0 && b[3] == 0;
}

// It ends in .dcm, .ima, in digits ("1.2.840.113619.2.5") or in nothing ("IM0001").
bool named_like_dicom(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  if (name[0] == '.') return false;
  return !dot || strcasecmp(dot, ".dcm") == 0 || strcasecmp(dot, ".ima") == 0 ||
         (dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == 0);
}

// A copy that stopped early may have left less than a preamble, which is zeros as a rule. Then only
// the name tells, as where nothing can be read.
bool is_stub(const char *path, const Begin &begin) {
  size_t zeros = std::min(begin.size, size_t(128));
  if (begin.size >= sizeof begin.byte ||
      std::any_of(begin.byte, begin.byte + zeros, [](unsigned char byte) { return byte != 0; }))
    return false;
  return named_like_dicom(path);
}

// ---- Texts ----

void refuse(ht_slice &slice, ht_status status, const std::string &reason) {
  if (slice.status != HT_OK) return; // the first reason stays
  slice.status = status;
  snprintf(slice.problem, sizeof slice.problem, "%s", reason.c_str());
}

std::string text_of(DcmItem &item, const DcmTagKey &tag) {
  OFString value;
  item.findAndGetOFStringArray(tag, value);
  size_t begin = value.find_first_not_of(" "), end = value.find_last_not_of(" ");
  return begin == OFString_npos ? "" : std::string(value.c_str() + begin, end - begin + 1);
}

std::string utf8_of(DcmItem &item, const std::string &value) {
  DcmSpecificCharacterSet converter;
  OFString charset, converted;
  item.findAndGetOFStringArray(DCM_SpecificCharacterSet, charset);
  if (converter.selectCharacterSet(charset).good() &&
      converter.convertString(value.c_str(), converted, "\\").good())
    return converted.c_str();
  std::string plain = value;
  for (char &c : plain)
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return plain;
}

// Without control characters (also those of two bytes, U+0080 to U+009F), cut between characters.
void copy_text(char *to, size_t size, const std::string &from) {
  size_t n = 0;
  for (size_t i = 0, next; i < from.size(); i = next) {
    unsigned char c = static_cast<unsigned char>(from[i]);
    for (next = i + 1; next < from.size() && (from[next] & 0xc0) == 0x80; next++) {
    }
    bool control = c < 0x20 || c == 0x7f ||
                   (c == 0xc2 && next > i + 1 && static_cast<unsigned char>(from[i + 1]) < 0xa0);
    if (n + (next - i) >= size) break;
    if (control)
      to[n++] = ' ';
    else
      n = static_cast<size_t>(std::copy(from.begin() + static_cast<long>(i),
                                        from.begin() + static_cast<long>(next), to + n) -
                              to);
  }
  to[n] = 0;
}

// ---- Numbers ----

// All `count` numbers of an element, each finite.
bool numbers(DcmItem &item, const DcmTagKey &tag, double *value, unsigned long count) {
  for (unsigned long i = 0; i < count; i++) {
    OFString text; // every kind of number has a text; not every kind converts to a double
    OFBool parsed = OFFalse;
    if (item.findAndGetOFString(tag, text, i).bad()) return false;
    value[i] = OFStandard::atof(text.c_str(), &parsed);
    if (!parsed || !std::isfinite(value[i])) return false;
  }
  return true;
}

int whole(DcmItem &item, const DcmTagKey &tag, int absent) {
  double value;
  bool given = numbers(item, tag, &value, 1) && std::fabs(value) < 2e9;
  return given ? static_cast<int>(value) : absent;
}

// ---- Can it be a slice? ----

void check_kind(DcmItem &item, ht_slice &slice) {
  int frames = whole(item, DCM_NumberOfFrames, 1), samples = whole(item, DCM_SamplesPerPixel, 1);
  std::string colour = text_of(item, DCM_PhotometricInterpretation);
  std::string type = text_of(item, DCM_ImageType);
  bool coloured = samples != 1 || (colour != "MONOCHROME2" && colour != "MONOCHROME1");
  slice.aside = coloured || type.find("LOCALIZER") != std::string::npos;
  if (coloured)
    refuse(slice, HT_ERR_SERIES,
           "a colour image (" + colour + ", " + std::to_string(samples) +
               (samples == 1 ? " sample" : " samples") + " a pixel): a scan has one value a voxel");
  if (frames > 1 || item.tagExists(DCM_SharedFunctionalGroupsSequence))
    refuse(slice, HT_ERR_SERIES,
           "a multi-frame image (" + std::to_string(frames) +
               " frames in one file), which is not read yet: convert it to NIfTI, for example with "
               "dcm2niix");
  if (type.find("MOSAIC") != std::string::npos)
    refuse(slice, HT_ERR_SERIES,
           "a mosaic (all slices as tiles of one image), which is not read: convert it to NIfTI, "
           "for example with dcm2niix");
  if (item.tagExists(DCM_ModalityLUTSequence))
    refuse(slice, HT_ERR_SERIES, "its values go through a Modality LUT, which is not read");
}

bool unit(double axis[3]) {
  double length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  for (int r = 0; r < 3; r++) axis[r] /= length;
  return std::fabs(length - 1) <= 1e-3;
}

void read_place(DcmItem &item, ht_slice &slice) {
  double between[2], axes[6];
  if (!numbers(item, DCM_ImagePositionPatient, slice.position_mm, 3) ||
      !numbers(item, DCM_ImageOrientationPatient, axes, 6)) {
    slice.aside = !item.tagExists(DCM_SharedFunctionalGroupsSequence);
    return refuse(slice, HT_ERR_SERIES,
                  "no Image Position and Orientation (Patient): a projection or a plain picture");
  }
  memcpy(slice.axes, axes, sizeof slice.axes);
  double product = axes[0] * axes[3] + axes[1] * axes[4] + axes[2] * axes[5];
  bool units = unit(slice.axes[0]) && unit(slice.axes[1]);
  if (!units || !(std::fabs(product) <= 1e-3))
    return refuse(slice, HT_ERR_FORMAT,
                  "Image Orientation (Patient) is not two unit vectors at a right angle");
  // DICOM gives the distance between rows (j) first.
  if (!numbers(item, DCM_PixelSpacing, between, 2) || !(between[0] > 0) || !(between[1] > 0))
    return refuse(slice, HT_ERR_SERIES, "no Pixel Spacing, or one that is not > 0");
  slice.spacing_mm[0] = between[1];
  slice.spacing_mm[1] = between[0];
}

void read_scale(DcmItem &item, ht_slice &slice) {
  bool slope = numbers(item, DCM_RescaleSlope, &slice.slope, 1);
  bool intercept = numbers(item, DCM_RescaleIntercept, &slice.intercept, 1);
  slice.rescaled = slope && intercept;
  if (slope != intercept || (slope && slice.slope == 0))
    refuse(slice, HT_ERR_FORMAT, "Rescale Slope and Intercept are not two numbers, slope not 0");
  if (!slice.rescaled) slice.slope = 1, slice.intercept = 0;
}

// ---- The pixels' layout ----

struct Layout {
  int allocated, stored, high, is_signed;
};

bool read_layout(DcmItem &item, Layout &layout) {
  layout.allocated = whole(item, DCM_BitsAllocated, 0);
  layout.stored = whole(item, DCM_BitsStored, layout.allocated);
  layout.high = whole(item, DCM_HighBit, layout.stored - 1);
  layout.is_signed = whole(item, DCM_PixelRepresentation, 0);
  return (layout.allocated == 8 || layout.allocated == 16) && layout.stored >= 1 &&
         layout.stored <= layout.allocated && layout.high >= layout.stored - 1 &&
         layout.high < layout.allocated && (layout.is_signed == 0 || layout.is_signed == 1);
}

void check_layout(DcmItem &item, ht_slice &slice) {
  Layout layout;
  if (read_layout(item, layout)) return;
  refuse(slice, HT_ERR_FORMAT,
         "pixels of " + std::to_string(layout.allocated) + " bits with " +
             std::to_string(layout.stored) + " stored, high bit " + std::to_string(layout.high) +
             ": read are 8 or 16 bits");
}

// The pixel data is there in full, as far as can be told without decoding it.
void check_pixels_there(DcmDataset &dataset, ht_slice &slice) {
  DcmElement *pixels = nullptr;
  if (dataset.findAndGetElement(DCM_PixelData, pixels).bad() || !pixels)
    return refuse(slice, HT_ERR_FORMAT, "truncated: no pixel values; copy or export it again");
  if (DcmXfer(dataset.getOriginalXfer()).isEncapsulated()) return;
  double bytes = double(slice.rows) * slice.columns * whole(dataset, DCM_BitsAllocated, 16) / 8;
  if (pixels->getLengthField() < bytes)
    refuse(slice, HT_ERR_FORMAT,
           "truncated: " + std::to_string(pixels->getLengthField()) +
               " bytes of pixel values for " + std::to_string(slice.columns) + " x " +
               std::to_string(slice.rows) + " pixels; copy or export it again");
}

void check_decoder(DcmDataset &dataset, ht_slice &slice) {
  E_TransferSyntax syntax = dataset.getOriginalXfer();
  DcmXfer xfer(syntax);
  if (!xfer.isEncapsulated() || DcmCodecList::canChangeCoding(syntax, EXS_LittleEndianExplicit))
    return;
  snprintf(slice.compression, sizeof slice.compression, "%s", xfer.getXferName());
}

// ---- The header ----

// Where a file is cut within its Series Instance UID, what is left of it names no series.
bool uid_may_be_cut(DcmDataset &dataset) {
  unsigned long count = dataset.card();
  return count == 0 || dataset.getElement(count - 1)->getTag() <= DCM_SeriesInstanceUID;
}

void fill_identity(DcmItem &item, ht_slice &slice) {
  copy_text(slice.series_uid, sizeof slice.series_uid, text_of(item, DCM_SeriesInstanceUID));
  copy_text(slice.image_uid, sizeof slice.image_uid, text_of(item, DCM_SOPInstanceUID));
  copy_text(slice.modality, sizeof slice.modality, text_of(item, DCM_Modality));
  copy_text(slice.description, sizeof slice.description,
            utf8_of(item, text_of(item, DCM_SeriesDescription)));
  slice.series_number = whole(item, DCM_SeriesNumber, 0);
  slice.instance = whole(item, DCM_InstanceNumber, 0);
}

// ---- Times ----

double number_or_nan(DcmItem &item, const DcmTagKey &tag) {
  double value;
  return numbers(item, tag, &value, 1) ? value : NAN;
}

// "HHMMSS.FFFFFF", also cut after the hours or minutes (PS3.5 6.2, TM), in seconds.
double time_of_day(const std::string &text) {
  int hours = 0, minutes = 0, used = 0;
  double seconds = 0;
  int parts = sscanf(text.c_str(), "%2d%2d%n%lf", &hours, &minutes, &used, &seconds);
  return parts >= 1 ? 3600. * hours + 60. * minutes + seconds : NAN;
}

ht_component component_of(DcmItem &item, const std::string &type) {
  std::string told = text_of(item, DCM_ComplexImageComponent), all = "\\" + type + "\\";
  auto has = [&](const char *word) { return all.find(word) != std::string::npos; };
  if (told == "MAGNITUDE" || has("\\M\\") || has("\\M_FFE\\") || has("\\M_PCA\\"))
    return HT_COMPONENT_MAGNITUDE;
  if (told == "PHASE" || has("\\P\\") || has("\\PHASE") || has("\\VELOCITY\\"))
    return HT_COMPONENT_PHASE;
  if (told == "REAL" || has("\\R\\") || has("\\REAL\\")) return HT_COMPONENT_REAL;
  if (told == "IMAGINARY" || has("\\I\\") || has("\\IMAGINARY\\")) return HT_COMPONENT_IMAGINARY;
  return HT_COMPONENT_UNKNOWN;
}

void read_times(DcmItem &item, ht_slice &slice) {
  std::string type = text_of(item, DCM_ImageType);
  copy_text(slice.type, sizeof slice.type, type);
  slice.component = component_of(item, type);
  slice.acquisition = whole(item, DCM_AcquisitionNumber, 0);
  slice.temporal = whole(item, DCM_TemporalPositionIdentifier, 0);
  slice.echo = whole(item, DCM_EchoNumbers, 0);
  slice.echo_time_ms = number_or_nan(item, DCM_EchoTime);
  slice.trigger_ms = number_or_nan(item, DCM_TriggerTime);
  if (std::isnan(slice.trigger_ms))
    slice.trigger_ms = number_or_nan(item, DCM_NominalCardiacTriggerDelayTime);
  slice.phase_percent = number_or_nan(item, DCM_NominalPercentageOfCardiacPhase);
  slice.acquired_s = time_of_day(text_of(item, DCM_AcquisitionTime));
  slice.content_s = time_of_day(text_of(item, DCM_ContentTime));
}

void fill_image(DcmDataset &dataset, ht_slice &slice) {
  slice.rows = whole(dataset, DCM_Rows, 0);
  slice.columns = whole(dataset, DCM_Columns, 0);
  slice.has_image = slice.rows > 0 && slice.columns > 0;
  if (!slice.has_image) return;
  check_pixels_there(dataset, slice);
  check_kind(dataset, slice);
  check_layout(dataset, slice);
  read_place(dataset, slice);
  read_scale(dataset, slice);
  read_times(dataset, slice);
  check_decoder(dataset, slice);
}

bool is_directory(DcmFileFormat &file) {
  return text_of(*file.getMetaInfo(), DCM_MediaStorageSOPClassUID) ==
         UID_MediaStorageDirectoryStorage;
}

ht_file_kind read_file(const char *path, const Begin &begin, ht_slice &slice) {
  DcmFileFormat file;
  OFCondition loaded = file.loadFile(path, EXS_Unknown, EGL_noChange, header_value_max);
  DcmDataset &dataset = *file.getDataset();
  if (is_directory(file)) return HT_FILE_OTHER;
  bool dicom = has_preamble(begin) || dataset.tagExists(DCM_SOPClassUID);
  if (!dicom) return HT_FILE_OTHER;
  fill_identity(dataset, slice);
  if (loaded.bad() && uid_may_be_cut(dataset)) slice.series_uid[0] = 0;
  if (loaded.bad())
    refuse(slice, HT_ERR_FORMAT,
           std::string("truncated or damaged (") + loaded.text() + "); copy or export it again");
  else if (!slice.series_uid[0])
    refuse(slice, HT_ERR_FORMAT, "no Series Instance UID: it belongs to no series");
  else
    fill_image(dataset, slice);
  return HT_FILE_DICOM;
}

// What an empty slice says of times: nothing.
void no_times(ht_slice &slice) {
  slice.echo_time_ms = slice.trigger_ms = slice.phase_percent = NAN;
  slice.acquired_s = slice.content_s = NAN;
}

ht_status read_header(const char *path, ht_file_kind *kind, ht_slice &slice) {
  Begin begin = begin_of(path);
  no_times(slice);
  slice.frames = 1;
  slice.path = strdup(path);
  if (!slice.path) throw std::bad_alloc();
  slice.slope = 1;
  if (has_preamble(begin) || may_lack_preamble(begin)) {
    if (!dcmDataDict.isDictionaryLoaded())
      return ht_fail(HT_ERR_DEVICE,
                     "DCMTK's data dictionary is not there: install the package dcmtk, or let "
                     "DCMDICTPATH name its file dicom.dic");
    *kind = read_file(path, begin, slice);
  } else if (is_stub(path, begin)) {
    if (begin.error)
      refuse(slice, HT_ERR_NOT_FOUND, std::string("cannot be read: ") + strerror(begin.error));
    else
      refuse(slice, HT_ERR_FORMAT,
             "truncated: only " + std::to_string(begin.size) + " byte" +
                 (begin.size == 1 ? "" : "s") + "; copy or export it again");
    *kind = HT_FILE_DICOM;
  }
  return HT_OK;
}

// ---- Pixel values ----

// The 16-bit words or bytes of an uncompressed image, whatever the element's value representation.
class Pixels {
public:
  Pixels(DcmDataset &dataset, const Layout &layout) : bytes_(layout.allocated == 8) {
    DcmElement *element = nullptr;
    if (dataset.findAndGetElement(DCM_PixelData, element).bad() || !element) return;
    if (element->getUint16Array(words_).good() && words_)
      count_ = element->getLength() / (bytes_ ? 1 : 2);
    else if (bytes_ && element->getUint8Array(octets_).good() && octets_)
      count_ = element->getLength();
  }
  size_t count() const { return count_; }
  unsigned operator[](size_t i) const {
    if (!bytes_) return words_[i];
    if (octets_) return octets_[i];
    return words_[i / 2] >> (8 * (i % 2)) & 0xffu; // the lower byte of a word comes first
  }

private:
  bool bytes_;
  size_t count_ = 0;
  Uint16 *words_ = nullptr;
  Uint8 *octets_ = nullptr;
};

// The stored number: the bits up to the high bit, without overlays beside them, with its sign.
int stored_number(unsigned raw, const Layout &layout) {
  unsigned mask = (1u << layout.stored) - 1, sign = 1u << (layout.stored - 1);
  unsigned number = raw >> (layout.high + 1 - layout.stored) & mask;
  return layout.is_signed && (number & sign) ? static_cast<int>(number) - static_cast<int>(mask) - 1
                                             : static_cast<int>(number);
}

ht_status damaged(const ht_slice &slice, const char *reason) {
  return ht_fail(HT_ERR_FORMAT,
                 "%s: its pixel values cannot be decoded (%s); copy or export it again", slice.path,
                 reason);
}

ht_status read_pixels(const ht_slice &slice, float *values) {
  DcmFileFormat file;
  Layout layout;
  OFCondition loaded = file.loadFile(slice.path);
  DcmDataset &dataset = *file.getDataset();
  if (loaded.good()) loaded = dataset.chooseRepresentation(EXS_LittleEndianExplicit, nullptr);
  if (loaded.bad()) return damaged(slice, loaded.text());
  if (!read_layout(dataset, layout)) return damaged(slice, "unknown pixel format");
  size_t count = static_cast<size_t>(slice.rows) * static_cast<size_t>(slice.columns);
  if (whole(dataset, DCM_Rows, 0) != slice.rows || whole(dataset, DCM_Columns, 0) != slice.columns)
    return damaged(slice, "another size than in the header");
  Pixels pixels(dataset, layout);
  if (pixels.count() < count) return damaged(slice, "fewer values than pixels");
  for (size_t i = 0; i < count; i++)
    values[i] =
        static_cast<float>(stored_number(pixels[i], layout) * slice.slope + slice.intercept);
  return HT_OK;
}

template <class Work> ht_status at_the_edge(const char *path, Work work) {
  try {
    set_up();
    return work();
  } catch (const std::bad_alloc &) {
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the DICOM file", path);
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_INTERNAL, "%s: reading the DICOM file failed: %s", path, error.what());
  }
}

} // namespace

extern "C" int ht_dicom_begins(const char *path) {
  Begin begin = begin_of(path);
  return has_preamble(begin) || may_lack_preamble(begin) || is_stub(path, begin);
}

extern "C" ht_status ht_dicom_header(const char *path, ht_file_kind *kind, ht_slice **slice,
                                     int *count) {
  *kind = HT_FILE_OTHER;
  *slice = nullptr;
  *count = 0;
  ht_slice one = {};
  ht_status status = at_the_edge(path, [&] { return read_header(path, kind, one); });
  if (status == HT_OK && *kind != HT_FILE_OTHER)
    status = ht_alloc(reinterpret_cast<void **>(slice), 1, sizeof one, "an image's header");
  if (status != HT_OK || *kind == HT_FILE_OTHER) {
    ht_slice_free(&one);
    return status;
  }
  **slice = one;
  *count = 1;
  return HT_OK;
}

extern "C" void ht_slice_free(ht_slice *slice) {
  if (!slice) return;
  free(slice->path);
  memset(slice, 0, sizeof *slice);
}

extern "C" void ht_dicom_close(ht_dicom_file *) {}

extern "C" ht_status ht_dicom_pixels(ht_dicom_file **, const ht_slice *slice, float *values) {
  return at_the_edge(slice->path, [&] { return read_pixels(*slice, values); });
}
