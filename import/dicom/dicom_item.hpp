// Functions that the DICOM adapters share: values of an element, reasons, and the edge where
// exceptions end. C++; included by the .cpp files of import/ alone.
#ifndef HT_DICOM_ITEM_HPP
#define HT_DICOM_ITEM_HPP

#include "import/dicom/dicom.h"
#include "import/dicom/scan_identity.h"
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>

namespace ht_dicom {

// Largest value, bytes, in memory while a header is read; longer ones (the pixels) stay on the
// disk.
const Uint32 header_value_max = 4096;

// Registers the codecs and silences DCMTK; once.
void set_up();

// Marks a slice as one that cannot be read; the first reason stays.
void refuse(ht_slice &slice, ht_status status, const std::string &reason);
// Marks a slice as one that a request for a scan never means; the first `what` stays. Static text.
void put_aside(ht_slice &slice, const char *what);

// Returns all values of an element as text ("A\\B"), without blanks around; "" where it is not
// there.
std::string text_of(DcmItem &item, const DcmTagKey &tag);
std::string utf8_of(DcmItem &item, const std::string &value);
// Copies a text without control characters, cut between characters.
void copy_text(char *to, size_t size, const std::string &from);
// Tells whether "\\TYPE\\" has the value "\\WORD\\".
bool has_value(const std::string &values, const char *word);

// Text that begins as a number and is none ("1,25"): its beginning would be a wrong number.
class NoNumber : public std::runtime_error {
public:
  NoNumber(const DcmTagKey &tag, const std::string &text);
};

// Reads all `count` numbers of an element, each finite; false where it is not there or has other
// text. Throws NoNumber, as the next two do.
bool numbers(DcmItem &item, const DcmTagKey &tag, double *value, unsigned long count);
int whole(DcmItem &item, const DcmTagKey &tag, int absent);
double number_or_nan(DcmItem &item, const DcmTagKey &tag);
// Reads a number that only orders or names things: 0 where it is none.
int label_number(DcmItem &item, const DcmTagKey &tag);

// Returns an item of a sequence, by default the first; nullptr where it is not there.
DcmItem *first_item(DcmItem &item, const DcmTagKey &sequence, int number = 0);

// Returns the tag of a vendor's private element (PS3.5 7.8.1): in the block that has its creator;
// in the usual block where the creator's name was removed.
DcmTagKey private_tag(DcmItem &item, Uint16 group, const char *creator, Uint8 element);
// Read a private element of that kind, also one whose representation got lost (UN; a file in
// implicit VR): its bytes are then little-endian. False and "" where it is not there.
bool private_short(DcmItem &item, const DcmTagKey &tag, double &value);
bool private_floats(DcmItem &item, const DcmTagKey &tag, double *value, unsigned long count);
std::string private_text(DcmItem &item, const DcmTagKey &tag);

// Attributes of one frame: in its own functional groups, in those that all frames share, or, in a
// classic image, in the dataset itself.
class Frame {
public:
  Frame(DcmDataset &dataset, int number)
      : dataset_(dataset), own_(first_item(dataset, DCM_PerFrameFunctionalGroupsSequence, number)),
        shared_(first_item(dataset, DCM_SharedFunctionalGroupsSequence)) {}
  // The item of that functional group; the dataset where there is none.
  DcmItem &group(const DcmTagKey &sequence) const {
    DcmItem *item = own_ ? first_item(*own_, sequence) : nullptr;
    if (!item && shared_) item = first_item(*shared_, sequence);
    return item ? *item : dataset_;
  }
  DcmDataset &dataset() const { return dataset_; }

  // The first item of that functional group, or of that sequence of a classic image; nullptr where
  // there is none.
  DcmItem *find(const DcmTagKey &sequence) const {
    DcmItem &item = group(sequence);
    return &item != &dataset_ ? &item : first_item(dataset_, sequence);
  }

private:
  DcmDataset &dataset_;
  DcmItem *own_, *shared_;
};

// Tells whether the pixels lie in fragments: compressed, or uncompressed in the encapsulated
// format. DCMTK 3.6.9 has another name for it.
inline bool is_encapsulated(E_TransferSyntax syntax) {
#if PACKAGE_VERSION_NUMBER >= 369
  return DcmXfer(syntax).usesEncapsulatedFormat();
#else
  return DcmXfer(syntax).isEncapsulated();
#endif
}

// Layout of the pixels in memory.
struct Layout {
  int allocated, stored, high, is_signed;
  bool lossy; // decoded values may overshoot the stored bits
};
// Reads the layout; false where it is not supported; the numbers are filled in any case.
bool read_layout(DcmItem &item, Layout &layout);

// Reads a file; longer values than `longest` bytes stay on the disk. Mends what is harmless: a
// missing last byte of padding or end of a sequence. Get the dataset only afterwards: a mended file
// has another.
OFCondition load(const char *path, Uint32 longest, DcmFileFormat &file);

// Fills in the patient, from the part of the file that was loaded (dicom_identity.cpp).
void fill_identity(DcmDataset &dataset, ht_identity &identity);

// Tells whether the pixels are compressed by JPEG 2000, which DCMTK does not decode.
bool is_jpeg2000(DcmDataset &dataset);

// Tells whether the image has functional groups. (dicom_frames.cpp)
bool is_enhanced(DcmDataset &dataset);
// Fills in place, scale and times of a classic image, or of a frame; `frame` from 0.
void fill_frame(DcmDataset &dataset, int frame, ht_slice &slice);

template <class Work> ht_status at_the_edge(const char *path, Work work) {
  try {
    set_up();
    return work();
  } catch (const std::bad_alloc &) {
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the DICOM file", path);
  } catch (const NoNumber &error) {
    return ht_fail(HT_ERR_FORMAT, "%s: %s", path, error.what());
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_INTERNAL, "%s: reading the DICOM file failed: %s", path, error.what());
  }
}

} // namespace ht_dicom

#endif
