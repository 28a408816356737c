// Pixel values of a slice, one frame at a time, from the disk, so that a file of many frames is
// never decoded as a whole.
#include "import/dicom/dicom_item.hpp"
#include "import/dicom/frame_size.h"
#include "import/dicom/jpeg2000.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include <dcmtk/dcmdata/dccodec.h>
#include <dcmtk/dcmdata/dcfcache.h>
#include <dcmtk/dcmdata/dcpixel.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>

using namespace ht_dicom;

struct ht_dicom_file {
  std::string path;
  DcmFileFormat format;
  DcmFileCache cache;
  Layout layout; // of the decoded pixels
  bool padded;   // pixels from least_padding to most_padding are outside of the image
  int least_padding, most_padding;
  std::vector<Uint16> words; // of one frame
};

namespace {

ht_status damaged(const ht_slice &slice, const char *reason) {
  HT_TRY(ht_check_reason(slice.path, reason));
  return ht_fail(HT_ERR_FORMAT,
                 "%s: its pixel values cannot be decoded (%s); copy or export it again", slice.path,
                 reason);
}

// Clamps a value to the stored bits. Lossy codecs overshoot at sharp edges, past the largest number
// of the stored bits where their own precision is more: without the bits above, the brightest
// pixels would become dark.
unsigned clamped(unsigned raw, const Layout &layout) {
  const unsigned mask = (1u << layout.stored) - 1, most = layout.is_signed ? mask >> 1 : mask;
  if (raw >> layout.stored == 0) return raw;
  const bool negative = layout.is_signed && raw >> (layout.allocated - 1);
  if (!negative) return most;
  const unsigned extended = (1u << layout.allocated) - 1 - most; // the least number's bits
  return raw < extended ? most + 1 : raw;
}

// Stored number: the bits up to the high bit, without overlays next to them, with its sign.
int stored_number(unsigned raw, const Layout &layout) {
  if (layout.lossy) raw = clamped(raw, layout);
  unsigned mask = (1u << layout.stored) - 1, sign = 1u << (layout.stored - 1);
  unsigned number = raw >> (layout.high + 1 - layout.stored) & mask;
  return layout.is_signed && (number & sign) ? static_cast<int>(number) - static_cast<int>(mask) - 1
                                             : static_cast<int>(number);
}

// All bits of a pixel as a number: those of a padded one may lie beyond the stored bits.
int whole_number(unsigned raw, const Layout &layout) {
  const unsigned sign = 1u << (layout.allocated - 1);
  return layout.is_signed && (raw & sign) ? static_cast<int>(raw) - static_cast<int>(2 * sign)
                                          : static_cast<int>(raw);
}

// Reads Pixel Padding Value and its Range Limit (PS3.3 C.7.5.1.1.2): of either sign in the header,
// since programs write the one for the other.
void read_padding(DcmDataset &dataset, ht_dicom_file &file) {
  const Layout &layout = file.layout;
  double value = number_or_nan(dataset, DCM_PixelPaddingValue);
  double limit = number_or_nan(dataset, DCM_PixelPaddingRangeLimit);
  file.padded = std::isfinite(value);
  if (!file.padded) return;
  const unsigned mask = (1u << (is_jpeg2000(dataset) ? layout.stored : layout.allocated)) - 1;
  const auto as_stored = [&](double number) {
    return whole_number(static_cast<unsigned>(static_cast<long long>(number)) & mask, layout);
  };
  const int one = as_stored(value), other = std::isfinite(limit) ? as_stored(limit) : one;
  file.least_padding = std::min(one, other);
  file.most_padding = std::max(one, other);
}

DcmPixelData *pixel_data(DcmDataset &dataset) {
  DcmElement *element = nullptr;
  if (dataset.findAndGetElement(DCM_PixelData, element).bad() || !element ||
      element->ident() != EVR_PixelData)
    return nullptr;
  return static_cast<DcmPixelData *>(element);
}

// ---- Compressed frames ----

// The code stream of a frame: one fragment or several, up to the next frame's first.
OFCondition code_stream(DcmPixelSequence &sequence, const ht_slice &slice,
                        std::vector<Uint8> &bytes) {
  Uint32 first = 1, end = static_cast<Uint32>(sequence.card());
  auto frame = static_cast<Uint32>(slice.frame);
  OFCondition found = DcmCodec::determineStartFragment(frame, slice.frames, &sequence, first);
  if (found.good() && slice.frame + 1 < slice.frames)
    found = DcmCodec::determineStartFragment(frame + 1, slice.frames, &sequence, end);
  for (Uint32 i = first; found.good() && i < end; i++) {
    DcmPixelItem *item = nullptr;
    Uint8 *value = nullptr;
    found = sequence.getItem(item, i);
    if (found.good()) found = item->getUint8Array(value);
    if (found.good() && value) bytes.insert(bytes.end(), value, value + item->getLength());
  }
  return found;
}

ht_status compressed(DcmDataset &dataset, DcmPixelData &pixels, const ht_slice &slice,
                     std::vector<Uint8> &bytes) {
  DcmPixelSequence *sequence = nullptr;
  OFCondition found =
      pixels.getEncapsulatedRepresentation(dataset.getOriginalXfer(), nullptr, sequence);
  if (found.good() && sequence) found = code_stream(*sequence, slice, bytes);
  return found.good() ? HT_OK : damaged(slice, found.text());
}

// Prefixes the message of a check or of a decoder in C with the file.
ht_status told(const ht_slice &slice, ht_status status) {
  if (status != HT_ERR_FORMAT) return status;
  const std::string reason = ht_error_message();
  return damaged(slice, reason.c_str());
}

ht_status decode_jpeg2000(const std::vector<Uint8> &bytes, const ht_slice &slice,
                          const Layout &layout, Uint16 *words) {
  const ht_jpeg2000_layout image = {slice.rows, slice.columns, layout.stored, layout.is_signed,
                                    layout.lossy};
  return told(slice, ht_jpeg2000_decode(bytes.data(), bytes.size(), &image, words));
}

bool is_jpeg(E_TransferSyntax syntax) {
  return syntax >= EXS_JPEGProcess1 && syntax <= EXS_JPEGProcess14SV1;
}

bool may_be_lossy(E_TransferSyntax syntax) {
  const bool lossless = syntax == EXS_JPEGProcess14 || syntax == EXS_JPEGProcess14SV1;
  return (is_jpeg(syntax) && !lossless) || syntax == EXS_JPEGLSLossy || syntax == EXS_JPEG2000;
}

// Checks the size of a frame before DCMTK decodes it.
ht_status check_size(DcmDataset &dataset, const std::vector<Uint8> &bytes, const ht_slice &slice,
                     const Layout &layout) {
  const ht_frame_layout frame = {slice.rows, slice.columns, layout.allocated / 8};
  const E_TransferSyntax syntax = dataset.getOriginalXfer();
  if (is_jpeg(syntax)) return told(slice, ht_frame_check_jpeg(bytes.data(), bytes.size(), &frame));
  if (syntax == EXS_RLELossless)
    return told(slice, ht_frame_check_rle(bytes.data(), bytes.size(), &frame));
  return HT_OK;
}

// ---- Everything else: DCMTK ----

// Tells whether a frame has the expected size. DCMTK 3.6.8 gives its size in the file: YBR_FULL_422
// is larger once it is decoded.
bool has_frame_size(DcmDataset &dataset, DcmPixelData &pixels, size_t bytes) {
  Uint32 size = 0;
#if PACKAGE_VERSION_NUMBER >= 368
  bool is_plain = !is_encapsulated(dataset.getOriginalXfer());
  return pixels.getUncompressedFrameSize(&dataset, size, is_plain).good() && size == bytes;
#else
  return pixels.getUncompressedFrameSize(&dataset, size).good() && size == bytes;
#endif
}

ht_status decode(ht_dicom_file &file, const ht_slice &slice, size_t bytes) {
  DcmDataset &dataset = *file.format.getDataset();
  DcmPixelData *pixels = pixel_data(dataset);
  Uint32 fragment = 0;
  OFString colour;
  std::vector<Uint8> stream;
  if (!pixels) return damaged(slice, "no pixel values");
  if (is_encapsulated(dataset.getOriginalXfer()))
    HT_TRY(compressed(dataset, *pixels, slice, stream));
  if (is_jpeg2000(dataset)) return decode_jpeg2000(stream, slice, file.layout, file.words.data());
  HT_TRY(check_size(dataset, stream, slice, file.layout));
  if (!has_frame_size(dataset, *pixels, bytes))
    return damaged(slice, "another size than in the header");
  OFCondition decoded = pixels->getUncompressedFrame(
      &dataset, static_cast<Uint32>(slice.frame), fragment, file.words.data(),
      static_cast<Uint32>(2 * file.words.size()), colour, &file.cache);
  return decoded.good() ? HT_OK : damaged(slice, decoded.text());
}

ht_status read_pixels(ht_dicom_file &file, const ht_slice &slice, float *values) {
  const Layout &layout = file.layout;
  const size_t count = static_cast<size_t>(slice.rows) * static_cast<size_t>(slice.columns);
  const size_t bytes = count * static_cast<size_t>(layout.allocated) / 8;
  file.words.assign((bytes + 1) / 2, 0);
  HT_TRY(decode(file, slice, bytes));
  const auto *octet = reinterpret_cast<const Uint8 *>(file.words.data());
  for (size_t i = 0; i < count; i++) {
    unsigned raw = layout.allocated == 8 ? octet[i] : file.words[i];
    values[i] = static_cast<float>(stored_number(raw, layout) * slice.slope + slice.intercept);
    if (!file.padded) continue;
    const int number = whole_number(raw, layout);
    if (number >= file.least_padding && number <= file.most_padding) values[i] = NAN;
  }
  return HT_OK;
}

// ---- The file ----

ht_status open(const ht_slice &slice, std::unique_ptr<ht_dicom_file> &file) {
  file.reset(new ht_dicom_file);
  file->path = slice.path;
  OFCondition loaded = load(slice.path, header_value_max, file->format);
  if (loaded.bad()) return damaged(slice, loaded.text());
  DcmDataset &dataset = *file->format.getDataset();
  Layout &layout = file->layout;
  if (!read_layout(dataset, layout)) return damaged(slice, "unknown pixel format");
  if (is_jpeg2000(dataset)) layout.allocated = 16, layout.high = layout.stored - 1;
  // Overlays may lie above a lower high bit.
  layout.lossy = may_be_lossy(dataset.getOriginalXfer()) && layout.high == layout.stored - 1;
  if (whole(dataset, DCM_Rows, 0) != slice.rows || whole(dataset, DCM_Columns, 0) != slice.columns)
    return damaged(slice, "another size than in the header");
  read_padding(dataset, *file);
  return HT_OK;
}

ht_status read(ht_dicom_file **kept, const ht_slice &slice, float *values) {
  if (!*kept || (*kept)->path != slice.path) {
    std::unique_ptr<ht_dicom_file> file;
    delete *kept;
    *kept = nullptr;
    HT_TRY(open(slice, file));
    *kept = file.release();
  }
  return read_pixels(**kept, slice, values);
}

} // namespace

extern "C" void ht_dicom_close(ht_dicom_file *file) {
  delete file;
}

extern "C" ht_status ht_dicom_pixels(ht_dicom_file **file, const ht_slice *slice, float *values) {
  return at_the_edge(slice->path, [&] { return read(file, *slice, values); });
}
