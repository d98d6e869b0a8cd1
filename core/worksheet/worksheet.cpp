#include "core/worksheet/worksheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/worksheet/drawn_numbers.h"
#include "core/worksheet/sheet_blanks.h"

namespace headscope {

namespace {

constexpr int kFewestWords = 3, kMostWords = 4, kLongestWord = 12;
constexpr int kSmallestModel = 2, kLargestModel = 4, kMostHeads = 2;
// Powers of e stay between 0.05 and 20.09.
constexpr Decimal kLargestScore{300, 2};

int letters_in(std::string_view word) {
  int count = 0;
  for (std::size_t at = 0; at < word.size(); at = next_grapheme(word, at)) ++count;
  return count;
}

Decimal whole(int number) {
  return {number, 0};
}

// 1 / sqrt(head_dim) in two places, without a last 0.
Decimal scale_of(int head_dim) {
  constexpr std::array<Decimal, 5> kScales = {Decimal{}, {1, 0}, {71, 2}, {58, 2}, {5, 1}};
  HEADSCOPE_ASSERT(head_dim >= 1 && head_dim < static_cast<int>(kScales.size()), "heads of 1 to 4 features");
  return kScales[static_cast<std::size_t>(head_dim)];
}

DecimalGrid drawn_grid(DrawnNumbers& numbers, int rows, int columns, int low, int high) {
  DecimalGrid grid(static_cast<std::size_t>(rows));
  for (std::vector<Decimal>& row : grid) {
    // A row of zeros would leave nothing to compute.
    do {
      row.clear();
      for (int k = 0; k < columns; ++k) row.push_back(whole(numbers.between(low, high)));
    } while (std::all_of(row.begin(), row.end(), [](Decimal number) { return number.units == 0; }));
  }
  return grid;
}

DecimalGrid product(const DecimalGrid& a, const DecimalGrid& columns_of_b) {
  DecimalGrid result;
  for (const std::vector<Decimal>& row : a) {
    result.emplace_back();
    for (const std::vector<Decimal>& column : columns_of_b) result.back().push_back(dot_product(row, column));
  }
  return result;
}

DecimalGrid transposed(const DecimalGrid& grid) {
  DecimalGrid result(grid.front().size());
  for (const std::vector<Decimal>& row : grid) {
    for (std::size_t k = 0; k < row.size(); ++k) result[k].push_back(row[k]);
  }
  return result;
}

bool is_small(Decimal score) {
  const Decimal difference = Decimal{std::abs(score.units), score.places} + Decimal{-kLargestScore.units, 2};
  return difference.units <= 0;
}

// Whether every score is small, and no row of two visible keys and more has the same score everywhere.
bool is_fit(const WorksheetSpec& spec, const DecimalGrid& scores) {
  for (int i = 0; i < spec.length(); ++i) {
    const std::vector<Decimal>& row = scores[static_cast<std::size_t>(i)];
    bool differs = false;
    int visible = 0;
    for (int j = 0; j < spec.length(); ++j) {
      const Decimal score = row[static_cast<std::size_t>(j)];
      if (!is_small(score)) return false;
      if (is_hidden(spec, i, j)) continue;
      ++visible;
      differs = differs || score != row.front();
    }
    if (visible > 1 && !differs) return false;
  }
  return true;
}

void compute_softmax(const WorksheetSpec& spec, SheetHead& head) {
  for (int i = 0; i < spec.length(); ++i) {
    const std::vector<Decimal>& scores = head.scores[static_cast<std::size_t>(i)];
    std::vector<Decimal> powers, shares;
    Decimal sum;
    for (int j = 0; j < spec.length(); ++j) {
      powers.push_back(is_hidden(spec, i, j) ? Decimal{} : rounded_power(scores[static_cast<std::size_t>(j)]));
      sum = sum + powers.back();
    }
    for (int j = 0; j < spec.length(); ++j) {
      shares.push_back(is_hidden(spec, i, j) ? Decimal{} : rounded_quotient(powers[static_cast<std::size_t>(j)], sum));
    }
    head.exp.push_back(powers);
    head.sum.push_back({sum});
    head.weights.push_back(shares);
  }
}

SheetHead drawn_head(const WorksheetSpec& spec, Decimal scale, DrawnNumbers& numbers) {
  constexpr int kTries = 100000;
  SheetHead head;
  for (int k = 0;; ++k) {
    HEADSCOPE_ASSERT(k < kTries, "small scores are drawn soon");
    head.query = drawn_grid(numbers, spec.length(), spec.head_dim(), -2, 2);
    head.key = drawn_grid(numbers, spec.length(), spec.head_dim(), -2, 2);
    head.raw_scores = product(head.query, head.key);
    head.scores = head.raw_scores;
    for (std::vector<Decimal>& row : head.scores) {
      for (Decimal& score : row) score = score * scale;
    }
    if (is_fit(spec, head.scores)) break;
  }
  head.value = drawn_grid(numbers, spec.length(), spec.head_dim(), -3, 3);
  compute_softmax(spec, head);
  head.context = product(head.weights, transposed(head.value));
  return head;
}

}  // namespace

Decimal HandSheet::value(const SheetCell& cell) const {
  const SheetHead& head = heads.at(static_cast<std::size_t>(cell.head));
  const std::array<const DecimalGrid*, kSheetStages.size()> grids = {
      &head.raw_scores, &head.scores, &head.exp, &head.sum, &head.weights, &head.context, &output};
  return grids.at(static_cast<std::size_t>(cell.stage))
      ->at(static_cast<std::size_t>(cell.row))
      .at(static_cast<std::size_t>(cell.column));
}

std::optional<char> HandSheet::letter(const SheetCell& cell) const {
  const auto found = std::find(blanks.begin(), blanks.end(), cell);
  if (found == blanks.end()) return std::nullopt;
  return static_cast<char>('A' + (found - blanks.begin()));
}

void check_worksheet(const WorksheetSpec& spec) {
  if (spec.length() < kFewestWords || spec.length() > kMostWords) {
    throw UsageError("phrase", fmt::format("{} words", spec.length()), "3 or 4 words with blanks between them");
  }
  for (const std::string& word : spec.words) {
    if (!is_valid_utf8(word) || letters_in(word) > kLongestWord) {
      throw UsageError("phrase", in_quotes(word), "words of at most 12 letters, which fit beside a table");
    }
  }
  if (spec.heads < 1 || spec.heads > kMostHeads) {
    throw UsageError("heads", fmt::format("{}", spec.heads), "1 or 2, which a hand can compute");
  }
  if (spec.d_model < kSmallestModel || spec.d_model > kLargestModel || spec.d_model % spec.heads != 0) {
    throw UsageError("d-model", fmt::format("{}", spec.d_model),
                     spec.heads == 1 ? "2, 3 or 4, which a hand can compute" : "2 or 4 with two heads");
  }
  if (spec.sheets < 1 || spec.sheets > kMostSheets) {
    throw UsageError("sheets", fmt::format("{}", spec.sheets), fmt::format("1 to {}", kMostSheets));
  }
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max() - static_cast<std::uint64_t>(spec.sheets - 1);
  if (spec.seed > largest) {
    throw UsageError("seed", fmt::format("{}", spec.seed),
                     fmt::format("at most {}, so that each of {} sheets has the next seed", largest, spec.sheets));
  }
  DrawnNumbers numbers(spec.seed);
  drawn_blanks(spec, numbers);
}

HandSheet drawn_sheet(const WorksheetSpec& spec, int number) {
  check_worksheet(spec);
  HandSheet sheet;
  sheet.number = number;
  sheet.seed = spec.seed + static_cast<std::uint64_t>(number - 1);
  sheet.scale = scale_of(spec.head_dim());
  DrawnNumbers numbers(sheet.seed);
  sheet.concat.resize(spec.words.size());
  for (int h = 0; h < spec.heads; ++h) {
    sheet.heads.push_back(drawn_head(spec, sheet.scale, numbers));
    for (std::size_t i = 0; i < spec.words.size(); ++i) {
      const std::vector<Decimal>& context = sheet.heads.back().context[i];
      sheet.concat[i].insert(sheet.concat[i].end(), context.begin(), context.end());
    }
  }
  // Its columns are drawn, so that none is of zeros alone.
  const DecimalGrid columns = drawn_grid(numbers, spec.d_model, spec.d_model, -1, 2);
  sheet.output_weights = transposed(columns);
  sheet.output = product(sheet.concat, columns);
  sheet.blanks = drawn_blanks(spec, numbers);
  return sheet;
}

}  // namespace headscope
