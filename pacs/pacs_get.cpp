// C-GET, Study Root: the objects come over the same connection, so the archive needs to know no
// address of this machine.
#include "association.hpp"
#include "pacs.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmnet/diutil.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace ht_pacs;

const char *const request = "the transfer (C-GET)";

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

/* Writes each object into the folder. */
class folder_receiver : public receiver {
public:
  folder_receiver(const std::string &folder, int (*stop)(void)) : folder_(folder), stop_(stop) {}

  int take(DcmDataset &dataset) override {
    OFString uid;
    if (stop_ && stop_()) return fail(ht_fail(HT_ERR_INTERRUPTED, "stopped"));
    dataset.findAndGetOFString(DCM_SOPInstanceUID, uid);
    if (ht_pacs_check_uid(uid.c_str(), "the UID of an object") != HT_OK)
      return fail(ht_fail_in(HT_ERR_NETWORK, "the archive sent no valid object"));
    std::string path = folder_ + "/" + uid.c_str() + ".dcm";
    DcmFileFormat file(&dataset, OFFalse);
    OFCondition result = file.saveFile(path.c_str(), dataset.getOriginalXfer());
    (void)file.getAndRemoveDataset(); // it stays the caller's
    if (result.bad())
      return fail(ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", path.c_str(), result.text()));
    objects++;
    return 1;
  }

  int objects = 0;
  ht_status status = HT_OK; /* of the failure; its message is set */

private:
  int fail(ht_status code) {
    status = code;
    return 0;
  }

  std::string folder_;
  int (*stop_)(void);
};

OFList<OFString> syntaxes(const char *one, const char *another = nullptr) {
  OFList<OFString> list;
  list.push_back(one);
  if (another) list.push_back(another);
  return list;
}

/* An image comes in the form in which the archive has it, where that is without loss; the archive
 * decompresses the rest. */
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

ht_status judge(const ht_pacs_settings &settings, const RetrieveResponse *last,
                const folder_receiver &to) {
  if (!last)
    return ht_fail(HT_ERR_NETWORK, "%s: %s ended without an answer", settings.called_ae, request);
  int lost = last->m_numberOfFailedSubops;
  if (last->m_status != STATUS_Success && lost == 0 && to.objects == 0)
    return refused(settings, request, last->m_status,
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
      context_of(*scu, settings, UID_GETStudyRootQueryRetrieveInformationModel, request);
  ht_status status = HT_ERR_NETWORK;
  OFList<RetrieveResponse *> answers;
  if (id != 0) {
    OFCondition result = scu->sendCGETRequest(id, &keys, &answers);
    status = to.status != HT_OK ? to.status
             : result.bad()     ? failed(settings, request, result)
                                : judge(settings, answers.empty() ? nullptr : answers.back(), to);
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

/* "DIR/.NAME.part.XXXXXX" beside the folder, readable by the owner alone. */
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
  folder_receiver to(hidden, stop);
  ht_status status = transfer(settings, study, series, to);
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
    return ht_fail(HT_ERR_INTERNAL, "%s: %s", request, e.what());
  }
}
