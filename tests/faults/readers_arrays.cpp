// Files of numbers: NumPy's, safetensors, tables, masks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <span>
#include <sstream>

#include "core/io/csv.h"
#include "core/io/npy.h"
#include "core/io/npz.h"
#include "core/io/safetensors.h"
#include "core/model/mask_file.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/npz_files.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

Tensor small_tensor() {
  return Tensor::of({2, 3}, {Axis::query, Axis::key}, {0, 1, -2, 0.5F, 3, 4});
}

std::string small_npy() {
  std::ostringstream out;
  write_npy(out, small_tensor());
  return out.str();
}

std::string small_boolean_npy() {
  std::ostringstream out;
  write_boolean_npy(out, Tensor::of({2, 3}, {Axis::query, Axis::key}, {0, 1, 1, 0, 0, 1}));
  return out.str();
}

std::string read_one_npy(const std::string& path) {
  const NpyArray array = read_npy(path);
  return fmt::format("{} {} {}", array.header.descr, array.header.fortran_order, text_of(array.tensor));
}

std::string visit_one_npy(const std::string& path) {
  std::string text;
  const NpyHeader header =
      visit_npy(path,
                {.values = [&](std::span<const float> values) { text += fmt::format(" {}", fmt::join(values, " ")); },
                 .zeros = [&](std::int64_t count) { text += fmt::format(" {} zeros", count); },
                 .progress = {}},
                {});
  return fmt::format("{} {} {}{}", header.descr, header.fortran_order, to_string(header.shape), text);
}

std::string read_whole_npz(const std::string& path) {
  std::string text;
  for (const NpzEntry& entry : read_npz(path)) {
    text += entry.name + " ";
    if (entry.holds_numbers()) text += text_of(parse_npz_array(entry).tensor);
    if (entry.holds_texts()) {
      for (const std::string& each : parse_npz_texts(entry)) text += " " + each;
    }
    text += "\n";
  }
  return text;
}

std::string safetensors_with(const std::string& header) {
  return raw(static_cast<std::uint64_t>(header.size())) + header + std::string(20, '\x3f');
}

std::string small_header() {
  return R"({"__metadata__":{"num_heads":"2"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
         R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[16,20]}})";
}

std::string small_safetensors() {
  return safetensors_with(small_header());
}

std::string read_whole_safetensors(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  std::string text;
  for (const auto& [key, value] : file.metadata()) text += key + "=" + value + "\n";
  for (const SafetensorsEntry& entry : file.entries()) {
    text += entry.name + " " + entry.dtype + " " + text_of(file.tensor(entry)) + text_of(file.weight(entry)) + "\n";
  }
  return text;
}

std::string read_csv(const std::string& path) {
  return text_of(read_csv_matrix(path));
}

std::string read_mask(const std::string& path) {
  std::string text;
  for (const std::uint8_t hidden : read_mask_file(path, MaskConvention::hide, 2, 3)) text += hidden != 0 ? '1' : '0';
  return text;
}

const std::vector<Reader> kArraysRows = {
    {.name = "npy",
     .covers = "read_npy parse_npy read_npy_header read_npy_dict parse_npy_dict core/io/npy.cpp MappedFile::open "
               "core/io/mapped_file.cpp",
     .file = "x.npy",
     .small = small_npy,
     .read = read_one_npy,
     .fuzz = "npy",
     .reads = "npy"},
    {.name = "npy_in_pieces",
     .covers = "visit_npy",
     .file = "x.npy",
     .small = small_npy,
     .read = visit_one_npy,
     .fuzz = "npy",
     .reads = "npy"},
    {.name = "boolean_npy",
     .covers = "read_npy",
     .file = "x.npy",
     .small = small_boolean_npy,
     .read = read_one_npy,
     .fuzz = "npy",
     .reads = "npy"},
    {.name = "stored_npz",
     .covers = "read_npz parse_npz parse_npz_array parse_npz_texts core/io/npz.cpp",
     .file = "x.npz",
     .small = [] { return from_hex(kStoredNpz); },
     .read = read_whole_npz,
     .fuzz = "npz",
     .reads = "npz"},
    {.name = "deflated_npz",
     .covers = "read_npz",
     .file = "x.npz",
     .small = [] { return from_hex(kDeflatedNpz); },
     .read = read_whole_npz,
     .fuzz = "npz",
     .reads = "npz"},
    {.name = "safetensors",
     .covers = "SafetensorsFile::open parse_safetensors_header core/io/safetensors.cpp",
     .file = "x.safetensors",
     .small = small_safetensors,
     .read = read_whole_safetensors,
     .fuzz = "safetensors",
     .of_json = safetensors_with,
     .small_json = small_header,
     .reads = "safetensors"},
    {.name = "csv",
     .covers = "read_csv_matrix parse_csv_matrix core/io/csv_read.cpp",
     .file = "x.csv",
     .small = [] { return std::string("0,-inf,1e-3\n1,nan,-2.5\n"); },
     .read = read_csv,
     .fuzz = "csv",
     .reads = "csv",
     .cut_unseen = "a table may end after any row, and a number after any digit"},
    {.name = "csv_mask",
     .covers = "read_mask_file",
     .file = "mask.csv",
     .small = [] { return std::string("0,1,0\n1,0,1\n"); },
     .read = read_mask,
     .fuzz = "request_files",
     .cut_unseen = "one row of keys is a mask for all queries"},
    {.name = "npy_mask",
     .covers = "read_mask_file",
     .file = "mask.npy",
     .small = small_boolean_npy,
     .read = read_mask,
     .fuzz = "request_files"},
};

}  // namespace

std::vector<Reader> array_readers() {
  return kArraysRows;
}

}  // namespace headscope::test
