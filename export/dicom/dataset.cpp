// Attributes of a DICOM data set, and the file that it goes to.
#include "dataset.hpp"
#include "decimal_string.h"
#include "file.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include <dcmtk/dcmdata/dcostrma.h>
#include <dcmtk/dcmdata/dcrleerg.h>
#include <dcmtk/dcmdata/dcvrof.h>
#include <dcmtk/dcmdata/dcwcache.h>

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

// ---- The file ----

namespace {

// Into an ht_output's stream: a full disk is noticed, also at the last byte.
class Consumer : public DcmConsumer {
public:
  explicit Consumer(FILE *stream) : stream_(stream) {}
  OFBool good() const override { return failed_ ? OFFalse : OFTrue; }
  OFCondition status() const override { return failed_ ? EC_InvalidStream : EC_Normal; }
  OFBool isFlushed() const override { return OFTrue; }
  offile_off_t avail() const override { return offile_off_t(1) << 40; }
  offile_off_t write(const void *bytes, offile_off_t count) override {
    const size_t wanted = static_cast<size_t>(count);
    const size_t done = fwrite(bytes, 1, wanted, stream_);
    failed_ = failed_ || done != wanted;
    return static_cast<offile_off_t>(done);
  }
  void flush() override {}

private:
  FILE *stream_;
  bool failed_ = false;
};

class Stream : public DcmOutputStream {
public:
  explicit Stream(FILE *stream) : DcmOutputStream(&consumer_), consumer_(stream) {}

private:
  Consumer consumer_;
};

OFCondition write_to(FILE *stream, DcmFileFormat &file, E_TransferSyntax syntax) {
  Stream out(stream);
  DcmWriteCache cache;
  OFCondition written = file.validateMetaInfo(syntax);
  file.transferInit();
  if (written.good())
    written = file.write(out, syntax, EET_ExplicitLength, &cache, EGL_recalcGL, EPD_withoutPadding);
  file.transferEnd();
  return written;
}

} // namespace

ht_status write_file(const char *path, DcmFileFormat &file, E_TransferSyntax syntax) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  errno = 0;
  try {
    const OFCondition written = write_to(output.stream, file, syntax);
    // A stream that failed has its reason in errno, which commit tells.
    if (written.good() || ferror(output.stream)) return ht_output_commit(&output);
    ht_output_abandon(&output);
    HT_TRY(ht_check_reason(path, written.text()));
    return ht_fail(HT_ERR_INTERNAL, "%s: DCMTK cannot write it: %s", path, written.text());
  } catch (...) {
    ht_output_abandon(&output);
    throw;
  }
}

} // namespace ht_dicom_out
