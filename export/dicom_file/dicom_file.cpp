#include "export/dicom_file/dicom_file.hpp"
#include "core/disk/file.h"
#include <cerrno>
#include <cstdio>

#include <dcmtk/dcmdata/dcostrma.h>
#include <dcmtk/dcmdata/dcwcache.h>

namespace ht_dicom_file {

namespace {

// Writes to an ht_output's stream, which notices a full disk, also at the last byte.
class Consumer : public DcmConsumer {
public:
  explicit Consumer(FILE *stream) : stream_(stream) {}
  OFBool good() const override { return failed_ ? OFFalse : OFTrue; }
  OFCondition status() const override { return failed_ ? EC_InvalidStream : EC_Normal; }
  OFBool isFlushed() const override { return OFTrue; }
  offile_off_t avail() const override { return offile_off_t(1) << 40; }
  offile_off_t write(const void *bytes, offile_off_t count) override {
    const size_t wanted = static_cast<size_t>(count);
    const size_t done = bytes ? fwrite(bytes, 1, wanted, stream_) : 0; // an empty element has none
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

OFCondition write_to(FILE *stream, DcmFileFormat &file, E_TransferSyntax syntax,
                     E_EncodingType lengths) {
  Stream out(stream);
  DcmWriteCache cache;
  OFCondition written = file.validateMetaInfo(syntax);
  file.transferInit();
  if (written.good())
    written = file.write(out, syntax, lengths, &cache, EGL_recalcGL, EPD_noChange);
  file.transferEnd();
  return written;
}

} // namespace

ht_status write(const char *path, DcmFileFormat &file, E_TransferSyntax syntax,
                E_EncodingType lengths) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  errno = 0;
  try {
    const OFCondition written = write_to(output.stream, file, syntax, lengths);
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

} // namespace ht_dicom_file
