#include "listen.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmnet/diutil.h>
#include <dcmtk/dcmnet/dcmtrans.h>
#include <dcmtk/dcmnet/scp.h>
#include <dcmtk/dcmtls/tlslayer.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>

namespace {

void take(DcmItem &from, const DcmTagKey &tag, char *text, size_t size) {
  OFString value;
  from.findAndGetOFStringArray(tag, value);
  snprintf(text, size, "%s", value.c_str());
}

ht_status describe(DcmDataset &from, ht_pacs_object *to) {
  take(from, DCM_StudyInstanceUID, to->study_uid, sizeof to->study_uid);
  take(from, DCM_SeriesInstanceUID, to->series_uid, sizeof to->series_uid);
  take(from, DCM_SOPInstanceUID, to->instance_uid, sizeof to->instance_uid);
  take(from, DCM_Modality, to->modality, sizeof to->modality);
  take(from, DCM_StudyDescription, to->study_description, sizeof to->study_description);
  take(from, DCM_SeriesDescription, to->series_description, sizeof to->series_description);
  char model[65];
  take(from, DCM_ManufacturerModelName, model, sizeof model);
  to->is_result = strcmp(model, "hemotile") == 0;
  HT_TRY(ht_pacs_check_uid(to->study_uid, "the study's UID"));
  HT_TRY(ht_pacs_check_uid(to->series_uid, "the series' UID"));
  return ht_pacs_check_uid(to->instance_uid, "the object's UID"); // they become names of files
}

/* The sender may forget the object when it is told that it is stored: it is on the disk then. */
bool flush(const char *path) {
  int file = ::open(path, O_RDONLY);
  bool good = file >= 0 && fsync(file) == 0;
  if (file >= 0) ::close(file);
  return good;
}

class listener : public DcmSCP {
public:
  listener(const ht_pacs_settings &settings, const char *incoming, ht_pacs_keep keep, void *user)
      : settings_(settings), incoming_(incoming), keep_(keep), user_(user) {}

  std::string refused;
  bool asked = false; // for an association

protected:
  void notifyAssociationRequest(const T_ASC_Parameters &, DcmSCPActionType &) override {
    asked = true;
  }

  OFBool checkCalledAETitleAccepted(const OFString &called) override {
    if (called == settings_.calling_ae) return OFTrue; // ours
    refused = std::string("it calls '") + called.c_str() + "', and this is '" +
              settings_.calling_ae + "'";
    return OFFalse;
  }

  OFBool checkCallingAETitleAccepted(const OFString &calling) override {
    for (int i = 0; i < settings_.watch.callers; i++)
      if (calling == settings_.watch.caller[i]) return OFTrue;
    refused = std::string("'") + calling.c_str() + "' is not in the list `calling`";
    return OFFalse;
  }

  OFBool stopAfterCurrentAssociation() override { return OFTrue; }

  OFBool stopAfterConnectionTimeout() override { return OFTrue; }

  OFCondition handleIncomingCommand(T_DIMSE_Message *message,
                                    const DcmPresentationContextInfo &context) override {
    if (message->CommandField != DIMSE_C_STORE_RQ)
      return DcmSCP::handleIncomingCommand(message, context);
    T_DIMSE_C_StoreRQ &request = message->msg.CStoreRQ;
    DcmDataset *dataset = nullptr;
    OFCondition result = receiveSTORERequest(request, context.presentationContextID, dataset);
    if (result.bad()) return result;
    bool kept = dataset && store(*dataset, request) == HT_OK;
    delete dataset;
    return sendSTOREResponse(context.presentationContextID, request,
                             kept ? STATUS_Success : STATUS_STORE_Refused_OutOfResources);
  }

private:
  ht_status store(DcmDataset &dataset, const T_DIMSE_C_StoreRQ &request) {
    ht_pacs_object object = {};
    HT_TRY(describe(dataset, &object));
    if (strcmp(object.instance_uid, request.AffectedSOPInstanceUID) != 0)
      return ht_fail(HT_ERR_FORMAT, "the object is not the one that was announced");
    std::string path = incoming_ + "/" + object.instance_uid + ".part";
    DcmFileFormat file(&dataset, OFFalse);
    OFCondition result = file.saveFile(path.c_str(), dataset.getOriginalXfer());
    (void)file.getAndRemoveDataset();
    ht_status status = result.good() && flush(path.c_str())
                           ? keep_(user_, &object, path.c_str())
                           : ht_fail(HT_ERR_WRITE, "%s: cannot write", path.c_str());
    unlink(path.c_str()); // of a failure; kept, it has another name
    return status;
  }

