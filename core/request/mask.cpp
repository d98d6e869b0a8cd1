#include "core/request/mask.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"

namespace headscope {
namespace {

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
