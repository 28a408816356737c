#include "app/pacs/listen.h"
#include "export/dicom_file/dicom_file.hpp"
#include "app/pacs/pacs_object.hpp"
#include <cstdlib>
#include <cstring>
#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmnet/diutil.h>
#include <dcmtk/dcmnet/dcmtrans.h>
#include <dcmtk/dcmnet/scp.h>
#include <dcmtk/dcmtls/tlslayer.h>
#include <memory>
#include <string>
#include <unistd.h>

namespace {

using namespace ht_pacs;

class listener : public DcmSCP {
public:
  listener(const ht_pacs_settings &settings, const char *incoming, const ht_pacs_taker &taker)
      : settings_(settings), incoming_(incoming), taker_(taker) {}

  std::string refused;
  bool asked = false; // for an association
  bool released = false;

protected:
  void notifyAssociationRequest(const T_ASC_Parameters &by, DcmSCPActionType &) override {
    asked = true;
    const char *caller = by.DULparams.callingAPTitle; // "": it went before it asked
    if (*caller) taker_.asked(taker_.user, caller);
  }

  void notifyReleaseRequest() override { released = true; }

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
    ht_status status =
        dataset ? store(*dataset, request) : ht_fail(HT_ERR_FORMAT, "an object without a data set");
    delete dataset;
    if (status != HT_OK) taker_.refused(taker_.user);
    return sendSTOREResponse(context.presentationContextID, request, answer(status));
  }

private:
  static Uint16 answer(ht_status status) {
    return status == HT_OK           ? STATUS_Success
           : status == HT_ERR_FORMAT ? STATUS_STORE_Error_CannotUnderstand
                                     : STATUS_STORE_Refused_OutOfResources;
  }

  /* Stores an object. The sender may forget it when it is told that it is stored: it is on the disk
   * then. */
  ht_status store(DcmDataset &dataset, const T_DIMSE_C_StoreRQ &request) {
    ht_pacs_object object = {};
    if (describe(dataset, &object) != HT_OK) return ht_fail_in(HT_ERR_FORMAT, "an object");
    if (strcmp(object.instance_uid, request.AffectedSOPInstanceUID) != 0)
      return ht_fail(HT_ERR_FORMAT, "study %s: an object is not the one that was announced",
                     object.study_uid);
    // Two connections may bring the same object at once.
    std::string path =
        incoming_ + "/" + object.instance_uid + "." + std::to_string(getpid()) + ".dcm";
    DcmFileFormat file(&dataset, OFFalse);
    ht_status status =
        ht_dicom_file::write(path.c_str(), file, dataset.getOriginalXfer(), EET_UndefinedLength);
    (void)file.getAndRemoveDataset();
    if (status == HT_OK) status = taker_.keep(taker_.user, &object, path.c_str());
    unlink(path.c_str()); // of a failure; kept, it has another name
    return status;
  }

  const ht_pacs_settings &settings_;
  std::string incoming_;
  const ht_pacs_taker &taker_;
};

/* Offers all images and documents that DCMTK knows, in the forms that hemotile reads. */
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

const DcmTLSSecurityProfile tls_profile = TSP_Profile_BCP195;

/* Takes a certificate. From DCMTK 3.6.8 on this needs the profile: some refuse a short key. */
bool take_certificate(DcmTLSTransportLayer &layer, const char *path) {
#if PACKAGE_VERSION_NUMBER >= 368
  return layer.setCertificateFile(path, DCF_Filetype_PEM, tls_profile).good();
#else
  return layer.setCertificateFile(path, DCF_Filetype_PEM).good();
#endif
}

/* Requires the sender to show a trusted certificate, too. */
ht_status secure(DcmTLSTransportLayer &layer, const ht_pacs_settings &settings) {
  const DcmKeyFileFormat pem = DCF_Filetype_PEM;
  layer.setPrivateKeyPasswd(""); // no question
  if (layer.setPrivateKeyFile(settings.tls_key, pem).bad() ||
      !take_certificate(layer, settings.tls_certificate) ||
      !layer.checkPrivateKeyMatchesCertificate())
    return ht_fail(HT_ERR_FORMAT, "%s, %s: no certificate and its key (PEM, without a password)",
                   settings.tls_certificate, settings.tls_key);
  if (layer.addTrustedCertificateFile(settings.tls_ca, pem).bad())
    return ht_fail(HT_ERR_FORMAT, "%s: no certificate (PEM)", settings.tls_ca);
  if (layer.setTLSProfile(tls_profile).bad() || layer.activateCipherSuites().bad())
    return ht_fail(HT_ERR_NETWORK, "TLS: the ciphers of BCP 195 are not available");
  layer.setCertificateVerification(DCV_requireCertificate);
  return HT_OK;
}

ht_status receive(const ht_pacs_settings &settings, int connection, const char *incoming,
                  const ht_pacs_taker &taker, ht_pacs_end *end) {
  listener scp(settings, incoming, taker);
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
  end->released = scp.released;
  snprintf(end->refused, sizeof end->refused, "%s", scp.refused.c_str());
  if (result.good() || result == NET_EC_StopAfterAssociation ||
      result == NET_EC_StopAfterConnectionTimeout)
    return HT_OK;
  return ht_fail(HT_ERR_NETWORK, "a connection ended early: %s", result.text());
}

} // namespace

ht_status ht_pacs_receive(const ht_pacs_settings *settings, int connection, const char *incoming,
                          const ht_pacs_taker *taker, ht_pacs_end *end) {
  *end = {};
  setenv("TCP_NODELAY", "1", 0); // as in association.cpp
  OFLog::configure(OFLogger::OFF_LOG_LEVEL);
  try {
    return receive(*settings, connection, incoming, *taker, end);
  } catch (const std::exception &e) {
    return ht_fail(HT_ERR_INTERNAL, "receiving: %s", e.what());
  }
}
