// A PDF file as an Encapsulated PDF (PS3.3 A.45.1).
#include "export/dicom/dataset.hpp"
#include "core/disk/file.h"
#include <cstdio>
#include <cstring>
#include <memory>

using namespace ht_dicom_out;

namespace {

struct Close {
  void operator()(FILE *file) const { fclose(file); }
};

ht_status fill_bytes(Filler &fill, const char *pdf) {
  const std::unique_ptr<FILE, Close> file(ht_file_open(pdf));
  if (!file) return ht_fail(HT_ERR_FORMAT, "%s: cannot read: %s", pdf, ht_file_reason());
  const long size = fseek(file.get(), 0, SEEK_END) == 0 ? ftell(file.get()) : 0;
  rewind(file.get());
  if (size < 5 || size > 0x7ffffff0L)
    return ht_fail(HT_ERR_FORMAT, "%s: %ld bytes cannot be a PDF document in DICOM", pdf, size);
  const size_t count = static_cast<size_t>(size);
  Uint8 *bytes = fill.bytes(DCM_EncapsulatedDocument, count + count % 2);
  if (!bytes) throw std::bad_alloc();
  bytes[count + count % 2 - 1] = 0;
  if (fread(bytes, 1, count, file.get()) != count || memcmp(bytes, "%PDF-", 5) != 0)
    return ht_fail(HT_ERR_FORMAT, "%s: this is not a PDF file", pdf);
  fill.longs(DCM_EncapsulatedDocumentLength, {static_cast<int>(size)});
  return HT_OK;
}

ht_status write(const char *path, const ht_dicom_study &study, const char *pdf, const char *title) {
  DcmFileFormat file;
  std::string problem;
  Filler fill(*file.getDataset(), problem);
  const Object object = {
      UID_EncapsulatedPDFStorage, "DOC", "hemotile report", "9106", nullptr, "1"};
  HT_TRY(fill_identity(fill, study, object));
  fill.text(DCM_ConversionType, "WSD");
  fill.text(DCM_AcquisitionDateTime, "");
  fill.text(DCM_BurnedInAnnotation, study.is_pseudonymous ? "NO" : "YES");
  fill.text(DCM_DocumentTitle, title);
  fill.nothing(DCM_ConceptNameCodeSequence);
  fill.text(DCM_MIMETypeOfEncapsulatedDocument, "application/pdf");
  HT_TRY(fill_bytes(fill, pdf));
  if (!problem.empty()) return not_made(path, problem);
  return write_file(path, file, EXS_LittleEndianExplicit);
}

} // namespace

extern "C" ht_status ht_dicom_document(const char *path, const ht_dicom_study *study,
                                       const char *pdf, const char *title) {
  return at_the_edge(path, [&] { return write(path, *study, pdf, title); });
}
