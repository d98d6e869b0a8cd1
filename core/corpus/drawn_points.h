// Positions that are drawn from all of a list, with the vectors of each head there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/corpus/head_record.h"

namespace headscope {

// A position that was drawn: the same ones in every head.
struct PointPlace {
  std::int64_t phrase = 0, position = 0;  // the phrase's index in the list
  std::uint64_t token = 0, hash = 0;      // id; of the phrase's text, as CorpusExample has it
  std::string text;                       // of the token
  friend bool operator==(const PointPlace&, const PointPlace&) = default;
};
// By draw_of(), then phrase and position.
bool is_point_before(const PointPlace& a, const PointPlace& b);

// Points, sorted, and the heads that hold their vectors.
struct DrawnPoints {
  std::vector<PointPlace>& held;
  std::vector<HeadRecord>& heads;
};
// Adds `places`, sorted, whose vectors `added` holds, which are the same heads: the first `most` of the two lists
// together stay. Associative and commutative.
void add_drawn(const DrawnPoints& to, std::span<const PointPlace> places, std::span<const HeadRecord> added,
               std::int64_t most);

}  // namespace headscope
