// C-GET, Study Root: the objects come over the same connection, so the archive needs to know no
// address of this machine.
#include "app/pacs/association.hpp"
#include "export/dicom_file/dicom_file.hpp"
#include "app/pacs/pacs.h"
#include "app/pacs/pacs_object.hpp"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmnet/diutil.h>
#include <filesystem>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace ht_pacs;

const char *const get_request = "the transfer (C-GET)";

/* Images that archives keep compressed. An association has at most 128 contexts: five for each of
 * these, one for each of the others, and one for the request. */
const char *const images[] = {UID_CTImageStorage,
                              UID_EnhancedCTImageStorage,
                              UID_LegacyConvertedEnhancedCTImageStorage,
                              UID_MRImageStorage,
                              UID_EnhancedMRImageStorage,
                              UID_EnhancedMRColorImageStorage,
                              UID_LegacyConvertedEnhancedMRImageStorage,
                              UID_XRayAngiographicImageStorage,
                              UID_EnhancedXAImageStorage,
                              UID_XRay3DAngiographicImageStorage,
                              UID_XRayRadiofluoroscopicImageStorage,
                              UID_ComputedRadiographyImageStorage,
                              UID_PositronEmissionTomographyImageStorage,
                              UID_UltrasoundImageStorage,
                              UID_UltrasoundMultiframeImageStorage,
                              UID_SecondaryCaptureImageStorage,
                              UID_MultiframeGrayscaleWordSecondaryCaptureImageStorage,
                              UID_MultiframeTrueColorSecondaryCaptureImageStorage,
                              UID_SegmentationStorage};
const char *const others[] = {UID_EnhancedUSVolumeStorage,
                              UID_MultiframeGrayscaleByteSecondaryCaptureImageStorage,
                              UID_SurfaceSegmentationStorage,
                              UID_ParametricMapStorage,
                              UID_RealWorldValueMappingStorage,
                              UID_RawDataStorage,
                              UID_SpatialRegistrationStorage,
                              UID_GrayscaleSoftcopyPresentationStateStorage,
                              UID_KeyObjectSelectionDocumentStorage,
                              UID_BasicTextSRStorage,
                              UID_EnhancedSRStorage,
                              UID_ComprehensiveSRStorage,
                              UID_XRayRadiationDoseSRStorage,
                              UID_EncapsulatedPDFStorage,
                              UID_EncapsulatedSTLStorage};

/* Writes each object into the folder, if it was requested. */
class folder_receiver : public receiver {
public:
  folder_receiver(const std::string &folder, const char *study, const char *series,
                  int (*stop)(void))
      : folder_(folder), study_(study), series_(series), stop_(stop) {}

  int take(DcmDataset &dataset) override {
    ht_pacs_object object = {};
    if (stop_ && stop_()) return keep(ht_fail(HT_ERR_INTERRUPTED, "stopped"));
    if (describe(dataset, &object) != HT_OK)
      return keep(ht_fail_in(HT_ERR_NETWORK, "the archive sent no valid object"));
    if (check(object) != HT_OK) return keep(HT_ERR_NETWORK);
    std::string path = folder_ + "/" + object.instance_uid + ".dcm";
    DcmFileFormat file(&dataset, OFFalse);
    ht_status written =
        ht_dicom_file::write(path.c_str(), file, dataset.getOriginalXfer(), EET_UndefinedLength);
    (void)file.getAndRemoveDataset(); // it stays the caller's
    objects += written == HT_OK;
    of_series[object.series_uid]++;
    return keep(written);
  }

  int objects = 0;
  std::map<std::string, int> of_series;
  ht_status status = HT_OK; /* status of the failure; its message is set */

private:
  int keep(ht_status code) {
    status = code;
    return code == HT_OK;
  }

  ht_status check(const ht_pacs_object &object) {
    const char *wrong = study_ != object.study_uid                         ? "of another study"
                        : !series_.empty() && series_ != object.series_uid ? "of another series"
                        : of_series.empty() || ht_pacs_same_patient(&first_, &object)
                            ? nullptr
                            : "of another patient than the first one";
    if (of_series.empty()) first_ = object;
    if (!wrong && !uids_.insert(object.instance_uid).second) wrong = "one that came before";
    if (!wrong) return HT_OK;
    return ht_fail(HT_ERR_NETWORK,
                   "the archive sent an object that is %s (%s): nothing is kept; ask its "
                   "administrators",
                   wrong, object.instance_uid);
  }

