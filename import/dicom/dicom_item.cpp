// Values of DICOM elements, and files that lack their last byte of padding.
#include "import/dicom/dicom_item.hpp"
#include "core/disk/file.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include <dcmtk/dcmdata/dcistrmb.h>
#include <dcmtk/dcmdata/dcpixel.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>
#include <dcmtk/dcmdata/dcrledrg.h>
#include <dcmtk/dcmdata/dcspchrs.h>
#include <dcmtk/dcmjpeg/djdecode.h>
#include <dcmtk/dcmjpls/djdecode.h>

namespace ht_dicom {

void set_up() {
  static std::once_flag once;
  std::call_once(once, [] {
    OFLog::configure(OFLogger::OFF_LOG_LEVEL);
    dcmEnableUnknownVRConversion.set(OFTrue); // UN of elements that DCMTK knows: tools without a
                                              // dictionary write it for all of implicit VR
    // No element after the pixels is needed, and some files have megabytes of zeros there, each
    // eight of which would be an element.
    dcmStopParsingAfterElement.set(DCM_PixelData);
    DcmRLEDecoderRegistration::registerCodecs();
    DJDecoderRegistration::registerCodecs();
    DJLSDecoderRegistration::registerCodecs();
  });
}

// ---- Texts ----

void refuse(ht_slice &slice, ht_status status, const std::string &reason) {
  if (slice.status != HT_OK) return;
  slice.status = status;
  copy_text(slice.problem, sizeof slice.problem, reason);
}

void put_aside(ht_slice &slice, const char *what) {
  slice.aside = 1;
  if (!slice.why_aside) slice.why_aside = what;
}

// Text of an element; nothing of one of bytes or numbers, or far longer than any text (LT has 10240
// characters, PS3.5 6.2): DCMTK writes bytes as digits, which takes a minute for a length that a
// header of 1 KB may state.
static OFString stored_text(DcmItem &item, const DcmTagKey &tag) {
  const Uint32 most = 65536;
  DcmElement *element = nullptr;
  OFString value;
  if (item.findAndGetElement(tag, element).good() && element && element->isaString() &&
      element->getLengthField() <= most)
    element->getOFStringArray(value);
  return value;
}

std::string text_of(DcmItem &item, const DcmTagKey &tag) {
  const OFString value = stored_text(item, tag);
  size_t begin = value.find_first_not_of(" "), end = value.find_last_not_of(" ");
  return begin == OFString_npos ? "" : std::string(value.c_str() + begin, end - begin + 1);
}

std::string utf8_of(DcmItem &item, const std::string &value) {
  DcmSpecificCharacterSet converter;
  OFString converted;
  if (converter.selectCharacterSet(stored_text(item, DCM_SpecificCharacterSet)).good() &&
      converter.convertString(value.c_str(), converted, "\\").good())
    return converted.c_str();
  std::string plain = value;
  for (char &c : plain)
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return plain;
}

// Control characters are also those of two bytes, U+0080 to U+009F.
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

bool has_value(const std::string &values, const char *word) {
  return ("\\" + values + "\\").find(std::string("\\") + word + "\\") != std::string::npos;
}

// ---- Numbers ----

static std::string no_number(const DcmTagKey &key, const std::string &text) {
  DcmTag tag(key);
  const bool comma = text.find(',') != std::string::npos;
  return std::string(tag.getTagName()) + " is \"" + text.substr(0, 32) + "\", which is no number" +
         (comma ? " of DICOM (a decimal comma?)" : "") +
         ": write it with a decimal point and without other signs in all files, or export them "
         "again";
}

NoNumber::NoNumber(const DcmTagKey &tag, const std::string &text)
    : std::runtime_error(no_number(tag, text)) {}

// Length of the number that the text begins with (PS3.5 6.2, DS): sign, digits, point, exponent.
static size_t number_length(const std::string &text) {
  const char *const digit = "0123456789";
  size_t at = text.find_first_not_of("+-") == 1 ? 1 : 0, begin = at;
  at = std::min(text.find_first_not_of(digit, at), text.size());
  size_t digits = at - begin;
  if (at < text.size() && text[at] == '.') {
    begin = ++at;
    at = std::min(text.find_first_not_of(digit, at), text.size());
    digits += at - begin;
  }
  if (digits == 0) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    size_t power = at + 1;
    if (power < text.size() && (text[power] == '+' || text[power] == '-')) power++;
    size_t end = std::min(text.find_first_not_of(digit, power), text.size());
    if (end > power) at = end;
  }
  return at;
}

