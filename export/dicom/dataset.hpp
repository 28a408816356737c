// Shared by the DICOM writers: attributes, the identity of a file, and the file itself. C++;
// included by the .cpp files of export/dicom/ alone. Uses DCMTK's dcmdata alone: dcmseg and dcmpmap
// keep a copy of every frame and write a second one; here the values go into the element once.
#ifndef HT_DATASET_HPP
#define HT_DATASET_HPP

#include "core/formats/dicom_dictionary.h"
#include "export/dicom/dicom_out.h"
#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <vector>

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>

namespace ht_dicom_out {

// Inserts attributes into an item. Keeps the first failure, so that the insertions need no checks
// of their own: `problem` of the outermost item holds it at the end.
class Filler {
public:
  Filler(DcmItem &item, std::string &problem) : item_(item), problem_(problem) {}
  void text(const DcmTagKey &tag, const std::string &value);
  void numbers(const DcmTagKey &tag, std::initializer_list<double> values); // DS or FD
  void shorts(const DcmTagKey &tag, std::initializer_list<int> values);     // US
  void longs(const DcmTagKey &tag, std::initializer_list<int> values);      // UL
  void single(const DcmTagKey &tag, float value);                           // FL
  void points_at(const DcmTagKey &tag, const DcmTagKey &attribute);         // AT
  // Inserts a sequence with one code: "SCT", "59820001", "Blood vessel".
  void code(const DcmTagKey &sequence, const char *scheme, const char *value, const char *meaning);
  // Appends an item to a sequence.
  Filler item(const DcmTagKey &sequence);
  void nothing(const DcmTagKey &sequence); // a sequence without items
  // Allocates the bytes of an element, which owns them; nullptr: no memory.
  Uint8 *bytes(const DcmTagKey &tag, size_t count);
  void floats(const DcmTagKey &tag, const float *values, size_t count); // OF, copied
  DcmItem &raw() { return item_; }

private:
  void keep(const OFCondition &condition, const DcmTagKey &tag);
  DcmItem &item_;
  std::string &problem_;
};

// The kind, series and number of a file within its study.
struct Object {
  const char *sop_class;
  const char *modality;
  const char *description; // of the series, at most 64 characters
  const char *number;      // of the series
  const char *series_uid;  // nullptr: a new one
  const char *instance;    // number in the series
};

// Inserts patient, study, series, equipment and the object's own UIDs; dates and times are UTC.
ht_status fill_identity(Filler &fill, const ht_dicom_study &study, const Object &object);

// Describes a grid as frames, one for each plane k: sizes, frame of reference, dimensions, places.
// In a segmentation each frame names its segment. Returns the item of the groups that all frames
// share.
ht_status check_size(const char *path, const ht_grid &grid, double bits_a_voxel);
Filler fill_frames(Filler &fill, const ht_dicom_study &study, const ht_grid &grid, bool of_segment);

// Writes the file, whole or not at all.
ht_status write_file(const char *path, DcmFileFormat &file, E_TransferSyntax syntax);

void set_up(); // silences DCMTK, registers its encoder; once

ht_status not_made(const char *path, const std::string &problem);

template <class Work> ht_status at_the_edge(const char *path, Work work) {
  try {
    set_up();
    if (!dcmDataDict.isDictionaryLoaded())
      return ht_no_dictionary("leave out the DICOM files (export.dicom: no)");
    return work();
  } catch (const std::bad_alloc &) {
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to write the DICOM file", path);
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_INTERNAL, "%s: writing the DICOM file failed: %s", path, error.what());
  }
}

} // namespace ht_dicom_out

#endif
