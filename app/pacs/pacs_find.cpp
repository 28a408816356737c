// C-FIND, Study Root.
#include "app/pacs/association.hpp"
#include "app/pacs/pacs.h"
#include <cstdlib>
#include <cstring>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmnet/diutil.h>

namespace {

using namespace ht_pacs;

const char *const find_request = "the search (C-FIND)";

OFList<OFString> uncompressed() {
  OFList<OFString> syntaxes;
  syntaxes.push_back(UID_LittleEndianExplicitTransferSyntax);
  syntaxes.push_back(UID_LittleEndianImplicitTransferSyntax);
  return syntaxes;
}

class counter : public receiver {
public:
  int answer() override { return ++count_ < HT_PACS_ANSWERS_MAX; }
  bool is_full() const { return count_ >= HT_PACS_ANSWERS_MAX; }

private:
  int count_ = 0;
};

/* Makes a pattern that also matches a part of a text, if it has no wildcard. */
std::string loose(const char *text) {
  return text[0] && !strpbrk(text, "*?") ? std::string("*") + text + "*" : text;
}

void fill(DcmDataset &keys, const ht_pacs_query &query) {
  bool of_series = query.study_uid[0] != 0;
  keys.putAndInsertString(DCM_SpecificCharacterSet, "ISO_IR 192");
  keys.putAndInsertString(DCM_QueryRetrieveLevel, of_series ? "SERIES" : "STUDY");
  keys.putAndInsertString(DCM_StudyInstanceUID, query.study_uid);
  if (of_series) {
    keys.putAndInsertString(DCM_SeriesInstanceUID, "");
    keys.putAndInsertString(DCM_Modality, query.modality);
    keys.putAndInsertString(DCM_SeriesDescription, loose(query.description).c_str());
    keys.putAndInsertString(DCM_SeriesNumber, "");
    keys.putAndInsertString(DCM_NumberOfSeriesRelatedInstances, "");
    return;
  }
  keys.putAndInsertString(DCM_PatientID, query.patient_id);
  keys.putAndInsertString(DCM_PatientName, "");
  keys.putAndInsertString(DCM_StudyDate, query.study_date);
  keys.putAndInsertString(DCM_ModalitiesInStudy, query.modality);
  keys.putAndInsertString(DCM_StudyDescription, loose(query.description).c_str());
  keys.putAndInsertString(DCM_NumberOfStudyRelatedSeries, "");
  keys.putAndInsertString(DCM_NumberOfStudyRelatedInstances, "");
}

void take(DcmDataset &from, const DcmTagKey &tag, char *text, size_t size) {
  OFString value;
  from.findAndGetOFStringArray(tag, value);
  snprintf(text, size, "%s", value.c_str());
  for (char *c = text; *c; c++) // a terminal shows no escapes of others
    if (static_cast<unsigned char>(*c) < ' ') *c = ' ';
}

int count_of(DcmDataset &from, const DcmTagKey &tag) {
  OFString value;
  if (from.findAndGetOFString(tag, value).bad() || value.empty()) return -1;
  return atoi(value.c_str());
}

void take_match(DcmDataset &from, bool of_series, ht_pacs_match &to) {
  from.convertToUTF8(); // where it cannot, the text stays as it came
  take(from, DCM_StudyInstanceUID, to.study_uid, sizeof to.study_uid);
  take(from, DCM_SeriesInstanceUID, to.series_uid, sizeof to.series_uid);
  take(from, DCM_PatientID, to.patient_id, sizeof to.patient_id);
  take(from, DCM_PatientName, to.patient_name, sizeof to.patient_name);
  take(from, DCM_StudyDate, to.date, sizeof to.date);
  take(from, of_series ? DCM_Modality : DCM_ModalitiesInStudy, to.modality, sizeof to.modality);
  take(from, of_series ? DCM_SeriesDescription : DCM_StudyDescription, to.description,
       sizeof to.description);
  to.number = count_of(from, DCM_SeriesNumber);
  to.series = count_of(from, DCM_NumberOfStudyRelatedSeries);
  to.images = count_of(from, of_series ? DCM_NumberOfSeriesRelatedInstances
                                       : DCM_NumberOfStudyRelatedInstances);
}

ht_status take_all(const ht_pacs_settings &settings, OFList<QRResponse *> &answers, bool of_series,
                   ht_pacs_match **matches, int *count) {
  *matches = static_cast<ht_pacs_match *>(calloc(answers.size() + 1, sizeof **matches));
  if (!*matches) return ht_fail(HT_ERR_MEMORY, "not enough memory for %zu answers", answers.size());
  for (QRResponse *one : answers) {
    if (DICOM_PENDING_STATUS(one->m_status) && one->m_dataset)
      take_match(*one->m_dataset, of_series, (*matches)[(*count)++]);
    else if (one->m_status != STATUS_Success)
      return refused(settings, find_request, one->m_status, DU_cfindStatusString(one->m_status));
  }
  return HT_OK;
}

ht_status ask(DcmSCU &scu, const ht_pacs_settings &settings, const ht_pacs_query &query,
              ht_pacs_match **matches, int *count) {
  DcmDataset keys;
  fill(keys, query);
  T_ASC_PresentationContextID id =
      context_of(scu, settings, UID_FINDStudyRootQueryRetrieveInformationModel, find_request);
  if (id == 0) return HT_ERR_NETWORK;
  OFList<QRResponse *> answers;
  OFCondition result = scu.sendFINDRequest(id, &keys, &answers);
  ht_status status = result.bad()
                         ? failed(settings, find_request, result)
                         : take_all(settings, answers, query.study_uid[0] != 0, matches, count);
  for (QRResponse *one : answers) delete one;
  return status;
}

ht_status find(const ht_pacs_settings &settings, const ht_pacs_query &query,
               ht_pacs_match **matches, int *count, int *more) {
  counter answers;
  auto scu = make_scu(settings, &answers);
  scu->addPresentationContext(UID_FINDStudyRootQueryRetrieveInformationModel, uncompressed());
  HT_TRY(open(*scu, settings));
  ht_status status = ask(*scu, settings, query, matches, count);
  *more = answers.is_full();
  close(*scu, status == HT_OK && !*more); // else the rest of the answers would have to be read
  return status;
}

int asks(const ht_pacs_query &query) {
  return query.patient_id[0] || query.study_date[0] || query.modality[0] || query.description[0] ||
         query.study_uid[0];
}

} // namespace

ht_status ht_pacs_find(const ht_pacs_settings *settings, const ht_pacs_query *query,
                       ht_pacs_match **matches, int *count, int *more) {
  *matches = nullptr;
  *count = *more = 0;
  HT_TRY(ht_pacs_check(settings));
  if (!asks(*query))
    return ht_fail(
        HT_ERR_USAGE,
        "nothing to search for: give --patient-id, --date, --modality, --description or --study");
  ht_status status;
  try {
    status = find(*settings, *query, matches, count, more);
  } catch (const std::exception &e) {
    status = ht_fail(HT_ERR_INTERNAL, "%s: %s", find_request, e.what());
  }
  if (status == HT_OK) return HT_OK;
  free(*matches);
  *matches = nullptr;
  *count = 0;
  return status;
}
