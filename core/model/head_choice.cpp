#include "core/model/head_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/error.h"
#include "core/model/input_sources.h"
#include "core/model/packed_texts.h"

namespace headscope {
namespace {

const char* layout_word(HeadsLayout layout) {
  return layout == HeadsLayout::bshd ? "bshd" : layout == HeadsLayout::thd ? "thd" : "bhsd";
}

std::string shape_of(const HeadFile& file) {
  return fmt::format("{} is {}", file.path, to_string(file.tensor.shape()));
}

// Sizes that do not agree in the first reading.
[[noreturn]] void refuse_sizes(const Request& request, const HeadFileSet& files, const HeadReading& reading) {
  const HeadArrays& a = reading.arrays;
  const auto agree = [](const HeadFile& other, const Tensor& tensor, const HeadFile& with, const Tensor& with_tensor,
                        int axis, const char* word) {
    if (tensor.dim(axis) == with_tensor.dim(axis)) return;
    throw UsageError(other.option, fmt::format("{}, but {}", shape_of(other), shape_of(with)),
                     fmt::format("the same {}", word));
  };
  agree(files.key, a.key, files.query, a.query, 0, "batch");
  agree(files.key, a.key, files.query, a.query, 3, "head_dim");
  agree(files.value, a.value, files.key, a.key, 0, "batch");
  agree(files.value, a.value, files.key, a.key, 1, "number of heads");
  agree(files.value, a.value, files.key, a.key, 2, "number of positions");
  check_agreement("heads", request.heads, a.query.dim(1), "the number of heads in " + files.query.path);
  throw UsageError(
      "key",
      fmt::format("{} has {} heads, but {} has {}", files.key.path, a.key.dim(1), files.query.path, a.query.dim(1)),
      "as many, or a divisor");
}

// Three axes that nothing explains, beside files that do not fit them.
void refuse_three_axes(const HeadFileSet& files) {
  for (const HeadFile* file : {&files.query, &files.key, &files.value}) {
    if (file->tensor.rank() != 3) continue;
    throw UsageError(file->option, shape_of(*file),
                     "[batch, heads, len, head_dim], none of them 0, or 3-D with --heads or --layout");
  }
}

[[noreturn]] void refuse_axes(const Request& request, const HeadFileSet& files) {
  throw UsageError(files.query.option,
                   fmt::format("{}, {} and {}", shape_of(files.query), shape_of(files.key), shape_of(files.value)),
                   request.layout == HeadsLayout::automatic && request.lengths.empty()
                       ? "[batch, heads, len, head_dim], none of them 0, or 3-D with --heads or --layout"
                   : request.layout == HeadsLayout::thd || request.layout == HeadsLayout::automatic
                       ? "[sum of the lengths, heads, head_dim]"
                       : fmt::format("axes as --layout {} has them, and as many heads as --heads says",
                                     layout_word(request.layout)));
}

// "[batch, len, heads, head_dim] (--layout bshd): 4 heads of 9 places, or ..." but for one of them.
std::string said(const std::vector<HeadReading>& readings, const HeadReading* but) {
  std::vector<std::string> texts;
  for (const HeadReading& each : readings) {
    if (&each == but) continue;
    const std::int64_t heads = each.arrays.query.dim(1), len = each.arrays.query.dim(2);
    texts.push_back(fmt::format("{} (--layout {}): {} head{} of {} place{}", each.as, layout_word(each.layout), heads,
                                heads == 1 ? "" : "s", len, len == 1 ? "" : "s"));
  }
  return fmt::format("{}", fmt::join(texts, ", or "));
}

[[noreturn]] void refuse_several(const HeadFile& query, const std::vector<HeadReading>& readings) {
  throw UsageError(query.option, fmt::format("{}, which may be {}", shape_of(query), said(readings, nullptr)),
                   "--layout, which says which");
}

// The layout that the request asks for, of files of so many axes.
HeadsLayout asked_layout(const Request& request, int rank) {
  if (request.lengths.empty()) return request.layout;
  if (rank == 3 && request.layout == HeadsLayout::automatic) return HeadsLayout::thd;
  // Packed results may come of queries that were never packed.
  if (rank == 4 && request.layout == HeadsLayout::thd) return HeadsLayout::automatic;
  return request.layout;
}

// Whether every item holds its text, or one item all of them.
bool holds_texts(const Tensor& heads, const std::vector<std::int64_t>& lengths) {
  if (heads.dim(0) == 1 && heads.dim(2) == packed_len(lengths)) return true;
  return heads.dim(0) == static_cast<std::int64_t>(lengths.size()) &&
         *std::max_element(lengths.begin(), lengths.end()) <= heads.dim(2);
}

[[noreturn]] void refuse_lengths(const Request& request, const HeadFile& file, const Tensor& heads) {
  const std::int64_t sum = packed_len(request.lengths);
  const std::string lengths = fmt::format("{}", fmt::join(request.lengths, ","));
  if (file.tensor.rank() == 3 || heads.dim(0) == 1) {
    throw UsageError("lengths",
                     fmt::format("{} add up to {}, but {}, with {} tokens", lengths, sum, shape_of(file), heads.dim(2)),
                     "lengths that add up to its tokens");
  }
  throw UsageError(
      "lengths",
      fmt::format("{} are {} texts of at most {} tokens, but {}, with {} items of {}", lengths, request.lengths.size(),
                  *std::max_element(request.lengths.begin(), request.lengths.end()), shape_of(file), heads.dim(0),
                  heads.dim(2)),
      "a length for every item, none above its tokens");
}

// Leaves out what the lengths do not fit.
void keep_texts(const Request& request, const HeadFileSet& files, std::vector<HeadReading>& readings) {
  if (request.lengths.empty()) return;
  const HeadArrays first = readings.front().arrays;
  std::erase_if(readings, [&](const HeadReading& each) {
    return !holds_texts(each.arrays.query, request.lengths) || !holds_texts(each.arrays.key, request.lengths);
  });
  if (!readings.empty()) return;
  if (!holds_texts(first.query, request.lengths)) refuse_lengths(request, files.query, first.query);
  refuse_lengths(request, files.key, first.key);
}

// Returns what to say of the reading that is taken; "" where it is the only one, and the usual one.
std::string sentence_of(const Request& request, const HeadFile& query, const std::vector<HeadReading>& readings,
                        bool usual, bool asked) {
  const HeadReading& taken = readings.front();
  const bool four = query.tensor.rank() == 4;
  const bool packed = taken.arrays.query.dim(0) == 1 && taken.arrays.query.dim(2) == packed_len(request.lengths);
  if (!request.lengths.empty() && !packed) {
    return fmt::format("{}, read as {}; of every item the first places ({}) are packed, one text behind the other",
                       shape_of(query), taken.as, fmt::join(request.lengths, ","));
  }
  if (!asked && !usual) {
    return fmt::format("{}, read as {}, the only layout that fits (--layout {})", shape_of(query), taken.as,
                       layout_word(taken.layout));
  }
  // Four axes are as their layout says; where nothing says it, more heads than places are rare.
  const bool likely = four ? !asked && query.tensor.dim(1) > query.tensor.dim(2) : true;
  if (readings.size() < 2 || !likely) return "";
  return fmt::format("{}, read as {}: {} heads of {} places; it could be {}", shape_of(query), taken.as,
                     taken.arrays.query.dim(1), taken.arrays.query.dim(2), said(readings, &taken));
}

}  // namespace

HeadReading chosen_reading(const Request& request, const HeadFileSet& files, std::vector<std::string>& sentences) {
  const HeadFile& query = files.query;
  const HeadArrays found{query.tensor, files.key.tensor, files.value.tensor};
  const std::int64_t heads = request.heads.value_or(0);
  const HeadCounts counts{heads, request.kv_heads.value_or(heads)};
  const HeadsLayout layout = asked_layout(request, query.tensor.rank());
  std::vector<HeadReading> readings = head_readings(found, counts, layout);
  if (readings.empty()) {
    if (layout == HeadsLayout::automatic && heads == 0) refuse_three_axes(files);
    const std::vector<HeadReading> all = head_readings(found, counts, layout, true);
    if (all.empty()) refuse_axes(request, files);
    refuse_sizes(request, files, all.front());
  }
  keep_texts(request, files, readings);
  const bool asked = layout != HeadsLayout::automatic;
  const bool usual = readings.front().usual;
  // With lengths the two layouts are as likely: they say which items hold them.
  const bool open = !asked && (!usual || !request.lengths.empty());
  if (open && readings.size() > 1) refuse_several(query, readings);
  std::string sentence = sentence_of(request, query, readings, usual, asked);
  if (!sentence.empty()) sentences.push_back(std::move(sentence));
  return std::move(readings.front());
}

}  // namespace headscope
