// Which phrases of a list were scanned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor/shape.h"

namespace headscope {

// Indices as ranges [begin, end) that are sorted and neither meet nor overlap: the same set is always the same ranges.
class PhraseRanges {
 public:
  const std::vector<Range>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  std::int64_t count() const;

  // The first range that both have; nullopt: none.
  std::optional<Range> shared_with(const PhraseRanges& other) const;
  // Asserts that none of them is there yet.
  void add(Range range);
  void add(const PhraseRanges& other);
  // What of [0, total) is not there.
  PhraseRanges missing(std::int64_t total) const;

  // "0:100,150:200"; "" for none.
  std::string text() const;
  // Of such a text, all below `total`; nullopt for any other.
  static std::optional<PhraseRanges> of_text(std::string_view text, std::int64_t total);
  friend bool operator==(const PhraseRanges&, const PhraseRanges&) = default;

 private:
  std::vector<Range> ranges_;
};

}  // namespace headscope