// Text without blanks and zero bytes around it.
static std::string trimmed(const OFString &from) {
  const std::string text(from.c_str());
  const size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

bool numbers(DcmItem &item, const DcmTagKey &tag, double *value, unsigned long count) {
  for (unsigned long i = 0; i < count; i++) {
    OFString text; // every kind of number has a text; not every kind converts to a double
    OFBool parsed = OFFalse;
    if (item.findAndGetOFString(tag, text, i).bad()) return false;
    const std::string trimmed_text = trimmed(text);
    const size_t length = number_length(trimmed_text);
    if (length > 0 && length < trimmed_text.size()) throw NoNumber(tag, trimmed_text);
    value[i] = OFStandard::atof(trimmed_text.c_str(), &parsed);
    if (!parsed || !std::isfinite(value[i])) return false;
  }
  return true;
}

int whole(DcmItem &item, const DcmTagKey &tag, int absent) {
  double value;
  bool given = numbers(item, tag, &value, 1) && std::fabs(value) < 2e9;
  return given ? static_cast<int>(value) : absent;
}

double number_or_nan(DcmItem &item, const DcmTagKey &tag) {
  double value;
  return numbers(item, tag, &value, 1) ? value : NAN;
}

int label_number(DcmItem &item, const DcmTagKey &tag) {
  try {
    return whole(item, tag, 0);
  } catch (const NoNumber &) {
    return 0;
  }
}

DcmItem *first_item(DcmItem &item, const DcmTagKey &sequence, int number) {
  DcmItem *found = nullptr;
  return item.findAndGetSequenceItem(sequence, found, number).good() ? found : nullptr;
}

// ---- Private elements ----

DcmTagKey private_tag(DcmItem &item, Uint16 group, const char *creator, Uint8 element) {
  for (unsigned block = 0x10; block <= 0xff; block++)
    if (text_of(item, DcmTagKey(group, static_cast<Uint16>(block))) == creator)
      return DcmTagKey(group, static_cast<Uint16>(block << 8 | element));
  return DcmTagKey(group, static_cast<Uint16>(0x1000 | element));
}

// Bytes of an element without a known representation; empty of any other.
static std::string raw_bytes(DcmItem &item, const DcmTagKey &tag) {
  const Uint32 most = 65536;
  DcmElement *element = nullptr;
  Uint8 *bytes = nullptr;
  if (item.findAndGetElement(tag, element).bad() || !element) return "";
  const DcmEVR vr = element->getVR();
  const bool is_unknown = vr == EVR_UN || vr == EVR_OB || vr == EVR_UNKNOWN || vr == EVR_UNKNOWN2B;
  if (!is_unknown || element->getLengthField() > most || element->getUint8Array(bytes).bad() ||
      !bytes)
    return "";
  return std::string(reinterpret_cast<char *>(bytes), element->getLengthField());
}

bool private_short(DcmItem &item, const DcmTagKey &tag, double &value) {
  const std::string bytes = raw_bytes(item, tag);
  if (bytes.empty()) return numbers(item, tag, &value, 1);
  if (bytes.size() != 2) return false;
  value = static_cast<Sint16>(static_cast<unsigned char>(bytes[0]) |
                              static_cast<unsigned char>(bytes[1]) << 8);
  return true;
}

bool private_floats(DcmItem &item, const DcmTagKey &tag, double *value, unsigned long count) {
  const std::string bytes = raw_bytes(item, tag);
  if (bytes.empty()) return numbers(item, tag, value, count);
  if (bytes.size() != 4 * count) return false;
  for (unsigned long i = 0; i < count; i++) {
    float one;
    memcpy(&one, bytes.data() + 4 * i, sizeof one);
    if (!std::isfinite(one)) return false;
    value[i] = one;
  }
  return true;
}

std::string private_text(DcmItem &item, const DcmTagKey &tag) {
  const std::string bytes = raw_bytes(item, tag);
  return bytes.empty() ? text_of(item, tag) : trimmed(bytes.c_str());
}

bool read_layout(DcmItem &item, Layout &layout) {
  layout.allocated = whole(item, DCM_BitsAllocated, 0);
  layout.stored = whole(item, DCM_BitsStored, layout.allocated);
  layout.high = whole(item, DCM_HighBit, layout.stored - 1);
  layout.is_signed = whole(item, DCM_PixelRepresentation, 0);
  layout.lossy = false;
  return (layout.allocated == 8 || layout.allocated == 16) && layout.stored >= 1 &&
         layout.stored <= layout.allocated && layout.high >= layout.stored - 1 &&
         layout.high < layout.allocated && (layout.is_signed == 0 || layout.is_signed == 1);
}

bool is_jpeg2000(DcmDataset &dataset) {
  E_TransferSyntax syntax = dataset.getOriginalXfer();
  return syntax == EXS_JPEG2000 || syntax == EXS_JPEG2000LosslessOnly;
}

// ---- Files ----

namespace {

// Reads the file's bytes and one 0 more, where their number is odd: a DICOM file has an even number
// (PS3.5 7.1.1), so that it lacks its last byte. Empty where the number is even.
std::vector<char> padded_bytes(const char *path) {
  std::vector<char> bytes;
  FILE *file = ht_file_open(path);
  if (!file) return bytes;
  if (fseek(file, 0, SEEK_END) == 0) {
    long size = ftell(file);
    if (size > 0 && size % 2 == 1) bytes.resize(static_cast<size_t>(size) + 1);
  }
  rewind(file);
  size_t wanted = bytes.empty() ? 0 : bytes.size() - 1;
  if (fread(bytes.data(), 1, wanted, file) != wanted) bytes.clear();
  fclose(file);
  return bytes;
}

// Tells whether the lost byte was padding: uncompressed pixels of an odd number of bytes, one fewer
// than the element has. In all other files it was a value.
bool padding_was_lost(DcmDataset &dataset) {
  DcmElement *pixels = nullptr;
  if (is_encapsulated(dataset.getOriginalXfer()) ||
      dataset.findAndGetElement(DCM_PixelData, pixels).bad() || !pixels ||
      whole(dataset, DCM_BitsAllocated, 0) != 8)
    return false;
  double bytes = double(whole(dataset, DCM_Rows, 0)) * whole(dataset, DCM_Columns, 0) *
                 whole(dataset, DCM_NumberOfFrames, 1) * whole(dataset, DCM_SamplesPerPixel, 1);
  return pixels->getLengthField() == bytes + 1;
}

bool load_padded(const char *path, DcmFileFormat &file) {
  std::vector<char> bytes = padded_bytes(path);
  DcmInputBufferStream stream;
  DcmFileFormat mended;
  if (bytes.empty()) return false;
  stream.setBuffer(bytes.data(), static_cast<offile_off_t>(bytes.size()));
  stream.setEos();
  mended.transferInit();
  OFCondition read = mended.read(stream);
  mended.transferEnd();
  if (read.bad() || !padding_was_lost(*mended.getDataset())) return false;
  mended.loadAllDataIntoMemory(); // the bytes go
  file = mended;
  return true;
}

// Tells whether only the mark of the end of the compressed pixels is missing, and the last fragment
// is whole. JPEG's kinds end with FF D9; RLE's decoder counts.
bool only_end_is_missing(DcmDataset &dataset) {
  DcmPixelSequence *sequence = nullptr;
  DcmElement *pixels = nullptr;
  DcmPixelItem *last = nullptr;
  E_TransferSyntax syntax = dataset.getOriginalXfer();
  Uint8 *bytes = nullptr;
  if (dataset.findAndGetElement(DCM_PixelData, pixels).bad() || !pixels ||
      pixels->ident() != EVR_PixelData ||
      static_cast<DcmPixelData *>(pixels)
          ->getEncapsulatedRepresentation(syntax, nullptr, sequence)
          .bad() ||
      !sequence || sequence->card() < 2 || sequence->getItem(last, sequence->card() - 1).bad())
    return false;
  if (syntax == EXS_RLELossless) return true;
  if (last->getUint8Array(bytes).bad() || !bytes) return false;
  Uint32 length = last->getLength(),
         end = length > 0 && bytes[length - 1] == 0 ? length - 1 : length;
  return end >= 2 && bytes[end - 2] == 0xff && bytes[end - 1] == 0xd9;
}

} // namespace

namespace {

OFCondition load_whole(const char *path, Uint32 longest, DcmFileFormat &file) {
  OFCondition loaded = file.loadFile(path, EXS_Unknown, EGL_noChange, longest);
  if (file.getDataset()->getOriginalXfer() == EXS_DeflatedLittleEndianExplicit) {
    // Only its end shows that a deflated file is whole: pixels before it may be wrong.
    dcmStopParsingAfterElement.set(DCM_UndefinedTagKey);
    loaded = file.loadFile(path, EXS_Unknown, EGL_noChange, longest);
    dcmStopParsingAfterElement.set(DCM_PixelData);
  }
  if (loaded == EC_SequDelimitationItemMissing && only_end_is_missing(*file.getDataset()))
    return EC_Normal;
  if (loaded.good() || !load_padded(path, file)) return loaded;
  return EC_Normal;
}

} // namespace

OFCondition load(const char *path, Uint32 longest, DcmFileFormat &file) {
  const OFCondition loaded = load_whole(path, longest, file);
  if (loaded == EC_MemoryExhausted) throw std::bad_alloc();
  return loaded;
}

} // namespace ht_dicom
