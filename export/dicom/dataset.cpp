// Attributes of a DICOM data set, and its file.
#include "export/dicom/dataset.hpp"
#include "core/formats/decimal_string.h"
#include "export/dicom_file/dicom_file.hpp"
#include <cstring>
#include <mutex>

#include <dcmtk/dcmdata/dcrleerg.h>
#include <dcmtk/dcmdata/dcvrof.h>

namespace ht_dicom_out {

void set_up() {
  static std::once_flag once;
  std::call_once(once, [] {
    OFLog::configure(OFLogger::OFF_LOG_LEVEL);
    DcmRLEEncoderRegistration::registerCodecs();
  });
}

ht_status not_made(const char *path, const std::string &problem) {
  return ht_fail(HT_ERR_INTERNAL, "%s: DICOM cannot hold %s", path, problem.c_str());
}

// ---- Attributes ----

static std::string decimal(double value) {
  char text[HT_DECIMAL_STRING];
  ht_decimal_string(value, text);
  return text;
}

void Filler::keep(const OFCondition &condition, const DcmTagKey &tag) {
  if (condition == EC_MemoryExhausted) throw std::bad_alloc();
  if (condition.bad() && problem_.empty())
    problem_ = std::string(tag.toString().c_str()) + ": " + condition.text();
}

void Filler::text(const DcmTagKey &tag, const std::string &value) {
  keep(item_.putAndInsertString(tag, value.c_str()), tag);
}

void Filler::numbers(const DcmTagKey &tag, std::initializer_list<double> values) {
  if (DcmTag(tag).getEVR() == EVR_FD) {
    keep(item_.putAndInsertFloat64Array(tag, values.begin(), values.size()), tag);
    return;
  }
  std::string all;
  for (double value : values) all += (all.empty() ? "" : "\\") + decimal(value);
  text(tag, all);
}

void Filler::shorts(const DcmTagKey &tag, std::initializer_list<int> values) {
  const std::vector<Uint16> all(values.begin(), values.end());
  keep(item_.putAndInsertUint16Array(tag, all.data(), all.size()), tag);
}

void Filler::longs(const DcmTagKey &tag, std::initializer_list<int> values) {
  const std::vector<Uint32> all(values.begin(), values.end());
  DcmElement *element = new DcmUnsignedLong(tag);
  keep(element->putUint32Array(all.data(), all.size()), tag);
  keep(item_.insert(element, OFTrue), tag);
}

void Filler::single(const DcmTagKey &tag, float value) {
  keep(item_.putAndInsertFloat32(tag, value), tag);
}

void Filler::points_at(const DcmTagKey &tag, const DcmTagKey &attribute) {
  keep(item_.putAndInsertTagKey(tag, attribute), tag);
}

void Filler::code(const DcmTagKey &sequence, const char *scheme, const char *value,
                  const char *meaning) {
  Filler one = item(sequence);
  one.text(DCM_CodeValue, value);
  one.text(DCM_CodingSchemeDesignator, scheme);
  one.text(DCM_CodeMeaning, meaning);
}

Filler Filler::item(const DcmTagKey &sequence) {
  DcmItem *made = nullptr;
  const OFCondition found = item_.findOrCreateSequenceItem(sequence, made, -2); // a new one
  if (found.bad() || !made) throw std::bad_alloc();
  return Filler(*made, problem_);
}

void Filler::nothing(const DcmTagKey &sequence) {
  keep(item_.insertEmptyElement(sequence), sequence);
}

Uint8 *Filler::bytes(const DcmTagKey &tag, size_t count) {
  Uint8 *values = nullptr;
  DcmElement *element = tag == DCM_PixelData ? new DcmPixelData(DcmTag(tag, EVR_OB))
                                             : new DcmOtherByteOtherWord(DcmTag(tag, EVR_OB));
  keep(element->createUint8Array(static_cast<Uint32>(count), values), tag);
  keep(item_.insert(element, OFTrue), tag);
  return values;
}

void Filler::floats(const DcmTagKey &tag, const float *values, size_t count) {
  DcmElement *element = new DcmOtherFloat(DcmTag(tag, EVR_OF));
  keep(element->putFloat32Array(values, count), tag);
  keep(item_.insert(element, OFTrue), tag);
}

ht_status write_file(const char *path, DcmFileFormat &file, E_TransferSyntax syntax) {
  return ht_dicom_file::write(path, file, syntax, EET_ExplicitLength);
}

} // namespace ht_dicom_out
