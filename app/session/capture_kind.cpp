#include "app/session/capture_kind.h"

#include <algorithm>
#include <string_view>

#include "core/base/error.h"
#include "core/io/mapped_file.h"
#include "core/io/npy.h"
#include "core/io/tensor_file.h"
#include "core/io/torch_file.h"
#include "core/io/torch_pickle.h"
#include "core/model/capture.h"
#include "core/model/numbered_tensors.h"

namespace headscope {

namespace {

int npy_rank(const std::string& path) {
  const auto file = MappedFile::open(path);
  const int rank = read_npy_header(file->bytes(), path).shape.count;
  file->check_unchanged();
  return rank;
}

// Whether nearly all rows of the capture's first layer add up to 1.
bool has_shares(const std::string& path, const CancelToken& cancel) {
  const Capture capture = read_capture(path);
  const Tensor& weights = capture.layers.front().weights;
  const RowSums sums = row_sums_of(weights, cancel, weights.size() / weights.dim(3) / 10);
  return sums.off * 10 < sums.rows && sums.nan_rows < sums.rows;
}

// Whether the tensors of a file are weights of layers: nothing but the numbers tells.
bool holds_shares(const TensorFile& file) {
  try {
    return has_shares(file.path, {});
  } catch (const Error&) {  // tensors that do not fit each other are no layers
    return false;
  }
}

// Takes a file of torch.save whose tensors have no names.
bool unnamed_weights(const TensorFile& file) {
  const bool only = file.entries.size() == 1 && file.entries[0].name == kOnlyTensor;
  if (only && file.entries[0].shape.size() == 5) return true;
  const auto fits = [](const TensorEntry& entry) { return entry.shape.size() == 3 || entry.shape.size() == 4; };
  return std::all_of(file.entries.begin(), file.entries.end(), fits) && holds_shares(file);
}

}  // namespace

bool holds_weights(const std::string& npy_path, const CancelToken& cancel) {
  const int rank = npy_rank(npy_path);
  if (rank == 5) return true;
  return (rank == 3 || rank == 4) && has_shares(npy_path, cancel);
}

bool is_capture(const TensorFile& file) {
  if (!has_names(file)) return unnamed_weights(file);
  for (const TensorEntry& entry : file.entries) {
    const std::string_view name = entry.name;
    if (!name.starts_with("layers.")) continue;
    const std::size_t digits_end = name.find_first_not_of("0123456789", 7);
    if (digits_end == std::string_view::npos || digits_end == 7) continue;
    const std::string_view rest = name.substr(digits_end);
    if (rest == ".weights" || rest == ".scores" || rest == ".query") return true;
  }
  return !numbered_tensors(file).empty() && holds_shares(file);
}

}  // namespace headscope
