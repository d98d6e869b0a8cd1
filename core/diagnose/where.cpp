#include "core/diagnose/where.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

std::vector<std::int64_t> places_of(const std::vector<std::int64_t>& counts, std::int64_t from = 0) {
  std::vector<std::int64_t> places;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) places.push_back(static_cast<std::int64_t>(k) + from);
  }
  return places;
}

bool is_run(const std::vector<std::int64_t>& places) {
  return places.back() - places.front() + 1 == static_cast<std::int64_t>(places.size());
}

// "head 1", "heads 0 and 2", "heads 3 to 7", "every other head from 1 on", "12 heads"; "" where it is all of them.
std::string words_of(const char* one, const char* many, const std::vector<std::int64_t>& places, std::int64_t of) {
  if (places.empty() || static_cast<std::int64_t>(places.size()) == of) return "";
  if (places.size() == 1) return fmt::format("{} {}", one, places.front());
  if (is_run(places)) {
    if (places.back() == of - 1) return fmt::format("{} from {} on", many, places.front());
    return fmt::format("{} {} to {}", many, places.front(), places.back());
  }
  const bool every_other = places.size() > 2 && std::adjacent_find(places.begin(), places.end(), [](auto a, auto b) {
                                                  return b - a != 2;
                                                }) == places.end();
  if (every_other && places.front() < 2 && places.back() >= of - 2) {
    return fmt::format("every other {} from {} on", one, places.front());
  }
  if (places.size() <= 4) {
    std::string list;
    for (std::size_t k = 0; k < places.size(); ++k) {
      list += fmt::format("{}{}", k == 0 ? "" : k + 1 == places.size() ? " and " : ", ", places[k]);
    }
    return fmt::format("{} {}", many, list);
  }
  return fmt::format("{} {} between {} and {}", places.size(), many, places.front(), places.back());
}

// NaN has no sign that says anything.
double without_sign(double value) {
  return std::isnan(value) ? std::abs(value) : value;
}

std::string diagonal_words(const std::vector<std::int64_t>& diagonals, const Shape& shape, std::int64_t past) {
  if (diagonals.empty()) return "";
  const std::int64_t lowest = past - (shape[3] - 1), highest = past + shape[2] - 1;
  if (static_cast<std::int64_t>(diagonals.size()) == highest - lowest + 1) return "";
  if (diagonals.size() == 1) {
    if (diagonals.front() == 0) return "only on the diagonal i = j";
    return fmt::format("only where i - j = {}", diagonals.front());
  }
  if (!is_run(diagonals)) return "";
  if (diagonals.front() > 0 && diagonals.back() == highest) {
    return fmt::format("only where i - j >= {}", diagonals.front());
  }
  if (diagonals.back() < 0 && diagonals.front() == lowest) {
    return fmt::format("only where i - j <= {}", diagonals.back());
  }
  return "";
}

// A place of a row or a column in words: queries and keys, or positions and features.
struct AxisWords {
  const char *row, *rows, *column, *columns;
};

AxisWords words_of_stage(StageId stage) {
  if (is_score_like(stage)) return {"query", "queries", "key", "keys"};
  return {"position", "positions", "feature", "features"};
}

}  // namespace

WhereFinder::WhereFinder(StageId stage, Shape shape, std::int64_t heads, std::string_view name)
    : stage_(stage), name_(name.empty() ? stage_name(stage) : name), shape_(shape), heads_(heads) {
  const auto sized = [](std::int64_t size) { return std::vector<std::int64_t>(static_cast<std::size_t>(size), 0); };
  const int rank = shape.count;
  batch_ = sized(rank > 0 ? shape[0] : 0);
  head_ = sized(rank == 4 ? shape[1] : heads);
  row_ = sized(rank >= 2 ? shape[rank - 2] : 0);
  column_ = sized(rank >= 1 ? shape[rank - 1] : 0);
  if (is_score_like(stage) && rank == 4) diagonal_ = sized(shape[2] + shape[3]);
  where_.of_cells = element_count(shape);
}

