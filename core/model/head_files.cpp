#include "core/model/head_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/model/head_choice.h"
#include "core/model/named_arrays.h"
#include "core/model/packed_texts.h"
#include "core/request/array_file.h"

namespace headscope {
namespace {

// The first eight names, the rest counted.
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kMost = 8;
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

const NamedArray& array_of(const NamedArrays& file, ArrayRole role) {
  if (const NamedArray* found = file.find(role)) return *found;
  std::vector<std::string> names = file.others;
  for (const NamedArray& each : file.arrays) names.push_back(each.name);
  throw UsageError(
      std::string(role_name(role)),
      fmt::format("{} holds no array of that name, but {}", file.path, names.empty() ? "none" : some_of(names)),
      role == ArrayRole::query ? "query, q or queries"
      : role == ArrayRole::key ? "key, k or keys"
                               : "value, v or values");
}

void check_whole(const HeadFile& part) {
  const int rank = part.tensor.rank();
  if ((rank == 3 || rank == 4) && part.tensor.size() > 0) return;
  throw UsageError(part.option, fmt::format("{} is {}", part.path, to_string(part.tensor.shape())),
                   "[batch, heads, len, head_dim], none of them 0, or another layout that --layout names");
}

// Reads the three, and what stands beside them in one file.
class Reader {
 public:
  Reader(const Request& request, InputCache::State& cache, HeadFiles& files)
      : request_(request), cache_(cache), files_(files) {}

  HeadFile part(const char* option, ArrayRole role, const std::string& given) {
    const std::string& path = given.empty() ? request_.query : given;
    HeadFile part{option, path, {}};
    std::string stored_as;
    if (names_arrays(path)) {
      const NamedArray& array = array_of(cache_.arrays(path), role);
      part.path = fmt::format("{}: {}", path, array.name);
      part.tensor = array.tensor;
      stored_as = array.stored_as;
      note_taken(path, array.name, role_name(role));
    } else {
      const NpyArray& file = cache_.npy(path);
      part.tensor = file.tensor;
      read_small_floats(file.header, part.tensor, stored_as);
    }
    if (!stored_as.empty()) {
      std::string said =
          fmt::format("{} is read as {}: as whole numbers they would be ids or counts", part.path, stored_as);
      std::vector<std::string>& all = files_.readings;  // one file may be all three
      if (std::find(all.begin(), all.end(), said) == all.end()) all.push_back(std::move(said));
    }
    check_whole(part);
    return part;
  }

  // A mask beside the queries, where no other file is one.
  void mask() {
    if (!names_arrays(request_.query)) return;
    const NamedArrays& file = cache_.arrays(request_.query);
    const NamedArray* mask = file.find(ArrayRole::mask);
    const bool given = std::any_of(request_.mask.begin(), request_.mask.end(),
                                   [](const MaskTerm& term) { return term.kind == MaskTerm::Kind::file; });
    std::vector<std::string> left = file.others;
    for (const NamedArray& each : file.arrays) {
      const bool other = (each.role == ArrayRole::key && !request_.key.empty()) ||
                         (each.role == ArrayRole::value && !request_.value.empty()) ||
                         (each.role == ArrayRole::mask && given);
      if (other || each.role == ArrayRole::out) left.push_back(each.name);
    }
    if (mask != nullptr && !given) {
      files_.masks.push_back({fmt::format("{}: {}", file.path, mask->name), mask->tensor, mask->is_whole});
      note_taken(file.path, mask->name, "mask");
    }
    std::string sentence = fmt::format("{}: {}", request_.query, fmt::join(taken_, ", "));
    if (!left.empty()) sentence += fmt::format("; {} {} not used", some_of(left), left.size() == 1 ? "is" : "are");
    files_.readings.insert(files_.readings.begin(), std::move(sentence));
  }

 private:
  void note_taken(const std::string& path, const std::string& name, std::string_view role) {
    if (path == request_.query) taken_.push_back(fmt::format("{} is taken as the {}", name, role));
  }

  const Request& request_;
  InputCache::State& cache_;
  HeadFiles& files_;
  std::vector<std::string> taken_;
};

}  // namespace

HeadFiles read_head_files(const Request& request, InputCache::State& cache) {
  HeadFiles files;
  Reader reader(request, cache, files);
  const HeadFile query = reader.part("query", ArrayRole::query, request.query);
  const HeadFile key = reader.part("key", ArrayRole::key, request.key);
  const HeadFile value = reader.part("value", ArrayRole::value, request.value);
  reader.mask();
  HeadReading reading = chosen_reading(request, {query, key, value}, files.readings);
  const auto taken = [&](const Tensor& tensor) {
    const std::int64_t len = tensor.dim(2);
    const bool packs = !request.lengths.empty() && !(tensor.dim(0) == 1 && packed_len(request.lengths) == len);
    return packs ? packed_texts(tensor, request.lengths) : tensor.dense_copy();
  };
  files.arrays = {taken(reading.arrays.query), taken(reading.arrays.key), taken(reading.arrays.value)};
  files.query_path = query.path;
  files.key_path = key.path;
  files.value_path = value.path;
  if (!request.lengths.empty()) files.masks.insert(files.masks.begin(), mask_of_texts(request.lengths));
  return files;
}

Tensor past_file(const char* option, const std::string& path, HeadsLayout layout, const Shape& expected,
                 InputCache::State& cache, std::vector<std::string>& readings) {
  const Tensor& file = cache.npy(path).tensor;
  if (file.rank() != 4 || file.size() == 0) {
    throw UsageError(option, fmt::format("{} is {}", path, to_string(file.shape())),
                     "[batch, heads, len, head_dim], none of them 0");
  }
  const Tensor as_it_lies = file.reshaped(file.shape(), {Axis::batch, Axis::head, Axis::position, Axis::feature});
  if (layout == HeadsLayout::bshd) return heads_first(file).dense_copy();
  const auto fits = [&](const Shape& shape) {
    return shape[0] == expected[0] && shape[1] == expected[1] && shape[3] == expected[3];
  };
  const Shape& shape = file.shape();
  const bool exchanged = fits({shape[0], shape[2], shape[1], shape[3]});
  if (layout == HeadsLayout::bhsd || fits(shape) || !exchanged) return as_it_lies;
  readings.push_back(fmt::format("{} is {}, read as [batch, past_len, kv_heads, head_dim], the only layout that fits",
                                 path, to_string(shape)));
  return heads_first(file).dense_copy();
}

}  // namespace headscope
