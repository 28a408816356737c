// What the DICOM writers of phantoms share: UIDs that follow from a hash, numbers as text, and
// elements that are put into an item. C++; included by the .cpp files of phantom/ alone.
#ifndef HT_PHANTOM_DICOM_FILL_HPP
#define HT_PHANTOM_DICOM_FILL_HPP

#include "core/formats/decimal_string.h"
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>

namespace ht_phantom_dicom {

// Begin of a hash (FNV-1a), and the hash with some bytes more.
const uint64_t hash_begin = 14695981039346656037u;
inline uint64_t fnv1a(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *byte = static_cast<const unsigned char *>(data);
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i]) * 1099511628211u;
  return hash;
}

// A UID under the root 2.25, which anyone may use with a 128-bit number (DICOM PS3.5, B.2).
inline std::string uid_of(uint64_t identity, const std::string &what) {
  uint64_t half[2];
  for (uint64_t i = 0; i < 2; i++) {
    half[i] = fnv1a(fnv1a(hash_begin + i, &identity, sizeof identity), what.data(), what.size());
    half[i] ^= half[i] >> 29;
    half[i] *= 0xbf58476d1ce4e5b9u;
    half[i] ^= half[i] >> 32;
  }
  // Bits that mark a random UUID (RFC 4122, version 4, variant 1).
  half[0] = (half[0] & ~0xf000ull) | 0x4000u;
  half[1] = (half[1] & ~(3ull << 62)) | (2ull << 62);
  __extension__ typedef unsigned __int128 uint128;
  uint128 number = static_cast<uint128>(half[0]) << 64 | half[1];
  std::string digits;
  for (; number; number /= 10) digits.insert(digits.begin(), static_cast<char>('0' + number % 10));
  return "2.25." + digits;
}

inline std::string decimal(double value) {
  char text[HT_DECIMAL_STRING];
  ht_decimal_string(value, text);
  return text;
}

inline std::string decimals(const double *value, int count) {
  std::string text;
  for (int i = 0; i < count; i++) text += (i ? "\\" : "") + decimal(value[i]);
  return text;
}

// Keeps the first failure, so that the insertions below need no checks of their own.
class Filler {
public:
  explicit Filler(DcmItem &item) : item_(item) {}
  void text(const DcmTagKey &tag, const std::string &value) {
    keep(item_.putAndInsertString(tag, value.c_str()), tag);
  }
  void number(const DcmTagKey &tag, int value) {
    keep(item_.putAndInsertUint16(tag, static_cast<Uint16>(value)), tag);
  }
  void pixels(const std::vector<Uint16> &values) {
    keep(item_.putAndInsertUint16Array(DCM_PixelData, values.data(), values.size()), DCM_PixelData);
  }
  const std::string &problem() const { return problem_; }

private:
  void keep(const OFCondition &condition, const DcmTagKey &tag) {
    if (condition == EC_MemoryExhausted) throw std::bad_alloc();
    if (condition.bad() && problem_.empty())
      problem_ = std::string(tag.toString().c_str()) + ": " + condition.text();
  }
  DcmItem &item_;
  std::string problem_;
};

} // namespace ht_phantom_dicom

#endif
