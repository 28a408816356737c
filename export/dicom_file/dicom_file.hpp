// A DICOM file on the disk, whole or not at all. DCMTK's own saveFile() does not report a failure
// when the file is closed, as on a full disk.
#ifndef HT_DICOM_FILE_HPP
#define HT_DICOM_FILE_HPP

#include "core/status.h"

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>

namespace ht_dicom_file {

// Writes the file under a hidden name next to `path` and renames it when all of it is on the disk.
// HT_ERR_WRITE with the system's reason; HT_ERR_INTERNAL: DCMTK cannot write it in this form.
ht_status write(const char *path, DcmFileFormat &file, E_TransferSyntax syntax,
                E_EncodingType lengths);

} // namespace ht_dicom_file
#endif
