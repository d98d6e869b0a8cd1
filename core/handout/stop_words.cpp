#include "core/handout/stop_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/heads/shown_weights.h"
#include "core/heads/token_groups.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/figure/figure_plan.h"
#include "core/request/stage.h"
#include "core/text/visual_order.h"

namespace headscope {

namespace {

// A word of the text beside its position, in its own direction and without the blanks around it.
std::string named(const std::vector<std::string>& names, std::int64_t at) {
  const std::string& name = names[static_cast<std::size_t>(at)];
  const std::size_t begin = name.find_first_not_of(' '), end = name.find_last_not_of(' ');
  const std::string word = begin == std::string::npos ? name : name.substr(begin, end - begin + 1);
  return fmt::format("\u201c{}\u201d ({})", isolated(word), at);
}

// A weight of which three decimals would say nothing is told by its bound.
std::string number_of(const FoundStop& stop, float value) {
  if (is_weight_like(stop.view().stage) && value > 0 && value < 0.0005F) return "less than 0.001";
  return signed_number_text(static_cast<double>(value), 3);
}

float value_at(const MapRow& row, std::int64_t column) {
  return row.values[static_cast<std::size_t>(column)];
}

// "weights", "raw scores".
std::string stage_words(const FoundStop& stop) {
  std::string words(stage_name(stop.view().stage));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string place_words(const FoundStop& stop) {
  const std::int64_t head = stop.view().head;
  std::string words = stop.of_model() ? fmt::format("Layer {}, head {}", stop.layer().inputs->layer, head)
                                      : fmt::format("Head {}", head);
  if (stop.picture().shape()[0] > 1)
    words += fmt::format(", text {} of {}", stop.view().batch, stop.picture().shape()[0]);
  if (!is_weight_like(stop.view().stage)) words += ", " + stage_words(stop);
  return words + ": ";
}

// What the row of a query looks at: its two largest weights.
std::string row_of_weights(const FoundStop& stop, const MapRow& row, const std::vector<std::int64_t>& columns,
                           const std::string& query) {
  const std::vector<std::string>& keys = stop.picture().column_names();
  const auto share = [&](std::int64_t column) {
    return fmt::format("{}, with a weight of {}", named(keys, column), number_of(stop, value_at(row, column)));
  };
  if (columns.size() == 1) return fmt::format("{} sees {} alone.", query, share(columns[0]));
  if (value_at(row, columns[0]) == value_at(row, columns.back())) {
    return fmt::format("{} looks at all {} words alike, each with a weight of {}.", query, columns.size(),
                       number_of(stop, value_at(row, columns[0])));
  }
  return fmt::format("{} looks most at {}; then at {}.", query, share(columns[0]), share(columns[1]));
}

std::string row_words(const FoundStop& stop, const PickedCell& cell) {
  const MapRow row = stop.row(cell.row);
  const std::vector<std::int64_t> columns = row.by_size();
  const std::string query = named(stop.picture().row_names(), cell.row);
  if (columns.empty()) return query + " has no number that is not hidden.";
  const bool weights = is_weight_like(stop.view().stage);
  std::string words =
      weights ? row_of_weights(stop, row, columns, query)
              : fmt::format("of {} the largest is {}, at {}.", query, number_of(stop, value_at(row, columns[0])),
                            named(stop.picture().column_names(), columns[0]));
  const auto end = columns.begin() + std::min<std::ptrdiff_t>(weights ? 2 : 1, std::ssize(columns));
  if (cell.column < 0 || std::find(columns.begin(), end, cell.column) != end) return words;
  const std::string ringed = named(stop.picture().column_names(), cell.column);
  if (row.hidden[static_cast<std::size_t>(cell.column)] != 0) {
    return words + fmt::format(" The ringed cell, {}, is hidden by the mask.", ringed);
  }
  return words + fmt::format(" The ringed cell, {}, is {}.", ringed, number_of(stop, value_at(row, cell.column)));
}

// The largest number of the whole map, and where it is.
std::string largest_words(const FoundStop& stop, const CancelToken& cancel) {
  const StagePicture& picture = stop.picture();
  PickedCell best;
  float most = 0;
  for (std::int64_t i = 0; i < picture.rows(); ++i) {
    cancel.check();
    const MapRow row = stop.row(i);
    const std::vector<std::int64_t> columns = row.by_size();
    // A row that sees one key has no choice.
    if (columns.empty() || (columns.size() == 1 && is_weight_like(stop.view().stage) && picture.columns() > 1))
      continue;
    if (best.column >= 0 && value_at(row, columns[0]) <= most) continue;
    most = value_at(row, columns[0]);
    best = {i, columns[0]};
  }
  if (best.column < 0) return "no row has a choice.";
  const std::string query = named(picture.row_names(), best.row), key = named(picture.column_names(), best.column);
  if (!is_weight_like(stop.view().stage))
    return fmt::format("the largest is {}, of {} at {}.", number_of(stop, most), query, key);
  return fmt::format("the largest weight is {}: {} looks at {}.", number_of(stop, most), query, key);
}

std::string range_words(const FoundStop& stop) {
  const ViewSpec& view = stop.view();
  std::string words = view.range == RangeKind::row ? "every row has colours over its own numbers" : "";
  if (view.log_scale) words += words.empty() ? "colours are logarithmic" : ", logarithmic";
  return words.empty() ? "" : "; " + words;
}

}  // namespace

std::string fact_words(const FoundStop& stop, const CancelToken& cancel) {
  return place_words(stop) + (stop.cell() ? row_words(stop, *stop.cell()) : largest_words(stop, cancel));
}

std::string map_words(const FoundStop& stop, const StopMap& map) {
  std::string words = fmt::format("The {} of this head: rows look (queries), columns are looked at (keys){}.",
                                  stage_words(stop), range_words(stop));
  if (map.hatched) words += " Hatched: hidden by the mask.";
  if (stop.cell() && stop.cell()->column >= 0) words += " Ringed: the picked cell.";
  if (map.numbered) words += fmt::format(" B{}.", std::string(kBlankWords).substr(1));
  words += " Numbers in brackets are positions, from 0.";
  if (!map.whole) {
    const StagePicture& picture = stop.picture();
    words += fmt::format(
        " The map has {} rows and {} columns, too many for words that can be read: here are rows {} to {} "
        "and columns {} to {}.",
        picture.rows(), picture.columns(), map.rows.begin, map.rows.end - 1, map.columns.begin, map.columns.end - 1);
  }
  for (const std::string& more : {is_shown_stage(stop.view().stage) ? shown_sentence(stop.layer()) : std::string(),
                                  is_weight_like(stop.view().stage) ? mask_sentences(stop.layer()) : std::string()}) {
    if (!more.empty()) words += " " + more + (more.ends_with('.') ? "" : ".");
  }
  return words;
}

}  // namespace headscope
