#include "app/pacs/pacs_object.hpp"
#include <cctype>
#include <cstring>
#include <exception>

namespace ht_pacs {

namespace {

struct field {
  DcmTagKey tag;
  char *text;
  size_t size;
};

void take(DcmItem &from, const field &one) {
  OFString value;
  from.findAndGetOFStringArray(one.tag, value);
  snprintf(one.text, one.size, "%s", value.c_str());
}

// A data set of those elements alone: the whole one is not to be changed, nor copied.
void copy(DcmDataset &from, const DcmTagKey &tag, DcmDataset &to) {
  DcmElement *element = nullptr;
  if (from.findAndGetElement(tag, element, OFFalse, OFTrue).bad() || !element) return;
  if (to.insert(element).bad()) delete element;
}

} // namespace

ht_status describe(DcmDataset &from, ht_pacs_object *to) {
  char model[65];
  DcmDataset brief;
  const field fields[] = {
      {DCM_StudyInstanceUID, to->study_uid, sizeof to->study_uid},
      {DCM_SeriesInstanceUID, to->series_uid, sizeof to->series_uid},
      {DCM_SOPInstanceUID, to->instance_uid, sizeof to->instance_uid},
      {DCM_Modality, to->modality, sizeof to->modality},
      {DCM_StudyDescription, to->study_description, sizeof to->study_description},
      {DCM_SeriesDescription, to->series_description, sizeof to->series_description},
      {DCM_PatientID, to->patient_id, sizeof to->patient_id},
      {DCM_PatientName, to->patient_name, sizeof to->patient_name},
      {DCM_PatientBirthDate, to->birth_date, sizeof to->birth_date},
      {DCM_ManufacturerModelName, model, sizeof model}};
  copy(from, DCM_SpecificCharacterSet, brief);
  for (const field &one : fields) copy(from, one.tag, brief);
  brief.convertToUTF8(); // where it cannot, the text stays as it came
  for (const field &one : fields) take(brief, one);
  to->is_result = strcmp(model, "hemotile") == 0;
  HT_TRY(ht_pacs_check_uid(to->study_uid, "the study's UID"));
  HT_TRY(ht_pacs_check_uid(to->series_uid, "the series' UID"));
  return ht_pacs_check_uid(to->instance_uid, "the object's UID"); // they become names of files
}

} // namespace ht_pacs

ht_status ht_pacs_object_read(const char *path, ht_pacs_object *object) {
  memset(object, 0, sizeof *object);
  OFLog::configure(OFLogger::OFF_LOG_LEVEL);
  try {
    DcmFileFormat file;
    // The wanted elements come before this one; the frames of large objects after it.
    if (file.loadFileUntilTag(path, EXS_Unknown, EGL_noChange, DCM_MaxReadLength, ERM_autoDetect,
                              DCM_StudyID)
            .bad())
      return ht_fail(HT_ERR_FORMAT, "%s: this is no DICOM file", path);
    ht_status status = ht_pacs::describe(*file.getDataset(), object);
    return status == HT_OK ? HT_OK : ht_fail(HT_ERR_FORMAT, "%s: %s", path, ht_error_message());
  } catch (const std::exception &e) {
    return ht_fail(HT_ERR_INTERNAL, "%s: %s", path, e.what());
  }
}

/* Returns the length without empty parts at the end, which are not always written. */
static size_t length_of(const char *text) {
  size_t length = strcspn(text, "=");
  while (length > 0 && strchr(" ^", text[length - 1])) length--;
  return length;
}

static int same_text(const char *one, const char *other) {
  const size_t length = length_of(one);
  return length == length_of(other) && strncasecmp(one, other, length) == 0;
}

int ht_pacs_same_patient(const ht_pacs_object *one, const ht_pacs_object *other) {
  return same_text(one->patient_id, other->patient_id) &&
         same_text(one->patient_name, other->patient_name) &&
         (!one->birth_date[0] || !other->birth_date[0] ||
          strcmp(one->birth_date, other->birth_date) == 0);
}
