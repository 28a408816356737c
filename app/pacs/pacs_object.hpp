// The same of an object that is in memory.
#ifndef HT_PACS_OBJECT_HPP
#define HT_PACS_OBJECT_HPP

#include "app/pacs/pacs_object.h"

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>

namespace ht_pacs {

// HT_ERR_USAGE: its UIDs are not valid.
ht_status describe(DcmDataset &from, ht_pacs_object *to);

} // namespace ht_pacs
#endif
