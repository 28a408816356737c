#include "tests/app/pacs/object_fixture.h"
#include "export/dicom_file/dicom_file.hpp"
#include <cstdlib>
#include <filesystem>
#include <system_error>

char ht_fixture_folder[64];

int ht_fixture_begin(void **) {
  snprintf(ht_fixture_folder, sizeof ht_fixture_folder, "/tmp/hemotile-study-XXXXXX");
  return mkdtemp(ht_fixture_folder) ? 0 : -1;
}

int ht_fixture_end(void **) {
  std::error_code error;
  std::filesystem::remove_all(ht_fixture_folder, error);
  return error ? -1 : 0;
}

int ht_object_fixture_write(const char *path, const ht_pacs_object *object) {
  DcmFileFormat file;
  DcmDataset &to = *file.getDataset();
  to.putAndInsertString(DCM_SOPClassUID, UID_CTImageStorage);
  to.putAndInsertString(DCM_StudyInstanceUID, object->study_uid);
  to.putAndInsertString(DCM_SeriesInstanceUID, object->series_uid);
  to.putAndInsertString(DCM_SOPInstanceUID, object->instance_uid);
  to.putAndInsertString(DCM_Modality, object->modality);
  to.putAndInsertString(DCM_StudyDescription, object->study_description);
  to.putAndInsertString(DCM_SeriesDescription, object->series_description);
  to.putAndInsertString(DCM_PatientID, object->patient_id);
  to.putAndInsertString(DCM_PatientName, object->patient_name);
  to.putAndInsertString(DCM_PatientBirthDate, object->birth_date);
  return ht_dicom_file::write(path, file, EXS_LittleEndianExplicit, EET_UndefinedLength);
}
