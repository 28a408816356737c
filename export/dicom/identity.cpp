// The identity of a file: patient, study, series, equipment and the object's UIDs.
#include "core/machine/clock.h"
#include "export/dicom/dataset.hpp"
#include "core/version.h"
#include <cctype>

namespace ht_dicom_out {

namespace {

void fill_patient(Filler &fill, const ht_dicom_study &study) {
  fill.text(DCM_SpecificCharacterSet, "ISO_IR 192");
  fill.text(DCM_PatientName, study.patient_name);
  fill.text(DCM_PatientID, study.patient_id);
  fill.text(DCM_PatientBirthDate, study.birth_date);
  fill.text(DCM_PatientSex, study.sex);
  if (!study.is_pseudonymous) return;
  fill.text(DCM_PatientIdentityRemoved, "YES");
  fill.text(DCM_DeidentificationMethod, "hemotile: nothing of the scan's header is copied");
}

void fill_study(Filler &fill, const ht_dicom_study &study) {
  fill.text(DCM_StudyInstanceUID, study.study_uid);
  fill.text(DCM_StudyDate, study.study_date);
  fill.text(DCM_StudyTime, study.study_time);
  fill.text(DCM_StudyID, study.study_id);
  fill.text(DCM_AccessionNumber, study.accession);
  fill.text(DCM_ReferringPhysicianName, "");
}

// Splits "2026-11-23T23:42:39Z" into "20261123" and "234239".
void fill_time(Filler &fill) {
  char now[32];
  ht_time_utc(now);
  std::string digits;
  for (const char *at = now; *at; at++)
    if (isdigit(static_cast<unsigned char>(*at))) digits += *at;
  const std::string date = digits.substr(0, 8), time = digits.substr(8, 6);
  fill.text(DCM_TimezoneOffsetFromUTC, "+0000");
  for (const DcmTagKey &tag : {DCM_SeriesDate, DCM_ContentDate, DCM_InstanceCreationDate})
    fill.text(tag, date);
  for (const DcmTagKey &tag : {DCM_SeriesTime, DCM_ContentTime, DCM_InstanceCreationTime})
    fill.text(tag, time);
}

void fill_equipment(Filler &fill) {
  fill.text(DCM_Manufacturer, "hemotile");
  fill.text(DCM_ManufacturerModelName, "hemotile");
  fill.text(DCM_DeviceSerialNumber, std::string(ht_commit()).substr(0, 64));
  fill.text(DCM_SoftwareVersions, ht_version());
}

} // namespace

ht_status fill_identity(Filler &fill, const ht_dicom_study &study, const Object &object) {
  char uid[HT_UID_TEXT], series_uid[HT_UID_TEXT];
  HT_TRY(ht_uid_new(uid));
  HT_TRY(ht_uid_new(series_uid));
  fill_patient(fill, study);
  fill_study(fill, study);
  fill.text(DCM_Modality, object.modality);
  fill.text(DCM_SeriesInstanceUID, object.series_uid ? object.series_uid : series_uid);
  fill.text(DCM_SeriesNumber, object.number);
  fill.text(DCM_SeriesDescription, object.description);
  fill.text(DCM_InstanceNumber, object.instance);
  fill_equipment(fill);
  fill_time(fill);
  fill.text(DCM_SOPClassUID, object.sop_class);
  fill.text(DCM_SOPInstanceUID, uid);
  return HT_OK;
}

} // namespace ht_dicom_out