  const ht_pacs_settings &settings_;
  std::string incoming_;
  ht_pacs_keep keep_;
  void *user_;
};

/* All images and documents that DCMTK knows, in the forms that hemotile reads. */
void offer(DcmSCP &scp) {
  OFList<OFString> all, plain;
  for (const char *one :
       {UID_LittleEndianExplicitTransferSyntax, UID_LittleEndianImplicitTransferSyntax})
    plain.push_back(one), all.push_back(one);
  for (const char *one : {UID_JPEG2000LosslessOnlyTransferSyntax, UID_JPEG2000TransferSyntax,
                          UID_JPEGLSLosslessTransferSyntax, UID_JPEGProcess14SV1TransferSyntax,
                          UID_JPEGProcess14TransferSyntax, UID_JPEGProcess1TransferSyntax,
                          UID_JPEGProcess2_4TransferSyntax, UID_RLELosslessTransferSyntax})
    all.push_back(one);
  scp.addPresentationContext(UID_VerificationSOPClass, plain);
  for (int i = 0; i < numberOfDcmAllStorageSOPClassUIDs; i++)
    scp.addPresentationContext(dcmAllStorageSOPClassUIDs[i], all);
}

/* A sender has to show a certificate that is trusted, too. */
ht_status secure(DcmTLSTransportLayer &layer, const ht_pacs_settings &settings) {
  const DcmKeyFileFormat pem = DCF_Filetype_PEM;
  layer.setPrivateKeyPasswd(""); // no question
  if (layer.setPrivateKeyFile(settings.tls_key, pem).bad() ||
      layer.setCertificateFile(settings.tls_certificate, pem).bad() ||
      !layer.checkPrivateKeyMatchesCertificate())
    return ht_fail(HT_ERR_FORMAT, "%s, %s: no certificate and its key (PEM, without a password)",
                   settings.tls_certificate, settings.tls_key);
  if (layer.addTrustedCertificateFile(settings.tls_ca, pem).bad())
    return ht_fail(HT_ERR_FORMAT, "%s: no certificate (PEM)", settings.tls_ca);
  if (layer.setTLSProfile(TSP_Profile_BCP195).bad() || layer.activateCipherSuites().bad())
    return ht_fail(HT_ERR_NETWORK, "TLS: the ciphers of BCP 195 are not available");
  layer.setCertificateVerification(DCV_requireCertificate);
  return HT_OK;
}

ht_status receive(const ht_pacs_settings &settings, int connection, const char *incoming,
                  ht_pacs_keep keep, void *user, char refused[128]) {
  listener scp(settings, incoming, keep, user);
  offer(scp);
  scp.setAETitle(settings.calling_ae);
  scp.setPort(static_cast<Uint16>(settings.watch.port));
  scp.setHostLookupEnabled(OFFalse);
  scp.setConnectionBlockingMode(DUL_NOBLOCK);
  scp.setConnectionTimeout(static_cast<Uint32>(settings.timeout_s));
  scp.setACSETimeout(static_cast<Uint32>(settings.timeout_s));
  scp.setDIMSEBlockingMode(DIMSE_NONBLOCKING);
  scp.setDIMSETimeout(static_cast<Uint32>(settings.timeout_s));
  dcmSocketReceiveTimeout.set(settings.timeout_s);
  std::unique_ptr<DcmTLSTransportLayer> layer;
  if (settings.watch.tls) {
    DcmTLSTransportLayer::initializeOpenSSL();
    layer = std::make_unique<DcmTLSTransportLayer>(NET_ACCEPTOR, nullptr, OFFalse);
    ht_status status = secure(*layer, settings);
    if (status != HT_OK) ::close(connection);
    HT_TRY(status);
    scp.getConfig().setTransportLayer(layer.get());
  }
  dcmExternalSocketHandle.set(connection); // DCMTK speaks on this one, and closes it
  OFCondition result = scp.listen();
  dcmExternalSocketHandle.set(-1);
  if (settings.watch.tls && !scp.asked)
    scp.refused = "it does not speak TLS, or its certificate is not trusted";
  snprintf(refused, 128, "%s", scp.refused.c_str());
  if (result.good() || result == NET_EC_StopAfterAssociation ||
      result == NET_EC_StopAfterConnectionTimeout)
    return HT_OK;
  return ht_fail(HT_ERR_NETWORK, "a connection ended early: %s", result.text());
}

} // namespace

ht_status ht_pacs_object_read(const char *path, ht_pacs_object *object) {
  memset(object, 0, sizeof *object);
  OFLog::configure(OFLogger::OFF_LOG_LEVEL);
  try {
    DcmFileFormat file;
    if (file.loadFileUntilTag(path, EXS_Unknown, EGL_noChange, DCM_MaxReadLength, ERM_autoDetect,
                              DCM_PixelData)
            .bad())
      return ht_fail(HT_ERR_FORMAT, "%s: this is no DICOM file", path);
    file.getDataset()->convertToUTF8();
    ht_status status = describe(*file.getDataset(), object);
    return status == HT_OK ? HT_OK : ht_fail(HT_ERR_FORMAT, "%s: %s", path, ht_error_message());
  } catch (const std::exception &e) {
    return ht_fail(HT_ERR_INTERNAL, "%s: %s", path, e.what());
  }
}

ht_status ht_pacs_receive(const ht_pacs_settings *settings, int connection, const char *incoming,
                          ht_pacs_keep keep, void *user, char refused[128]) {
  refused[0] = 0;
  setenv("TCP_NODELAY", "1", 0); // as in association.cpp
  OFLog::configure(OFLogger::OFF_LOG_LEVEL);
  try {
    return receive(*settings, connection, incoming, keep, user, refused);
  } catch (const std::exception &e) {
    return ht_fail(HT_ERR_INTERNAL, "receiving: %s", e.what());
  }
}