  std::string folder_, study_, series_;
  int (*stop_)(void);
  ht_pacs_object first_ = {};
  std::set<std::string> uids_;
};

OFList<OFString> syntaxes(const char *one, const char *another = nullptr) {
  OFList<OFString> list;
  list.push_back(one);
  if (another) list.push_back(another);
  return list;
}

/* Offers the forms of an image. It comes in the form in which the archive has it, where that is
 * without loss; the archive decompresses the rest. */
void offer(DcmSCU &scu) {
  const OFList<OFString> plain =
      syntaxes(UID_LittleEndianExplicitTransferSyntax, UID_LittleEndianImplicitTransferSyntax);
  scu.addPresentationContext(UID_GETStudyRootQueryRetrieveInformationModel, plain);
  for (const char *one : others) scu.addPresentationContext(one, plain, ASC_SC_ROLE_SCP);
  for (const char *one : images) {
    scu.addPresentationContext(one, plain, ASC_SC_ROLE_SCP);
    for (const char *small :
         {UID_JPEG2000LosslessOnlyTransferSyntax, UID_JPEGLSLosslessTransferSyntax,
          UID_JPEGProcess14SV1TransferSyntax, UID_RLELosslessTransferSyntax})
      scu.addPresentationContext(one, syntaxes(small), ASC_SC_ROLE_SCP);
  }
}

/* Checks that as many came as the archive announced. */
ht_status check_count(const ht_pacs_settings &settings, int came, int said, const char *what) {
  if (came >= said) return HT_OK;
  return ht_fail(
      HT_ERR_NETWORK,
      "%s (%s:%d): %d objects came, and the archive counts %d%s: nothing is kept; objects "
      "of a kind that hemotile does not take are left out with --series UID",
      settings.called_ae, settings.host, settings.port, came, said, what);
}

ht_status judge(const ht_pacs_settings &settings, OFList<RetrieveResponse *> &answers,
                const folder_receiver &to) {
  const RetrieveResponse *last = answers.empty() ? nullptr : answers.back();
  int said = 0;
  for (const RetrieveResponse *one : answers)
    said = std::max(said, one->m_numberOfRemainingSubops + one->m_numberOfCompletedSubops +
                              one->m_numberOfFailedSubops + one->m_numberOfWarningSubops);
  if (!last)
    return ht_fail(HT_ERR_NETWORK, "%s: %s ended without an answer", settings.called_ae,
                   get_request);
  int lost = last->m_numberOfFailedSubops;
  if (last->m_status != STATUS_Success && lost == 0 && to.objects == 0)
    return refused(settings, get_request, last->m_status,
                   std::string(DU_cgetStatusString(last->m_status)) +
                       ": does it have this study? `hemotile pacs find` lists them");
  if (last->m_status != STATUS_Success || lost > 0)
    return ht_fail(HT_ERR_NETWORK,
                   "%s (%s:%d): %d objects came and %d did not (status %04x, %s): nothing is kept; "
                   "objects of a kind that hemotile does not take are left out with --series UID",
                   settings.called_ae, settings.host, settings.port, to.objects, lost,
                   last->m_status, DU_cgetStatusString(last->m_status));
  if (to.objects == 0)
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s has no object of that study or series; `hemotile pacs find` lists them",
                   settings.called_ae);
  return check_count(settings, to.objects, said, "");
}

/* Counts of the archive, by its search; an archive without a search cannot be asked. */
struct said_counts {
  ht_pacs_match *match = nullptr;
  int count = 0, more = 0;
  ~said_counts() { free(match); }
};

void ask_counts(const ht_pacs_settings &settings, const char *study, said_counts &said) {
  ht_pacs_query query = {};
  snprintf(query.study_uid, sizeof query.study_uid, "%s", study);
  (void)ht_pacs_find(&settings, &query, &said.match, &said.count, &said.more);
}

