// Patient of a DICOM file, through DCMTK.
#include "import/dicom/dicom_identity.h"
#include "import/dicom/dicom_item.hpp"
#include <cstring>
#include <sstream>

#include <dcmtk/dcmdata/dcspchrs.h>

using namespace ht_dicom;

namespace {

// Value as text for any kind of element: a program that did not know it writes UN (PS3.5 6.2.2).
std::string bytes_of(DcmDataset &dataset, const DcmTagKey &tag) {
  DcmElement *element = nullptr;
  Uint8 *bytes = nullptr;
  std::string text = text_of(dataset, tag);
  if (!text.empty() || dataset.findAndGetElement(tag, element).bad() || !element ||
      element->isaString() || element->getLengthField() > header_value_max ||
      element->getUint8Array(bytes).bad() || !bytes)
    return text;
  text.assign(reinterpret_cast<char *>(bytes), element->getLengthField());
  return text.substr(0, text.find_last_not_of(std::string(" \0", 2)) + 1);
}

// Value in the character set of the file, else in one that has these bytes.
std::string words_of(DcmDataset &dataset, const DcmTagKey &tag) {
  const std::string value = bytes_of(dataset, tag);
  const std::string told = bytes_of(dataset, DCM_SpecificCharacterSet);
  for (const std::string &set : {told, std::string("ISO_IR 192"), std::string("ISO_IR 100")}) {
    DcmSpecificCharacterSet converter;
    OFString converted;
    if (converter.selectCharacterSet(set.c_str()).good() &&
        converter.convertString(value.c_str(), converted, "\\^=").good())
      return converted.c_str();
  }
  return value;
}

ht_status read_identity(const char *path, ht_identity &identity) {
  DcmFileFormat file;
  (void)load(path, header_value_max, file); // the readable part of a damaged file counts, too
  fill_identity(*file.getDataset(), identity);
  return HT_OK;
}

ht_status read_study(const char *path, ht_study &study) {
  DcmFileFormat file;
  (void)load(path, header_value_max, file);
  DcmDataset &dataset = *file.getDataset();
  auto copy = [&](char *to, size_t size, const DcmTagKey &tag) {
    copy_text(to, size, words_of(dataset, tag));
  };
  copy(study.uid, sizeof study.uid, DCM_StudyInstanceUID);
  copy(study.frame_uid, sizeof study.frame_uid, DCM_FrameOfReferenceUID);
  copy(study.time, sizeof study.time, DCM_StudyTime);
  copy(study.id, sizeof study.id, DCM_StudyID);
  copy(study.sex, sizeof study.sex, DCM_PatientSex);
  return HT_OK;
}

void add_line(const std::string &text, char *to, size_t size) {
  size_t used = strlen(to);
  if (text.empty() || used + 2 >= size) return;
  if (used) to[used++] = '\n', to[used] = 0;
  copy_text(to + used, size - used, text);
}

// Appends the values of an element ("A\\B" are two), one per line.
void add_values(DcmDataset &dataset, const DcmTagKey &tag, char *to, size_t size) {
  std::istringstream values(words_of(dataset, tag));
  for (std::string one; std::getline(values, one, '\\');) add_line(one, to, size);
}

void add_other_ids(DcmDataset &dataset, char *to, size_t size) {
  DcmSequenceOfItems *items = nullptr;
  if (dataset.findAndGetSequence(DCM_OtherPatientIDsSequence, items).bad() || !items) return;
  for (unsigned long i = 0; i < items->card(); i++)
    add_line(text_of(*items->getItem(i), DCM_PatientID), to, size);
}

void fill_others(DcmDataset &dataset, ht_identity &identity) {
  static const DcmTagKey names[] = {DCM_OtherPatientNames,      DCM_PatientBirthName,
                                    DCM_PatientMotherBirthName, DCM_ResponsiblePerson,
                                    DCM_ReferringPhysicianName, DCM_PerformingPhysicianName,
                                    DCM_OperatorsName};
  static const DcmTagKey other_ids(0x0010, 0x1000), locator(0x0010, 0x1090); // retired names
  static const DcmTagKey numbers[] = {other_ids,          DCM_StudyID, DCM_PatientTelephoneNumbers,
                                      DCM_PatientAddress, locator,     DCM_InstitutionName};
  static const DcmTagKey dates[] = {DCM_SeriesDate, DCM_AcquisitionDate, DCM_ContentDate,
                                    DCM_InstanceCreationDate};
  for (const DcmTagKey &tag : names)
    add_values(dataset, tag, identity.other_names, sizeof identity.other_names);
  for (const DcmTagKey &tag : numbers)
    add_values(dataset, tag, identity.other_numbers, sizeof identity.other_numbers);
  add_other_ids(dataset, identity.other_numbers, sizeof identity.other_numbers);
  for (const DcmTagKey &tag : dates)
    add_values(dataset, tag, identity.other_dates, sizeof identity.other_dates);
}

} // namespace

void ht_dicom::fill_identity(DcmDataset &dataset, ht_identity &identity) {
  auto copy = [&](char *to, size_t size, const DcmTagKey &tag) {
    copy_text(to, size, words_of(dataset, tag));
  };
  copy(identity.name, sizeof identity.name, DCM_PatientName);
  copy(identity.id, sizeof identity.id, DCM_PatientID);
  copy(identity.birth_date, sizeof identity.birth_date, DCM_PatientBirthDate);
  copy(identity.study_date, sizeof identity.study_date, DCM_StudyDate);
  copy(identity.accession, sizeof identity.accession, DCM_AccessionNumber);
  fill_others(dataset, identity);
}

extern "C" void ht_dicom_identity(const char *path, ht_identity *identity) {
  memset(identity, 0, sizeof *identity);
  (void)at_the_edge(path, [&] { return read_identity(path, *identity); });
}

extern "C" void ht_dicom_study_of(const char *path, ht_study *study) {
  memset(study, 0, sizeof *study);
  (void)at_the_edge(path, [&] { return read_study(path, *study); });
}
