#include "core/model/meta_shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"

namespace headscope {
namespace {

// How a tensor is split, by the end of its name.
enum class Split { rows, columns, embedding, none };

struct SplitRow {
  std::string_view ending;
  Split split;
};

constexpr SplitRow kSplits[] = {
    {"attention.wq.weight", Split::rows},
    {"attention.wk.weight", Split::rows},
    {"attention.wv.weight", Split::rows},
    {"attention.wq.bias", Split::rows},
    {"attention.wk.bias", Split::rows},
    {"attention.wv.bias", Split::rows},
    {"feed_forward.w1.weight", Split::rows},
    {"feed_forward.w3.weight", Split::rows},
    {"attention.wo.weight", Split::columns},
    {"feed_forward.w2.weight", Split::columns},
    {"tok_embeddings.weight", Split::embedding},
    {"norm.weight", Split::none},
    {"rope.freqs", Split::none},
};

Split split_of(const TensorEntry& entry, const std::string& path) {
  if (entry.name == "output.weight") return Split::rows;
  for (const SplitRow& row : kSplits) {
    if (entry.name.ends_with(row.ending)) return row.split;
  }
  throw Error(fmt::format("{}: holds {}, of which it is not known how it is split between the files", path,
                          in_quotes(shortened(entry.name))));
}

// A tensor's part of every file.
struct Parts {
  std::vector<Tensor> tensors;
  int axis = 0;
};

Tensor joined(std::shared_ptr<const Parts> parts, const Shape& shape) {
  const Axes axes = parts->tensors.front().axes();
  return Tensor::computed(shape, axes, [parts = std::move(parts)](const Region& region, std::span<float> out) {
    const int axis = parts->axis;
    const auto total = static_cast<std::size_t>(region[axis].size());
    std::int64_t begin = 0;
    for (const Tensor& part : parts->tensors) {
      const std::int64_t end = begin + part.dim(axis);
      Region of_part = region;
      of_part[axis] = {std::max(region[axis].begin, begin) - begin, std::min(region[axis].end, end) - begin};
      if (of_part[axis].begin < of_part[axis].end) {
        std::vector<float> numbers(static_cast<std::size_t>(element_count(of_part)));
        part.read(of_part, numbers);
        // Rows of the part among rows of the whole; of rows one behind the other it is one block.
        const std::size_t outer = axis == 0 ? 1 : static_cast<std::size_t>(region[0].size());
        const std::size_t block = numbers.size() / outer, width = out.size() / outer;
        const std::size_t first =
            static_cast<std::size_t>(begin + of_part[axis].begin - region[axis].begin) * (width / total);
        for (std::size_t row = 0; row < outer; ++row) {
          std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(row * block), block,
                      out.begin() + static_cast<std::ptrdiff_t>(row * width + first));
        }
      }
      begin = end;
    }
  });
}

// The width of the model, by a norm that every file holds.
std::int64_t width_of(const TensorFile& file) {
  const TensorEntry* const norm = file.find("norm.weight");
  return norm == nullptr || norm->shape.size() != 1 ? 0 : norm->shape.front();
}

void check_fits(const TensorFile& first, const TensorFile& other) {
  for (const TensorEntry& entry : first.entries) {
    const TensorEntry* const same = other.find(entry.name);
    if (same == nullptr || same->shape != entry.shape || same->dtype != entry.dtype) {
      throw Error(fmt::format(
          "{}: {} is {} here and {} [{}] in {}; expected parts of one model", other.path, shortened(entry.name),
          same == nullptr ? "missing" : fmt::format("{} [{}]", same->dtype, fmt::join(same->shape, ", ")), entry.dtype,
          fmt::join(entry.shape, ", "), first.path));
    }
  }
  if (other.entries.size() == first.entries.size()) return;
  throw Error(fmt::format("{}: holds {} tensors, and {} holds {}; expected parts of one model", other.path,
                          other.entries.size(), first.path, first.entries.size()));
}

}  // namespace

TensorFile joined_shards(const std::vector<TensorFile>& shards) {
  const auto kept = std::make_shared<const std::vector<TensorFile>>(shards);
  const TensorFile& first = kept->front();
  for (const TensorFile& other : std::span(*kept).subspan(1)) check_fits(first, other);
  const auto count = std::ssize(*kept);
  const std::int64_t width = width_of(first);
  auto axes = std::make_shared<std::vector<int>>();  // of every tensor; -1: it is in every file
  TensorFile whole{first.path, first.format, first.entries, first.metadata, {}};
  for (TensorEntry& entry : whole.entries) {
    const Split split = split_of(entry, first.path);
    const bool by_rows = split == Split::rows || (entry.shape.size() == 2 && entry.shape[1] == width);
    const int axis = split == Split::none ? -1 : split == Split::columns || !by_rows ? 1 : 0;
    axes->push_back(axis);
    if (axis < 0) continue;
    if (static_cast<std::size_t>(axis) >= entry.shape.size()) {
      throw Error(fmt::format("{}: {} is [{}], expected a matrix", first.path, shortened(entry.name),
                              fmt::join(entry.shape, ", ")));
    }
    entry.shape[static_cast<std::size_t>(axis)] *= count;
    entry.bytes *= static_cast<std::size_t>(count);
  }
  whole.read = [kept, axes](std::size_t k, bool two_bytes) {
    const auto parts = std::make_shared<Parts>();
    parts->axis = (*axes)[k];
    for (const TensorFile& file : *kept) {
      parts->tensors.push_back(file.read(k, two_bytes));
      if (parts->axis < 0) return parts->tensors.front();
    }
    Shape shape = parts->tensors.front().shape();
    shape[parts->axis] *= std::ssize(*kept);
    return joined(parts, shape);
  };
  return whole;
}

}  // namespace headscope
