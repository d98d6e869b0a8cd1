#include "core/model/stored_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/message_text.h"

namespace headscope {
namespace {

using Kind = StoredLayout::Kind;
using Sizes = std::vector<std::int64_t>;

struct LayoutRow {
  Kind kind;
  std::string_view word;
  std::size_t axes;
  const char* expected;
};

constexpr std::array kRows = {
    LayoutRow{Kind::out_in, "out_in", 2, "two axes [out, in]"},
    LayoutRow{Kind::in_out, "in_out", 2, "two axes [in, out]"},
    LayoutRow{Kind::heads_out_in, "heads_out_in", 3, "three axes [heads, out, in]"},
    LayoutRow{Kind::heads_in_out, "heads_in_out", 3, "three axes [heads, in, out]"},
    LayoutRow{Kind::heads, "heads", 2, "two axes [heads, head_dim]"},
};

const LayoutRow& row_of(Kind kind) {
  return *std::find_if(kRows.begin(), kRows.end(), [&](const LayoutRow& row) { return row.kind == kind; });
}

const Axes kMatrix{Axis::position, Axis::feature};

// The shape as it is used, of one that has as many axes as its row says.
Sizes shape_used(const Sizes& stored, StoredLayout layout) {
  const Kind kind = layout.kind;
  if (kind == Kind::heads) return {stored[0] * stored[1]};
  if (kind == Kind::out_in) return stored;
  if (kind == Kind::in_out) return {stored[1], stored[0]};
  const bool in_out = kind == Kind::heads_in_out;
  const std::int64_t heads = stored[0], in = stored[in_out ? 1 : 2], out = stored[in_out ? 2 : 1];
  return layout.heads_are_inputs ? Sizes{out, heads * in} : Sizes{heads * out, in};
}

}  // namespace

int axes_of(StoredLayout layout) {
  return static_cast<int>(row_of(layout.kind).axes);
}

const char* layout_axes(StoredLayout layout) {
  return row_of(layout.kind).expected;
}

Tensor laid_out(const Tensor& in_file, StoredLayout layout) {
  const Kind kind = layout.kind;
  const bool in_memory = in_file.stored() || in_file.two_byte_data() != nullptr;
  const Tensor stored = in_memory || kind == Kind::in_out ? in_file : in_file.dense_copy();
  if (kind == Kind::heads) return stored.reshaped({stored.size()}, {Axis::feature});
  if (kind == Kind::out_in) return stored;
  if (kind == Kind::in_out) return stored.permuted({1, 0});
  const bool in_out = kind == Kind::heads_in_out;
  const std::int64_t heads = stored.dim(0), in = stored.dim(in_out ? 1 : 2), out = stored.dim(in_out ? 2 : 1);
  if (layout.heads_are_inputs) {  // [heads, in, out] is [heads in, out], the transposed of what is used
    const Tensor rows = in_out ? stored : stored.permuted({0, 2, 1});
    return rows.reshaped({heads * in, out}, kMatrix).permuted({1, 0});
  }
  const Tensor rows = in_out ? stored.permuted({0, 2, 1}) : stored;
  return rows.reshaped({heads * out, in}, kMatrix);
}

std::optional<Kind> stored_layout_of(std::string_view word) {
  for (const LayoutRow& row : kRows) {
    if (row.word == word) return row.kind;
  }
  return std::nullopt;
}

std::vector<std::string_view> stored_layout_words() {
  std::vector<std::string_view> words;
  for (const LayoutRow& row : kRows) words.push_back(row.word);
  return words;
}

std::string lay_out(WeightFiles& files, const std::string& tensor, StoredLayout layout, const std::string& known_as) {
  const WeightFiles::Place place = *files.find(tensor);
  const Sizes stored = place.entry->shape;
  const LayoutRow& row = row_of(layout.kind);
  if (stored.size() != row.axes) {
    return fmt::format("{} is [{}], expected {}", shortened(tensor), fmt::join(stored, ", "), row.expected);
  }
  if (layout.kind == Kind::out_in) {
    files.name_also(known_as, tensor);
    return "";
  }
  const std::string name = layout.kind == Kind::in_out ? tensor : tensor + " (all heads)";
  TensorEntry entry{name, place.entry->dtype, shape_used(stored, layout), place.entry->bytes};
  const auto read = [place, layout](bool two_bytes) {
    const Tensor from = two_bytes ? place.file->weight(*place.entry) : place.file->tensor(*place.entry);
    return laid_out(from, layout);
  };
  files.put({std::move(entry), {tensor}, read}, known_as);
  return "";
}

}  // namespace headscope
