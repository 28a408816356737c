// Who a DICOM file is of, through DCMTK.
#include "dicom_identity.h"
#include "dicom_item.hpp"
#include <cstring>

using namespace ht_dicom;

namespace {

ht_status read_identity(const char *path, ht_identity &identity) {
  DcmFileFormat file;
  (void)load(path, header_value_max, file); // what is there of a damaged one counts, too
  DcmDataset &dataset = *file.getDataset();
  auto copy = [&](char *to, size_t size, const DcmTagKey &tag) {
    copy_text(to, size, utf8_of(dataset, text_of(dataset, tag)));
  };
  copy(identity.name, sizeof identity.name, DCM_PatientName);
  copy(identity.id, sizeof identity.id, DCM_PatientID);
  copy(identity.birth_date, sizeof identity.birth_date, DCM_PatientBirthDate);
  copy(identity.study_date, sizeof identity.study_date, DCM_StudyDate);
  copy(identity.accession, sizeof identity.accession, DCM_AccessionNumber);
  return HT_OK;
}

} // namespace

extern "C" void ht_dicom_identity(const char *path, ht_identity *identity) {
  memset(identity, 0, sizeof *identity);
  (void)at_the_edge(path, [&] { return read_identity(path, *identity); });
}