void WhereFinder::add(const Index& at, double ours, double theirs) {
  const int rank = shape_.count;
  if (where_.cells++ == 0) {
    where_.first = at;
    where_.ours = ours;
    where_.theirs = theirs;
  }
  if (where_.places.size() < kMostPlaces) {
    std::int64_t place = 0;
    for (int axis = 0; axis < rank; ++axis) place = place * shape_[axis] + at[axis];
    where_.places.push_back(place);
  }
  where_.nan += std::isnan(theirs) && !std::isnan(ours) ? 1 : 0;
  where_.infinite += std::isinf(theirs) && !std::isinf(ours) ? 1 : 0;
  const auto count = [](std::vector<std::int64_t>& counts, std::int64_t place) {
    if (place >= 0 && place < static_cast<std::int64_t>(counts.size())) ++counts[static_cast<std::size_t>(place)];
  };
  count(batch_, at[0]);
  count(row_, at[rank - 2]);
  count(column_, at[rank - 1]);
  if (rank == 4) {
    count(head_, at[1]);
    count(diagonal_, at[2] - at[3] + shape_[3]);
  } else if (heads_ > 0 && shape_[rank - 1] % heads_ == 0) {
    count(head_, at[rank - 1] / (shape_[rank - 1] / heads_));
  }
}

std::vector<std::int64_t> WhereFinder::rows() const {
  return places_of(row_);
}

Where WhereFinder::found(std::int64_t past) const {
  Where result = where_;
  if (result.cells == 0) return result;
  // Queries that were looked at first come before those between them.
  std::sort(result.places.begin(), result.places.end());
  result.batches = places_of(batch_);
  result.heads = places_of(head_);
  result.rows = places_of(row_);
  result.columns = places_of(column_);
  if (!diagonal_.empty()) result.diagonals = places_of(diagonal_, past - shape_[3]);
  const int rank = shape_.count;
  const AxisWords words = words_of_stage(stage_);
  std::string in;
  const auto add_words = [&](const std::string& more) {
    if (!more.empty()) in += (in.empty() ? "in " : ", ") + more;
  };
  add_words(words_of("batch item", "batch items", result.batches, shape_[0]));
  add_words(words_of("head", "heads", result.heads, static_cast<std::int64_t>(head_.size())));
  const std::string rows = words_of(words.row, words.rows, result.rows, shape_[rank - 2]);
  add_words(rows);
  // Columns that follow from the heads say nothing more.
  const bool of_heads = rank == 3 && heads_ > 0 && result.heads.size() < head_.size();
  if (!of_heads) add_words(words_of(words.column, words.columns, result.columns, shape_[rank - 1]));
  if (past > 0 && is_score_like(stage_) && result.columns.back() < past) add_words("keys of the past only");
  // Several diagonals say no more than the rows and columns that they lie in.
  const bool says_more = result.diagonals.size() == 1 || rows.empty();
  const std::string diagonals = says_more ? diagonal_words(result.diagonals, shape_, past) : "";
  if (!diagonals.empty()) in += (in.empty() ? "" : ", ") + diagonals;
  std::string index;
  for (const std::int64_t each : result.first) index += (index.empty() ? "" : ",") + std::to_string(each);
  result.sentence = fmt::format("{} of {} cells differ{}{}; the first is {}[{}]: ours {:.6g}, theirs {:.6g}",
                                result.cells, result.of_cells, in.empty() ? "" : ", ", in, name_, index,
                                without_sign(result.ours), without_sign(result.theirs));
  if (result.nan > 0) result.sentence += fmt::format("; {} of theirs are NaN", result.nan);
  if (result.infinite > 0) result.sentence += fmt::format("; {} of theirs are infinite", result.infinite);
  return result;
}

}  // namespace headscope
