// An association with an archive, of DCMTK's SCU with or without TLS.
#ifndef HT_ASSOCIATION_HPP
#define HT_ASSOCIATION_HPP

#include "app/pacs/pacs_settings.h"
#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmnet/scu.h>
#include <dcmtk/dcmtls/tlsscu.h>
#include <memory>
#include <string>

namespace ht_pacs {

/* Receiver of the objects of a C-GET; counts the answers of a C-FIND. NULL: none come. */
struct receiver {
  virtual ~receiver() = default;
  /* Takes an object. Returns 1 where it keeps it; the dataset remains the caller's. */
  virtual int take(DcmDataset &) { return 0; }
  /* Returns 1 where a further answer is wanted. */
  virtual int answer() { return 1; }
};

/* Makes an SCU whose objects go to a receiver. */
std::unique_ptr<DcmSCU> make_scu(const ht_pacs_settings &settings, receiver *to);

/* Opens the association, after the presentation contexts have been added. */
ht_status open(DcmSCU &scu, const ht_pacs_settings &settings);

/* Fails a request: HT_ERR_NETWORK with the archive's name. */
ht_status failed(const ht_pacs_settings &settings, const char *request, const OFCondition &why);

/* Fails a request by the status in an answer. */
ht_status refused(const ht_pacs_settings &settings, const char *request, Uint16 status,
                  const std::string &reason);

/* Releases the association, or aborts it where `good` is false. */
void close(DcmSCU &scu, bool good);

/* Returns the first context that the archive accepted for a class; 0: it accepted none, with a
 * message. */
T_ASC_PresentationContextID context_of(DcmSCU &scu, const ht_pacs_settings &settings,
                                       const char *sop_class, const char *request);

} // namespace ht_pacs
#endif
