#include "app/pacs/association.hpp"
#include <cstdlib>
#include <dcmtk/dcmnet/diutil.h>
#include <dcmtk/ofstd/ofstd.h>

namespace ht_pacs {

namespace {

template <class Base> class receiving_scu : public Base {
public:
  explicit receiving_scu(receiver *to) : to_(to) {}

protected:
  OFCondition handleSTORERequest(const T_ASC_PresentationContextID, DcmDataset *dataset,
                                 OFBool &goes_on, Uint16 &status) override {
    std::unique_ptr<DcmDataset> owned(dataset); // DCMTK: the function takes ownership
    goes_on = dataset && to_ && to_->take(*dataset) ? OFTrue : OFFalse;
    status = goes_on ? STATUS_Success : STATUS_STORE_Refused_OutOfResources;
    return goes_on ? EC_Normal : makeOFCondition(OFM_dcmnet, 1, OF_error, "not kept");
  }

  OFCondition handleFINDResponse(const T_ASC_PresentationContextID id, QRResponse *response,
                                 OFBool &waits) override {
    OFCondition result = Base::handleFINDResponse(id, response, waits);
    if (waits && to_ && !to_->answer()) waits = OFFalse;
    return result;
  }

private:
  receiver *to_;
};

void set_up(DcmSCU &scu, const ht_pacs_settings &settings) {
  scu.setPeerHostName(settings.host);
  scu.setPeerPort(static_cast<Uint16>(settings.port));
  scu.setPeerAETitle(settings.called_ae);
  scu.setAETitle(settings.calling_ae);
  scu.setACSETimeout(static_cast<Uint32>(settings.timeout_s));
  scu.setDIMSETimeout(static_cast<Uint32>(settings.timeout_s));
  scu.setDIMSEBlockingMode(DIMSE_NONBLOCKING);
  scu.setStorageMode(DCMSCU_STORAGE_DISK);
  dcmConnectionTimeout.set(settings.timeout_s);
}

void set_up_tls(DcmTLSSCU &scu, const ht_pacs_settings &settings) {
  scu.addTrustedCertFile(settings.tls_ca);
  scu.setPeerCertVerification(DCV_requireCertificate);
  if (settings.tls_certificate[0])
    scu.enableAuthentication(settings.tls_key, settings.tls_certificate, ""); // no question
}

std::string plain(const char *text) {
  std::string line;
  for (; *text; text++) line += *text == '\n' || *text == '\r' ? ' ' : *text;
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

} // namespace

std::unique_ptr<DcmSCU> make_scu(const ht_pacs_settings &settings, receiver *to) {
  OFStandard::initializeNetwork();
  setenv("TCP_NODELAY", "1", 0); // read by DCMTK: else each object waits 90 ms for the network
  OFLog::configure(OFLogger::OFF_LOG_LEVEL); // the messages are ours
  std::unique_ptr<DcmSCU> scu;
  if (settings.tls) {
    auto secure = std::make_unique<receiving_scu<DcmTLSSCU>>(to);
    set_up_tls(*secure, settings);
    scu = std::move(secure);
  } else {
    scu = std::make_unique<receiving_scu<DcmSCU>>(to);
  }
  set_up(*scu, settings);
  return scu;
}

ht_status failed(const ht_pacs_settings &settings, const char *request, const OFCondition &why) {
  return ht_fail(HT_ERR_NETWORK, "%s (%s:%d): %s failed: %s", settings.called_ae, settings.host,
                 settings.port, request, plain(why.text()).c_str());
}

ht_status refused(const ht_pacs_settings &settings, const char *request, Uint16 status,
                  const std::string &reason) {
  return ht_fail(HT_ERR_NETWORK, "%s (%s:%d): the archive refuses %s: status %04x%s%s",
                 settings.called_ae, settings.host, settings.port, request, status,
                 reason.empty() ? "" : ", ", reason.c_str());
}

ht_status open(DcmSCU &scu, const ht_pacs_settings &settings) {
  OFCondition result = scu.initNetwork();
  if (result.bad())
    return ht_fail(HT_ERR_NETWORK, "%s: %s", settings.tls ? "TLS" : "the network",
                   plain(result.text()).c_str());
  result = scu.negotiateAssociation();
  if (result.good()) return HT_OK;
  std::string why = plain(result.text());
  if (result == DUL_ASSOCIATIONREJECTED)
    return ht_fail(HT_ERR_NETWORK,
                   "%s:%d refuses the association (%s): is '%s' its AE title, and does it know "
                   "'%s' at this machine?",
                   settings.host, settings.port, why.c_str(), settings.called_ae,
                   settings.calling_ae);
  if (result == NET_EC_NoAcceptablePresentationContexts)
    return ht_fail(HT_ERR_NETWORK,
                   "%s (%s:%d) does not offer this service, or no transfer syntax of hemotile's",
                   settings.called_ae, settings.host, settings.port);
  return ht_fail(HT_ERR_NETWORK,
                 "%s:%d: no association: %s; look at host and port, whether the archive runs and "
                 "a firewall lets through%s",
                 settings.host, settings.port, why.c_str(),
                 settings.tls ? ", and whether both sides trust each other's certificates"
                              : ", and whether it wants TLS");
}

void close(DcmSCU &scu, bool good) {
  if (!scu.isConnected()) return;
  if (good)
    scu.releaseAssociation();
  else
    scu.abortAssociation();
}

T_ASC_PresentationContextID context_of(DcmSCU &scu, const ht_pacs_settings &settings,
                                       const char *sop_class, const char *request) {
  T_ASC_PresentationContextID id = scu.findPresentationContextID(sop_class, "");
  if (id == 0)
    ht_fail(HT_ERR_NETWORK, "%s (%s:%d) does not offer %s", settings.called_ae, settings.host,
            settings.port, request);
  return id;
}

} // namespace ht_pacs
