#include "core/request/mask.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/assert.h"
#include "core/base/error.h"

namespace headscope {
namespace {

// Reads a mask file as if it had been broadcast to [batch, heads, query_len, key_len].
class BroadcastFile {
 public:
  BroadcastFile(const MaskFile& file, const Shape& target) : values_(file.values.values()) {
    const Shape& shape = file.values.shape();
    bool fits = shape.count >= 1 && shape.count <= 4;
    const Strides strides = row_major_strides(shape);
    for (int axis = 0; axis < shape.count && fits; ++axis) {
      const int to = 4 - shape.count + axis;
      fits = shape[axis] == 1 || shape[axis] == target[to];
      if (shape[axis] > 1) steps_[to] = strides[axis];
    }
    if (!fits) {
      throw UsageError("mask", file.path + " has the shape " + to_string(shape) +
                                   ", which does not broadcast to the scores' " + to_string(target) +
                                   " [batch, heads, query_len, key_len]; make every axis 1 or that size");
    }
  }
  bool per_batch() const { return steps_[0] != 0; }
  bool per_head() const { return steps_[1] != 0; }
  // Calls visit(j, value) for the keys of one row.
  template <typename Visit>
  void visit_row(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t keys, Visit&& visit) const {
    const float* value = values_.data() + b * steps_[0] + h * steps_[1] + i * steps_[2];
    for (std::int64_t j = 0; j < keys; ++j) visit(j, value[j * steps_[3]]);
  }

 private:
  std::vector<float> values_;
  Strides steps_{0, 0, 0, 0};
};

MaskKind kind_of(const Request& request, const MaskFile& file) {
  if (request.mask_kind != MaskKind::automatic) return request.mask_kind;
  return file.is_whole ? MaskKind::keep : MaskKind::additive;
}

[[noreturn]] void refuse_value(const MaskFile& file, MaskKind kind, float value) {
  const std::string found = std::isnan(value)   ? "nan"
                            : std::isinf(value) ? (value > 0 ? "inf" : "-inf")
                                                : std::to_string(value);
  if (kind == MaskKind::additive) {
    throw UsageError("mask", file.path + " holds " + found +
                                 "; values that are added to scores are finite, or -inf where a key is hidden");
  }
  const char* name = kind == MaskKind::keep ? "keep" : "hide";
  throw UsageError("mask", file.path + " holds " + found + "; with --mask-kind " + name +
                               " every value is 0 or 1 (use --mask-kind additive for values that are added to scores)");
}

void unite(MaskRule& rule, const MaskTerm& term) {
  switch (term.kind) {
    case MaskTerm::Kind::causal:
      rule.open = 0;
      break;
    case MaskTerm::Kind::padding:
      rule.padding = std::max(rule.padding, term.size);
      break;
    case MaskTerm::Kind::window:
      rule.reach = std::min(rule.reach, term.size);
      break;
    case MaskTerm::Kind::prefix:
      rule.open = std::min(rule.open, term.size);
      break;
    case MaskTerm::Kind::file:
      break;
  }
}

// The rule of all terms but files.
MaskRule rule_of(const Request& request, std::span<const MaskTerm> own, std::int64_t query_len,
                 std::int64_t masked_keys) {
  MaskRule rule;
  if (request.causal_align == CausalAlign::bottom_right) rule.diagonal = masked_keys - query_len;
  for (const MaskTerm& term : request.mask) unite(rule, term);
  for (const MaskTerm& term : own) unite(rule, term);
  return rule;
}

// Calls visit(b, h, i) for every row of bytes.
template <typename Visit>
void visit_rows(const HiddenCells& cells, Visit&& visit) {
  for (std::int64_t b = 0; b < cells.batch(); ++b) {
    for (std::int64_t h = 0; h < cells.heads(); ++h) {
      for (std::int64_t i = 0; i < cells.query_len(); ++i) visit(b, h, i);
    }
  }
}

bool is_hidden(std::uint8_t cell) {
  return cell != 0;
}

// Two sorted runs that do not overlap, joined where they touch.
VisibleKeys joined(Range first, Range second) {
  if (second.size() <= 0) second = {};
  if (first.size() <= 0) return {second, {}};
  if (second.size() > 0 && first.end == second.begin) return {{first.begin, second.end}, {}};
  return {first, second};
}

}  // namespace

HiddenCells::HiddenCells(std::int64_t batch, std::int64_t heads, std::int64_t query_len, std::int64_t key_len,
                         MaskRule rule)
    : batch_(batch), heads_(heads), query_len_(query_len), key_len_(key_len), rule_(rule) {
  HEADSCOPE_ASSERT(!rule.extra_key || key_len > 0, "an extra key of " + std::to_string(key_len));
  refresh_any();
}

std::int64_t HiddenCells::row_number(std::int64_t b, std::int64_t h, std::int64_t i) const {
  const std::int64_t batch = batch_ == 1 ? 0 : b;
  const std::int64_t head = heads_ == 1 ? 0 : h;
  HEADSCOPE_ASSERT(0 <= batch && batch < batch_ && 0 <= head && head < heads_ && 0 <= i && i < query_len_,
                   to_string(Shape{b, h, i}) + " of " + to_string(Shape{batch_, heads_, query_len_, key_len_}));
  return (batch * heads_ + head) * query_len_ + i;
}

VisibleKeys HiddenCells::keys_by_rule(std::int64_t i) const {
  const std::int64_t keys = key_len_ - (rule_.extra_key ? 1 : 0);
  const std::int64_t p = i + rule_.diagonal;
  const std::int64_t begin = std::max<std::int64_t>(0, p - rule_.reach);
  const std::int64_t end = std::min({keys - rule_.padding, p + rule_.reach + 1, std::max(p + 1, rule_.open)});
  const Range extra{keys, key_len_};
  const bool sees_none = begin >= end;
  VisibleKeys visible;
  if (!rule_.inverted) {
    visible = joined({begin, end}, extra);
  } else if (sees_none) {
    visible = joined({0, keys}, extra);
  } else {
    visible = joined({0, begin}, {end, key_len_});
  }
  if (rule_.open_hidden_rows && visible.count() == 0) visible = joined({0, key_len_}, {});
  return visible;
}

const std::uint8_t* HiddenCells::bytes_of(std::int64_t b, std::int64_t h, std::int64_t i) const {
  return bytes_.data() + row_number(b, h, i) * key_len_;
}

bool HiddenCells::hidden(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  HEADSCOPE_ASSERT(0 <= j && j < key_len_, std::to_string(j) + " of " + std::to_string(key_len_) + " keys");
  if (has_bytes_) return is_hidden(bytes_of(b, h, i)[j]);
  return !visible_keys(b, h, i)->contains(j);
}

std::optional<VisibleKeys> HiddenCells::visible_keys(std::int64_t b, std::int64_t h, std::int64_t i) const {
  row_number(b, h, i);  // asserts
  if (has_bytes_) return std::nullopt;
  return keys_by_rule(i);
}

std::int64_t HiddenCells::visible_count(std::int64_t b, std::int64_t h, std::int64_t i) const {
  if (const auto keys = visible_keys(b, h, i)) return keys->count();
  const std::uint8_t* row = bytes_of(b, h, i);
  return key_len_ - std::count_if(row, row + key_len_, is_hidden);
}

bool HiddenCells::all_hidden(std::int64_t b, std::int64_t h, std::int64_t i) const {
  if (key_len_ == 0) return false;
  if (const auto keys = visible_keys(b, h, i)) return keys->count() == 0;
  const std::uint8_t* row = bytes_of(b, h, i);
  return std::all_of(row, row + key_len_, is_hidden);
}

std::int64_t HiddenCells::hidden_count(std::int64_t b, std::int64_t h) const {
  if (!any_) return 0;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < query_len_; ++i) count += key_len_ - visible_count(b, h, i);
  return count;
}