ht_status check_counts(const ht_pacs_settings &settings, const said_counts &said,
                       const char *series, const folder_receiver &to) {
  for (int i = 0; i < said.count; i++) {
    const ht_pacs_match &one = said.match[i];
    auto came = to.of_series.find(one.series_uid);
    if (*series && strcmp(series, one.series_uid) != 0) continue;
    HT_TRY(check_count(settings, came == to.of_series.end() ? 0 : came->second, one.images,
                       (std::string(" in series ") + one.series_uid).c_str()));
  }
  return HT_OK;
}

ht_status transfer(const ht_pacs_settings &settings, const char *study, const char *series,
                   folder_receiver &to) {
  DcmDataset keys;
  keys.putAndInsertString(DCM_QueryRetrieveLevel, *series ? "SERIES" : "STUDY");
  keys.putAndInsertString(DCM_StudyInstanceUID, study);
  if (*series) keys.putAndInsertString(DCM_SeriesInstanceUID, series);
  auto scu = make_scu(settings, &to);
  offer(*scu);
  HT_TRY(open(*scu, settings));
  T_ASC_PresentationContextID id =
      context_of(*scu, settings, UID_GETStudyRootQueryRetrieveInformationModel, get_request);
  ht_status status = HT_ERR_NETWORK;
  OFList<RetrieveResponse *> answers;
  if (id != 0) {
    OFCondition result = scu->sendCGETRequest(id, &keys, &answers);
    status = to.status != HT_OK ? to.status
             : result.bad()     ? failed(settings, get_request, result)
                                : judge(settings, answers, to);
  }
  for (RetrieveResponse *one : answers) delete one;
  close(*scu, status == HT_OK);
  return status;
}

ht_status check_folder(const char *folder) {
  std::error_code error;
  if (!ht_file_exists(folder)) return HT_OK;
  if (std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error))
    return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s: this exists already: give a new folder with -o", folder);
}

/* Makes "DIR/.NAME.part.XXXXXX" next to the folder, readable by the owner alone. */
ht_status make_hidden(const char *folder, std::string *hidden) {
  std::filesystem::path whole(folder);
  if (whole.filename().empty()) whole = whole.parent_path(); // "DIR/"
  std::filesystem::path parent = whole.parent_path();
  if (!parent.empty()) HT_TRY(ht_folder_make(parent.c_str()));
  *hidden = (parent / ("." + whole.filename().string() + ".part.XXXXXX")).string();
  if (mkdtemp(&(*hidden)[0])) return HT_OK;
  std::string name = *hidden;
  hidden->clear();
  return ht_fail(HT_ERR_WRITE, "%s: cannot make this folder: %s", name.c_str(), strerror(errno));
}

ht_status name_it(const std::string &hidden, const char *folder) {
  if (rename(hidden.c_str(), folder) == 0) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: cannot give the fetched folder this name: %s", folder,
                 strerror(errno));
}

ht_status get(const ht_pacs_settings &settings, const char *study, const char *series,
              const char *folder, int (*stop)(void), int *objects) {
  std::string hidden;
  HT_TRY(check_folder(folder));
  HT_TRY(make_hidden(folder, &hidden));
  folder_receiver to(hidden, study, series, stop);
  said_counts said;
  ask_counts(settings, study, said);
  ht_status status = transfer(settings, study, series, to);
  if (status == HT_OK) status = check_counts(settings, said, series, to);
  if (status == HT_OK) status = name_it(hidden, folder);
  std::error_code ignored;
  if (status != HT_OK) std::filesystem::remove_all(hidden, ignored);
  *objects = status == HT_OK ? to.objects : 0;
  return status;
}

} // namespace

ht_status ht_pacs_get(const ht_pacs_settings *settings, const char *study_uid,
                      const char *series_uid, const char *folder, int (*stop)(void), int *objects) {
  *objects = 0;
  HT_TRY(ht_pacs_check(settings));
  HT_TRY(ht_pacs_check_uid(study_uid, "--study"));
  if (*series_uid) HT_TRY(ht_pacs_check_uid(series_uid, "--series"));
  try {
    return get(*settings, study_uid, series_uid, folder, stop, objects);
  } catch (const std::exception &e) {
    return ht_fail(HT_ERR_INTERNAL, "%s: %s", get_request, e.what());
  }
}
