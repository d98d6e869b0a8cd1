// NumPy's .npz files: zip archives of .npy files, stored (numpy.savez) or deflated (numpy.savez_compressed).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/io/npy.h"

namespace headscope {

// One array of an archive: what its header says, and its bytes.
struct NpzEntry {
  std::string name;   // without ".npy": the keyword of numpy.savez, or "arr_0"
  std::string what;   // names it in errors: "a.npz: weights"
  std::string descr;  // "<f4"
  std::vector<long long> shape;
  std::span<const std::byte> bytes;   // a whole .npy file
  std::shared_ptr<const void> owner;  // keeps `bytes` alive; null: the bytes that were parsed
  bool holds_numbers() const;         // float, boolean or integer: parse_npz_array() reads it
  bool holds_texts() const;           // strings: parse_npz_texts() reads it
};

// The arrays of an archive in its order; members of other names are left out. The file is not trusted: checksums are
// verified, and all deflated members together unpack to at most 4 GiB. Throws Error for damaged archives, and for those
// without any array.
std::vector<NpzEntry> parse_npz(std::span<const std::byte> bytes, const std::string& what);
// The same from a file, which is mapped.
std::vector<NpzEntry> read_npz(const std::string& path);

// What to do about weights in a NumPy .npz archive, behind the name of its file: a part of a sentence.
inline constexpr const char* kNpzAdvice =
    "a NumPy .npz archive (a zip), whose arrays are not read as weights: write them as safetensors, in Python "
    "safetensors.numpy.save_file(dict(numpy.load('FILE.npz')), 'model.safetensors')";

// The numbers, as parse_npy() reads them.
NpyArray parse_npz_array(const NpzEntry& entry);

// The strings of an array of one axis ('<U5' or '|S5', as numpy.array(["the", "cat"]) makes it), as UTF-8. Throws Error
// for other arrays and for texts that are no UTF-8.
std::vector<std::string> parse_npz_texts(const NpzEntry& entry);

}  // namespace headscope