void HiddenCells::read_row(std::int64_t b, std::int64_t h, std::int64_t i, std::span<std::uint8_t> out,
                           std::int64_t first_key) const {
  const std::int64_t end = first_key + static_cast<std::int64_t>(out.size());
  HEADSCOPE_ASSERT(
      0 <= first_key && end <= key_len_,
      std::to_string(out.size()) + " keys from " + std::to_string(first_key) + " of " + std::to_string(key_len_));
  if (const auto keys = visible_keys(b, h, i)) {
    std::fill(out.begin(), out.end(), std::uint8_t{1});
    for (const Range& run : {keys->first, keys->second}) {
      const std::int64_t from = std::max(run.begin, first_key), to = std::min(run.end, end);
      if (from < to) std::fill_n(out.begin() + (from - first_key), to - from, std::uint8_t{0});
    }
    return;
  }
  std::copy_n(bytes_of(b, h, i) + first_key, out.size(), out.begin());
}

HiddenCells HiddenCells::with_hidden_rows_opened() const {
  HiddenCells opened = *this;
  if (!has_bytes_) {
    opened.rule_.open_hidden_rows = true;
  } else {
    visit_rows(opened, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
      if (all_hidden(b, h, i)) std::fill_n(opened.mutable_row(b, h, i), key_len_, std::uint8_t{0});
    });
  }
  opened.refresh_any();
  return opened;
}

std::uint8_t* HiddenCells::mutable_row(std::int64_t b, std::int64_t h, std::int64_t i) {
  if (!has_bytes_) {
    std::vector<std::uint8_t> bytes(
        static_cast<std::size_t>(element_count(Shape{batch_, heads_, query_len_, key_len_})));
    const auto keys = static_cast<std::size_t>(key_len_);
    std::size_t at = 0;
    visit_rows(*this, [&](std::int64_t bb, std::int64_t hh, std::int64_t ii) {
      read_row(bb, hh, ii, std::span(bytes).subspan(at, keys));
      at += keys;
    });
    bytes_ = std::move(bytes);
    has_bytes_ = true;
  }
  return bytes_.data() + row_number(b, h, i) * key_len_;
}

void HiddenCells::refresh_any() {
  if (has_bytes_) {
    any_ = std::any_of(bytes_.begin(), bytes_.end(), is_hidden);
    return;
  }
  any_ = false;
  if (batch_ == 0 || heads_ == 0) return;
  for (std::int64_t i = 0; i < query_len_ && !any_; ++i) any_ = keys_by_rule(i).count() < key_len_;
}

bool any_painted(const Request& request) {
  return std::any_of(request.paint.begin(), request.paint.end(), [](const PaintedCells& cells) { return cells.on; });
}

Mask build_mask(const Request& request, const std::vector<MaskFile>& files, std::int64_t batch, std::int64_t heads,
                std::int64_t query_len, std::int64_t key_len, bool extra_key, std::span<const MaskTerm> own) {
  const std::int64_t masked_keys = key_len - (extra_key ? 1 : 0);
  const bool inverted = has_variant(request, Variant::mask_inverted);
  MaskRule rule = rule_of(request, own, query_len, masked_keys);
  rule.extra_key = extra_key;
  const bool painted = any_painted(request);
  rule.inverted = inverted && files.empty() && !painted;  // with bytes all of them are inverted at the end
  std::int64_t batches = 1, head_count = 1;
  std::vector<BroadcastFile> broadcast;
  bool any_added = false;
  for (const MaskFile& file : files) {
    broadcast.emplace_back(file, Shape{batch, heads, query_len, masked_keys});
    if (broadcast.back().per_batch()) batches = batch;
    if (broadcast.back().per_head()) head_count = heads;
    any_added = any_added || kind_of(request, file) == MaskKind::additive;
  }

  Mask mask;
  mask.hidden = HiddenCells(batches, head_count, query_len, key_len, rule);
  if (files.empty() && !painted) return mask;

  HiddenCells& cells = mask.hidden;
  if (any_added) {
    mask.added =
        Tensor::zeros({batches, head_count, query_len, key_len}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  }
  const auto added_row = [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    return mask.added.mutable_data() + ((b * head_count + h) * query_len + i) * key_len;
  };
  for (std::size_t f = 0; f < files.size(); ++f) {
    const MaskKind kind = kind_of(request, files[f]);
    visit_rows(cells, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
      std::uint8_t* hidden = cells.mutable_row(b, h, i);
      if (kind == MaskKind::additive) {
        float* sums = added_row(b, h, i);
        broadcast[f].visit_row(b, h, i, masked_keys, [&](std::int64_t j, float value) {
          if (std::isnan(value) || value == INFINITY) refuse_value(files[f], kind, value);
          sums[j] = value == -INFINITY ? sums[j] : sums[j] + value;
          // Two files may sum below the smallest float32, which hides like -inf itself.
          if (value == -INFINITY || sums[j] == -INFINITY) hidden[j] = 1;
        });
      } else {
        broadcast[f].visit_row(b, h, i, masked_keys, [&](std::int64_t j, float value) {
          if (value != 0.0F && value != 1.0F) refuse_value(files[f], kind, value);
          if ((value == 1.0F) == (kind == MaskKind::hide)) hidden[j] = 1;
        });
      }
    });
  }

  for (const PaintedCells& cells_painted : request.paint) {
    if (!cells_painted.on) continue;
    visit_rows(cells, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
      if (i < cells_painted.query_begin || i >= cells_painted.query_end) return;
      std::uint8_t* hidden = cells.mutable_row(b, h, i);
      const std::int64_t end = std::min(cells_painted.key_end, masked_keys);
      for (std::int64_t j = cells_painted.key_begin; j < end; ++j) hidden[j] = cells_painted.hides ? 1 : 0;
    });
  }

  if (inverted) {
    visit_rows(cells, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
      std::uint8_t* hidden = cells.mutable_row(b, h, i);
      for (std::int64_t j = 0; j < masked_keys; ++j) hidden[j] ^= 1;
    });
  }
  cells.refresh_any();
  if (any_added) {
    // Hidden cells keep what is added to them, for mask-after-softmax; a sum of nothing but zeros is no mask at all.
    bool any_value = false;
    visit_rows(cells, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
      float* sums = added_row(b, h, i);
      for (std::int64_t j = 0; j < masked_keys; ++j) {
        if (!std::isfinite(sums[j])) sums[j] = 0.0F;
        any_value = any_value || sums[j] != 0.0F;
      }
    });
    if (!any_value) mask.added = {};
  }
  return mask;
}

FullyMaskedRows fully_masked_rows(const HiddenCells& hidden, std::int64_t batch, std::int64_t heads) {
  FullyMaskedRows result;
  if (!hidden.any()) return result;
  const std::int64_t copies = (hidden.batch() == 1 ? batch : 1) * (hidden.heads() == 1 ? heads : 1);
  for (std::int64_t i = 0; i < hidden.query_len(); ++i) {
    const std::int64_t before = result.count;
    for (std::int64_t b = 0; b < hidden.batch(); ++b) {
      for (std::int64_t h = 0; h < hidden.heads(); ++h) {
        if (hidden.all_hidden(b, h, i)) result.count += copies;
      }
    }
    if (result.count > before) result.queries.push_back(i);
  }
  return result;
}

}  // namespace headscope
